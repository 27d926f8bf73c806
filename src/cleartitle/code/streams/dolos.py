"""The token stream of Dolos: the shape of the syntax tree."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
from tree_sitter import TreeCursor

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.parse import check_deadline, grammar, parse, rows_of

__all__ = ["Shape", "shape", "tokens"]

_ERROR_KIND = 65535
_NODES_PER_CHECK = 4096
_MODULUS = 33554393
_BASE = 747287

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """The named nodes of a tree, in the order of the text; comments too, which give no token unless asked for.

    Attributes:
        source: the text.
        language: one of ``python java c cpp csharp``.
        kinds: number of each node's type in the grammar.
        depths: how many of the nodes with a token enclose it.
        starts: byte where it begins.
        ends: byte where it ends.
        counted: whether it gives tokens.
    """

    source: bytes
    language: str
    kinds: Ints
    depths: Ints
    starts: Ints
    ends: Ints
    counted: npt.NDArray[np.bool_]

    @cached_property
    def places(self) -> Ints:
        """Place of the ``(`` of each counted node in the token stream; its type follows."""
        depths = self.depths[self.counted]
        closed = depths - np.append(depths[1:], 0) + 1
        return 2 * np.arange(len(depths)) + np.cumsum(closed) - closed

    @property
    def length(self) -> int:
        """How many tokens there are: three a node."""
        return 3 * int(self.counted.sum())

    def hashes(self) -> npt.NDArray[np.uint32]:
        """The hash that Dolos gives to each token, below 33554393."""
        known = _hashes(self.language)
        result = np.full(self.length, known[-1], np.uint32)
        result[self.places] = known[-2]
        result[self.places + 1] = known[self.kinds[self.counted]]
        return result

    def lines(self) -> tuple[Ints, Ints]:
        """0-based first and last row of each token.

        All tokens of a node share its rows: from its start to the start of its first named child, if it has one.
        """
        ends = self.ends.copy()
        inner = np.flatnonzero(self.depths[1:] == self.depths[:-1] + self.counted[:-1]) if len(ends) else ends[:0]
        inner = inner[self.counted[inner]]
        ends[inner] = np.minimum(ends[inner], self.starts[inner + 1])
        first = self.start_rows()
        last = rows_of(self.source, ends[self.counted])
        owners = self._owners()
        return first[owners], last[owners]

    def start_rows(self) -> Ints:
        """0-based row where each counted node begins."""
        return rows_of(self.source, self.starts[self.counted])

    def _owners(self) -> Ints:
        """Which counted node each token belongs to."""
        owners = np.empty(self.length, np.int64)
        places = self.places
        numbers = np.arange(len(places))
        owners[places] = owners[places + 1] = numbers
        open_nodes: list[int] = []
        closing: list[int] = []
        depths: list[int] = self.depths[self.counted].tolist()
        for number, depth in enumerate(depths):
            while len(open_nodes) > depth:
                closing.append(open_nodes.pop())
            open_nodes.append(number)
        closing += reversed(open_nodes)
        closes = np.ones(self.length, bool)
        closes[places] = closes[places + 1] = False
        owners[closes] = closing
        return owners


def shape(source: bytes, language: str, *, include_comments: bool = False) -> Shape:
    """Read the shape of a program.

    Raises:
        DeadlineError: the deadline of this thread passed.
        InputError: ``language`` is not one of ``python java c cpp csharp``.
    """
    kinds: list[int] = []
    depths: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    _walk(parse(source, language).walk(), _modes(language, include_comments), kinds, depths, starts, ends)
    modes = np.array(_modes(language, include_comments), np.int8)
    numbers = np.array(kinds, np.int64)
    return Shape(
        source,
        language,
        numbers,
        np.array(depths, np.int64),
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        modes[numbers] == _COUNTED,
    )


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
    for place, kind in zip(known.places.tolist(), known.kinds[known.counted].tolist(), strict=True):
        names[place] = "("
        names[place + 1] = types[kind]
    first, last = known.lines()
    return Tokens(names, first.tolist(), last.tolist())


_SKIPPED, _LISTED, _COUNTED = 0, 1, 2


def _walk(
    cursor: TreeCursor, modes: list[int], kinds: list[int], depths: list[int], starts: list[int], ends: list[int]
) -> None:
    down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    above: list[int] = []
    depth = steps = 0
    while True:
        steps += 1
        if not steps % _NODES_PER_CHECK:
            check_deadline()
        node = cursor.node
        assert node is not None
        kind = node.kind_id
        mode = modes[kind]
        if mode:
            kinds.append(kind)
            depths.append(depth)
            starts.append(node.start_byte)
            ends.append(node.end_byte)
        if mode and down():
            above.append(depth)
            depth += mode == _COUNTED
            continue
        while not along():
            if not up():
                return
            depth = above.pop()


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
        modes.append(_SKIPPED if not is_named else _COUNTED if counted else _LISTED)
    return modes


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
