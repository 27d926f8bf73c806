"""Put matches in order, the likeliest origin first, and say where they stand."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle.trace.matches import Match, Span
from cleartitle.trace.origins import license_facts, match_at
from cleartitle.trace.verify import Found
from cleartitle.trace.words import WordStream

__all__ = ["rank"]


def rank(found: list[Found], data: bytes, query: WordStream, limit: int) -> list[Match]:
    """Best first: specific before common, more of the query before less, then the likelier origin."""
    query_lines = line_numbers(data)
    groups: dict[tuple[str, str], list[tuple[Found, dict[str, Any], int]]] = {}
    for item in found:
        place, others = match_at(item.segment.origins_of(item.document))
        groups.setdefault((place["project"], place["path"]), []).append((item, place, others))
    best: list[tuple[tuple[Any, ...], Found, dict[str, Any], int]] = []
    top = max((item.covered for item in found), default=0)
    for members in groups.values():
        members.sort(key=lambda member: (-member[0].covered, -member[0].covered_exact, *_age(member[1])))
        item, place, others = members[0]
        others += sum(1 + more for _, _, more in members[1:])
        # Near the top a few words more or less say nothing about who was first.
        level = 0 if item.covered >= 0.95 * top else top - item.covered
        key = (item.common, level, place["is_vendored"], *_age(place), -item.covered, -(place["reuse_count"] or 0))
        best.append((key, item, place, others))
    best.sort(key=lambda entry: (entry[0], entry[2]["project"], entry[2]["path"]))
    return [_match(item, place, others, query, query_lines) for _, item, place, others in best[:limit]]


def _age(place: dict[str, Any]) -> tuple[bool, str]:
    date = place["date"]
    return (date is None, date.isoformat() if date is not None else "")


def _match(item: Found, place: dict[str, Any], others: int, query: WordStream, lines: npt.NDArray[np.int64]) -> Match:
    theirs = line_numbers(item.text)
    spans = tuple(
        Span(
            query=_lines(query, lines, left, length),
            origin=_lines(item.words, theirs, right, length),
            words=length,
            kind="exact" if kind == "exact" else "renamed",
        )
        for left, right, length, kind in item.spans
    )
    return Match(
        **license_facts(place),
        swhid=item.segment.swhid(item.document),
        language=item.segment.language(item.document),
        spans=spans,
        containment=round(item.covered / len(query), 4),
        exact=round(item.covered_exact / len(query), 4),
        common=item.common,
        projects=item.projects,
        also=others,
    )


def _lines(words: WordStream, ends: npt.NDArray[np.int64], first: int, count: int) -> tuple[int, int]:
    start, end = int(words.starts[first]), int(words.starts[first + count - 1])
    return int(np.searchsorted(ends, start, side="right")) + 1, int(np.searchsorted(ends, end, side="right")) + 1


def line_numbers(text: bytes) -> npt.NDArray[np.int64]:
    """Byte offsets at which the second and each further line starts (line ends: LF, CR LF, CR)."""
    data = np.frombuffer(text, np.uint8)
    feeds = data == 10
    returns = data == 13
    if returns.any():
        alone = returns.copy()
        alone[:-1] &= ~feeds[1:]
        feeds = feeds | alone
    return np.flatnonzero(feeds) + 1
