"""A scan of Python text that needs no valid program: strings, comments, brackets and line ends in linear time."""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Piece", "scan", "scan_comments"]

_TRIPLE = r'"""[^"\\]*+(?:(?:\\[\s\S]|"(?!""))[^"\\]*+)*+(?:"""|\\?\Z)'
_SINGLE = r'"[^"\\\r\n]*+(?:\\(?:\r\n|[\s\S])[^"\\\r\n]*+)*+"?'
_STRING = "|".join([_TRIPLE, _TRIPLE.replace('"', "'"), _SINGLE, _SINGLE.replace('"', "'")])
_COMMENTS = re.compile(rf"(?P<comment>\#[^\r\n]*)|{_STRING}")
_PIECES = re.compile(
    rf"(?P<comment>\#[^\r\n]*)|(?P<string>{_STRING})|(?P<open>[(\[{{])|(?P<close>[)\]}}])"
    r"|(?P<joined>\\(?:\r\n|\r|\n))|(?P<newline>\r\n|\r|\n)"
)


class Piece(NamedTuple):
    """One piece: ``kind`` is ``comment string open close joined newline``; offsets are half-open."""

    kind: str
    start: int
    end: int


def scan(text: str, start: int = 0) -> Iterator[Piece]:
    """Pieces of a Python text from ``start`` on, in order; all else lies between them.

    A one-line string without its end stops at the line end, a triple-quoted one at the end of the text. ``joined`` is
    a backslash before a line end. The quotes of an expression within an f-string count as ordinary quotes, which is
    exact up to Python 3.11.
    """
    for match in _PIECES.finditer(text, start):
        kind = match.lastgroup
        assert kind is not None
        yield Piece(kind, match.start(), match.end())


def scan_comments(text: str) -> Iterator[tuple[int, int]]:
    """Offsets, half-open, of the comments only (faster than :func:`scan`)."""
    if "#" not in text:
        return
    for match in _COMMENTS.finditer(text):
        if match.lastgroup:
            yield match.span()
