"""A program read once for many comparisons, and the score of two of them."""

import zlib
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from cleartitle.code import language as find_language
from cleartitle.code.streams import stream
from cleartitle.code.streams.dolos import Shape, shape
from cleartitle.similarity.winnowing import Fingerprints, fingerprints

__all__ = ["JplagTokens", "LineSpan", "PreparedProgram", "ProgramScore", "ScoreState", "as_program", "recent_program"]

ScoreState = Literal["scored", "too_short", "deadline"]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LineSpan:
    """A stretch that two programs share.

    Attributes:
        reference: first and last line in the reference, 1-based and inclusive.
        candidate: the same in the candidate.
        size: its length in the unit of the tool: JPlag tokens, or fingerprints of Dolos.
    """

    reference: tuple[int, int]
    candidate: tuple[int, int]
    size: int


@dataclass(frozen=True)
class ProgramScore:
    """How alike two programs are by one tool.

    Attributes:
        value: similarity from 0 to 1 by ``metric``, or None unless ``state`` is ``scored``.
        maximum: the larger containment, or None.
        containment_reference: share of the reference that the candidate holds, from 0 to 1, or None.
        containment_candidate: share of the candidate that the reference holds, or None.
        spans: what they share, in lines; empty when spans were not asked for.
        longest: size of the longest shared run, in JPlag tokens or fingerprints.
        tokens_reference: tokens of the reference in the stream of the tool.
        tokens_candidate: tokens of the candidate.
        state: ``scored``; ``too_short`` when one of them has fewer tokens than the shortest match, so that nothing can
            be said; ``deadline`` when time was over.
        metric: ``dolos``, ``jplag-avg`` or ``jplag-max``.
    """

    value: float | None
    maximum: float | None
    containment_reference: float | None
    containment_candidate: float | None
    spans: tuple[LineSpan, ...]
    longest: int
    tokens_reference: int
    tokens_candidate: int
    state: ScoreState
    metric: str


@dataclass(frozen=True)
class JplagTokens:
    """JPlag tokens as numbers, with the 0-based rows where each begins and ends."""

    ids: npt.NDArray[np.uint32]
    first: Ints
    last: Ints


class _Streams:
    """The streams of one text, each cut at most once."""

    def __init__(self, source: bytes, language: str) -> None:
        self.source = source
        self.language = language

    @cached_property
    def shape(self) -> Shape:
        """The syntax tree as Dolos sees it, with comments."""
        return shape(self.source, self.language, include_comments=True)

    @cached_property
    def jplag(self) -> JplagTokens:
        """Tokens of JPlag."""
        found = stream("jplag", self.source, self.language)
        ids = np.fromiter(map(_number, found.names), np.uint32, len(found.names))
        return JplagTokens(ids, np.array(found.first_lines, np.int64), np.array(found.last_lines, np.int64))


class PreparedProgram:
    """A text in one language whose streams are cut at most once, however many others it is compared with.

    Attributes are computed at first use and may raise DeadlineError then, under a deadline.
    """

    def __init__(self, source: str | bytes, language: str, *, include_comments: bool = False):
        """Keep the text; raise InputError when ``language`` is not one of ``python java c cpp csharp``."""
        self.language = find_language(language).name
        self.source = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
        self.include_comments = include_comments
        self._streams = _Streams(self.source, self.language)

    @cached_property
    def with_comments(self) -> "PreparedProgram":
        """The same text with its comments in the tree, as Dolos 2.1.0 read it; what was cut of it is shared."""
        if self.include_comments:
            return self
        found = PreparedProgram(self.source, self.language, include_comments=True)
        found._streams = self._streams
        return found

    @cached_property
    def shape(self) -> Shape:
        """The syntax tree as Dolos sees it."""
        whole = self._streams.shape
        return whole if self.include_comments else whole.without_comments()

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Fingerprints of Dolos with its default options."""
        return fingerprints(self.shape.hashes())

    @cached_property
    def fingerprint_rows(self) -> tuple[Ints, Ints]:
        """0-based first and last row of each fingerprint, by its first and its last token as in Dolos."""
        first, last = self.shape.lines()
        starts = self.fingerprints.starts.astype(np.int64)
        stops = starts + self.fingerprints.gram - 1
        return np.minimum(first[starts], first[stops]), np.maximum(last[starts], last[stops])

    @property
    def jplag(self) -> JplagTokens:
        """Tokens of JPlag."""
        return self._streams.jplag

    def read(self) -> "PreparedProgram":
        """Cut both streams now, at the cost of one parse, and return the program itself."""
        _ = self.fingerprints, self.jplag
        return self


@cache
def _number(name: str) -> int:
    return zlib.crc32(name.encode())


@lru_cache(maxsize=4)
def recent_program(text: str, language: str) -> PreparedProgram:
    """The program of a text, kept for the next comparisons: a generation is compared with several sources in a row."""
    return PreparedProgram(text, language)


def as_program(text: str | bytes | PreparedProgram, language: str) -> PreparedProgram:
    """The program of a text, or the prepared program itself.

    Raises:
        ValueError: a prepared program of another language.
    """
    if not isinstance(text, PreparedProgram):
        return PreparedProgram(text, language)
    if text.language != find_language(language).name:
        raise ValueError(f"the program was prepared as {text.language}, not as {language}")
    return text
