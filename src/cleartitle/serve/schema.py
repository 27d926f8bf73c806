"""The OpenAPI 3.1 document of the service, and the validator that requests go through: one schema for both."""

import json
from collections.abc import Callable
from typing import Any

from cleartitle import __version__
from cleartitle.errors import require
from cleartitle.serve.options import ServeOptions
from cleartitle.trace import QUESTION, RESULT

__all__ = ["document", "problem_of"]

REASONS = {
    "400": "Not JSON.",
    "401": "The token is missing or wrong.",
    "403": "Asked from another place than this machine's own page.",
    "408": "The body came too slowly.",
    "413": "The body is too large.",
    "415": "The body is not declared as plain application/json.",
    "422": "The body does not fit the schema.",
    "429": "Too many requests of one client at a time.",
    "500": "A fault of the service; its log holds more.",
    "503": "Too many requests, a search that took too long, or no index; try again.",
}
LATER = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}}


def question(options: ServeOptions) -> dict[str, Any]:
    """JSON Schema (2020-12) of the body of ``POST /v1/trace``."""
    texts = {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": options.max_texts,
        "description": "Several texts, each searched for by itself.",
    }
    return {
        "type": "object",
        "properties": {**QUESTION, "texts": texts},
        "additionalProperties": False,
        "oneOf": [{"required": ["text"]}, {"required": ["texts"]}],
    }


def document(options: ServeOptions, *, has_token: bool) -> dict[str, Any]:
    """The OpenAPI document of a service with these options."""
    answer = {
        "type": "object",
        "properties": {"results": {"type": "array", "items": _ref("Result"), "minItems": 1}},
        "required": ["results"],
        "additionalProperties": False,
    }
    secured = {"security": [{"token": []}]} if has_token else {}
    closed = ["401"] if has_token else ["403"]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Cleartitle trace",
            "version": __version__,
            "summary": "Which licensed works does this text share words with?",
            "description": "A match shows shared words; it does not show who copied from whom. Not legal advice.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": {
            "/v1/trace": {
                "post": {
                    "operationId": "trace",
                    "summary": "Search for one text or several.",
                    "requestBody": {"required": True, "content": _json(_ref("Question"))},
                    "responses": {
                        "200": {"description": "A result for each text, in order.", "content": _json(_ref("Answer"))},
                        **_failures("400", *closed, "408", "413", "415", "422", "429", "500", "503"),
                    },
                    **secured,
                }
            },
            "/health": {
                "get": {
                    "operationId": "health",
                    "summary": "Is an index open and searched?",
                    "responses": {
                        "200": {"description": "Yes.", "content": _json(_ref("Health"))},
                        "503": {"description": "No.", "headers": LATER, "content": _json(_ref("Health"))},
                        **({} if has_token else _failures("403")),
                    },
                }
            },
            "/metrics": {
                "get": {
                    "operationId": "metrics",
                    "summary": "Counters and times in the text format of Prometheus.",
                    "responses": {
                        "200": {
                            "description": "Metrics.",
                            "content": {"text/plain": {"schema": {"type": "string"}}},
                        },
                        **_failures(*closed),
                    },
                    **secured,
                }
            },
            "/openapi.json": {
                "get": {
                    "operationId": "openapi",
                    "summary": "This document.",
                    "responses": {
                        "200": {"description": "OpenAPI 3.1.", "content": _json({"type": "object"})},
                        **({} if has_token else _failures("403")),
                    },
                }
            },
        },
        "components": {
            "schemas": {
                "Question": question(options),
                "Result": RESULT,
                "Answer": answer,
                "Health": _HEALTH,
                "Error": _ERROR,
            },
            **({"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}} if has_token else {}),
        },
    }


def problem_of(options: ServeOptions) -> Callable[[Any], str | None]:
    """What is wrong with a body of ``POST /v1/trace`` by its schema, in one line without its texts; None if nothing.

    Raises:
        MissingExtraError: the extra ``serve`` is not installed.
    """
    validator = require("jsonschema", "serve").Draft202012Validator(question(options))

    def problem(value: Any) -> str | None:
        error = next(iter(validator.iter_errors(value)), None)
        return None if error is None else _words(error)

    return problem


def _words(error: Any) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    if error.validator == "oneOf":
        return "either text or texts is required, not both"
    if error.validator == "additionalProperties":
        return f"{place or 'the body'}: a field that is not known; known are {', '.join(error.schema['properties'])}"
    return f"{place or 'the body'}: must have {error.validator} {json.dumps(error.validator_value)}"


_ERROR: dict[str, Any] = {
    "type": "object",
    "properties": {"error": {"type": "string", "description": "One line that says what is wrong."}},
    "required": ["error"],
    "additionalProperties": False,
}
_HEALTH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"enum": ["ok", "unavailable"]},
        "workers": {"type": "integer", "minimum": 0},
        "index": {
            "type": ["object", "null"],
            "properties": {
                "name": {"type": "string"},
                "key": {"type": "string", "description": "Changes with the content of the index."},
                "documents": {"type": "integer", "minimum": 0},
                "source_bytes": {"type": "integer", "minimum": 0},
                "texts": {"type": "boolean", "description": "Whether excerpts can be had."},
            },
            "required": ["name", "key", "documents", "source_bytes", "texts"],
            "additionalProperties": False,
        },
    },
    "required": ["status", "workers", "index"],
    "additionalProperties": False,
}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _failures(*statuses: str) -> dict[str, Any]:
    return {
        status: {
            "description": REASONS[status],
            "content": _json(_ref("Error")),
            **({"headers": LATER} if status in ("429", "503") else {}),
        }
        for status in statuses
    }
