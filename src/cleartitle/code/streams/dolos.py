"""The token stream of Dolos: the shape of the syntax tree."""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
from tree_sitter import TreeCursor

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.parse import check_deadline, grammar, parse, rows_of

__all__ = ["Shape", "shape", "tokens"]

_ERROR_KIND = 65535
_MODULUS = 33554393
_BASE = 747287

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """The named nodes of a tree, in the order of the text.

    Attributes:
        source: the text.
        language: one of ``python java c cpp csharp``.
        include_comments: whether comments are among the nodes.
        steps: the number of each node's type in the grammar where it begins, and -1 where it ends.
    """

    source: bytes
    language: str
    include_comments: bool
    steps: Ints

    @cached_property
    def places(self) -> Ints:
        """Place of the ``(`` of each node in the token stream; its type follows."""
        begins = self.steps >= 0
        return np.flatnonzero(begins) + np.arange(int(begins.sum()))

    @property
    def length(self) -> int:
        """How many tokens there are: three a node."""
        return 3 * (len(self.steps) // 2)

    @property
    def kinds(self) -> Ints:
        """Number of each node's type in the grammar."""
        return self.steps[self.steps >= 0]

    def hashes(self) -> npt.NDArray[np.uint32]:
        """The hash that Dolos gives to each token, below 33554393."""
        known = _hashes(self.language)
        result = np.full(self.length, known[-1], np.uint32)
        result[self.places] = known[-2]
        result[self.places + 1] = known[self.kinds]
        return result

    def without_comments(self) -> "Shape":
        """The shape of the same text with ``include_comments`` off."""
        comments = np.flatnonzero(_comment_kinds(self.language)[self.steps])
        if not self.include_comments or not len(comments):
            return replace(self, include_comments=False)
        # Nothing stands within a comment, so that its end follows at once.
        steps = np.delete(self.steps, np.concatenate([comments, comments + 1]))
        return replace(self, include_comments=False, steps=steps)

    def start_rows(self) -> Ints:
        """0-based row where each node begins."""
        return rows_of(self.source, self._bytes[0])

    def lines(self) -> tuple[Ints, Ints]:
        """0-based first and last row of each token.

        All tokens of a node share its rows: from its start to the start of its first named child, if it has one.
        """
        owners = self._owners()
        return self.start_rows()[owners], rows_of(self.source, self._bytes[1])[owners]

    @cached_property
    def _bytes(self) -> tuple[Ints, Ints]:
        """Byte where each node begins, and where it ends or its first named child, also a comment, begins."""
        starts: list[int] = []
        ends: list[int] = []
        cursor = parse(self.source, self.language).walk()
        _walk_bytes(cursor, _modes(self.language, self.include_comments), starts, ends)
        return np.array(starts, np.int64), np.array(ends, np.int64)

    def _owners(self) -> Ints:
        """Which node each token belongs to."""
        owners: list[int] = []
        open_nodes: list[int] = []
        number = 0
        for step in self.steps.tolist():
            if step < 0:
                owners.append(open_nodes.pop())
            else:
                owners += (number, number)
                open_nodes.append(number)
                number += 1
        return np.array(owners, np.int64)


def shape(source: bytes, language: str, *, include_comments: bool = False) -> Shape:
    """Read the shape of a program.

    Raises:
        DeadlineError: the deadline of this thread passed.
        InputError: ``language`` is not one of ``python java c cpp csharp``.
    """
    steps = _walk(parse(source, language).walk(), _modes(language, include_comments))
    check_deadline()
    return Shape(source, language, include_comments, np.array(steps, np.int64))


def tokens(source: bytes, language: str, *, include_comments: bool = False) -> Tokens:
    """Brackets and types of all named nodes, in the order of the text (dolos-lib 3.5.1).

    Each named node gives ``(``, its type, the tokens of its children, ``)``. Comment nodes are left out unless
    ``include_comments``, but not what stands in them. Names and literals do not show; docstrings do, as strings.

    Raises:
        DeadlineError: the deadline of this thread passed.
        InputError: ``language`` is not one of ``python java c cpp csharp``.
    """
    known = shape(source, language, include_comments=include_comments)
    types = _types(language)
    names = [")"] * known.length
    for place, kind in zip(known.places.tolist(), known.kinds.tolist(), strict=True):
        names[place] = "("
        names[place + 1] = types[kind]
    first, last = known.lines()
    return Tokens(names, first.tolist(), last.tolist())


# A node without a name, a comment that gives no token, or a node with tokens. None of the grammars puts nodes into
# comments, and Dolos does not look for nodes within a sign.
_SIGN, _COMMENT, _COUNTED = 0, 1, 2


def _walk(cursor: TreeCursor, modes: list[int]) -> list[int]:
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    steps: list[int] = []
    add = steps.append
    while True:
        kind = cursor.node.kind_id  # pyright: ignore[reportOptionalMemberAccess] - a cursor is always at a node
        if modes[kind] == _COUNTED:
            add(kind)
            if down():
                continue
            add(-1)
        while not along():
            if not up():
                return steps
            add(-1)


def _walk_bytes(cursor: TreeCursor, modes: list[int], starts: list[int], ends: list[int]) -> None:
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    childless = -1
    while True:
        node = cursor.node
        assert node is not None
        mode = modes[node.kind_id]
        start = node.start_byte
        if mode:
            if childless >= 0:
                ends[childless] = min(ends[childless], start)
                childless = -1
        if mode == _COUNTED:
            starts.append(start)
            ends.append(node.end_byte)
            if down():
                childless = len(ends) - 1
                continue
        while not along():
            childless = -1
            if not up():
                return


@cache
def _types(language: str) -> list[str]:
    """Name of each kind of node; the place of an error is the last."""
    known = grammar(language)
    names = [known.node_kind_for_id(number) or "" for number in range(known.node_kind_count)]
    return names + [""] * (_ERROR_KIND - len(names)) + ["ERROR"]


@cache
def _modes(language: str, include_comments: bool) -> list[int]:
    """For each kind of node: no named node, a comment that gives no token, or a node with tokens."""
    known = grammar(language)
    named = [known.node_kind_is_named(number) for number in range(known.node_kind_count)]
    named += [True] * (_ERROR_KIND + 1 - len(named))
    modes: list[int] = []
    for kind, is_named in zip(_types(language), named, strict=True):
        counted = include_comments or "comment" not in kind
        modes.append(_SIGN if not is_named else _COUNTED if counted else _COMMENT)
    return modes


@cache
def _comment_kinds(language: str) -> npt.NDArray[np.bool_]:
    """For each kind of node: whether it is a named comment. The last place, of the end of a node, is False."""
    return np.array([*(mode == _COMMENT for mode in _modes(language, include_comments=False)), False])


@cache
def _hashes(language: str) -> npt.NDArray[np.uint32]:
    """Hash of each kind of node, and at the end of ``(`` and ``)``."""
    return np.array([_hash(name) for name in [*_types(language), "(", ")"]], np.uint32)


def _hash(token: str) -> int:
    """Dolos' hash of a token: h = (h + c) * 747287 modulo 33554393 over its characters."""
    value = 0
    for character in token:
        value = (value + ord(character)) * _BASE % _MODULUS
    return value
