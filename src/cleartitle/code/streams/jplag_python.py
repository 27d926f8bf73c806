"""The token stream of JPlag 6.3.0 for Python: statements, calls, accesses and groups, without names and values."""

from functools import cache

import numpy as np
from tree_sitter import Node

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.parse import check_deadline, grammar, parse, rows_of

__all__ = ["tokens"]

_ANYWHERE = {
    "async": "ASYNC",
    "await": "AWAIT",
    "def": "METHOD_BEGIN",
    "class": "CLASS_BEGIN",
    "with": "WITH_BEGIN",
    "while": "WHILE_BEGIN",
    "try": "TRY_BEGIN",
    "except": "EXCEPT_BEGIN",
    "finally": "FINALLY",
    "import": "IMPORT",
    "break": "BREAK",
    "continue": "CONTINUE",
    "return": "RETURN",
    "raise": "RAISE",
    "del": "DEL",
    "assert": "ASSERT",
    "lambda": "LAMBDA",
} | dict.fromkeys("= += -= *= /= //= %= **= >>= <<= &= ^= |= @=".split(), "ASSIGN")
"""Signs that give a token wherever they stand."""

_BELOW = {
    ("for", "for_statement"): "FOR_BEGIN",
    ("if", "if_statement"): "IF_BEGIN",
    (":", "except_clause"): "EXCEPT_END",
    (".", "attribute"): "ARRAY",
    (".", "member_type"): "ARRAY",
    ("[", "subscript"): "ARRAY",
    ("[", "type_parameter"): "ARRAY",
    ("(", "argument_list"): "APPLY",
    ("{", "dictionary"): "ARRAY",
    ("{", "set"): "ARRAY",
    ("{", "dictionary_comprehension"): "ARRAY",
    ("{", "set_comprehension"): "ARRAY",
    ("for", "ERROR"): "FOR_BEGIN",
    ("if", "ERROR"): "IF_BEGIN",
    (".", "ERROR"): "ARRAY",
}
"""Signs that give a token below one kind of node. In a broken text a construct begins, but may not end."""

_BLOCKS = {
    "decorated_definition": "DEC_END",
    "class_definition": "CLASS_END",
    "function_definition": "METHOD_END",
    "with_statement": "WITH_END",
    "while_statement": "WHILE_END",
    "for_statement": "FOR_END",
    "if_statement": "IF_END",
}
_GROUPS = (
    "tuple",
    "list",
    "tuple_pattern",
    "list_pattern",
    "parenthesized_expression",
    "generator_expression",
    "list_comprehension",
)
_ERROR_KIND = 65535


