"""One frozen dataclass per operation feeds the Python API, the command line, the run record and the cache key."""

import dataclasses
import hashlib
from typing import Any

from cleartitle.files import canonical_json

__all__ = ["as_record", "fingerprint"]

NOT_IN_KEY = {"not_in_key": True}
"""Field metadata of an option that cannot change a result (number of workers, output folder, display)."""


def as_record(options: Any) -> dict[str, Any]:
    """All fields of an options dataclass as plain JSON values, for ``run.json``."""
    return {field.name: _plain(getattr(options, field.name)) for field in dataclasses.fields(options)}


def fingerprint(options: Any, **inputs: Any) -> str:
    """16 hexadecimal digits that name these options and inputs.

    Fields whose metadata is ``NOT_IN_KEY`` stay out. Equal fingerprints mean that the result may be reused.
    """
    record = {
        field.name: _plain(getattr(options, field.name))
        for field in dataclasses.fields(options)
        if not field.metadata.get("not_in_key")
    }
    text = canonical_json({"operation": type(options).__name__, "options": record, "inputs": _plain(inputs)})
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return as_record(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(item) for item in value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)
