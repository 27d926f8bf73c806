"""CodeIPPrompt's score: how alike a generation is to the best excerpt of a source, by the larger of two tools."""

import textwrap
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from cleartitle.code.languages import split_lines
from cleartitle.code.streams import DeadlineError, deadline
from cleartitle.similarity.dolos import dolos, shared_counts
from cleartitle.similarity.excerpt import Match, best_windows, without_prompt, without_prompt_paper
from cleartitle.similarity.jplag import MINIMUM_MATCH, jplag, program_tiles
from cleartitle.similarity.program import LineSpan, PreparedProgram, ScoreState, as_program, recent_program
from cleartitle.similarity.tiling import tiles
from cleartitle.similarity.winnowing import shared_fragments

__all__ = ["EXCERPT_FINGERPRINTS", "EXCERPT_TOKENS", "CodeScore", "code_similarity"]

EXCERPT_TOKENS = 24
"""JPlag tokens that excerpts must share before they count: fewer are alike by chance."""
EXCERPT_FINGERPRINTS = 14
"""Fingerprints of Dolos (some eight tokens apart) that excerpts must share before they count."""


@dataclass(frozen=True)
class CodeScore:
    """How alike a generation is to a source.

    Attributes:
        value: the larger of ``dolos`` and ``jplag``, from 0 to 1, or None when neither could be had.
        state: ``scored``; ``too_short`` when neither tool can say anything; ``deadline`` when time was over.
        dolos: similarity of the best excerpts by Dolos, or None.
        jplag: similarity of the best excerpts by JPlag, or None.
        excerpt: first and last line (1-based, inclusive) of the excerpt of the source that gave ``value``, or None
            when nothing is shared. In ``paper`` mode the lines from the first to the last that were taken.
        excerpt_candidate: the same of the candidate, in its own lines with the prompt; all of it in ``paper`` mode.
        spans: what both excerpts share, in lines of the source and of the candidate.
        whole_dolos: similarity of both texts as a whole by Dolos, or None.
        whole_jplag: the same by JPlag, or None.
        mode: ``corrected`` or ``paper``.
    """

    value: float | None
    state: ScoreState
    dolos: float | None
    jplag: float | None
    excerpt: tuple[int, int] | None
    excerpt_candidate: tuple[int, int] | None
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
    excerpt_candidate: tuple[int, int] | None = None
    spans: tuple[LineSpan, ...] = ()


