"""Python source that is parsed once: syntax tree, lines, and the way from tree positions to text offsets."""

import ast
import warnings
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from cleartitle.code.languages import split_lines
from cleartitle.errors import InputError

__all__ = ["PythonSource", "UnparsableError", "has_definition", "parse_once", "statements_within"]

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class UnparsableError(InputError):
    """The text is not a program of the language; ``line`` is 1-based, or None where the parser names none."""

    def __init__(self, reason: str, line: int | None = None):
        """Make the one-line message."""
        super().__init__(f"not parsable{f' at line {line}' if line else ''}: {reason}; mend it or leave the file out")
        self.reason = reason
        self.line = line


class PythonSource:
    """The tree of a Python text and its exact lines.

    A byte order mark is dropped before anything else.

    Raises:
        UnparsableError: syntax error, NUL byte, lone surrogate, or nesting deeper than the parser can hold.
    """

    def __init__(self, text: str):
        """Parse ``text``."""
        self.text = text.removeprefix("\ufeff")
        self.tree = _parse(self.text)
        self.lines = split_lines(self.text)
        self.starts = [0, *accumulate(len(line) for line in self.lines)]

    def offset(self, line: int, column: int) -> int:
        """Offset in the text of a tree position (1-based line, column in UTF-8 bytes)."""
        content = self.lines[line - 1] if line <= len(self.lines) else ""
        if not content.isascii():
            column = len(content.encode()[:column].decode(errors="ignore"))
        return self.starts[line - 1] + column

    def end_of(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        """Offset just after a node."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def start_of(self, node: ast.expr | ast.stmt | ast.arg) -> int:
        """Offset of the first character of a node (decorators apart)."""
        return self.offset(node.lineno, node.col_offset)

    def first_line_of(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
        """Line of a definition with its decorators: the line of the first ``@``, or of ``def`` or ``class``."""
        if not node.decorator_list:
            return node.lineno
        line = node.decorator_list[0].lineno
        while line > 1 and not self.lines[line - 1].lstrip().startswith("@"):
            line -= 1
        return line

    def line_at(self, offset: int, low: int = 1) -> int:
        """Line, 1-based, in which an offset lies, looked for from line ``low`` on."""
        while low < len(self.lines) and self.starts[low] <= offset:
            low += 1
        return low


@lru_cache(maxsize=1)
def parse_once(text: str) -> PythonSource:
    """The parsed text; the last one is kept, since several questions are asked about one file in a row."""
    return PythonSource(text)


def has_definition(statement: ast.stmt) -> bool:
    """Whether a statement defines a function or class, itself or within ``if``, ``try``, ``with`` and loops."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, DEFINITIONS):
            return True
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, None)
            if isinstance(inner, Sequence) and not isinstance(inner, str):
                waiting.extend(inner)
    return False


def statements_within(tree: ast.AST) -> list[ast.stmt]:
    """All statements of a tree, at any depth."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def _parse(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        raise UnparsableError(error.msg or "syntax error", error.lineno) from None
    except (RecursionError, MemoryError):
        raise UnparsableError("nested too deeply") from None
    except ValueError as error:
        raise UnparsableError(" ".join(str(error).split())[:120]) from None
