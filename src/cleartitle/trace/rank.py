"""Put matches in order, the likeliest origin first, and say where they stand."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle.trace.matches import Match, Span
from cleartitle.trace.origins import license_facts, match_at
from cleartitle.trace.verify import Found, Run
from cleartitle.trace.words import WordStream, line_starts

__all__ = ["rank"]


def rank(found: list[Found], data: bytes, query: WordStream, limit: int) -> list[Match]:
    """Best first: specific before common, more of the query before less, then the likelier origin.

    A word that is equal counts twice, one that is equal but for its name once.
    """
    query_lines = line_starts(data)
    groups: dict[tuple[str, str], list[tuple[Found, dict[str, Any], int]]] = {}
    for item in found:
        place, others = match_at(item.origins)
        groups.setdefault((place["project"], place["path"]), []).append((item, place, others))
    best: list[tuple[tuple[Any, ...], Found, dict[str, Any], int]] = []
    top = max((_weight(item) for item in found), default=0)
    for members in groups.values():
        members.sort(key=lambda member: (-_weight(member[0]), *_age(member[1])))
        item, place, others = members[0]
        others += sum(1 + more for _, _, more in members[1:])
        # Near the top a few words more or less say nothing about who was first.
        weight = _weight(item)
        level = 0 if weight >= 0.95 * top else top - weight
        key = (item.common, level, place["is_vendored"], *_age(place), -weight, -(place["reuse_count"] or 0))
        best.append((key, item, place, others))
    best.sort(key=lambda entry: (entry[0], entry[2]["project"], entry[2]["path"]))
    return [_match(item, place, others, query, query_lines) for _, item, place, others in best[:limit]]


def _weight(item: Found) -> int:
    return item.covered + item.covered_exact


def _age(place: dict[str, Any]) -> tuple[bool, str]:
    date = place["date"]
    return (date is None, date.isoformat() if date is not None else "")


def _match(item: Found, place: dict[str, Any], others: int, query: WordStream, lines: npt.NDArray[np.int64]) -> Match:
    spans = tuple(
        Span(
            query=_lines(query, lines, run),
            origin=run.lines,
            words=run.words,
            kind="exact" if run.kind == "exact" else "renamed",
        )
        for run in item.runs
    )
    return Match(
        **license_facts(place),
        swhid=item.swhid,
        language=item.language,
        spans=spans,
        containment=round(item.covered / len(query), 4),
        exact=round(item.covered_exact / len(query), 4),
        common=item.common,
        projects=item.projects,
        also=others,
    )


def _lines(words: WordStream, starts: npt.NDArray[np.int64], run: Run) -> tuple[int, int]:
    places = words.starts[[run.left, run.left + run.words - 1]]
    first, last = (np.searchsorted(starts, places, side="right") + 1).tolist()
    return first, last
