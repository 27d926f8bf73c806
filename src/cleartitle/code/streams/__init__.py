"""Token streams of programs, as Dolos and JPlag see them: what the program does, not how things are named."""

import importlib
from dataclasses import dataclass
from typing import Literal

from cleartitle.code.languages import language as known_language
from cleartitle.code.streams.parse import DeadlineError, deadline

__all__ = ["DeadlineError", "Tokens", "Tool", "deadline", "stream"]

Tool = Literal["dolos", "jplag"]


@dataclass(frozen=True)
class Tokens:
    """The tokens of one program, in order.

    Attributes:
        names: type of each token.
        first_lines: 0-based row where the text of each token begins.
        last_lines: 0-based row where it ends (the same row, mostly).
    """

    names: list[str]
    first_lines: list[int]
    last_lines: list[int]


def stream(tool: Tool, source: bytes, language: str) -> Tokens:
    """Tokens of ``source`` in the way of ``tool``, for ``python java c cpp csharp``.

    Any bytes are read, also with syntax errors, cut short or not text at all. No token for the end of the file.

    Raises:
        DeadlineError: the deadline of this thread passed (see ``deadline``).
        InputError: the language is not one of the five.
    """
    name = known_language(language).name
    if tool == "dolos":
        from cleartitle.code.streams import dolos

        return dolos.tokens(source, name)
    walker = importlib.import_module(f"cleartitle.code.streams.jplag_{name}")
    return walker.tokens(source)
