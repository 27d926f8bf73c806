"""Where two texts share runs of tokens: character spans for showing them side by side."""

import re
from collections import defaultdict
from dataclasses import dataclass

__all__ = ["SharedSpan", "shared_spans"]

_TOKEN = re.compile(r"\w+|[^\w\s]")
POSITIONS_PER_GRAM = 64


@dataclass(frozen=True)
class SharedSpan:
    """A run of equal tokens: half-open character ranges in both texts, and its length in tokens."""

    reference_start: int
    reference_end: int
    candidate_start: int
    candidate_end: int
    tokens: int


def shared_spans(reference: str, candidate: str, min_tokens: int = 5) -> list[SharedSpan]:
    """Runs of at least ``min_tokens`` equal tokens, in the order of the candidate, not overlapping there.

    Tokens are words (letters, digits and underscores) and single signs, also inside strings and comments; white space
    does not count, so reindented code still matches. At each place of the candidate the longest run of the reference
    is taken (of equal ones the next after the previous match), and one stretch of the reference may serve twice. Of
    the places where a gram starts in the reference the first 64 are tried, which bounds the work to a small multiple
    of the two lengths. A shared run shows likeness, not who copied from whom.

    Raises:
        ValueError: ``min_tokens`` is below 1.
    """
    if min_tokens < 1:
        raise ValueError("min_tokens must be at least 1")
    left, right = _Tokens(reference), _Tokens(candidate)
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for start in range(len(left.values) - min_tokens + 1):
        known = places[tuple(left.values[start : start + min_tokens])]
        if len(known) < POSITIONS_PER_GRAM:
            known.append(start)
    spans: list[SharedSpan] = []
    position = after = 0
    while position + min_tokens <= len(right.values):
        starts = places.get(tuple(right.values[position : position + min_tokens]))
        if not starts:
            position += 1
            continue
        length, start = _longest(left.values, right.values, starts, position, min_tokens, after)
        spans.append(
            SharedSpan(
                left.starts[start],
                left.ends[start + length - 1],
                right.starts[position],
                right.ends[position + length - 1],
                length,
            )
        )
        position += length
        after = start + length
    return spans


class _Tokens:
    def __init__(self, text: str):
        matches = list(_TOKEN.finditer(text))
        self.values = [match[0] for match in matches]
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]


def _longest(
    left: list[str], right: list[str], starts: list[int], position: int, known: int, after: int
) -> tuple[int, int]:
    best = (0, False, 0)
    for start in starts:
        length = known
        limit = min(len(left) - start, len(right) - position)
        while length < limit and left[start + length] == right[position + length]:
            length += 1
        best = max(best, (length, start >= after, -start))
    return best[0], -best[2]
