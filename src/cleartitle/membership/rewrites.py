"""Rewrites of a Python program that mean the same: neighbors of a text that are still programs."""

import ast
import random
import re
from collections.abc import Iterator, Sequence

from cleartitle.code.languages import split_lines
from cleartitle.code.python_source import PythonSource, UnparsableError
from cleartitle.code.rename import rename_identifiers

__all__ = ["python_rewrites", "same_program"]

_PLAIN_STRING = re.compile(r"'[^'\"\\\n]*'|\"[^'\"\\\n]*\"")
_OBSERVERS = frozenset({"locals", "vars", "eval", "exec", "dir", "globals"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ATTEMPTS = 4
CUT_ATTEMPTS = 40


def python_rewrites(text: str, count: int, seed: int = 0) -> list[str]:
    """Up to ``count`` distinct rewrites of a program, none equal to it, drawn from ``seed``.

    Each one renames the local variables of functions (parameters stay: callers may name them), puts runs of top-level
    imports into another order, and exchanges the quotes of about half of the plain strings. Every rewrite is checked
    with `same_program`. It does what the text does, unless its imports depend on their order or something reads its
    source or the names of its local variables; functions that call ``locals``, ``eval`` and the like are left alone.

    A text that ends within a statement (a file cut to a budget) is rewritten up to its last whole top-level statement.
    There are fewer rewrites, or none, where little can be changed or the text is not Python.
    """
    head, tail = _whole_part(text)
    if not _can_change(head):
        return []
    found: list[str] = []
    for attempt in range(count * ATTEMPTS):
        draws = random.Random(f"{seed}/{attempt}")
        try:
            changed = _swap_quotes(_reorder_imports(_rename_locals(head, draws), draws), draws)
        except UnparsableError:
            continue
        if changed != head and changed + tail not in found and same_program(head, changed):
            found.append(changed + tail)
            if len(found) == count:
                break
    return found


def same_program(before: str, after: str) -> bool:
    """Whether two texts are one program but for names of local variables, order of imports and spelling.

    Syntax trees are compared node by node. Names may differ inside of outermost functions, if within each they
    correspond one to one. False where a text is not Python.
    """
    try:
        trees = [PythonSource(text).tree for text in (before, after)]
    except UnparsableError:
        return False
    one, two = (_sorted_imports(tree) for tree in trees)
    return len(one) == len(two) and all(_same(left, right) for left, right in zip(one, two, strict=True))


def _whole_part(text: str) -> tuple[str, str]:
    """The text up to the end of its last whole top-level statement, and the rest."""
    lines = split_lines(text)
    cuts = [
        number for number in range(len(lines), 0, -1) if number == len(lines) or lines[number][:1] not in " \t#\r\n"
    ]
    for number in cuts[:CUT_ATTEMPTS]:
        head = "".join(lines[:number])
        try:
            PythonSource(head)
        except UnparsableError:
            continue
        return head, "".join(lines[number:])
    return "", text


def _can_change(text: str) -> bool:
    """Whether there is a function, a string or a second import at all."""
    nodes = list(ast.walk(PythonSource(text).tree))
    imports = sum(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    return imports > 1 or any(isinstance(node, (*_FUNCTIONS, ast.Constant)) for node in nodes)


def _rename_locals(text: str, draws: random.Random) -> str:
    source = PythonSource(text)
    pieces: list[str] = []
    position = 0
    for function in _outermost_functions(source.tree):
        names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        assert function.end_lineno is not None
        start, end = source.starts[function.lineno - 1], source.starts[function.end_lineno]
        if names & _OBSERVERS or start < position:
            continue
        parameters = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        original = source.text[start:end]
        try:
            renamed = rename_identifiers(original, draws.randrange(1 << 30), keep=parameters)
        except UnparsableError:
            continue
        pieces += [source.text[position:start], renamed]
        position = end
    return "".join(pieces) + source.text[position:]


def _outermost_functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions that lie in no function, in the order of the text."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _FUNCTIONS):
            yield node
        elif not isinstance(node, ast.expr):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _reorder_imports(text: str, draws: random.Random) -> str:
    source = PythonSource(text)
    lines = list(source.lines)
    for run in _import_runs(source.tree):
        blocks = [lines[statement.lineno - 1 : statement.end_lineno] for statement in run]
        if _may_swap(run) and all(block[-1].endswith(("\n", "\r")) for block in blocks):
            draws.shuffle(blocks)
            lines[run[0].lineno - 1 : run[-1].end_lineno] = [line for block in blocks for line in block]
    return "".join(lines)


def _import_runs(tree: ast.Module) -> list[list[ast.Import | ast.ImportFrom]]:
    """Imports of the module that follow each other line by line, each with its lines to itself."""
    shared: dict[int, int] = {}
    for statement in tree.body:
        for line in {statement.lineno, statement.end_lineno or statement.lineno}:
            shared[line] = shared.get(line, 0) + 1
    runs: list[list[ast.Import | ast.ImportFrom]] = []
    last = -1
    for statement in tree.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        if any(shared[line] > 1 for line in (statement.lineno, statement.end_lineno or 0)):
            continue
        if statement.lineno == last + 1:
            runs[-1].append(statement)
        else:
            runs.append([statement])
        last = statement.end_lineno or statement.lineno
    return runs


def _may_swap(run: Sequence[ast.Import | ast.ImportFrom]) -> bool:
    bound = [(alias.asname or alias.name).split(".")[0] for statement in run for alias in statement.names]
    is_future = any(isinstance(item, ast.ImportFrom) and item.module == "__future__" for item in run)
    return len(run) > 1 and not is_future and "*" not in bound and len(set(bound)) == len(bound)


def _swap_quotes(text: str, draws: random.Random) -> str:
    source = PythonSource(text)
    inside = {
        id(inner) for node in ast.walk(source.tree) if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)
    }
    places: list[tuple[int, int]] = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            start, end = source.start_of(node), source.end_of(node)
            if _PLAIN_STRING.fullmatch(source.text, start, end):
                places.append((start, end))
    letters = list(source.text)
    for start, end in sorted(places):
        if draws.random() < 0.5:
            letters[start] = letters[end - 1] = "'" if letters[start] == '"' else '"'
    return "".join(letters)


def _sorted_imports(tree: ast.Module) -> list[ast.stmt]:
    statements = list(tree.body)
    start = 0
    while start < len(statements):
        end = start
        while end < len(statements) and isinstance(statements[end], ast.Import | ast.ImportFrom):
            end += 1
        statements[start:end] = sorted(statements[start:end], key=ast.dump)
        start = end + 1
    return statements


def _same(one: ast.AST, two: ast.AST) -> bool:
    """Compare two trees; each outermost function has a table of names of its own."""
    waiting: list[tuple[object, object, dict[str, str] | None]] = [(one, two, None)]
    while waiting:
        left, right, names = waiting.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, ast.AST) and isinstance(right, ast.AST):
            if isinstance(left, _FUNCTIONS) and names is None:
                names = {}
            named = _name_field(left)
            if named and names is not None:
                if not _correspond(getattr(left, named), getattr(right, named), names):
                    return False
            waiting += [
                (getattr(left, field, None), getattr(right, field, None), names)
                for field in left._fields
                if field != named or names is None
            ]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            waiting += [(a, b, names) for a, b in zip(left, right, strict=True)]
        elif left != right:
            return False
    return True


def _name_field(node: ast.AST) -> str | None:
    """The field that holds the name of a variable."""
    if isinstance(node, ast.Name):
        return "id"
    return "name" if isinstance(node, ast.ExceptHandler) else None


def _correspond(left: str | None, right: str | None, names: dict[str, str]) -> bool:
    """Whether two names may stand for each other, in both directions."""
    if left is None or right is None:
        return left is right
    return names.setdefault(f">{left}", right) == right and names.setdefault(f"<{right}", left) == left
