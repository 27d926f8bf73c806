"""Consistent renaming of the local names of a Python function."""

import ast
import builtins
import keyword
import random
import re
import symtable
import warnings
from collections.abc import Iterable, Iterator

from cleartitle.code.languages import split_lines
from cleartitle.code.python_source import PythonSource, UnparsableError

__all__ = ["rename_identifiers"]

_NAME = re.compile(r"[^\W\d]\w*")
_NONLOCAL = re.compile(r"^\s*nonlocal\s+([\w, \t]+)", re.MULTILINE)
HEADER_LINES = 2
SHIFT = 2
_KEPT = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "self", "cls", "_"})
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def rename_identifiers(text: str, seed: int = 0, parameters: Iterable[str] = (), keep: Iterable[str] = ()) -> str:
    """A function, or the indented or flat body of one, with its parameters and local variables renamed.

    Every occurrence of a name gets the same new name, drawn from ``seed``. For a body alone, ``parameters`` are the
    names that its header binds. Keywords, builtins, attributes, imports, globals, nested functions and classes,
    keyword arguments of calls and the contents of strings stay, and so does a name that cannot be told apart from one
    of these: it also occurs inside an f-string or a class body, is bound by ``match`` or declared ``nonlocal``. So do
    the names in ``keep``.

    Raises:
        UnparsableError: the text is not Python.
    """
    wrapped = _wrap(text, parameters)
    source = PythonSource(wrapped)
    places = dict(_places(source))
    renamed = _local_names(wrapped) - _untouchable(source.tree) - _KEPT - {*keep}
    renamed = {name for name in renamed if not name.startswith("__")}
    taken = set(_NAME.findall(wrapped)) | _KEPT
    names = dict(zip(sorted(renamed), _new_names(random.Random(seed), taken), strict=False))
    misplaced = {name for offset, name in places.items() if _name_at(wrapped, offset) != name}
    header = source.starts[HEADER_LINES]
    pieces: list[str] = []
    position = header
    for offset in sorted(places):
        name = places[offset]
        if offset >= header and name in names and name not in misplaced:
            pieces.append(wrapped[position:offset] + names[name])
            position = offset + len(name)
    pieces.append(wrapped[position:])
    return "".join(line[SHIFT:] for line in split_lines("".join(pieces)))


def _name_at(text: str, offset: int) -> str | None:
    """The name that begins at ``offset`` as it is spelled there (the tree holds it in its normal form)."""
    match = _NAME.match(text, offset)
    return match[0] if match else None


def _wrap(text: str, parameters: Iterable[str]) -> str:
    """The text inside two functions: one that binds its parameters, and around it one that binds its nonlocals."""
    free = sorted({name for match in _NONLOCAL.findall(text) for name in _NAME.findall(match)})
    lines = "".join(" " * SHIFT + line for line in split_lines(text.removeprefix("\ufeff")))
    return f"def _cleartitle_outer({', '.join(free)}):\n def _cleartitle({', '.join(parameters)}):\n{lines}"


def _new_names(draws: random.Random, taken: set[str]) -> Iterator[str]:
    while True:
        name = "".join(draws.choices(_SYLLABLES, k=draws.choice((2, 3))))
        if name not in taken:
            taken.add(name)
            yield name


def _local_names(text: str) -> set[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            waiting = [symtable.symtable(text, "text", "exec")]
    except (SyntaxError, RecursionError) as error:
        raise UnparsableError(str(getattr(error, "msg", "nested too deeply"))) from None
    local: set[str] = set()
    kept: set[str] = set()
    while waiting:
        table = waiting.pop()
        waiting.extend(table.get_children())
        for symbol in table.get_symbols():
            is_variable = table.get_type() == "function" and symbol.is_local() and not symbol.is_namespace()
            if is_variable and not symbol.is_imported():
                local.add(symbol.get_name())
            elif not symbol.is_free():
                kept.add(symbol.get_name())
    return local - kept


def _untouchable(tree: ast.AST) -> set[str]:
    kept: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                kept.add(name)
            case ast.MatchMapping(rest=str(name)):
                kept.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                kept.update(names)
            case ast.JoinedStr():
                kept.update(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
            case _:
                pass
    return kept


def _places(source: PythonSource) -> Iterator[tuple[int, str]]:
    inside_fstrings = {
        id(inner) for node in ast.walk(source.tree) if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)
    }
    for node in ast.walk(source.tree):
        if id(node) in inside_fstrings:
            continue
        if isinstance(node, ast.Name):
            yield source.start_of(node), node.id
        elif isinstance(node, ast.arg):
            yield source.start_of(node), node.arg
        elif isinstance(node, ast.ExceptHandler) and node.name and node.type:
            after = re.compile(r"[\s)\\]*as[\s\\]+").match(source.text, source.end_of(node.type))
            yield (after.end() if after else source.end_of(node.type)), node.name