def tokens(source: bytes) -> Tokens:
    """Tokens of a Python program, equal to those of JPlag 6.3.0 for every program that its grammar reads.

    - Statements give their keyword; blocks also their end, after ``else`` and ``elif``, which give nothing. Of
      ``except`` the end is that of its header; ``try`` has no end.
    - Every ``=`` and augmented assignment is ASSIGN, also in parameters and arguments; every call APPLY; every
      attribute and subscript ARRAY, and so is a filled dictionary or set and any other group in brackets whose text
      has a comma, even one in a string.
    - ``yield`` as a statement is YIELD, and its value once more.
    - Strings give nothing, with the braces of f-strings, and neither does the name of a decorator.

    JPlag rejects some valid programs (parameters before ``/`` among them); these have tokens here.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    walk = _Walk()
    walk.run(source)
    check_deadline()
    names, places = walk.resolve(source)
    lines: list[int] = rows_of(source, places).tolist()
    return Tokens(names, lines, lines)


class _Walk:
    """One way through a tree in the order of the text.

    Whether a group has a comma of its own is known when all comments were seen, so groups are settled at the end.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.places: list[int] = []
        self.groups: list[tuple[int, int, int]] = []
        self.comments: list[tuple[int, int]] = []
        self.decorator_signs: set[int] = set()
        self.kinds: list[str] = []

    def run(self, source: bytes) -> None:
        kinds, plain, special, ends = _tables()
        names, places, above = self.names, self.places, self.kinds
        cursor = parse(source, "python").walk()
        down, along, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
        while True:
            node = cursor.node
            assert node is not None
            kind = node.kind_id
            enter = True
            if plain[kind]:
                names.append(plain[kind])
                places.append(node.start_byte)
            elif special[kind]:
                enter = self.visit(node, kinds[kind])
            if enter and down():
                above.append(kinds[kind])
                continue
            while not along():
                if not up():
                    return
                end = ends.get(above.pop())
                if end is not None:
                    node = cursor.node
                    assert node is not None
                    names.append(end)
                    places.append(node.end_byte)

    def visit(self, node: Node, kind: str) -> bool:
        """Handle a node whose token depends on where it stands; whether to go into it."""
        parent = self.kinds[-1] if self.kinds else ""
        if (kind, parent) in _BELOW:
            self.below(node, _BELOW[kind, parent], parent)
        elif kind == "string":
            return False
        elif kind == "comment":
            self.comments.append((node.start_byte, node.end_byte))
        elif kind == "generator_expression" and parent == "call":
            self.add("APPLY", node)
        elif kind in _GROUPS:
            self.groups.append((len(self.names), node.start_byte, node.end_byte))
            self.add("ARRAY", node)
        elif kind == "decorated_definition":
            self.add("DEC_BEGIN", node)
        elif kind == "decorator":
            self.decorator(node)
        elif kind == "yield" and not node.is_named:
            self.keyword_yield(node)
        return True

    def add(self, name: str, node: Node) -> None:
        self.names.append(name)
        self.places.append(node.start_byte)

    def below(self, node: Node, name: str, parent: str) -> None:
        """A sign below a certain kind of node, but for the cases that only a look further up can tell."""
        if self.decorator_signs and node.start_byte in self.decorator_signs:
            return
        above = self.kinds[-2] if len(self.kinds) > 1 else ""
        if parent == "argument_list" and above != "call":
            return  # the bases of a class
        if parent == "type_parameter" and above != "generic_type":
            return  # the parameters of a generic definition
        if parent == "dictionary" and node.next_named_sibling is None:
            return
        self.add(name, node)

    def keyword_yield(self, node: Node) -> None:
        above = self.kinds[-2] if len(self.kinds) > 1 else "ERROR"
        if above in ("expression_statement", "ERROR"):
            self.add("YIELD", node)
        if node.next_sibling is not None:
            if above == "parenthesized_expression":
                self.settle_group_of_yield()
            self.add("YIELD", node)

    def settle_group_of_yield(self) -> None:
        """Take back the group around ``(yield a, b)``, whose comma belongs to the yield."""
        index, _, _ = self.groups.pop()
        del self.names[index:], self.places[index:]

    def decorator(self, node: Node) -> None:
        """Note the signs of ``@a.b.c(…)`` that give nothing: it is a dotted name with arguments, not an expression."""
        self.decorator_signs.clear()
        children = node.children
        if len(children) < 2:
            return
        name = children[1]
        if name.type == "call":
            self.decorator_signs.update(part.start_byte for part in name.children if part.type == "argument_list")
            name = name.children[0]
        while name.type == "attribute":
            self.decorator_signs.update(part.start_byte for part in name.children if part.type == ".")
            name = name.children[0]

    def resolve(self, source: bytes) -> tuple[list[str], list[int]]:
        """All tokens with their places, less the groups without a comma outside comments."""
        if not self.groups:
            return self.names, self.places
        commas = np.flatnonzero(np.frombuffer(source, np.uint8) == ord(","))
        if self.comments:
            spans = np.array(self.comments)
            before = np.searchsorted(spans[:, 0], commas, side="right") - 1
            commas = commas[(before < 0) | (commas >= spans[before, 1])]
        groups = np.array(self.groups)
        inside = np.searchsorted(commas, groups[:, 1:])
        keep = np.ones(len(self.names), bool)
        keep[groups[inside[:, 0] == inside[:, 1], 0]] = False
        kept = np.flatnonzero(keep).tolist()
        return [self.names[index] for index in kept], [self.places[index] for index in kept]


@cache
def _tables() -> tuple[tuple[str, ...], tuple[str, ...], tuple[bool, ...], dict[str, str]]:
    """For each kind of node: its name, the token that it always gives (or an empty text), whether it may give one.

    The last part is the token at the end of a node of that name.
    """
    known = grammar("python")
    count = known.node_kind_count
    gap = _ERROR_KIND - count
    kinds = (*(known.node_kind_for_id(number) or "" for number in range(count)), *[""] * gap, "ERROR")
    named = [*(known.node_kind_is_named(number) for number in range(count)), *[True] * (gap + 1)]
    plain = tuple("" if is_named else _ANYWHERE.get(kind, "") for kind, is_named in zip(kinds, named, strict=True))
    signs = {sign for sign, _ in _BELOW} | {"yield"}
    nodes = {*_GROUPS, "string", "comment", "decorator", "decorated_definition"}
    special = tuple(kind in (nodes if is_named else signs) for kind, is_named in zip(kinds, named, strict=True))
    return kinds, plain, special, _BLOCKS
