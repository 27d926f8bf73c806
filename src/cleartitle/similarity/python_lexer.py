"""Pygments' Python lexer with a shortcut for the commonest tokens: the same values in a fraction of the time."""

from typing import Any, ClassVar

from pygments.lexer import bygroups, inherit
from pygments.lexers.python import PythonLexer
from pygments.token import String, Text, Whitespace

__all__ = ["PythonValuesLexer"]

# Names, but for words that lead into a state of their own and letters that may be the prefix of a string.
_NAME = (
    r"(?!(?:def|class|from|import|lazy|match|case|yield)\b)"
    r"[A-Za-z_][A-Za-z0-9_]*+(?!['\"\x80-\U0010ffff])"
)
# White space, but at the start of a line only before code that is no docstring and no match statement.
_BLANKS = r"(?<=[^\n])[ \t]++(?![^\S\n])|^[ \t]++(?!\s|[rRuUbB]{0,2}['\"]|(?:match|case)\b)"
_SIGNS = r"[\[\]{}(),;]|[=!]=|<<|>>|:=?|[-~+/*%=<>&^|]|\.(?![0-9])"
_COMMENT = r"\#[^\n]*"


class PythonValuesLexer(PythonLexer):
    """Token values as those of ``PythonLexer``; the types are coarser and of no use.

    Pygments tries some forty rules in turn for each token. One expression in front of them takes what every version
    of the lexer cuts alike; whatever it leaves goes the usual way.
    """

    name = "Python values"
    aliases: ClassVar[list[str]] = []
    filenames: ClassVar[list[str]] = []
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\n", Whitespace),
            (rf"{_NAME}|{_BLANKS}|{_SIGNS}|{_COMMENT}", Text),
            (r'(")(?!"")([^"\'\\%{\n]*)(")', bygroups(String, String, String)),
            (r"(')(?!'')([^\"'\\%{\n]*)(')", bygroups(String, String, String)),
            inherit,
        ],
    }
