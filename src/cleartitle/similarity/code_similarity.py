"""CodeIPPrompt's score: how alike a generation is to the best excerpt of a source, by the larger of two tools."""

import textwrap
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from cleartitle.code.languages import split_lines
from cleartitle.code.streams import DeadlineError, deadline
from cleartitle.similarity.dolos import dolos, shared_counts
from cleartitle.similarity.excerpt import best_window, without_prompt, without_prompt_paper
from cleartitle.similarity.jplag import MINIMUM_MATCH, jplag, program_tiles
from cleartitle.similarity.program import LineSpan, PreparedProgram, ScoreState, as_program
from cleartitle.similarity.tiling import tiles
from cleartitle.similarity.winnowing import shared_fragments

__all__ = ["EXCERPT_FINGERPRINTS", "EXCERPT_TOKENS", "CodeScore", "code_similarity"]

EXCERPT_TOKENS = 20
"""JPlag tokens that an excerpt must share before it counts: fewer are alike by chance."""
EXCERPT_FINGERPRINTS = 14
"""Fingerprints of Dolos that an excerpt must share before it counts."""


@dataclass(frozen=True)
class CodeScore:
    """How alike a generation is to a source.

    Attributes:
        value: the larger of ``dolos`` and ``jplag``, from 0 to 1, or None when neither could be had.
        state: ``scored``; ``too_short`` when neither tool can say anything; ``deadline`` when time was over.
        dolos: similarity by Dolos to its best excerpt, or None.
        jplag: similarity by JPlag to its best excerpt, or None.
        excerpt: first and last line (1-based, inclusive) of the excerpt of the source that gave ``value``, or None
            when nothing is shared. In ``paper`` mode the lines from the first to the last that were taken.
        spans: what the excerpt and the candidate share, in lines of the source and of the candidate without its prompt.
        whole_dolos: similarity by Dolos to the whole source, or None.
        whole_jplag: similarity by JPlag to the whole source, or None.
        mode: ``corrected`` or ``paper``.
    """

    value: float | None
    state: ScoreState
    dolos: float | None
    jplag: float | None
    excerpt: tuple[int, int] | None
    spans: tuple[LineSpan, ...]
    whole_dolos: float | None
    whole_jplag: float | None
    mode: str


@dataclass(frozen=True)
class _Part:
    """One tool's answer: its score, the excerpt behind it, and what is shared."""

    value: float | None = None
    whole: float | None = None
    excerpt: tuple[int, int] | None = None
    spans: tuple[LineSpan, ...] = ()


def code_similarity(
    *,
    reference: str | bytes | PreparedProgram,
    candidate: str | bytes,
    language: str,
    prompt: str | None = None,
    mode: Literal["corrected", "paper"] = "corrected",
    seconds: float | None = 10.0,
) -> CodeScore:
    """Similarity of a generation to the best excerpt of a source: the larger of Dolos and JPlag (CodeIPPrompt, IV-C).

    ``corrected``: the prompt is cut off where the generation repeats it. For each tool the excerpt is the stretch of
    the source that makes its similarity largest; what lies between matches counts against it. An excerpt counts only
    when it shares enough (20 JPlag tokens, 14 fingerprints), else the similarity to the whole source stands. So a
    part that was copied from a large file is found, and so is a copy that goes on with other code.

    ``paper``: as the release does it. Lines of the prompt are taken out one by one; the lines of every fragment that
    Dolos finds, comments included, are put one after the other, also twice where fragments overlap; both tools
    compare the generation with that text. Without a fragment both are 0.

    The value is above 0.5 for a strikingly similar text in the paper's terms. It does not establish copying: the
    shapes of small programs coincide, and the rate at which they do is to be measured beside it.

    Args:
        reference: the source; prepare it once for many generations.
        candidate: the generation; syntax errors and a cut end are read over.
        language: one of ``python java c cpp csharp``.
        prompt: what the generation may repeat at its start.
        mode: ``corrected`` or ``paper``.
        seconds: wall time after which the state is ``deadline``; None for no limit.

    Raises:
        InputError: the language is not supported.
        ValueError: another mode.
    """
    if mode not in ("corrected", "paper"):
        raise ValueError(f"mode must be 'corrected' or 'paper', not {mode!r}")
    source = as_program(reference, language)
    text = candidate.decode("utf-8", "replace") if isinstance(candidate, bytes) else candidate
    try:
        with deadline(seconds):
            if mode == "paper":
                return _paper(source, without_prompt_paper(text, prompt or ""), seconds)
            text = textwrap.dedent(without_prompt(text, prompt or ""))
            program = PreparedProgram(text, language)
            return _together(_dolos_part(source, program), _jplag_part(source, program, seconds), "corrected")
    except DeadlineError:
        return CodeScore(None, "deadline", None, None, None, (), None, None, mode)


def _together(by_dolos: _Part, by_jplag: _Part, mode: str) -> CodeScore:
    parts = [part for part in (by_dolos, by_jplag) if part.value is not None]
    best = max(parts, key=lambda part: part.value or 0.0, default=_Part())
    return CodeScore(
        value=best.value,
        state="scored" if parts else "too_short",
        dolos=by_dolos.value,
        jplag=by_jplag.value,
        excerpt=best.excerpt,
        spans=best.spans,
        whole_dolos=by_dolos.whole,
        whole_jplag=by_jplag.whole,
        mode=mode,
    )


