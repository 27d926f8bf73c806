"""The state of a walk through C++: tokens so far, what is still to be read, and where a node stands."""

from collections.abc import Callable, Iterable
from typing import Any

from tree_sitter import Node

from cleartitle.code.streams.jplag_cpp_readings import type_words

__all__ = ["BODY", "LISTED", "TYPES", "Handler", "Walk", "end"]

BODY = 1
"""Within the body of a function."""
TYPES = 2
"""Within a declaration whose types count as variables."""
LISTED = 4
"""Where a comma may follow an expression and another expression the comma."""

Handler = Callable[["Walk", Any, int], None]


class Walk:
    """The tokens so far, and what is still to be read, the next at the end."""

    def __init__(self, source: bytes, handlers: dict[int, Handler | None]) -> None:
        self.source = source
        self.handlers = handlers
        self.names: list[str] = []
        self.rows: list[int] = []
        self.stack: list[tuple[Handler, Any, int]] = []

    def add(self, name: str, node: Node) -> None:
        """A token where ``node`` begins."""
        self.names.append(name)
        self.rows.append(node.start_point[0])

    def later(self, handler: Handler, nodes: Iterable[Node], place: int) -> None:
        """Read ``nodes`` with one handler, before what is on the stack already."""
        self.stack += reversed([(handler, node, place) for node in nodes])

    def read(self, nodes: list[Node], place: int) -> None:
        """Read ``nodes`` by their kinds, before what is on the stack already."""
        for node in reversed(nodes):
            handler = self.handlers[node.kind_id]
            if handler is not None:
                self.stack.append((handler, node, place))

    def area(self, name: str, node: Node, nodes: list[Node], place: int) -> None:
        """Tokens where ``node`` begins and ends, and those of ``nodes`` between them."""
        self.add(f"{name}_BEGIN", node)
        self.stack.append((end, (f"{name}_END", node.end_point[0]), 0))
        self.read(nodes, place)

    def types(self, node: Node, place: int) -> None:
        """Tokens of the type that ``node`` names, where types count, and of macros beside it, which look like types."""
        if not place & TYPES:
            return
        if (named := node.child_by_field_name("type")) is not None:
            for _ in range(type_words(named)):
                self.add("VARDEF", named)
        if node.has_error:
            self._macros(node)

    def _macros(self, node: Node) -> None:
        """Names that tree-sitter could not place, and one that it took for a scope without ``::``."""
        for child in node.children:
            if child.is_error:
                for name in child.named_children:
                    if name.type in ("identifier", "qualified_identifier"):
                        self.add("VARDEF", name)
            elif child.type == "qualified_identifier" and any(part.is_missing for part in child.children):
                self.add("VARDEF", child)


def end(walk: Walk, token: tuple[str, int], _place: int) -> None:
    """Add a token of an end that was put on the stack."""
    walk.names.append(token[0])
    walk.rows.append(token[1])
