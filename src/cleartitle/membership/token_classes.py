"""Classes of model tokens: identifier, keyword, operator, string, number, comment or layout."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String

from cleartitle.code.languages import lex_tokens

__all__ = [
    "CLASS_NAMES",
    "COMMENT",
    "IDENTIFIER",
    "KEYWORD",
    "LAYOUT",
    "NUMBER",
    "OPERATOR",
    "STRING",
    "rows_in",
    "token_classes",
]

LAYOUT, IDENTIFIER, KEYWORD, OPERATOR, STRING, NUMBER, COMMENT = range(7)
CLASS_NAMES = ("layout", "identifier", "keyword", "operator", "string", "number", "comment")


def token_classes(
    text: str, start: npt.ArrayLike, end: npt.ArrayLike, language: str = "python"
) -> npt.NDArray[np.int8]:
    """The class of each model token that covers the characters ``start`` to ``end`` of ``text``; int8, one a token.

    A token's class is that of its first character that is no white space, `LAYOUT` where it has none: a piece such as
    `` return`` is a keyword, blank and all. Docstrings are comments (prose), f-string parts are strings outside of
    braces. Any text is lexed; what the lexer does not understand is an operator. Lexers guess: a class is that of the
    spelling, not of the syntax tree.

    Raises:
        InputError: unknown language.
    """
    starts, ends = np.asarray(start, np.int64), np.asarray(end, np.int64)
    painted = np.full(len(text) + 1, LAYOUT, np.int8)
    # Some lexers know a comment only by its line end.
    for offset, kind, value in lex_tokens(text + "\n", language):
        code = _class_of(kind)
        if code != LAYOUT:
            painted[offset : offset + len(value)] = code
    blank = np.array([*map(str.isspace, text), False])
    places = np.arange(len(text) + 1)
    following = np.minimum.accumulate(np.where(blank, len(text), places)[::-1])[::-1]
    first = following[np.clip(starts, 0, len(text))]
    return np.where(first < ends, painted[np.minimum(first, len(text))], LAYOUT).astype(np.int8)


def rows_in(classes: npt.NDArray[np.int8], wanted: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Which rows are of one of these classes."""
    return np.isin(classes, wanted)


@cache
def _class_of(kind: Any) -> int:
    for code, group in _GROUPS:
        if kind in group:
            return code
    return LAYOUT


_GROUPS = (
    (COMMENT, String.Doc),
    (COMMENT, Comment),
    (KEYWORD, Operator.Word),
    (KEYWORD, Keyword),
    (IDENTIFIER, Name),
    (NUMBER, Number),
    (STRING, Literal),
    (OPERATOR, Operator),
    (OPERATOR, Punctuation),
)
