"""An answer without the function's header: does it continue the prompt, and how far?"""

import ast
import re
import warnings

from cleartitle.code.answer_lines import TOP_LEVEL, Line, after_docstring, lines_of, opens_more, read_block

__all__ = ["continuation", "defines_another"]

_RETURN = re.compile(r"^return\b", re.MULTILINE)
_BLOCK_WORDS = re.compile(r"(?:try|else|finally|elif .*|except.*|case .*)[ \t]*:|@\w")
_TWO_WORDS = re.compile(r"[^\W\d_]{2,}[,.;:!?]* [^\W\d_]{2,}")
_OPENS_BLOCK = re.compile(r":[ \t]*(?:#[^\n]*)?\n?\Z")
_HARMLESS = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.ClassDef)


def defines_another(text: str, start: int) -> bool:
    """Whether the text is a module whose first function at ``start`` is the answer under another name.

    It is not where the first line is indented, where a ``return`` stands at the left margin, or where anything but
    imports, assignments, classes and strings precedes the function.
    """
    before = text[:start]
    if re.match(r"\n*[ \t]+\S", text) or _RETURN.search(text):
        return False
    statements = _parse(before.rstrip().removesuffix("async"))
    if statements is None:
        return _skip_prose(before) >= len(before.rstrip())
    return all(isinstance(statement, _HARMLESS) or _is_string(statement) for statement in statements)


def continuation(text: str, fenced: bool) -> tuple[str, bool]:
    """The part of the text that goes on with a body, and whether the text stops within a statement.

    The body ends at the first code at the left margin. Where the first line has lost its indentation, that of the
    other lines is put back; where the whole body stands at the left margin, it ends at the next definition, main
    guard or prose.
    """
    if not fenced:
        text = text[_skip_prose(text) :]
    text = text[after_docstring(text, 0) :]
    lines = [line for line in lines_of(text) if line.kind == "code" and line.depth == 0]
    if not lines:
        return "", False
    first = lines[0]
    if first.indent == 0 and (width := _lost_indent(text, lines)):
        text = text[: first.start] + " " * width + text[first.start :]
    elif first.indent == 0:
        return _flat_body(text, lines, fenced)
    end, truncated = read_block(text, 0, 0)
    return text[:end], truncated


def _lost_indent(text: str, lines: list[Line]) -> int:
    first, *others = lines
    inner: list[int] = []
    for line in others:
        if line.indent == 0:
            break
        inner.append(line.indent)
    if not inner:
        return 0
    opens = _OPENS_BLOCK.search(text, max(first.start, first.end - 400), first.end)
    return min(inner) if not opens or inner[0] > min(inner) else 0


def _flat_body(text: str, lines: list[Line], fenced: bool) -> tuple[str, bool]:
    returns = [line.start for line in lines if line.indent == 0 and _RETURN.match(text[line.start : line.end])]
    after = returns[-1] if returns else -1
    for line in lines:
        content = text[line.start : line.end]
        if line.indent > 0:
            continue
        if (line.start > after and TOP_LEVEL.match(content)) or (not fenced and _is_later_prose(content)):
            return text[: line.start], False
    return text, opens_more(text, 0)


def _skip_prose(text: str) -> int:
    """Offset of the first line that may be code."""
    position = 0
    for line in text.splitlines(keepends=True) if "\n" in text else [text]:
        bare = line.strip()
        if bare and (line[0] in " \t" or not _is_prose(bare)):
            break
        position += len(line)
    return position


def _is_prose(line: str) -> bool:
    if line[-1] in "([{\\" or _BLOCK_WORDS.match(line) or line.startswith(("#", '"""', "'''")):
        return False
    statements = _parse(line) or _parse(line + " pass")
    if not statements:
        return True
    return all(isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name) for statement in statements)


def _is_later_prose(line: str) -> bool:
    return "=" not in line and bool(_TWO_WORDS.search(line)) and _is_prose(line.strip())


def _is_string(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _parse(text: str) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
