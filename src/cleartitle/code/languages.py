"""The programming languages that Cleartitle reads, and what it can do with each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import PurePosixPath
from typing import Any

from pygments.lexers import get_lexer_by_name

from cleartitle.errors import InputError

__all__ = ["CAPABILITIES", "LANGUAGES", "Language", "language", "language_of_path", "lex_tokens", "split_lines"]

CAPABILITIES = ("functions", "comments", "complexity")
_NEWLINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True)
class Language:
    """One programming language.

    Attributes:
        name: the name used everywhere (``python java c cpp csharp``).
        extensions: file suffixes with their dot, lower case.
        line_comment: sign that starts a comment up to the end of the line.
        block_comment: opening and closing sign of a comment over several lines, or None.
        lexer: name of the Pygments lexer.
        capabilities: subset of ``functions comments complexity``.
    """

    name: str
    extensions: tuple[str, ...]
    line_comment: str
    block_comment: tuple[str, str] | None
    lexer: str
    capabilities: frozenset[str]

    @cached_property
    def pygments_lexer(self) -> Any:
        """The Pygments lexer, made once: making one costs more than lexing a short function."""
        return get_lexer_by_name(self.lexer)


_C_BLOCK = ("/*", "*/")
_TEXT_ONLY = frozenset({"comments", "complexity"})
LANGUAGES: dict[str, Language] = {
    entry.name: entry
    for entry in (
        Language("python", (".py", ".pyi", ".pyw"), "#", None, "python", frozenset(CAPABILITIES)),
        Language("java", (".java",), "//", _C_BLOCK, "java", _TEXT_ONLY),
        Language("c", (".c", ".h"), "//", _C_BLOCK, "c", _TEXT_ONLY),
        Language("cpp", (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"), "//", _C_BLOCK, "cpp", _TEXT_ONLY),
        Language("csharp", (".cs",), "//", _C_BLOCK, "csharp", _TEXT_ONLY),
    )
}


@cache
def language(name: str, capability: str | None = None) -> Language:
    """The entry of a language that has ``capability``.

    Raises:
        InputError: no such language, or it lacks the capability; the message names those that have it.
    """
    known = [entry.name for entry in LANGUAGES.values() if capability is None or capability in entry.capabilities]
    if name not in known:
        purpose = f" for {capability}" if capability else ""
        raise InputError(f"language {name!r} is not supported{purpose}; choose one of: {', '.join(known)}")
    return LANGUAGES[name]


def language_of_path(path: str) -> str | None:
    """Name of the language of a file by its suffix, or None."""
    suffix = PurePosixPath(path.replace("\\", "/")).suffix.lower()
    for entry in LANGUAGES.values():
        if suffix in entry.extensions:
            return entry.name
    return None


def lex_tokens(text: str, name: str) -> Iterator[tuple[int, Any, str]]:
    """Pygments tokens ``(offset, type, value)`` of the text itself.

    Unlike ``pygments.lex`` nothing is stripped or added, so that offsets are those of ``text``. Any text is lexed;
    what the lexer does not understand comes out as error tokens.
    """
    yield from language(name).pygments_lexer.get_tokens_unprocessed(text)


def split_lines(text: str) -> list[str]:
    r"""Lines with their ends, split where Python's own tokenizer splits: ``\n``, ``\r\n``, ``\r`` and nowhere else.

    ``str.splitlines`` also splits at form feeds and Unicode separators, which moves every later line number.
    """
    return _NEWLINE.findall(text)
