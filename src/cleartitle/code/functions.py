"""Functions of a source file, each cut into signature, docstring and body."""

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from cleartitle.code.comments import Comment, comments
from cleartitle.code.complexity import function_complexity
from cleartitle.code.languages import language as find_language
from cleartitle.code.python_source import DEFINITIONS, PythonSource, UnparsableError, parse_once

__all__ = ["Unit", "units"]

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_UP_TO_COLON = re.compile(r"(?:[^:#]|#[^\r\n]*)*:")
_REST_OF_LINE = re.compile(r"[ \t\f]*(?:;|(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z))")
_BLANK_REST = re.compile(r"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_BLANK_OR_COMMENT = re.compile(r"[ \t\f]*(#.*)?[\r\n]*\Z")


@dataclass(frozen=True)
class Unit:
    """One function cut from a source text.

    ``signature + docstring + body`` is exactly the text of lines ``start_line`` to ``end_line``.

    Attributes:
        kind: ``function``.
        name: name after ``def``.
        qualname: dotted path through enclosing classes and functions.
        is_method: defined directly in a class.
        is_nested: defined inside a function, at any depth.
        is_async: defined by ``async def``.
        start_line: first line, decorators included, 1-based.
        end_line: last line, inclusive; comments after the last statement count while they are indented deeper than
            the ``def``.
        decorators: text of the lines from the first ``@`` up to the ``def``, empty if there is none.
        signature: decorators and all lines of the header up to its colon and the rest of that line.
        docstring: exact text of the docstring statement, and of comments between header and docstring; may be empty.
        docstring_value: the cleaned docstring, or None.
        body: everything after the docstring, indentation and line ends as in the source.
        body_lines: lines of ``body`` from its first to its last nonblank line, blank lines between them counted, as
            LiCoEval counts (``#body_lines``).
        body_lines_nonblank: nonblank lines of ``body``.
        comments: real comments within ``body``, with line numbers of the file.
        node: the syntax tree of the function.
    """

    kind: Literal["function"]
    name: str
    qualname: str
    is_method: bool
    is_nested: bool
    is_async: bool
    start_line: int
    end_line: int
    decorators: str
    signature: str
    docstring: str
    docstring_value: str | None
    body: str
    body_lines: int
    body_lines_nonblank: int
    comments: tuple[Comment, ...]
    node: FunctionNode = field(repr=False, compare=False)

    @cached_property
    def complexity(self) -> int:
        """Cyclomatic complexity as radon counts it, closures included; counted at first use, since it is dear."""
        return function_complexity(self.node)

    @property
    def source(self) -> str:
        """The whole unit as it stands in the file."""
        return self.signature + self.docstring + self.body


def units(text: str, language: str = "python") -> list[Unit]:
    """All functions of a source text in the order of their first lines: methods, nested and conditional ones too.

    Raises:
        UnparsableError: the text is not a program of the language.
        InputError: no functions can be cut for this language.
    """
    find_language(language, "functions")
    source = parse_once(text)
    try:
        return _units(source)
    except RecursionError:
        raise UnparsableError("nested too deeply") from None


def _units(source: PythonSource) -> list[Unit]:
    found = list(_definitions(source.tree))
    if not found:
        return []
    all_comments = comments(source.text)
    lines = [comment.line for comment in all_comments]
    cut: list[Unit] = []
    for node, path, is_method, is_nested in found:
        bounds = _bounds(source, node)
        first, last = bisect_left(lines, bounds.body_line), bisect_right(lines, bounds.end_line)
        inside = tuple(comment for comment in all_comments[first:last] if comment.offset >= bounds.body)
        cut.append(_unit(source, node, path, is_method, is_nested, bounds, inside))
    return sorted(cut, key=lambda unit: unit.start_line)


def _definitions(tree: ast.Module) -> Iterator[tuple[FunctionNode, str, bool, bool]]:
    waiting: list[tuple[ast.AST, str, bool, bool]] = [(tree, "", False, False)]
    while waiting:
        node, path, in_class, in_function = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, DEFINITIONS):
                if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
                    waiting.append((child, path, in_class, in_function))
                continue
            name = f"{path}.{child.name}" if path else child.name
            if isinstance(child, ast.ClassDef):
                waiting.append((child, name, True, in_function))
            else:
                yield child, name, in_class, in_function
                waiting.append((child, name, False, True))


@dataclass(frozen=True)
class _Bounds:
    start_line: int
    start: int
    header_end: int
    body: int
    body_line: int
    end_line: int
    end: int


def _bounds(source: PythonSource, node: FunctionNode) -> _Bounds:
    start_line = source.first_line_of(node)
    header_end = _past_line(source, _header_end(source, node))
    docstring = _docstring_node(node)
    body = _past_line(source, source.end_of(docstring)) if docstring else header_end
    assert node.end_lineno is not None
    end_line = node.end_lineno
    if node.body[0].lineno > node.lineno and header_end < source.start_of(node.body[0]):
        end_line = _with_trailing_comments(source, node, end_line)
    end = max(source.starts[end_line], body)
    start = source.starts[start_line - 1]
    return _Bounds(start_line, start, header_end, body, source.line_at(body, node.lineno), end_line, end)


def _header_end(source: PythonSource, node: FunctionNode) -> int:
    """Offset just after the colon that ends the header.

    After the last named part of the header only brackets, commas, blanks and comments can precede the colon.
    """
    arguments = node.args
    parts: list[ast.expr | ast.arg] = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        *arguments.defaults,
        *(default for default in arguments.kw_defaults if default is not None),
        *(extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None),
        *getattr(node, "type_params", ()),
    ]
    if node.returns is not None:
        parts.append(node.returns)
    position = max((source.end_of(part) for part in parts), default=source.start_of(node))
    match = _UP_TO_COLON.match(source.text, position)
    assert match is not None
    return match.end()


