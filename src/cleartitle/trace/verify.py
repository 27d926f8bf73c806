"""From candidates to matches: maximal shared runs, and whether they mean anything."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.segment import Segment
from cleartitle.trace.votes import Votes
from cleartitle.trace.words import CHANNELS, Channel, WordStream, line_starts

__all__ = ["Found", "Run", "verify", "words_in_order"]

I64 = npt.NDArray[np.int64]

Held = npt.NDArray[np.uint8]
"""Of each word of a query: 2 in an exact run, 1 in a renamed one, 0 in none."""

LEAST_NEW = 4
"""Words that a run must add to the runs before it."""

WORTH_A_LOOK = 0.2
"""Share of a query that must be held before a document is searched for shorter runs than the index knows."""

SHORT_RUN = Channel("exact", 5, 1)
"""These runs."""

PER_RUN = 4
"""Places in the document that a short run is compared at."""

IDENTIFIER = 1
"""How an identifier looks in the blind stream."""


class Run(NamedTuple):
    """Words that both texts hold: first word in the query and in the document, how many, and in which channel."""

    left: int
    right: int
    words: int
    kind: str
    lines: tuple[int, int] = (0, 0)  # in the document, from 1


@dataclass(frozen=True)
class Found:
    """A document that matches, with what it shares with the query; plain values, so that it can travel."""

    swhid: str
    language: str
    origins: list[dict[str, Any]]  # the places where it was found, as in ``ORIGINS``
    runs: list[Run]
    covered: int  # words of the query
    covered_exact: int
    projects: int
    common: bool


Renaming = Callable[[list[Run], SearchOptions], bool]
WithLines = Callable[[list[Run]], list[Run]]


def _is_match(query: WordStream, runs: list[Run], held: Held, are_renamed: Renaming, options: SearchOptions) -> bool:
    exact = [run for run in runs if run.kind == "exact"]
    return (
        any(run.words >= options.exact_words and _is_varied(query, [run], options) for run in exact)
        or (int(np.count_nonzero(held == 2)) >= options.short_share * len(held) and _is_varied(query, exact, options))
        or any(run.words >= options.renamed_words and are_renamed([run], options) for run in runs)
        or (
            words_in_order(runs) >= max(options.renamed_least, options.renamed_share * len(held))
            and are_renamed(runs, options)
        )
    )


def _is_varied(query: WordStream, runs: list[Run], options: SearchOptions) -> bool:
    """Whether equal words say something: not a ruler of dashes, the alphabet, or the fields of a date."""
    here = _places(runs)
    if len(here) == 0:
        return False
    least = min(options.exact_shapes, len(here) // 3)
    return _shapes(query, runs) >= least or len(np.unique(query.exact[here])) >= options.exact_distinct


def words_in_order(runs: list[Run]) -> int:
    """Words of the runs that stand in the same order in both texts: code has the shapes of other code in pieces."""
    # Of the chains up to now, those worth going on from: a later end in the document only for more words.
    ends: list[int] = []
    best: list[int] = []
    for run in runs:
        before = bisect_right(ends, run.right)
        words = run.words + (best[before - 1] if before else 0)
        end = run.right + run.words
        place = bisect_left(ends, end)
        stop = bisect_right(best, words)
        if (place and best[place - 1] >= words) or (place < len(ends) and ends[place] == end and stop <= place):
            continue
        ends[place : max(place, stop)] = [end]
        best[place : max(place, stop)] = [words]
    return best[-1] if best else 0


def verify(
    segment: Segment, document: int, query: WordStream, votes: list[Votes], projects: list[I64], options: SearchOptions
) -> Found | None:
    """Compare a document with the query, from the runs that they share; None if it is no match.

    ``projects`` says of each run of each channel how many projects of the whole index hold it. With the stored text
    the runs are extended word by word; without it they reach as far as the fingerprints do.
    """
    mine = [np.flatnonzero(vote.hits.documents == document) for vote in votes]
    held = np.zeros(len(query), np.uint8)
    compare = _by_text if segment.has_texts else _by_fingerprints
    runs, are_renamed, with_lines = compare(segment, document, query, votes, mine, held, options)
    if not _is_match(query, runs, held, are_renamed, options):
        return None
    exact, renamed = int(np.count_nonzero(held == 2)), int(np.count_nonzero(held == 1))
    held_by = np.concatenate(
        [among[vote.hits.grams[rows]] for vote, rows, among in zip(votes, mine, projects, strict=True)]
    )
    many = int(np.median(held_by))
    return Found(
        swhid=segment.swhid(document),
        language=segment.language(document),
        origins=segment.origins_of(document),
        runs=with_lines(runs),
        covered=exact + renamed,
        covered_exact=exact,
        projects=many,
        common=many > options.common_projects,
    )


def _by_text(
    segment: Segment,
    document: int,
    query: WordStream,
    votes: list[Votes],
    mine: list[I64],
    held: Held,
    options: SearchOptions,
) -> tuple[list[Run], Renaming, WithLines]:
    text = segment.text(document)
    theirs = np.concatenate([vote.hits.words[rows] for vote, rows in zip(votes, mine, strict=True)])
    margin = len(query) + max(channel.k for channel in CHANNELS)
    words, base = segment.words_near(document, text, int(theirs.min()) - margin, int(theirs.max()) + margin)
    runs: list[Run] = []
    for vote, rows in zip(votes, mine, strict=True):
        columns = _native.extend(
            query.symbols(vote.channel),
            words.symbols(vote.channel),
            vote.places[vote.hits.grams[rows]].astype(np.uint32),
            (vote.hits.words[rows] - base).astype(np.uint32),
        )
        lefts, rights, lengths = (column.tolist() for column in columns)
        runs += [
            Run(left, right, length, vote.channel.name)
            for left, right, length in zip(lefts, rights, lengths, strict=True)
            if length >= vote.channel.k
        ]

    def with_lines(some: list[Run]) -> list[Run]:
        return _at_lines(some, line_starts(text), words.starts)

    def are_renamed(some: list[Run], options: SearchOptions) -> bool:
        return _is_renaming(query, words, some, options.renamed_shapes)

    chosen = _choose(runs, held)
    some = WORTH_A_LOOK * len(query) <= int(np.count_nonzero(held))
    if some and not _is_match(query, chosen, held, are_renamed, options):
        # Comments that went, or statements that changed places, leave runs that are shorter than those of the index.
        chosen += _choose(_short_runs(query, words, held), held)
        chosen.sort(key=lambda run: (run.left, run.right))
    return chosen, are_renamed, with_lines


def _short_runs(query: WordStream, words: WordStream, held: Held) -> list[Run]:
    """Exact runs of at least ``SHORT_RUN.k`` words that start where no run holds the query yet."""
    channel, k = SHORT_RUN, SHORT_RUN.k
    ours, theirs = query.grams(channel), words.grams(channel)
    if not len(ours) or not len(theirs):
        return []
    taken = np.concatenate([[0], np.cumsum(held > 0)])
    free = np.flatnonzero(taken[k:] == taken[:-k])
    order = np.argsort(theirs, kind="stable")
    sorted_theirs = theirs[order]
    first = np.searchsorted(sorted_theirs, ours[free], side="left")
    count = np.minimum(np.searchsorted(sorted_theirs, ours[free], side="right") - first, PER_RUN)
    lefts = np.repeat(free, count)
    within = np.arange(len(lefts)) - np.repeat(np.cumsum(count) - count, count)
    rights = order[np.repeat(first, count) + within]
    columns = _native.extend(
        query.symbols(channel), words.symbols(channel), lefts.astype(np.uint32), rights.astype(np.uint32)
    )
    lists = (column.tolist() for column in columns)
    return [Run(left, right, length, channel.name) for left, right, length in zip(*lists, strict=True) if length >= k]


def _by_fingerprints(
    segment: Segment,
    document: int,
    query: WordStream,
    votes: list[Votes],
    mine: list[I64],
    held: Held,
    options: SearchOptions,
) -> tuple[list[Run], Renaming, WithLines]:
    runs: list[Run] = []
    for vote, rows in zip(votes, mine, strict=True):
        lefts, rights = vote.places[vote.hits.grams[rows]], vote.hits.words[rows]
        order = np.lexsort((lefts, rights - lefts))
        lefts, rights = lefts[order], rights[order]
        # Neighbors on one diagonal make one run: what lies between them is held by no fingerprint of its own.
        breaks = np.flatnonzero((np.diff(rights - lefts) != 0) | (np.diff(lefts) > vote.channel.guarantee)) + 1
        for group in np.split(np.arange(len(lefts)), breaks) if len(lefts) else []:
            first, last = int(group[0]), int(group[-1])
            words = int(lefts[last] - lefts[first]) + vote.channel.k
            runs.append(Run(int(lefts[first]), int(rights[first]), words, vote.channel.name))

    def with_lines(some: list[Run]) -> list[Run]:
        return _at_lines(some, segment.line_words(document), None)

    def are_renamed(some: list[Run], options: SearchOptions) -> bool:
        return _shapes(query, some) >= options.renamed_shapes

    return _choose(runs, held), are_renamed, with_lines


def _at_lines(runs: list[Run], starts: I64, words: npt.NDArray[Any] | None) -> list[Run]:
    """Runs with their lines in the document; ``starts`` counts bytes where ``words`` says where each word starts."""
    places = np.array([(run.right, run.right + run.words - 1) for run in runs], np.int64).reshape(-1, 2)
    lines = np.searchsorted(starts, places if words is None else words[places], side="right") + 1
    return [run._replace(lines=(first, last)) for run, (first, last) in zip(runs, lines.tolist(), strict=True)]


def _shapes(query: WordStream, runs: list[Run]) -> int:
    """Distinct blind runs of three words: few in prose and tables."""
    return len(np.unique(_native.trace_grams(query.blind[_places(runs)], 3)))


def _places(runs: list[Run]) -> I64:
    """The words of the query that runs hold."""
    return np.concatenate([np.empty(0, np.int64), *(np.arange(run.left, run.left + run.words) for run in runs)])


def _is_renaming(query: WordStream, words: WordStream, runs: list[Run], shapes: int) -> bool:
    """Whether words that are equal but for their names look like code under other names, not like prose or a table."""
    if _shapes(query, runs) < shapes:
        return False
    here = _places(runs)
    there = np.concatenate([np.arange(run.right, run.right + run.words) for run in runs])
    named = query.blind[here] == IDENTIFIER
    ours, theirs = query.exact[here[named]], words.exact[there[named]]
    pairs = len(np.unique(ours * np.uint64(3) + theirs))
    names, others = len(np.unique(ours)), len(np.unique(theirs))
    # One name for one; where names also stand in comments and strings, which a renaming spares, two for one.
    return pairs <= 1.15 * max(names, others) + 1 and pairs <= 1.5 * min(names, others) + 1


def _choose(runs: list[Run], held: Held) -> list[Run]:
    """Runs that do not overlap in the query: exact before renamed, long before short. Marks what they cover."""
    chosen: list[Run] = []
    for run in sorted(runs, key=lambda run: (run.kind != "exact", -run.words, run.left, run.right)):
        part = held[run.left : run.left + run.words].tobytes()
        free = part.count(0)
        if free < min(LEAST_NEW, run.words):
            continue
        first, last = part.index(0), part.rindex(0) + 1
        if free < (last - first) // 4:
            continue
        here = held[run.left + first : run.left + last]
        here[here == 0] = 2 if run.kind == "exact" else 1
        chosen.append(Run(run.left + first, run.right + first, last - first, run.kind))
    return sorted(chosen, key=lambda run: (run.left, run.right))
