"""Functions and classes of five languages with the comments that go with them, from their syntax trees."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from tree_sitter import Node

from cleartitle.code.languages import language as find_language
from cleartitle.code.streams.parse import check_deadline, parse

__all__ = ["Definition", "definitions", "normal_line_ends"]

_FUNCTIONS = {
    "python": {"function_definition"},
    "java": {"method_declaration", "constructor_declaration", "compact_constructor_declaration"},
    "c": {"function_definition"},
    "cpp": {"function_definition"},
    "csharp": {
        "method_declaration",
        "constructor_declaration",
        "destructor_declaration",
        "operator_declaration",
        "conversion_operator_declaration",
        "local_function_statement",
    },
}
_CLASSES = {
    "python": {"class_definition"},
    "java": {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    },
    "c": set[str](),
    "cpp": {"class_specifier", "struct_specifier"},
    "csharp": {"class_declaration", "struct_declaration", "interface_declaration", "record_declaration"},
}
_BODIES = {
    "python": {"block"},
    "java": {"block", "constructor_body", "class_body", "interface_body", "enum_body", "annotation_type_body"},
    "c": {"compound_statement"},
    "cpp": {"compound_statement", "try_statement", "field_declaration_list"},
    "csharp": {"block", "declaration_list"},
}
_WRAPPERS = {"decorated_definition", "template_declaration", "linkage_specification", "global_statement"}
"""Nodes that hold one definition and begin before it: the comment stands before them."""
_CONTAINERS = {
    "if_statement",
    "elif_clause",
    "else_clause",
    "try_statement",
    "except_clause",
    "finally_clause",
    "with_statement",
    "block",
    "declaration",
    "field_declaration",
    "namespace_definition",
    "namespace_declaration",
    "declaration_list",
    "class_body",
    "enum_body",
    "enum_body_declarations",
    "interface_body",
    "field_declaration_list",
    "ERROR",
}

_KEYWORDS = {"catch", "do", "else", "for", "if", "return", "sizeof", "switch", "try", "while"}
"""What a parser takes for a function's name after a syntax error."""


@dataclass(frozen=True)
class Definition:
    r"""One function or class with a body.

    ``comment + header + docstring`` are exact, consecutive lines of the text with line ends made ``\n``, but for the
    last one, which ends where the body begins: after the ``{`` or the ``:``, or after a docstring or comment.

    Attributes:
        kind: ``function`` (methods and constructors included) or ``class`` (also struct, interface, enum, record).
        name: its name as written; empty where the grammar names none.
        comment: the comments right above, without a blank line between; empty if there is none.
        header: decorators, annotations and all lines of the signature.
        docstring: what stands between header and body and explains it, in Python only: comments, then the docstring.
        first_line: first line of ``comment``, or of ``header``; 1-based, as all lines.
        header_line: line where the header begins.
        prompt_last_line: line where the header with its docstring ends.
        last_line: last line of the body, inclusive.
        body_lines: nonblank lines after ``prompt_last_line``, up to the end, closing bracket included.
        is_error: the syntax tree of it has errors.
    """

    kind: Literal["function", "class"]
    name: str
    comment: str
    header: str
    docstring: str
    first_line: int
    header_line: int
    prompt_last_line: int
    last_line: int
    body_lines: int
    is_error: bool


class _Found(NamedTuple):
    node: Node
    start: int
    comment_start: int | None
    kind: Literal["function", "class"]


def normal_line_ends(text: str) -> str:
    r"""The text with ``\n`` for ``\r\n`` and ``\r``, and without a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def definitions(text: str, language: str) -> list[Definition]:
    """Functions and classes of a text, in order: methods and nested classes too, but nothing inside function bodies.

    Left out is what has no body (declarations, abstract methods, forward declarations, ``= default``, ``=> x``) and
    what does not begin its line. Any text is read, with syntax errors too; nothing is executed.

    Raises:
        DeadlineError: the deadline of this thread passed (``cleartitle.code.streams.deadline``).
        InputError: the language is not one of ``python java c cpp csharp``.
    """
    name = find_language(language).name
    source = normal_line_ends(text).encode("utf-8", errors="replace")
    lines = _Lines(source)
    found = sorted(_find(parse(source, name).root_node, name), key=lambda item: (item.start, -item.node.end_byte))
    cut = (_definition(source, lines, item, name) for item in found)
    return [item for item in cut if item is not None]


class _Lines:
    def __init__(self, source: bytes) -> None:
        self.rows = source.split(b"\n")
        self.starts = [0, *accumulate(len(row) + 1 for row in self.rows)]

    def line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def margin(self, offset: int) -> int | None:
        """Offset of the line's start if only blanks come before ``offset`` in its line."""
        start = self.starts[self.line(offset) - 1]
        return start if not self.rows[self.line(offset) - 1][: offset - start].strip() else None


