"""What precedes the functions of a file, without what names its license."""

import ast
import re

from cleartitle.code.languages import language as find_language
from cleartitle.code.languages import split_lines
from cleartitle.code.python_source import DEFINITIONS, PythonSource, has_definition, parse_once

__all__ = ["names_license", "preamble", "without_header"]

_LICENSE_WORDS = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|redistribut|warrant(?:y|ies)|public domain|©|\(c\)\s*(?:19|20)\d\d",
    re.IGNORECASE,
)
_LICENSE_NAMES = re.compile(r"__(?:licen[cs]e|copyright)\w*__\Z")
_COMMENT_OR_BLANK = re.compile(r"[ \t\f]*(#.*)?[\r\n]*\Z")


def preamble(text: str, language: str = "python") -> str:
    """What LiCoEval puts before the function in a prompt (section III-C, figure 2), as exact lines of the text.

    Everything before the first top-level statement that defines a function or class (itself or inside ``if`` or
    ``try``), its decorators and the comments right above it: module docstring, imports, globals. What would tell the
    license is left out: the leading comment block with its blank lines, a module docstring with a license word, runs
    of comment lines with one, and ``__license__`` or ``__copyright__`` assignments. In the released cases no prompt
    holds the words license or copyright. The result ends with a line end unless it is empty.

    Raises:
        UnparsableError: the text is not a program of the language.
        InputError: no functions can be cut for this language.
    """
    find_language(language, "functions")
    source = parse_once(text)
    stop = _first_definition(source)
    dropped = _license_statements(source.tree) | _license_comments(source, stop)
    lead = _leading_comments(source.lines)
    kept = [line for number, line in enumerate(source.lines[:stop], start=1) if number > lead and number not in dropped]
    body = "".join(kept).strip("\r\n")
    return body + "\n" if body.strip() else ""


def names_license(text: str) -> bool:
    """Whether a text has a word that tells of a license: copyright, license, SPDX, warranty and the like."""
    return _LICENSE_WORDS.search(text) is not None


def without_header(text: str, header_end_line: int) -> str:
    """The text after its first ``header_end_line`` lines (0 leaves all), without blank lines at the new start."""
    lines = split_lines(text)[max(header_end_line, 0) :]
    return "".join(lines).lstrip("\r\n")


def _first_definition(source: PythonSource) -> int:
    """Number of lines before the first definition and the comments that stand right above it."""
    for statement in source.tree.body:
        if has_definition(statement):
            first = source.first_line_of(statement) if isinstance(statement, DEFINITIONS) else statement.lineno
            above = first - 1
            while above > 0 and source.lines[above - 1].startswith("#"):
                above -= 1
            return above
    return len(source.lines)


def _leading_comments(lines: list[str]) -> int:
    for number, line in enumerate(lines):
        if not _COMMENT_OR_BLANK.match(line):
            return number
    return len(lines)


def _license_statements(tree: ast.Module) -> set[int]:
    dropped: set[int] = set()
    for number, statement in enumerate(tree.body):
        docstring = ast.get_docstring(tree) if number == 0 else None
        if (docstring and _LICENSE_WORDS.search(docstring)) or _names_license(statement):
            assert statement.end_lineno is not None
            dropped.update(range(statement.lineno, statement.end_lineno + 1))
    return dropped


def _names_license(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return any(isinstance(target, ast.Name) and _LICENSE_NAMES.match(target.id) for target in targets)


def _license_comments(source: PythonSource, stop: int) -> set[int]:
    inside = _statement_lines(source.tree)
    dropped: set[int] = set()
    run: list[int] = []
    for number, line in enumerate([*source.lines[:stop], ""], start=1):
        if number not in inside and line.lstrip().startswith("#"):
            run.append(number)
            continue
        if _LICENSE_WORDS.search("".join(source.lines[row - 1] for row in run)):
            dropped.update(run)
        run = []
    return dropped


def _statement_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for statement in tree.body:
        assert statement.end_lineno is not None
        lines.update(range(statement.lineno, statement.end_lineno + 1))
    return lines
