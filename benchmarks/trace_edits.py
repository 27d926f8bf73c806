"""What a copyist does to a function, in five languages, from its syntax tree. Every edit is drawn from a seed."""

import random
import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from cleartitle.code.streams.parse import parse

__all__ = ["EDITS", "IDENTIFIERS", "cut", "leaves", "rename_all", "strip"]

IDENTIFIERS = {"identifier", "field_identifier", "type_identifier", "namespace_identifier", "statement_identifier"}
SIMPLE = {
    "expression_statement", "declaration", "local_variable_declaration", "local_declaration_statement",
    "assert_statement", "import_statement", "delete_statement",
}  # fmt: skip
BREAKS = re.compile(r"[;{}]$")
SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu"]


def leaves(node: Node) -> Iterator[Node]:
    """The leaves of a tree in order; strings and comments are leaves."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here.child_count == 0 or "string" in here.type or "comment" in here.type or "char" in here.type:
            yield here
        else:
            waiting.extend(reversed(here.children))


def replaced(data: bytes, changes: list[tuple[int, int, bytes]]) -> str:
    """The text with byte ranges replaced."""
    parts: list[bytes] = []
    position = 0
    for start, end, new in sorted(changes):
        if start < position:
            continue
        parts += [data[position:start], new]
        position = end
    parts.append(data[position:])
    return b"".join(parts).decode("utf-8", "replace")


def rename_all(text: str, language: str, seed: int) -> str:
    """Every identifier under another name, the same one for the same: also those of calls, attributes and types."""
    data = text.encode()
    names: dict[bytes, bytes] = {}
    draws = random.Random(seed)
    changes: list[tuple[int, int, bytes]] = []
    for node in leaves(parse(data, language).root_node):
        if node.type in IDENTIFIERS:
            old = data[node.start_byte : node.end_byte]
            new = names.setdefault(old, "".join(draws.choices(SYLLABLES, k=4)).encode() + str(len(names)).encode())
            changes.append((node.start_byte, node.end_byte, new))
    return replaced(data, changes)


def strip(text: str, language: str, seed: int = 0) -> str:
    """Without comments, docstrings and blank lines."""
    del seed
    data = text.encode()
    changes: list[tuple[int, int, bytes]] = []
    waiting = [parse(data, language).root_node]
    while waiting:
        node = waiting.pop()
        docstring = node.type == "expression_statement" and [child.type for child in node.children] == ["string"]
        if "comment" in node.type or (docstring and language == "python" and _has_siblings(node)):
            changes.append((node.start_byte, node.end_byte, b""))
        elif "string" not in node.type:
            waiting.extend(node.children)
    return "\n".join(line for line in replaced(data, changes).splitlines() if line.strip()) + "\n"


def _has_siblings(node: Node) -> bool:
    return node.next_named_sibling is not None


def reformat(text: str, language: str, seed: int) -> str:
    """Other line breaks and blanks: brackets opened over several lines, other indentation, spaces around signs."""
    data = text.encode()
    draws = random.Random(seed)
    changes: list[tuple[int, int, bytes]] = []
    depth = 0
    for node in leaves(parse(data, language).root_node):
        if node.type in "([":
            depth += 1
            if draws.random() < 0.5:
                changes.append((node.end_byte, node.end_byte, b"\n" + b" " * draws.randint(4, 12)))
        elif node.type in ")]":
            depth -= 1
        elif node.type == "," and depth > 0:
            end = node.end_byte + len(data[node.end_byte :]) - len(data[node.end_byte :].lstrip(b" "))
            changes.append((node.end_byte, end, draws.choice([b" ", b"", b"\n" + b" " * draws.randint(4, 12)])))
        elif node.type in {"=", "+", "-", "==", "<", ">"}:
            changes.append((node.start_byte, node.start_byte, b" "))
    lines = replaced(data, changes).splitlines()
    if language != "python":
        return "\n".join("\t" * draws.randint(0, 3) + line.strip() for line in lines) + "\n"
    return "\n".join(re.sub(r"^ +", lambda blanks: blanks[0] * 2, line) for line in lines) + "\n"


def strip_and_reformat(text: str, language: str, seed: int) -> str:
    """Without comments and in another layout."""
    return reformat(strip(text, language), language, seed)


def rename_and_strip(text: str, language: str, seed: int) -> str:
    """All identifiers renamed, comments gone, another layout."""
    return strip_and_reformat(rename_all(text, language, seed), language, seed)


def reorder(text: str, language: str, seed: int) -> str:
    """Half of the adjacent pairs of simple statements swapped (the program may then mean another)."""
    data = text.encode()
    draws = random.Random(seed)
    changes: list[tuple[int, int, bytes]] = []
    waiting = [parse(data, language).root_node]
    while waiting:
        node = waiting.pop()
        children = node.named_children
        waiting.extend(children)
        i = 0
        while i + 1 < len(children):
            first, second = children[i], children[i + 1]
            if first.type in SIMPLE and second.type in SIMPLE and draws.random() < 0.5:
                changes.append((first.start_byte, first.end_byte, data[second.start_byte : second.end_byte]))
                changes.append((second.start_byte, second.end_byte, data[first.start_byte : first.end_byte]))
                i += 2
            else:
                i += 1
    return replaced(data, changes)


def rename_locals(text: str, language: str, seed: int) -> str:
    """Identifiers under other names, but for those right after a dot, arrow or ``::`` and those that are called."""
    data = text.encode()
    names: dict[bytes, bytes] = {}
    kept: set[bytes] = set()
    draws = random.Random(seed)
    found: list[tuple[Node, bytes]] = []
    before = ""
    for node in leaves(parse(data, language).root_node):
        if node.type in IDENTIFIERS:
            name = data[node.start_byte : node.end_byte]
            is_called = data[node.end_byte : node.end_byte + 1] == b"("
            if before in {".", "->", "::"} or is_called or node.type == "type_identifier":
                kept.add(name)
            else:
                found.append((node, name))
        before = node.type
    changes = [
        (node.start_byte, node.end_byte, names.setdefault(name, "".join(draws.choices(SYLLABLES, k=4)).encode()))
        for node, name in found
        if name not in kept
    ]
    return replaced(data, changes)


def cut(text: str, lines: int, seed: int) -> str:
    """Some consecutive lines that are not blank, from anywhere in the text."""
    kept = [line for line in text.splitlines() if line.strip()]
    start = random.Random(seed).randint(0, max(0, len(kept) - lines))
    return "\n".join(kept[start : start + lines]) + "\n"


EDITS: dict[str, Callable[[str, str, int], str]] = {
    "verbatim": lambda text, language, seed: text,
    "reformatted": reformat,
    "stripped": strip,
    "stripped and reformatted": strip_and_reformat,
    "renamed (locals)": rename_locals,
    "renamed (all)": rename_all,
    "renamed, stripped, reformatted": rename_and_strip,
    "reordered": reorder,
    "10 lines": lambda text, language, seed: cut(text, 10, seed),
    "6 lines": lambda text, language, seed: cut(text, 6, seed),
    "4 lines": lambda text, language, seed: cut(text, 4, seed),
}
