"""The token stream of JPlag for C: a scan of the text for keywords, braces and assignments, without a parse."""

import re

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.parse import check_deadline, rows_of

__all__ = ["tokens"]

# Keywords of C and of the C++ that JPlag's scanner was made for: all of them are token types of JPlag 6.3.0.
_KEYWORDS = (
    "auto break case catch char class const continue default delete do double else enum extern float for friend goto"
    " if inline int long new operator private protected public redeclared register return short signed sizeof static"
    " struct switch template this throw try typedef union unsigned virtual void volatile while"
)
_NAMES = {
    **{word.encode(): f"C_{word.upper()}" for word in _KEYWORDS.split()},
    b"NULL": "C_NULL",
    b"{": "C_BLOCK_BEGIN",
    b"}": "C_BLOCK_END",
    b"?": "C_QUESTIONMARK",
    b"...": "C_ELLIPSIS",
    **{sign: "C_ASSIGN" for sign in b"= += -= *= /= %= &= |= ^= <<= >>= ++ --".split()},
}
_JOINT = rb"\\(?:\r?\n|\r)?"
_STRING = rb'"(?:[^"\\\r\n]|\\\r\n|\\.)*"?'
_COMMENT = rb"/\*.*?(?:\*/|\Z)|//(?:[^\\\r\n]|" + _JOINT + rb")*"
_DIRECTIVE = rb"#(?:[^\\\r\n\"/]|" + _JOINT + rb"|" + _STRING + rb"|" + _COMMENT + rb"|/)*"
_SIGN = rb"<<=|>>=|[-+*/%&|^]=|\+\+|--|\.\.\.|[{}?]"
# What is no token comes first: a comparison must not be read as an assignment, nor a text as code.
_LEXEMES = re.compile(
    rb"[=!<>]=|"
    + _STRING
    + rb"|'(?:[^'\\\r\n]|\\\r\n|\\.)*'?|"
    + _COMMENT
    + rb"|"
    + _DIRECTIVE
    + rb"|("
    + _SIGN
    + rb"|=)"
    rb"|\d\w*|([A-Za-z_$\x80-\xff][\w$\x80-\xff]*)",
    re.DOTALL,
)
_TOKENS_PER_CHECK = 1 << 16


def tokens(source: bytes) -> Tokens:
    """Tokens of C source in the way of JPlag 6.3.0, its token types by name (``C_IF``, ``C_ASSIGN``).

    A keyword, ``NULL``, a brace, ``?``, ``...`` and each kind of assignment (``++`` and ``--`` too) is one token.
    Other names, numbers, strings, calls and the other operators give none. Comments and preprocessor lines, with the
    lines that a backslash adds to them, are skipped; all branches of a conditional are read.

    Each token lies in one row. Rows end at line feeds. Any bytes are read: a string that does not close ends with its
    line, a comment that does not close ends with the text.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    names: list[str] = []
    starts: list[int] = []
    for count, found in enumerate(_LEXEMES.finditer(source)):
        if count % _TOKENS_PER_CHECK == 0:
            check_deadline()
        kind = found.lastindex
        name = _NAMES.get(found[kind]) if kind else None
        if name is not None:
            names.append(name)
            starts.append(found.start())
    rows: list[int] = rows_of(source, starts).tolist()
    return Tokens(names, rows, rows.copy())
