"""Syntax trees of five languages, with cached parsers and a deadline."""

import importlib
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
from tree_sitter import Language, Parser, Tree

from cleartitle.code.languages import language as known_language

__all__ = ["DeadlineError", "check_deadline", "deadline", "grammar", "parse", "rows_of"]

_GRAMMARS = {
    "python": "tree_sitter_python",
    "java": "tree_sitter_java",
    "c": "tree_sitter_c",
    "cpp": "tree_sitter_cpp",
    "csharp": "tree_sitter_c_sharp",
}
_CHUNK = 1 << 16
_KEPT = 1 << 20  # the tree of a longer text is not kept


class DeadlineError(Exception):
    """The time that the caller gave is over."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.parsers: dict[str, Parser] = {}
        self.last: tuple[bytes, str, Tree] | None = None
        self.end: float | None = None


_local = _Local()
_grammars: dict[str, Language] = {}


@contextmanager
def deadline(seconds: float | None) -> Generator[None]:
    """Give the work inside at most ``seconds`` of wall time in this thread (None: no limit).

    An outer deadline that ends earlier stays in force. Work ends at the next check, so it may run over a little.
    """
    before = _local.end
    if seconds is not None:
        end = time.monotonic() + seconds
        _local.end = end if before is None else min(before, end)
    try:
        yield
    finally:
        _local.end = before


def check_deadline() -> None:
    """Say that time is over, if it is. Long loops call this every few thousand steps.

    Raises:
        DeadlineError: the deadline of this thread has passed.
    """
    if _is_over():
        raise DeadlineError("no time left")


def grammar(language: str) -> Language:
    """The grammar of one of ``python java c cpp csharp``.

    Raises:
        InputError: another language.
    """
    name = known_language(language).name
    if name not in _grammars:
        pointer: object = importlib.import_module(_GRAMMARS[name]).language()
        _grammars[name] = Language(pointer)
    return _grammars[name]


def parse(source: bytes, language: str) -> Tree:
    """The syntax tree of ``source``, which may hold any bytes: what is no program becomes ``ERROR`` nodes.

    Positions are byte offsets and 0-based rows; rows end at line feeds only. The tree can be as deep as the text is
    long, so walk it with a cursor and never by recursion. The last tree of a thread is kept, so that several streams of
    one ``bytes`` object cost one parse.

    Raises:
        DeadlineError: the deadline of this thread passed while parsing.
        InputError: ``language`` is not one of ``python java c cpp csharp``.
    """
    if _local.last is not None and _local.last[0] is source and _local.last[1] == language:
        return _local.last[2]
    tree = _parse(source, language)
    _local.last = (source, language, tree) if len(source) <= _KEPT else None
    return tree


def _parse(source: bytes, language: str) -> Tree:
    parser = _local.parsers.get(language)
    if parser is None:
        parser = _local.parsers[language] = Parser(grammar(language))
    if _local.end is None:
        return parser.parse(source)
    check_deadline()
    try:
        return parser.parse(lambda offset, _: source[offset : offset + _CHUNK], progress_callback=_is_over)
    except ValueError:
        parser.reset()
        check_deadline()
        raise


def _is_over(_offset: int = 0, _error: bool = False) -> bool:
    return _local.end is not None and time.monotonic() > _local.end


def rows_of(source: bytes, places: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The 0-based row of each byte offset."""
    ends = np.flatnonzero(np.frombuffer(source, np.uint8) == ord("\n"))
    return np.searchsorted(ends, np.asarray(places, np.int64)).astype(np.int64)
