"""Tokens from the captures of a tree-sitter query, put in the order in which a tree walk would meet them."""

import sys
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node, Query, QueryCursor, Tree

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.parse import check_deadline, grammar

__all__ = ["Events", "captured"]

_Event = tuple[int, int, int, int, str, int]

_queries: dict[tuple[str, str], Query] = {}


def captured(tree: Tree, language: str, query: str) -> dict[str, list[Node]]:
    """The nodes that ``query`` captures, by the name of the capture.

    The deadline is looked at before and after: a query without repetition reads over 30 MB in a second.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    compiled = _queries.get((language, query))
    if compiled is None:
        compiled = _queries[language, query] = Query(grammar(language), query)
    check_deadline()
    found = QueryCursor(compiled).captures(tree.root_node)
    check_deadline()
    return found


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

    def end(self, name: str, node: Node, rank: int = 0) -> None:
        """A token where ``node`` ends, after those of what it holds."""
        point = node.end_point
        row = point[0] if point[1] or not point[0] else point[0] - 1
        phase = 0 if node.end_byte > node.start_byte else 2
        self._events.append((node.end_byte, phase, -node.start_byte, -rank, name, row))

    def begin_all(self, name: str, nodes: Iterable[Node], rank: int = 0) -> None:
        """``begin`` of each node."""
        add = self._events.append
        for node in nodes:
            row = node.start_point[0]
            add((node.start_byte, 1, -node.end_byte, rank, name, row))

    def both_all(self, begin: str, end: str, nodes: Iterable[Node], rank: int = 0) -> None:
        """``begin`` and ``end`` of each node."""
        for node in nodes:
            self.begin(begin, node, None, rank)
            self.end(end, node, rank)

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
