"""From a model's answer to the program that is put to the tests."""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from cleartitle.code import extract_body

__all__ = ["Program", "assemble"]

MOST_CHARACTERS = 200_000
_FENCED = re.compile(r"^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_BINDS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


@dataclass(frozen=True)
class Program:
    """Source to run, and where it comes from.

    ``how`` is ``program`` (the answer holds a program that defines the function), ``body`` (a body put behind the
    prompt), ``other function`` (the answer defines only functions of other names) or ``nothing`` (no code); the last
    two have no source.
    """

    source: str
    how: Literal["program", "body", "other function", "nothing"]


def assemble(answer: str, prompt: str, entry_point: str) -> Program:
    """The program that a fair reader finds in an answer.

    Where the answer, or a fenced block of it, is valid Python that defines ``entry_point``, that is the program: its
    imports, and those of its functions, classes and constants that the function reaches. Statements beside these (calls
    that show the function, tests, input) do not run. It stands behind the prompt, whose imports and helpers models
    leave out. Otherwise the body of the function is cut out as in LiCoEval's ``corrected`` mode, so that prose around
    the code and a cut-off end do no harm, and put behind the prompt. A function of another name is no answer.
    """
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")[:MOST_CHARACTERS]
    text = _THOUGHTS.sub("", text, count=1)
    found = [program for block in (*_blocks(text), text) if (program := _definitions(block, entry_point))]
    if found:
        return Program(f"{prompt.rstrip()}\n    pass\n\n{max(found, key=len)}\n", "program")
    extraction = extract_body(text, entry_point, prompt)
    if extraction.how == "other definition":
        return Program("", "other function")
    if not extraction.body.strip():
        return Program("", "nothing")
    return Program(f"{prompt.rstrip()}\n{_indented(extraction.body)}\n", "body")


def _blocks(text: str) -> Iterator[str]:
    for match in _FENCED.finditer(text):
        yield match[1]


def _definitions(block: str, entry_point: str) -> str:
    """The part of a module that binds what ``entry_point`` reaches; empty where it does not define it."""
    if entry_point not in block:
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(block).body
            if not any(
                isinstance(statement, ast.FunctionDef) and statement.name == entry_point for statement in statements
            ):
                return ""
            kept = _reached(statements, entry_point)
            return "\n\n".join(ast.unparse(statement) for statement in kept)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _reached(statements: Sequence[ast.stmt], entry_point: str) -> list[ast.stmt]:
    binding = [statement for statement in statements if isinstance(statement, _BINDS)]
    uses = [{node.id for node in ast.walk(one) if isinstance(node, ast.Name)} for one in binding]
    binds = [set(_names(one)) for one in binding]
    wanted, grown = {entry_point}, True
    while grown:
        before = len(wanted)
        for names, used in zip(binds, uses, strict=True):
            if names & wanted:
                wanted |= used
        grown = len(wanted) > before
    return [
        one
        for one, names in zip(binding, binds, strict=True)
        if names & wanted or isinstance(one, (ast.Import, ast.ImportFrom))
    ]


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id


def _indented(body: str) -> str:
    """A body that starts at the left margin, as some answers give it, one level deeper."""
    if body[:1] in (" ", "\t"):
        return body
    return "\n".join(f"    {line}" if line.strip() else line for line in body.split("\n"))
