"""Blocks of Python text that may be cut short or broken: where a header, a docstring and a body end."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from cleartitle.code.scan import Piece, scan

__all__ = ["TOP_LEVEL", "Line", "after_docstring", "header_end", "lines_of", "opens_more", "read_block", "read_line"]

TOP_LEVEL = re.compile(r"(?:(?:async[ \t]+)?def|class)[ \t]+\w+|@\w|if[ \t]+__name__\b")
_IMPORT = re.compile(r"(?:import|from)[ \t]+\w")
_DOCSTRING_LEAD = re.compile(r"\s*(?:#[^\n]*\n\s*)*[rRuU]?\Z")
_AFTER_DOCSTRING = re.compile(r"[ \t]*(?:;|(?:#[^\n]*)?(?:\n|\Z))")
_HANGS = re.compile(
    r"(?:[-+*/%=<>&|^~,:(\[{\\]|(?<![.\d])\.|\b(?:and|or|not|in|is|if|else|import|from|lambda))[ \t]*\Z"
)


class Line(NamedTuple):
    """A line with the lines that its strings and backslashes reach into.

    ``kind`` is ``blank comment code``; ``depth`` counts brackets open at its start; ``indent`` is in columns.
    """

    start: int
    end: int
    indent: int
    kind: str
    depth: int


def lines_of(text: str, start: int = 0) -> Iterator[Line]:
    r"""Lines from ``start`` on, which begins a line; ``text`` has ``\n`` ends only."""
    depth = level = 0
    begin = start
    for piece in scan(text, start):
        if piece.kind == "open":
            level += 1
        elif piece.kind == "close":
            level = max(0, level - 1)
        elif piece.kind == "newline":
            yield _line(text, begin, piece.end, depth)
            begin, depth = piece.end, level
    if begin < len(text):
        yield _line(text, begin, len(text), depth)


def _line(text: str, start: int, end: int, depth: int) -> Line:
    bare = text[start:end].lstrip(" \t\f\n")
    lead = text[start : end - len(bare)].expandtabs(8)
    kind = "blank" if not bare else "comment" if bare.startswith("#") else "code"
    return Line(start, end, len(lead), kind, depth)


def header_end(text: str, start: int) -> int | None:
    """Offset after the colon that ends the header of a ``def`` at ``start``; None where the text stops before it."""
    depth = 0
    position = start
    for piece in scan(text, start):
        if depth == 0 and (colon := text.find(":", position, piece.start)) >= 0:
            return colon + 1
        if piece.kind == "open":
            depth += 1
        elif piece.kind == "close":
            depth = max(0, depth - 1)
        elif piece.kind == "newline" and depth == 0:
            return piece.end
        position = piece.end
    colon = text.find(":", position) if depth == 0 else -1
    return colon + 1 if colon >= 0 else None


def after_docstring(text: str, start: int) -> int:
    """``start``, or the offset after the docstring and the comments before it where one begins the block there."""
    for piece in scan(text, start):
        if piece.kind == "string":
            lead = _DOCSTRING_LEAD.match(text, start, piece.start)
            rest = _AFTER_DOCSTRING.match(text, piece.end)
            return rest.end() if lead and rest else start
        if piece.kind not in ("comment", "newline"):
            return start
    return start


def read_block(text: str, start: int, outer: int) -> tuple[int, bool]:
    """End of the block of lines indented deeper than ``outer`` columns, and whether the text stops within it.

    Lines inside brackets or strings belong to the block whatever their indentation, but a definition or an import at
    the left margin ends it even within a bracket, which then was left open. Comments count up to the last one that is
    indented as the block is.
    """
    end = start
    for line in lines_of(text, start):
        if line.kind == "blank":
            continue
        if line.indent <= outer and (line.depth == 0 or _starts_anew(text, line)):
            if line.kind == "comment" and line.depth == 0:
                continue
            return end, False
        end = line.end
    return end, opens_more(text, start)


def read_line(text: str, start: int) -> tuple[int, bool]:
    """End of the logical line at ``start`` (brackets closed), and whether the text stops within it."""
    end = start
    for line in lines_of(text, start):
        if end > start and line.depth == 0:
            return end, False
        end = line.end
    return end, opens_more(text, start)


def _starts_anew(text: str, line: Line) -> bool:
    bare = text[line.start : line.end]
    return line.indent == 0 and bool(TOP_LEVEL.match(bare) or _IMPORT.match(bare))


def opens_more(text: str, start: int) -> bool:
    """Whether the text stops inside a string, a bracket or a statement that has to go on."""
    depth = 0
    last: Piece | None = None
    code_end = start
    position = start
    for piece in scan(text, start):
        if text[position : piece.start].strip():
            code_end = piece.start
        if piece.kind == "open":
            depth += 1
        elif piece.kind == "close":
            depth = max(0, depth - 1)
        if piece.kind in ("open", "close", "string", "joined"):
            code_end = piece.end
        last, position = piece, piece.end
    if text[position:].strip():
        code_end = len(text)
    if depth > 0 or (last and last.kind == "string" and last.end == len(text) and not _closed(text, last)):
        return True
    return bool(_HANGS.search(text, max(start, code_end - 16), code_end))


def _closed(text: str, piece: Piece) -> bool:
    string = text[piece.start : piece.end]
    quotes = string[:3] if string[:3] in ('"""', "'''") else string[:1]
    return len(string) >= 2 * len(quotes) and string.endswith(quotes)