def code_similarity(
    *,
    reference: str | bytes | PreparedProgram,
    candidate: str | bytes,
    language: str,
    prompt: str | None = None,
    mode: Literal["corrected", "paper"] = "corrected",
    spans: bool = True,
    seconds: float | None = 10.0,
) -> CodeScore:
    """Similarity of a generation to the best excerpt of a source: the larger of Dolos and JPlag (CodeIPPrompt, IV-C).

    ``corrected``: the prompt is left out where the generation repeats it. For each tool the excerpts are a stretch of
    the source and one of the generation that are most alike; what lies between matches counts against them. So a part
    that was copied from a large file is found, and so is a copy that goes on with other code. Excerpts count only
    when they share enough, 24 JPlag tokens or 14 fingerprints of Dolos (some 6 to 10 lines): less is alike by chance.
    With less, the similarity of the whole texts stands, in proportion to how much they share of that; and a tool
    says nothing when one of the texts is shorter than that.

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
        spans: whether to tell the excerpts and what they share, in lines, and the scores of the whole texts too.
            Without them a comparison takes about half the time.
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
                return _paper(source, without_prompt_paper(text, prompt or ""), spans, seconds)
            text = without_prompt(text, prompt or "")
            if source.language == "python":  # elsewhere the margin means nothing
                text = textwrap.dedent(text)
            source.read()
            program = recent_program(text, source.language).read()
            by_dolos, by_jplag = _dolos_part(source, program, spans), _jplag_part(source, program, spans, seconds)
            return _together(by_dolos, by_jplag, "corrected")
    except DeadlineError:
        return CodeScore(None, "deadline", None, None, None, None, (), None, None, mode)


def _together(by_dolos: _Part, by_jplag: _Part, mode: str) -> CodeScore:
    parts = [part for part in (by_dolos, by_jplag) if part.value is not None]
    best = max(parts, key=lambda part: part.value or 0.0, default=_Part())
    return CodeScore(
        value=best.value,
        state="scored" if parts else "too_short",
        dolos=by_dolos.value,
        jplag=by_jplag.value,
        excerpt=best.excerpt,
        excerpt_candidate=best.excerpt_candidate,
        spans=best.spans,
        whole_dolos=by_dolos.whole,
        whole_jplag=by_jplag.whole,
        mode=mode,
    )


def _dolos_part(source: PreparedProgram, program: PreparedProgram, spans: bool) -> _Part:
    left, right = source.fingerprints.hashes, program.fingerprints.hashes
    if min(len(left), len(right)) < EXCERPT_FINGERPRINTS:
        return _Part()
    whole = sum(shared_counts(left, right)) / (len(left) + len(right))
    if not whole:
        return _Part(0.0, whole)
    found = tiles(left, right, 1).tolist()
    one, other, inside = best_windows(found, (len(left), len(right)))
    value = sum(shared_counts(left[slice(*one)], right[slice(*other)])) / (one[1] - one[0] + other[1] - other[0])
    rows = (_fingerprint_lines(source), _fingerprint_lines(program)) if spans else None
    return _part(value, whole, (one, other, inside), found, EXCERPT_FINGERPRINTS, rows)


def _jplag_part(source: PreparedProgram, program: PreparedProgram, spans: bool, seconds: float | None) -> _Part:
    left, right = source.jplag, program.jplag
    if min(len(left.ids), len(right.ids)) < EXCERPT_TOKENS:
        return _Part()
    found = program_tiles(left.ids, right.ids, MINIMUM_MATCH[source.language], seconds).tolist()
    if not found:
        return _Part(0.0, 0.0)
    whole = 2 * sum(tile[2] for tile in found) / (len(left.ids) + len(right.ids))
    one, other, inside = best_windows(found, (len(left.ids), len(right.ids)))
    value = 2 * sum(tile[2] for tile in inside) / (one[1] - one[0] + other[1] - other[0])
    rows = ((left.first, left.last), (right.first, right.last)) if spans else None
    return _part(value, whole, (one, other, inside), found, EXCERPT_TOKENS, rows)


_Windows = tuple[tuple[int, int], tuple[int, int], list[Match]]
_Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def _part(
    value: float, whole: float, windows: _Windows, found: list[Match], enough: int, rows: tuple[_Rows, _Rows] | None
) -> _Part:
    """The answer of the excerpts, or that of the whole texts when those share too little or are no more alike."""
    one, other, inside = windows
    weighted = whole * min(1.0, sum(tile[2] for tile in found) / enough)
    is_whole = sum(tile[2] for tile in inside) < enough or value <= weighted
    if is_whole:
        value, inside = weighted, found
    if rows is None:
        return _Part(value, whole)
    if is_whole:
        one, other = ((0, len(side[0])) for side in rows)
    spans = tuple(
        LineSpan(_lines(rows[0], start, size), _lines(rows[1], other_start, size), size)
        for start, other_start, size in sorted(inside)
    )
    lines = [_lines(side, part[0], part[1] - part[0]) for side, part in zip(rows, (one, other), strict=True)]
    return _Part(value, whole, lines[0], lines[1], spans)


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


def _paper(source: PreparedProgram, text: str, spans: bool, seconds: float | None) -> CodeScore:
    language, whole = source.language, source.with_comments
    program = recent_program(text, language).with_comments
    fragments = shared_fragments(program.fingerprints.hashes, whole.fingerprints.hashes)
    if not len(fragments):
        return CodeScore(0.0, "scored", 0.0, 0.0, None, None, (), 0.0, 0.0, "paper")
    program.read()
    lines = split_lines(source.source.decode("utf-8", "surrogateescape"))
    ranges = [_lines(whole.fingerprint_rows, start, size) for _, start, size in fragments.tolist()]
    taken = "".join(line for first, last in ranges for line in lines[first - 1 : last])
    excerpt = PreparedProgram(taken.encode("utf-8", "surrogateescape"), language, include_comments=True)
    compare = partial(_both_tools, program=program, seconds=seconds)
    by_dolos, by_jplag = compare(excerpt)
    value = max(by_dolos or 0.0, by_jplag or 0.0)
    if not spans:
        return CodeScore(value, "scored", by_dolos or 0.0, by_jplag or 0.0, None, None, (), None, None, "paper")
    own_rows = program.fingerprint_rows
    shared = tuple(
        LineSpan(lines_of_source, _lines(own_rows, start, size), size)
        for lines_of_source, (start, _, size) in zip(ranges, fragments.tolist(), strict=True)
    )
    whole_dolos, whole_jplag = compare(whole)
    return CodeScore(
        value=value,
        state="scored",
        dolos=by_dolos or 0.0,
        jplag=by_jplag or 0.0,
        excerpt=(min(first for first, _ in ranges), max(last for _, last in ranges)),
        excerpt_candidate=(1, max(1, len(split_lines(text)))),
        spans=shared,
        whole_dolos=whole_dolos,
        whole_jplag=whole_jplag,
        mode="paper",
    )


def _both_tools(
    source: PreparedProgram, program: PreparedProgram, seconds: float | None
) -> tuple[float | None, float | None]:
    by_dolos = dolos(reference=source, candidate=program, language=source.language, spans=False)
    by_jplag = jplag(reference=source, candidate=program, language=source.language, spans=False, seconds=seconds)
    return by_dolos.value, by_jplag.value
