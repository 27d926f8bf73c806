"""The two-line rule of CodeIPPrompt's release: one line of code and the comment beside it, at most one a file."""

import re
from typing import Literal, NamedTuple

__all__ = ["CommentFilter", "TwoLines", "is_clean_path", "passes", "two_lines"]

CommentFilter = Literal["intended", "release"]

_PYTHON = re.compile(r"\s*(?:async\s+)?(def|class)\s+(\w+)")
_ACCESS = re.compile(r"\s*(?:public|private|protected)\b(?!\s*:)")
_CLASS = re.compile(r"(?:^|\s)(?:class|struct|interface|enum)\s+(\w+)")
_C_HEAD = re.compile(r"\s*[A-Za-z_][\w\s*&<>:,~]{0,400}\(")
_CONTROL = re.compile(
    r"\s*(?:if|else|for|while|switch|return|do|case|goto|sizeof|throw|new|delete|using|typedef|define)\b"
)
_LAST_NAME = re.compile(r"([\w~]+)\s*\(")
_HASH = re.compile(r"\s*#(?!!)")
_SLASHES = re.compile(r"\s*//")
_BLOCK = re.compile(r"\s*/\*(?:[^*]|\*(?!/))*\*/\s*\Z")
_ONE_LINE_DOCSTRING = re.compile(r"(?P<quotes>\"\"\"|''')(?:(?!(?P=quotes)).)+(?P=quotes)\s*\Z")
_SIGNS = re.compile(r"^[\s/#*\"']+|[\s/*\"']+$")
_CLEAN_PATH = re.compile(r"[\w./+ -]*\Z", re.ASCII)


class TwoLines(NamedTuple):
    """A prompt by the release's rule: its first line (1-based; it has two), and what its line of code defines."""

    first_line: int
    kind: Literal["function", "class"]
    name: str
    comment: str


def two_lines(lines: list[str], language: str) -> TwoLines | None:
    """The first line that looks like a definition and has a one-line comment above or below it; None without one.

    Section 4.1 names regular expressions over single lines, and the release takes one prompt of a file. A comment over
    several lines, a signature over several lines and an indented docstring are not seen. The expressions are our own:
    keywords ``def`` and ``class`` in Python, access modifiers and ``class`` in Java and C#, a name with a bracket and
    no semicolon in C and C++.
    """
    for number, line in enumerate(lines):
        found = _definition(line, language)
        if found is None:
            continue
        if number > 0 and _is_comment(lines[number - 1], language):
            return TwoLines(number, *found, lines[number - 1])
        if number + 1 < len(lines) and _is_comment(lines[number + 1], language):
            return TwoLines(number + 1, *found, lines[number + 1])
    return None


def passes(comment: str, which: CommentFilter) -> bool:
    """Whether a comment is neither empty nor has special characters.

    ``intended`` wants words of ASCII without control characters. ``release`` reproduces a slip of precedence,
    ``not (special or blank) or not ASCII``: it refuses ordinary comments for their blanks and takes all that are not
    ASCII.
    """
    words = _SIGNS.sub("", comment)
    if not words:
        return False
    special = any(ord(character) < 32 and character != "\t" for character in comment)
    if which == "intended":
        return comment.isascii() and not special
    return not (special or " " in words) or not comment.isascii()


def is_clean_path(path: str) -> bool:
    """Whether a path has letters, digits, blanks and ``. / + - _`` of ASCII only; the release drops other files."""
    return _CLEAN_PATH.match(path) is not None


def _definition(line: str, language: str) -> tuple[Literal["function", "class"], str] | None:
    if language == "python":
        match = _PYTHON.match(line)
        return None if match is None else ("class" if match[1] == "class" else "function", match[2])
    plain = line.rstrip()
    if plain.endswith((";", ",", "\\")) or _CONTROL.match(line) or _is_comment(line, language):
        return None
    head = _C_HEAD.match(line)
    if language in {"java", "csharp"}:
        named = _CLASS.search(line[:400])
        if named is not None:
            return "class", named[1]
        return ("function", _name(line)) if _ACCESS.match(line) and "(" in line else None
    named = _CLASS.match(line) if language == "cpp" else None
    if named is not None:
        return "class", named[1]
    # A type and a name at least come before the bracket.
    if head is None or len(head[0][:-1].split()) < 2:
        return None
    return "function", _name(line)


def _name(line: str) -> str:
    match = _LAST_NAME.search(line[:1000])
    return match[1] if match is not None else ""


def _is_comment(line: str, language: str) -> bool:
    if language == "python":
        return _HASH.match(line) is not None or _ONE_LINE_DOCSTRING.match(line) is not None
    return _SLASHES.match(line) is not None or _BLOCK.match(line) is not None