def _find(root: Node, language: str) -> Iterator[_Found]:
    """All definitions below ``root``; bodies of functions and expressions are not entered."""
    functions, classes = _FUNCTIONS[language], _CLASSES[language]
    waiting = [_Entry(root, None, [])]
    while waiting:
        check_deadline()
        entry = waiting.pop()
        run = entry.run
        row_before = -1
        for node in entry.node.children:
            kind = node.type
            if "comment" in kind:
                run = _longer(run, node, row_before)
                continue
            start, comment = entry.wrapped or (node.start_byte, _above(run, node))
            if kind in functions:
                yield _Found(node, start, comment, "function")
            elif kind in classes:
                yield _Found(node, start, comment, "class")
                waiting.append(_Entry(node, None, []))
            elif kind in _WRAPPERS:
                waiting.append(_Entry(node, (start, comment), []))
            elif kind in _CONTAINERS or kind.startswith("preproc_"):
                one = kind in {"declaration", "field_declaration"}
                # In Python comments before the first statement of a block stand before the block.
                waiting.append(_Entry(node, (start, comment) if one else None, run if kind == "block" else []))
            run = []
            # A directive ends at the start of the next line.
            row_before = node.end_point.row - (node.end_point.column == 0)


class _Entry(NamedTuple):
    """A node to enter, where the definition that it wraps begins with its comment, and comments just before it."""

    node: Node
    wrapped: tuple[int, int | None] | None
    run: list[Node]


def _longer(run: list[Node], comment: Node, row_before: int) -> list[Node]:
    """The run of comments with one more, or a new run: after a blank line, and none where code comes before it."""
    row = comment.start_point.row
    if row == row_before:
        return []
    if run and row > run[-1].end_point.row + 1:
        return [comment]
    run.append(comment)
    return run


def _above(run: list[Node], node: Node) -> int | None:
    """Start of the comments that end on the line above ``node``."""
    if not run or run[-1].end_point.row + 1 < node.start_point.row:
        return None
    return run[0].start_byte


def _definition(source: bytes, lines: _Lines, found: _Found, language: str) -> Definition | None:
    body = _body(found.node, language)
    start = lines.margin(found.start)
    if body is None or start is None:
        return None
    comment_start = None if found.comment_start is None else lines.margin(found.comment_start)
    if comment_start is None:
        comment_start = start
    if language == "python":
        header_end, end = _python_ends(source, found.node, body)
    else:
        brace = source.find(b"{", body.start_byte, body.end_byte)
        if brace < 0:
            return None
        header_end = end = brace + 1
    prompt_last = lines.line(max(end - 1, 0))
    last = lines.line(max(found.node.end_byte - 1, 0))
    name_node = found.node.child_by_field_name("name") or _declared_name(found.node)
    name = _text(source[name_node.start_byte : name_node.end_byte]) if name_node is not None else ""
    if name in _KEYWORDS:
        return None
    return Definition(
        kind=found.kind,
        name=name,
        comment=_text(source[comment_start:start]),
        header=_text(source[start:header_end]),
        docstring=_text(source[header_end:end]),
        first_line=lines.line(comment_start),
        header_line=lines.line(start),
        prompt_last_line=prompt_last,
        last_line=last,
        body_lines=sum(1 for row in lines.rows[prompt_last:last] if row.strip()),
        is_error=found.node.has_error,
    )


def _body(node: Node, language: str) -> Node | None:
    body = node.child_by_field_name("body")
    if body is None:
        body = next((child for child in node.children if child.type in _BODIES[language]), None)
    return body if body is not None and body.type in _BODIES[language] else None


def _declared_name(node: Node) -> Node | None:
    """The name in a C declarator: pointers and parameter lists around it are passed."""
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        deeper = inner.child_by_field_name("declarator")
        if deeper is None:
            return next((child for child in inner.children if "declarator" in child.type), inner)
        inner = deeper
    return None


def _python_ends(source: bytes, node: Node, body: Node) -> tuple[int, int]:
    """Where the header ends, after its colon, and where docstring and comments before the body end."""
    colon = next((child for child in reversed(node.children) if child.type == ":"), None)
    header_end = colon.end_byte if colon is not None else body.start_byte
    end = header_end
    first = body.children[0] if body.children else None
    for child in node.children:
        if child.type == "comment" and child.start_byte >= header_end and not _is_of(first, child):
            end = child.end_byte
    # The docstring is the first statement, wrapped or not, depending on the version of the grammar.
    if first is not None and first.type == "expression_statement" and first.children:
        first = first.children[0]
    if first is not None and first.type in {"string", "concatenated_string"}:
        end = first.end_byte
    return header_end, end


def _is_of(first: Node | None, comment: Node) -> bool:
    """Whether a comment before the first definition of a class belongs to that definition."""
    if first is None or first.type not in {"function_definition", "class_definition", "decorated_definition"}:
        return False
    return comment.start_point.column == first.start_point.column


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
