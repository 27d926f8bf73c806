"""A walk over a syntax tree, and the tokens of its constructs in the order of their beginnings and ends."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from tree_sitter import Node, Tree

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.parse import check_deadline

__all__ = ["Events", "child_of", "visit"]

_Event = tuple[int, int, int, int, str, int]

_NODES_PER_CHECK = 4096


def visit(tree: Tree, handlers: Mapping[str, Callable[[Node], None]]) -> None:
    """Call the handler of each node's type, parents first, in the order of the text.

    The cursor is used, not a query: the time of a query grows with the square of the depth and width of a tree.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    cursor = tree.walk()
    handler_of = handlers.get
    count = 0
    while True:
        count += 1
        if count % _NODES_PER_CHECK == 0:
            check_deadline()
        node = cursor.node
        assert node is not None
        handler = handler_of(node.type)
        if handler is not None:
            handler(node)
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def child_of(node: Node, *types: str) -> Node | None:
    """The first child of one of these types."""
    return next((child for child in node.children if child.type in types), None)


class Events:
    """Collects the beginnings and ends of constructs; gives them back in the order of a walk.

    A construct begins before all that begins within it and ends after it. Of two that cover the same text the one of
    lower ``rank`` is the outer.
    """

    def __init__(self) -> None:
        self._events: list[_Event] = []

    def begin(self, name: str, node: Node, row: int | None = None, rank: int = 0) -> None:
        """A token where ``node`` begins, before those of what it holds; its line is ``row`` if given."""
        if row is None:
            row = node.start_point[0]
        self._events.append((node.start_byte, 1, -node.end_byte, rank, name, row))

    def end(self, name: str, node: Node, row: int | None = None, rank: int = 0) -> None:
        """A token where ``node`` ends, after those of what it holds; its line is ``row`` if given."""
        if row is None:
            row = node.end_point[0]
        phase = 0 if node.end_byte > node.start_byte else 2
        self._events.append((node.end_byte, phase, -node.start_byte, -rank, name, row))

    def area(self, name: str, node: Node | None, rank: int = 0) -> None:
        """``NAME_BEGIN`` and ``NAME_END`` of ``node``, if there is one."""
        if node is not None:
            self.begin(f"{name}_BEGIN", node, None, rank)
            self.end(f"{name}_END", node, None, rank)

    def beginner(self, name: str, rank: int = 0) -> Callable[[Node], None]:
        """A handler for ``visit`` that calls ``begin``."""
        return lambda node: self.begin(name, node, None, rank)

    def enclosing(self, name: str) -> Callable[[Node], None]:
        """A handler for ``visit`` that calls ``area``."""
        return lambda node: self.area(name, node)

    def tokens(self, hidden: Sequence[tuple[int, int]] = ()) -> Tokens:
        """All tokens in order, but none whose position is in a ``hidden`` range of bytes (first, one after last)."""
        events = sorted(self._events)
        if hidden:
            events = list(_outside(events, hidden))
        rows = [event[5] for event in events]
        return Tokens([event[4] for event in events], rows, list(rows))


def _outside(events: list[_Event], hidden: Sequence[tuple[int, int]]) -> Iterator[_Event]:
    ranges = iter(sorted(hidden))
    first, last = next(ranges)
    for event in events:
        while event[0] >= last:
            following = next(ranges, None)
            if following is None:
                first = last = sys.maxsize
            else:
                first, last = following[0], max(last, following[1])
        if event[0] < first:
            yield event
