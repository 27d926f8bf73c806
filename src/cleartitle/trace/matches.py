"""What a search answers: matches with their origin, spans and license."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Match", "Result", "Span", "State"]

State = Literal["matches", "common", "none", "too_short"]


@dataclass(frozen=True)
class Span:
    """One run of words that both texts hold; lines are counted from 1, the last one is part of it.

    ``kind`` is ``exact``, or ``renamed`` where identifiers or numbers differ.
    """

    query: tuple[int, int]
    origin: tuple[int, int]
    words: int
    kind: Literal["exact", "renamed"]


@dataclass(frozen=True)
class Match:
    """One content of the corpus that shares words with the query, at its likeliest origin.

    ``containment`` is the share of the query's words (0 to 1) that stand in the spans, ``exact`` the share in exact
    ones. ``projects`` counts the projects of the index that hold the shared words, ``common`` says that they are too
    many for the words to point to one of them. ``also`` counts the further places that hold the same content or an
    equally good one. A match shows shared words; it does not show who copied from whom, nor that the words are
    protected.
    """

    project: str
    version: str | None
    path: str
    url: str | None
    revision: str | None
    permalink: str | None
    date: str | None
    license: str | None
    license_class: str | None
    trust: str
    conflict: str | None
    obligations: tuple[str, ...]
    copyright_lines: tuple[str, ...]
    is_vendored: bool
    swhid: str
    language: str
    spans: tuple[Span, ...]
    containment: float
    exact: float
    common: bool
    projects: int
    also: int

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Result:
    """The answer to one query.

    ``state``: ``matches``; ``common`` (only words that many projects share); ``none``; ``too_short`` (fewer words
    than the shortest run that an index holds). ``searched`` says what was looked through.
    """

    path: str | None
    state: State
    words: int
    searched: dict[str, Any]
    matches: tuple[Match, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        known: dict[str, Any] = {"path": self.path, "state": self.state, "words": self.words}
        return {**known, "searched": dict(self.searched), "matches": [match.as_json() for match in self.matches]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Result":
        """The result that ``as_json`` gave; further fields, as ``trace search --json`` adds, are passed over.

        Raises:
            KeyError, TypeError, ValueError: not such a value.
        """
        matches = tuple(_match(item) for item in value["matches"])
        return cls(value["path"], value["state"], int(value["words"]), dict(value["searched"]), matches)


def _match(value: Mapping[str, Any]) -> Match:
    known: dict[str, Any] = {field.name: value[field.name] for field in dataclasses.fields(Match)}
    spans = tuple(
        Span(_lines(item["query"]), _lines(item["origin"]), int(item["words"]), item["kind"]) for item in value["spans"]
    )
    for name in ("obligations", "copyright_lines"):
        known[name] = tuple(str(item) for item in value[name])
    known["spans"] = spans
    return Match(**known)


def _lines(value: Any) -> tuple[int, int]:
    first, last = value
    return int(first), int(last)