def _dolos_part(source: PreparedProgram, program: PreparedProgram) -> _Part:
    left, right = source.fingerprints.hashes, program.fingerprints.hashes
    if not len(left) or not len(right):
        return _Part()
    covered = shared_counts(left, right)
    whole = sum(covered) / (len(left) + len(right))
    if not covered[0]:
        return _Part(0.0, whole)
    found = tiles(left, right, 1)
    found = found[np.argsort(found[:, 0])]
    window = best_window([(start, start + size) for start, _, size in found.tolist()], len(right))
    assert window is not None
    excerpt = left[window[0] : window[1]]
    covered = shared_counts(excerpt, right)
    value = sum(covered) / (len(excerpt) + len(right))
    if min(covered) < EXCERPT_FINGERPRINTS or value <= whole:
        window, value = (0, len(left)), whole
    inside = [tile for tile in found.tolist() if window[0] <= tile[0] and tile[0] + tile[2] <= window[1]]
    lines = [_fingerprint_lines(source), _fingerprint_lines(program)]
    spans = tuple(
        LineSpan(_lines(lines[0], start, size), _lines(lines[1], other, size), size) for start, other, size in inside
    )
    return _Part(value, whole, _lines(lines[0], window[0], window[1] - window[0]), spans)


def _jplag_part(source: PreparedProgram, program: PreparedProgram, seconds: float | None) -> _Part:
    left, right = source.jplag, program.jplag
    minimum = MINIMUM_MATCH[source.language]
    if min(len(left.ids), len(right.ids)) < minimum:
        return _Part()
    found = program_tiles(left.ids, right.ids, minimum, seconds)
    whole = 2 * int(found[:, 2].sum()) / (len(left.ids) + len(right.ids))
    if not len(found):
        return _Part(0.0, whole)
    window = best_window([(start, start + size) for start, _, size in sorted(found.tolist())], len(right.ids))
    assert window is not None
    within = program_tiles(np.ascontiguousarray(left.ids[window[0] : window[1]]), right.ids, minimum, seconds)
    shared = int(within[:, 2].sum())
    value = 2 * shared / (window[1] - window[0] + len(right.ids))
    if shared < EXCERPT_TOKENS or value <= whole:
        window, value, within = (0, len(left.ids)), whole, found
    spans = tuple(
        LineSpan(
            _lines((left.first, left.last), window[0] + start, size),
            _lines((right.first, right.last), other, size),
            size,
        )
        for start, other, size in sorted(within.tolist())
    )
    return _Part(value, whole, _lines((left.first, left.last), window[0], window[1] - window[0]), spans)


_Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def _lines(rows: _Rows, start: int, size: int) -> tuple[int, int]:
    return int(rows[0][start : start + size].min()) + 1, int(rows[1][start : start + size].max()) + 1


def _fingerprint_lines(program: PreparedProgram) -> _Rows:
    """0-based rows of each fingerprint by the nodes that begin within it, which Dolos does not tell apart."""
    shape = program.shape
    starts = program.fingerprints.starts.astype(np.int64)
    rows = shape.start_rows()
    first = np.searchsorted(shape.places, starts, side="left")
    stop = np.searchsorted(shape.places, starts + program.fingerprints.gram, side="left")
    first = np.minimum(first, len(rows) - 1)
    last = np.maximum(stop - 1, first)
    return rows[first], rows[last]


def _paper(source: PreparedProgram, text: str, seconds: float | None) -> CodeScore:
    whole = PreparedProgram(source.source, source.language, include_comments=True)
    program = PreparedProgram(text, source.language, include_comments=True)
    if not len(program.fingerprints) or not len(whole.fingerprints):
        return CodeScore(0.0, "scored", 0.0, 0.0, None, (), 0.0, 0.0, "paper")
    fragments = shared_fragments(program.fingerprints.hashes, whole.fingerprints.hashes)
    if not len(fragments):
        return CodeScore(0.0, "scored", 0.0, 0.0, None, (), 0.0, 0.0, "paper")
    lines = split_lines(source.source.decode("utf-8", "surrogateescape"))
    ranges = [_lines(whole.fingerprint_rows, start, size) for _, start, size in fragments.tolist()]
    taken = "".join(line for first, last in ranges for line in lines[first - 1 : last])
    excerpt = PreparedProgram(taken.encode("utf-8", "surrogateescape"), source.language, include_comments=True)
    by_dolos = dolos(reference=excerpt, candidate=program, language=source.language, spans=False)
    by_jplag = jplag(reference=excerpt, candidate=program, language=source.language, spans=False, seconds=seconds)
    own_rows = program.fingerprint_rows
    spans = tuple(
        LineSpan(lines_of_source, _lines(own_rows, start, size), size)
        for lines_of_source, (start, _, size) in zip(ranges, fragments.tolist(), strict=True)
    )
    values = by_dolos.value or 0.0, by_jplag.value or 0.0
    return CodeScore(
        value=max(values),
        state="scored",
        dolos=values[0],
        jplag=values[1],
        excerpt=(min(first for first, _ in ranges), max(last for _, last in ranges)),
        spans=spans,
        whole_dolos=dolos(reference=whole, candidate=program, language=source.language, spans=False).value,
        whole_jplag=jplag(
            reference=whole, candidate=program, language=source.language, spans=False, seconds=seconds
        ).value,
        mode="paper",
    )
