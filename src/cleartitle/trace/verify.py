"""From candidates to matches: maximal shared runs, and whether they mean anything."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.segment import Segment
from cleartitle.trace.votes import Votes
from cleartitle.trace.words import CHANNELS, WordStream

__all__ = ["Found", "verify"]

I64 = npt.NDArray[np.int64]

IDENTIFIER = 1
"""How an identifier looks in the blind stream."""


@dataclass(frozen=True)
class Found:
    """A candidate with what it shares with the query."""

    segment: Segment
    document: int
    spans: list[tuple[int, int, int, str]]  # query word, document word, words, kind
    words: WordStream
    text: bytes
    covered: int
    covered_exact: int
    projects: int
    common: bool


def verify(
    segment: Segment, document: int, query: WordStream, votes: list[Votes], projects: list[I64], options: SearchOptions
) -> Found | None:
    """Compare a document with the query word by word, from the runs that they share; None if it is no match.

    ``projects`` says of each run of each channel how many projects of the whole index hold it.
    """
    mine = [np.flatnonzero(vote.hits.documents == document) for vote in votes]
    text = segment.text(document)
    theirs = np.concatenate([vote.hits.words[rows] for vote, rows in zip(votes, mine, strict=True)])
    margin = len(query) + max(channel.k for channel in CHANNELS)
    words, base = segment.words_near(document, text, int(theirs.min()) - margin, int(theirs.max()) + margin)
    runs: list[tuple[int, int, int, str]] = []
    held_by: list[I64] = []
    for vote, rows, among in zip(votes, mine, projects, strict=True):
        grams = vote.hits.grams[rows]
        lefts, rights, lengths = _native.extend(
            query.symbols(vote.channel),
            words.symbols(vote.channel),
            vote.places[grams].astype(np.uint32),
            (vote.hits.words[rows] - base).astype(np.uint32),
        )
        runs += [
            (left, right, length, vote.channel.name)
            for left, right, length in zip(lefts.tolist(), rights.tolist(), lengths.tolist(), strict=True)
            if length >= vote.channel.k
        ]
        held_by.append(among[grams])
    held = np.zeros(len(query), np.uint8)
    spans = _choose(runs, held)
    exact, renamed = int(np.count_nonzero(held == 2)), int(np.count_nonzero(held == 1))
    longest_exact = max((span[2] for span in spans if span[3] == "exact"), default=0)
    is_match = (
        longest_exact >= options.exact_words
        or exact >= options.short_share * len(query)
        or any(
            span[2] >= options.renamed_words and _is_renaming(query, words, [span], options.renamed_shapes)
            for span in spans
        )
        or (
            exact + renamed >= max(options.renamed_words, options.renamed_share * len(query))
            and _is_renaming(query, words, spans, options.renamed_shapes)
        )
    )
    if not is_match:
        return None
    many = int(np.median(np.concatenate(held_by)))
    return Found(segment, document, spans, words, text, exact + renamed, exact, many, many > options.common_projects)


def _is_renaming(query: WordStream, words: WordStream, spans: list[tuple[int, int, int, str]], shapes: int) -> bool:
    """Whether words that are equal but for their names look like code under other names, not like prose or a table."""
    here = np.concatenate([np.arange(left, left + length) for left, _, length, _ in spans])
    there = np.concatenate([np.arange(right, right + length) for _, right, length, _ in spans])
    blind = query.blind[here]
    if len(np.unique(_native.trace_grams(blind, 3))) < shapes:
        return False
    named = blind == IDENTIFIER
    ours, theirs = query.exact[here[named]], words.exact[there[named]]
    pairs = len(np.unique(ours * np.uint64(3) + theirs))
    names = min(len(np.unique(ours)), len(np.unique(theirs)))
    return pairs <= 1.15 * names + 1


def _choose(runs: list[tuple[int, int, int, str]], held: npt.NDArray[np.uint8]) -> list[tuple[int, int, int, str]]:
    """Spans that do not overlap in the query: exact before renamed, long before short. Marks what they cover."""
    chosen: list[tuple[int, int, int, str]] = []
    for left, right, length, kind in sorted(runs, key=lambda run: (run[3] != "exact", -run[2], run[0], run[1])):
        free = np.flatnonzero(held[left : left + length] == 0)
        if len(free) < min(4, length):
            continue
        first, last = int(free[0]), int(free[-1]) + 1
        if len(free) < (last - first) // 2:
            continue
        held[left + first : left + last][held[left + first : left + last] == 0] = 2 if kind == "exact" else 1
        chosen.append((left + first, right + first, last - first, kind))
    return sorted(chosen)