def _past_line(source: PythonSource, position: int) -> int:
    """``position`` moved past a semicolon, and past the line end where only blanks and a comment are before it."""
    match = _REST_OF_LINE.match(source.text, position)
    position = match.end() if match else position
    if match and match[0].endswith(";"):
        match = _BLANK_REST.match(source.text, position)
    return match.end() if match else position


def _docstring_node(node: FunctionNode) -> ast.Expr | None:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first
    return None


def _indent(line: str) -> int:
    lead = line[: len(line) - len(line.lstrip(" \t\f"))]
    return len(lead.rpartition("\f")[2].expandtabs(8))


def _with_trailing_comments(source: PythonSource, node: FunctionNode, end_line: int) -> int:
    outer = _indent(source.lines[node.lineno - 1])
    last = end_line
    for number in range(end_line, len(source.lines)):
        line = source.lines[number]
        match = _BLANK_OR_COMMENT.match(line)
        if match is None or (match[1] and _indent(line) <= outer):
            break
        if match[1]:
            last = number + 1
    return last


def _unit(
    source: PythonSource,
    node: FunctionNode,
    path: str,
    is_method: bool,
    is_nested: bool,
    bounds: _Bounds,
    inside: tuple[Comment, ...],
) -> Unit:
    text = source.text
    body = text[bounds.body : bounds.end]
    flags = [bool(line.strip()) for line in body.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    filled = [number for number, flag in enumerate(flags) if flag]
    return Unit(
        kind="function",
        name=node.name,
        qualname=path,
        is_method=is_method,
        is_nested=is_nested,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        start_line=bounds.start_line,
        end_line=bounds.end_line,
        decorators=text[bounds.start : source.starts[node.lineno - 1]],
        signature=text[bounds.start : bounds.header_end],
        docstring=text[bounds.header_end : bounds.body],
        docstring_value=ast.get_docstring(node),
        body=body,
        body_lines=filled[-1] - filled[0] + 1 if filled else 0,
        body_lines_nonblank=len(filled),
        comments=inside,
        node=node,
    )
