"""The token stream of Dolos: the shape of the syntax tree."""

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.parse import check_deadline, parse

__all__ = ["tokens"]

_NODES_PER_CHECK = 4096


def tokens(source: bytes, language: str, *, include_comments: bool = False) -> Tokens:
    """Brackets and types of all named nodes, in the order of the text (dolos-lib 3.5.1).

    Each named node gives ``(``, its type, the tokens of its children, ``)``. Comment nodes are left out unless
    ``include_comments``, but not what stands in them. Names and literals do not show; docstrings do, as strings.

    Raises:
        DeadlineError: the deadline of this thread passed.
        InputError: ``language`` is not one of ``python java c cpp csharp``.
    """
    names: list[str] = []
    first_lines: list[int] = []
    last_lines: list[int] = []
    open_rows: list[tuple[int, int] | None] = []
    cursor = parse(source, language).walk()
    count = 0
    while True:
        count += 1
        if count % _NODES_PER_CHECK == 0:
            check_deadline()
        node = cursor.node
        assert node is not None
        rows = None
        if node.is_named and (include_comments or "comment" not in node.type):
            rows = (node.start_point[0], node.end_point[0])
            names += ("(", node.type)
            first_lines += (rows[0], rows[0])
            last_lines += (rows[1], rows[1])
        if cursor.goto_first_child():
            open_rows.append(rows)
            continue
        while True:
            if rows is not None:
                names.append(")")
                first_lines.append(rows[0])
                last_lines.append(rows[1])
            if cursor.goto_next_sibling():
                break
            if not cursor.goto_parent():
                return Tokens(names, first_lines, last_lines)
            rows = open_rows.pop()
