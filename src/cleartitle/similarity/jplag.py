"""The similarity of JPlag."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.code.streams import DeadlineError, deadline
from cleartitle.similarity.dolos import matrix
from cleartitle.similarity.program import JplagTokens, LineSpan, PreparedProgram, ProgramScore, ScoreState, as_program
from cleartitle.similarity.tiling import Tiles, tiles

__all__ = ["MINIMUM_MATCH", "jplag", "jplag_pairs", "program_tiles"]

MINIMUM_MATCH = {"python": 12, "java": 9, "c": 12, "cpp": 12, "csharp": 8}
"""Shortest match in tokens that JPlag takes by default."""


def jplag(
    *,
    reference: str | bytes | PreparedProgram,
    candidate: str | bytes | PreparedProgram,
    language: str,
    metric: Literal["avg", "max"] = "avg",
    minimum_match: int | None = None,
    spans: bool = True,
    seconds: float | None = None,
) -> ProgramScore:
    """Similarity of two programs as JPlag 6.3.0 computes it: the share of tokens in matches, by greedy string tiling.

    Tokens are kinds of statements and expressions, without names, literals and operators, so a renamed copy scores 1.
    The number does not tell who copied, and small programs of a common make are alike by chance.

    Args:
        reference: a text, or a program prepared for many comparisons.
        candidate: the same; syntax errors are read over, where JPlag leaves the file out.
        language: one of ``python java c cpp csharp``.
        metric: ``avg`` takes both shares together, ``max`` the larger one.
        minimum_match: shortest match in tokens (default: JPlag's for the language).
        spans: whether to tell the shared lines too.
        seconds: wall time after which the state is ``deadline``.

    Raises:
        InputError: the language is not supported.
        ValueError: ``minimum_match`` is below 1.
    """
    one, other = as_program(reference, language), as_program(candidate, language)
    minimum = MINIMUM_MATCH[one.language] if minimum_match is None else minimum_match
    name = f"jplag-{metric}"
    try:
        with deadline(seconds):
            left, right = one.jplag, other.jplag
            if min(len(left.ids), len(right.ids)) < minimum:
                return _unscored("too_short", len(left.ids), len(right.ids), name)
            found = program_tiles(left.ids, right.ids, minimum, seconds)
    except DeadlineError:
        return _unscored("deadline", 0, 0, name)
    matched = int(found[:, 2].sum())
    by_left, by_right = matched / len(left.ids), matched / len(right.ids)
    average = 2 * matched / (len(left.ids) + len(right.ids))
    return ProgramScore(
        value=average if metric == "avg" else max(by_left, by_right),
        maximum=max(by_left, by_right),
        containment_reference=by_left,
        containment_candidate=by_right,
        spans=tuple(_span(left, right, *tile) for tile in sorted(found.tolist())) if spans else (),
        longest=int(found[:, 2].max(initial=0)),
        tokens_reference=len(left.ids),
        tokens_candidate=len(right.ids),
        state="scored",
        metric=name,
    )


def program_tiles(
    reference: npt.NDArray[np.uint32], candidate: npt.NDArray[np.uint32], minimum: int, seconds: float | None = None
) -> Tiles:
    """Tiles (reference, candidate, length) in JPlag's way: the program with fewer tokens leads.

    Raises:
        DeadlineError: ``seconds`` were not enough.
    """
    limit = np.inf if seconds is None else seconds
    if len(reference) <= len(candidate):
        return tiles(reference, candidate, minimum, seconds=limit)
    return tiles(candidate, reference, minimum, seconds=limit)[:, [1, 0, 2]]


def _unscored(state: ScoreState, reference: int, candidate: int, metric: str) -> ProgramScore:
    return ProgramScore(None, None, None, None, (), 0, reference, candidate, state, metric)


def _span(left: JplagTokens, right: JplagTokens, start: int, other: int, size: int) -> LineSpan:
    lines = [
        (int(side.first[begin : begin + size].min()) + 1, int(side.last[begin : begin + size].max()) + 1)
        for side, begin in ((left, start), (right, other))
    ]
    return LineSpan(lines[0], lines[1], size)


def jplag_pairs(programs: list[PreparedProgram], *, minimum_match: int | None = None) -> npt.NDArray[np.float64]:
    """Average similarities of all pairs of programs of one language.

    A symmetric matrix with 1 on the diagonal, NaN where one is too short.
    """
    if not programs:
        return np.zeros((0, 0))
    minimum = MINIMUM_MATCH[programs[0].language] if minimum_match is None else minimum_match
    ids = [program.jplag.ids for program in programs]
    lengths = np.array([len(entry) for entry in ids], np.uint64)
    offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
    sums = _native.tile_pairs(np.concatenate(ids), offsets, minimum, 0, len(programs), np.inf)
    assert sums is not None
    return matrix(2 * sums.astype(np.float64), lengths.astype(np.float64), lengths < minimum)
