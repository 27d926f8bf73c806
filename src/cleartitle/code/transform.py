"""Changes to Python code that a copyist would make: the built-in controls of every run."""

import math
import warnings

from cleartitle.code.languages import split_lines
from cleartitle.code.python_source import PythonSource, UnparsableError, statements_within
from cleartitle.code.rename import rename_identifiers
from cleartitle.code.scan import scan_comments

__all__ = ["first_half", "rename_identifiers", "strip_comments"]


def strip_comments(text: str) -> str:
    """The text without its comments; a line that held nothing else goes whole. Docstrings and strings stay."""
    kept: list[str] = []
    position = 0
    for start, end in scan_comments(text):
        lead = text[position:start]
        line_start = max(lead.rfind("\n"), lead.rfind("\r")) + 1
        alone = not lead[line_start:].strip() and (line_start > 0 or position == 0 or text[position - 1] in "\r\n")
        if alone:
            kept.append(lead[:line_start])
            end += 2 if text.startswith("\r\n", end) else 1 if end < len(text) else 0
        else:
            kept.append(lead.rstrip(" \t\f"))
        position = end
    kept.append(text[position:])
    return "".join(kept)


def first_half(body: str) -> str:
    """The first lines of a function body, half of them or the nearest number below that leaves valid Python.

    Where no shorter part is valid (a body of one ``try``, say), the shortest valid part above half is taken. A body
    that is no Python is cut at half of its lines.
    """
    lines = split_lines(body)
    half = math.ceil(len(lines) / 2)
    try:
        source = PythonSource(_as_function(body))
    except UnparsableError:
        return "".join(lines[:half])
    ends = sorted({min(node.end_lineno - 1, len(lines)) for node in statements_within(source.tree) if node.end_lineno})
    below = [end for end in reversed(ends) if 0 < end <= half]
    above = [end for end in ends if end > half]
    is_valid = _compiles if _compiles(body) else _parses
    parts = ("".join(lines[:end]) for end in [*below, *above])
    return next((part for part in parts if is_valid(part)), body)


def _parses(part: str) -> bool:
    try:
        PythonSource(_as_function(part))
    except UnparsableError:
        return False
    return True


def _compiles(part: str) -> bool:
    """Whether the part also binds the names that its inner functions take from it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(_as_function(part), "body", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _as_function(body: str) -> str:
    """The body as a program whose first line is not the body's: under a header, or at module level if it is flat."""
    indented = next(
        (line[0] in " \t" for line in split_lines(body) if line.strip() and not line.startswith("#")), False
    )
    return ("def f():\n" if indented else "pass\n") + body
