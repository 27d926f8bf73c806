"""The similarity of Dolos."""

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.code.streams import DeadlineError, deadline
from cleartitle.similarity.program import LineSpan, PreparedProgram, ProgramScore, ScoreState, as_program
from cleartitle.similarity.winnowing import longest_run, shared_fragments

__all__ = ["dolos", "dolos_pairs", "shared_counts"]

METRIC = "dolos"


def dolos(
    *,
    reference: str | bytes | PreparedProgram,
    candidate: str | bytes | PreparedProgram,
    language: str,
    spans: bool = True,
    seconds: float | None = None,
) -> ProgramScore:
    """Similarity of two programs as Dolos 3.5.1 computes it with its default options (fingerprints of 23 tokens).

    The shares of fingerprints that occur in the other program, both taken together. Only the shape of the syntax
    counts: names, literals, operators and comments do not, so a renamed copy scores 1. The number does not tell who
    copied, and small programs of a common shape are alike by chance.

    Args:
        reference: a text, or a program prepared for many comparisons.
        candidate: the same; syntax errors are read over.
        language: one of ``python java c cpp csharp``.
        spans: whether to find the shared lines too.
        seconds: wall time after which the state is ``deadline``.

    Raises:
        InputError: the language is not supported.
    """
    one, other = as_program(reference, language), as_program(candidate, language)
    try:
        with deadline(seconds):
            return _score(one, other, spans)
    except DeadlineError:
        return _unscored("deadline", 0, 0)


def _unscored(state: ScoreState, reference: int, candidate: int) -> ProgramScore:
    return ProgramScore(None, None, None, None, (), 0, reference, candidate, state, METRIC)


def _score(one: PreparedProgram, other: PreparedProgram, with_spans: bool) -> ProgramScore:
    left, right = one.fingerprints, other.fingerprints
    lengths = one.shape.length, other.shape.length
    if not len(left) or not len(right):
        return _unscored("too_short", *lengths)
    covered_left, covered_right = shared_counts(left.hashes, right.hashes)
    longest, spans = 0, ()
    if covered_left and with_spans:
        longest = longest_run(left.hashes, right.hashes)
        spans = _spans(one, other)
    by_left, by_right = covered_left / len(left), covered_right / len(right)
    return ProgramScore(
        value=(covered_left + covered_right) / (len(left) + len(right)),
        maximum=max(by_left, by_right),
        containment_reference=by_left,
        containment_candidate=by_right,
        spans=spans,
        longest=longest,
        tokens_reference=lengths[0],
        tokens_candidate=lengths[1],
        state="scored",
        metric=METRIC,
    )


def shared_counts(left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32]) -> tuple[int, int]:
    """How many fingerprints of each list occur in the other, every occurrence counted."""
    offsets = np.array([0, len(left), len(left) + len(right)], np.uint64)
    counts = _native.shared_counts(np.concatenate([left, right]), offsets, 0, 1)
    return int(counts[0, 0]), int(counts[0, 1])


def _spans(one: PreparedProgram, other: PreparedProgram) -> tuple[LineSpan, ...]:
    rows = one.fingerprint_rows, other.fingerprint_rows
    found: list[LineSpan] = []
    for left, right, size in shared_fragments(one.fingerprints.hashes, other.fingerprints.hashes).tolist():
        lines: list[tuple[int, int]] = []
        for (first, last), start in zip(rows, (left, right), strict=True):
            lines.append((int(first[start : start + size].min()) + 1, int(last[start : start + size].max()) + 1))
        found.append(LineSpan(lines[0], lines[1], size))
    return tuple(found)


def dolos_pairs(programs: list[PreparedProgram]) -> npt.NDArray[np.float64]:
    """Similarities of all pairs of programs: a symmetric matrix with 1 on the diagonal, NaN where one is too short."""
    hashes = [program.fingerprints.hashes for program in programs]
    lengths = np.array([len(entry) for entry in hashes], np.uint64)
    offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])
    values = np.concatenate([np.zeros(0, np.uint32), *hashes])
    counts = _native.shared_counts(values, offsets, 0, len(programs)).sum(axis=1, dtype=np.float64)
    return matrix(counts, lengths.astype(np.float64), lengths == 0)


def matrix(
    shared: npt.NDArray[np.float64], sizes: npt.NDArray[np.float64], short: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """The square of similarities from what each pair shares, counted on both sides, and the sizes."""
    result = np.eye(len(sizes))
    rows, columns = np.triu_indices(len(sizes), 1)
    with np.errstate(invalid="ignore"):
        result[rows, columns] = result[columns, rows] = shared / (sizes[rows] + sizes[columns])
    result[short, :] = result[:, short] = np.nan
    return result
