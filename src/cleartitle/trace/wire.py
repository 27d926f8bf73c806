"""A search as JSON for other programs: the question, the answer, and their schemas, the same over HTTP and MCP."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cleartitle.code import LANGUAGES
from cleartitle.licenses import CLASSES
from cleartitle.trace.index import Index
from cleartitle.trace.matches import Match
from cleartitle.trace.sources import text_of

__all__ = ["MOST_MATCHES", "QUESTION", "RESULT", "Question"]

MOST_MATCHES = 50
MOST_LINES, MOST_LINES_OF_ALL = 400, 2000
"""Lines of an excerpt, and of all excerpts of an answer."""
LONGEST_LINE = 400
"""Characters of a line of an excerpt; what is longer is cut."""


@dataclass(frozen=True)
class Question:
    """One text to search for. ``excerpts`` asks for the lines of the origin that hold matched words."""

    text: str
    language: str | None = None
    limit: int = 10
    excerpts: bool = False

    @classmethod
    def of(cls, value: Mapping[str, Any], text: str | None = None) -> "Question":
        """The question in a JSON object that fits ``QUESTION``; ``text`` stands in the place of its own."""
        return cls(
            value["text"] if text is None else text,
            value.get("language"),
            int(value.get("limit", cls.limit)),
            bool(value.get("excerpts", cls.excerpts)),
        )

    def ask(self, index: Index, *, may_show: bool = True) -> dict[str, Any]:
        """The answer of an index, which fits ``RESULT``; ``may_show`` false refuses all excerpts.

        The index is named by its folder alone, so that no path of this machine is told.
        """
        found = index.search(self.text, self.language, self.limit)
        answer = found.as_json()
        answer["searched"]["index"] = index.path.resolve().name
        left = MOST_LINES_OF_ALL
        if self.excerpts:
            for match, shown in zip(found.matches, answer["matches"], strict=True):
                blocks = excerpt(index, match, min(MOST_LINES, left)) if may_show else None
                left -= sum(len(block["lines"]) for block in blocks or ())
                shown["excerpt"] = blocks
        return answer


def excerpt(index: Index, match: Match, most: int = MOST_LINES) -> list[dict[str, Any]] | None:
    """The lines of an origin that hold matched words, the first ``most`` of them; None where there are no texts.

    No line around them: who asks gets only lines of which they sent the words, so that an index cannot be read out
    by asking.
    """
    text = text_of(index, match.swhid)
    if text is None:
        return None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    wanted = sorted({line for span in match.spans for line in range(span.origin[0], span.origin[1] + 1)})
    blocks: list[dict[str, Any]] = []
    for line in wanted[:most]:
        if line > len(lines):
            break
        if not blocks or line != blocks[-1]["first"] + len(blocks[-1]["lines"]):
            blocks.append({"first": line, "lines": []})
        shown = lines[line - 1]
        blocks[-1]["lines"].append(shown if len(shown) <= LONGEST_LINE else shown[:LONGEST_LINE] + " …")
    return blocks


def _object(properties: dict[str, Any], optional: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False, **more}


def _nullable(description: str | None = None) -> dict[str, Any]:
    return {"type": ["string", "null"], **({"description": description} if description else {})}


QUESTION: dict[str, Any] = {
    "text": {"type": "string", "description": "Source code or other text: a snippet, a file, a change."},
    "language": {"enum": [*LANGUAGES, None], "description": "Count works in this language only."},
    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_MATCHES, "default": Question.limit},
    "excerpts": {
        "type": "boolean",
        "default": False,
        "description": "Show the lines of each origin that hold matched words, if the index holds texts.",
    },
}
"""JSON Schema (2020-12) of each field of a question; ``text`` is required."""

_LINES: dict[str, Any] = {
    "type": "array",
    "items": {"type": "integer", "minimum": 1},
    "minItems": 2,
    "maxItems": 2,
    "description": "First and last line, counted from 1.",
}
_SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_SPAN = _object(
    {"query": _LINES, "origin": _LINES, "words": _COUNT, "kind": {"enum": ["exact", "renamed"]}},
)
_MATCH = _object(
    {
        "project": {"type": "string"},
        "version": _nullable(),
        "path": {"type": "string"},
        "url": _nullable(),
        "revision": _nullable(),
        "permalink": _nullable(),
        "date": _nullable("When the place was first seen."),
        "license": _nullable("SPDX expression."),
        "license_class": {"enum": [*CLASSES, None]},
        "trust": {"type": "string", "description": "How well the license is founded."},
        "conflict": _nullable("How header and declaration disagree."),
        "obligations": _STRINGS,
        "copyright_lines": _STRINGS,
        "is_vendored": {"type": "boolean"},
        "swhid": {"type": "string", "description": "Software Heritage id of the content."},
        "language": {"type": "string"},
        "spans": {"type": "array", "items": _SPAN},
        "containment": {**_SHARE, "description": "Share of the words of the text that stand in the spans."},
        "exact": {**_SHARE, "description": "Share that stands in spans of equal words."},
        "common": {"type": "boolean", "description": "Too many projects hold these words for them to point to one."},
        "projects": {**_COUNT, "description": "Projects that hold the shared words."},
        "also": {**_COUNT, "description": "Further places with the same content or an equally good one."},
        "excerpt": {
            "type": ["array", "null"],
            "items": _object({"first": {"type": "integer", "minimum": 1}, "lines": _STRINGS}),
            "description": "Lines of the origin that hold matched words; null where none may be shown.",
        },
    },
    optional=("excerpt",),
    description="A work that shares words with the text. It does not show who copied from whom.",
)
RESULT: dict[str, Any] = _object(
    {
        "path": {"type": "null"},
        "state": {
            "enum": ["matches", "common", "none", "too_short"],
            "description": "common: only words that many projects share; none: nothing found in what was searched.",
        },
        "words": _COUNT,
        "searched": _object(
            {
                "index": {"type": "string"},
                **{name: _COUNT for name in ("segments", "documents", "origins", "words", "source_bytes")},
                "guaranteed_words": _object({"exact": _COUNT, "renamed": _COUNT}),
            }
        ),
        "matches": {"type": "array", "items": _MATCH, "maxItems": MOST_MATCHES},
    }
)
"""JSON Schema (2020-12) of the answer to one question."""
