"""The words of Pygments' Python tokens in a fraction of the time: plain lines by two expressions, all others by it."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, ClassVar

from pygments.lexer import ExtendedRegexLexer, LexerContext, bygroups, inherit
from pygments.lexers.python import PythonLexer
from pygments.token import String, Text, Token

__all__ = ["python_values"]

# Names, but for words that lead into a state of their own and letters that may be the prefix of a string.
_NAME = (
    r"(?!(?:def|class|from|import|lazy|match|case|yield)\b)"
    r"[A-Za-z_][A-Za-z0-9_]*+(?!['\"\x80-\U0010ffff])"
)
# White space, but at the start of a line only before code that is no docstring and no match statement.
_BLANKS = r"(?<=[^\n])[ \t]++(?![^\S\n])|^[ \t]++(?!\s|[rRuUbB]{0,2}['\"]|(?:match|case)\b)"
_SIGNS = r"[\[\]{}(),;]|[=!]=|<<|>>|:=?|[-~+/*%=<>&^|]|\.(?![0-9])"
_LINE_END = Token.LineEnd


class _ValuesLexer(ExtendedRegexLexer, PythonLexer):  # pyright: ignore[reportIncompatibleMethodOverride]
    """Token values as those of ``PythonLexer``; the types are coarser, but tell where a line ends outside all tokens.

    Pygments tries some forty rules in turn for each token. One expression in front of them takes what every version
    of the lexer cuts alike; whatever it leaves goes the usual way.
    """

    name = "Python values"
    aliases: ClassVar[Sequence[str]] = ()
    filenames: ClassVar[Sequence[str]] = ()
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\n", _LINE_END),
            (rf"{_NAME}|{_BLANKS}|{_SIGNS}|\#[^\n]*", Text),
            (r'(")(?!"")([^"\'\\%{\n]*)(")', bygroups(String, String, String)),
            (r"(')(?!'')([^\"'\\%{\n]*)(')", bygroups(String, String, String)),
            inherit,
        ],
    }


# Plain lines begin and end outside all tokens and states, and hold no quote but around a string without quotes,
# backslashes, % and {. Words that lead into a state make a line plain only where that state has nothing to cut.
_WORD = r"[A-Za-z_][A-Za-z0-9_]*+(?!['\"\x80-\U0010ffff])"
_NAMED = r"(?:def[ \t]++[A-Za-z_][A-Za-z0-9_]*+(?=\()|class[ \t]++[A-Za-z_][A-Za-z0-9_]*+(?=[(:]))"
_CODE = "|".join(
    (
        rf"(?!(?:def|class|from|import|lazy)\b){_WORD}",
        r"[- \t\[\]{}(),;:~+/*%=<>&^|]++",
        r"\.(?![0-9])",
        r'"(?!"")[^"\'\\%{\n]*+"',
        r"'(?!'')[^\"'\\%{\n]*+'",
        r"(?:0[xX][0-9a-fA-F]++|[0-9]++(?:\.[0-9]++)?)(?![\w.])",
        r"!=",
        r"\\(?=\n)",
        _NAMED,
    )
)
_NO_MATCH = r"(?![ \t]*+(?:match|case|type)\b)"
_PLAIN = re.compile(rf"(?:{_NO_MATCH}(?:{_CODE}|\#[^\n\"']*+(?=\n))*+\n)++")
# A plain line whose comment holds quotes: code, and the comment.
_QUOTING = re.compile(rf"({_NO_MATCH}(?:{_CODE})*+)(\#[^\n]*+\n)")
# The values of plain lines, but for the quotes of strings, which are cut off afterwards.
_VALUES = re.compile(
    "|".join(
        (
            r"[A-Za-z_][A-Za-z0-9_]*+|[-\[\]{}(),;~+/*%&^|.]",
            r"[=!]=|=",
            r'"[^"\n]*+"|' r"'[^'\n]*+'",
            r":=?|<<?|>>?",
            r"[0-9]++\.[0-9]++|[0-9][0-9A-Za-z]*+",
            r"\#[^\n]*+",
            r"\\",
        )
    )
)


def python_values(text: str) -> str:
    """The values of the tokens that ``PythonLexer`` cuts, joined by white space; the same words, other white space."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n") + "\n"
    return " ".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        if plain := _PLAIN.match(text, position):
            yield _code(plain[0])
            position = plain.end()
        elif quoting := _QUOTING.match(text, position):
            yield _code(quoting[1])
            yield quoting[2]
            position = quoting.end()
        else:
            context = LexerContext(text, position)
            for index, kind, value in _lexer().get_tokens_unprocessed(context=context):
                yield value
                position = index + len(value)
                if kind is _LINE_END and (_PLAIN.match(text, position) or _QUOTING.match(text, position)):
                    break


def _code(plain: str) -> str:
    return " ".join(_VALUES.findall(plain)).replace('"', ' " ').replace("'", " ' ")


@cache
def _lexer() -> Any:
    return _ValuesLexer()
