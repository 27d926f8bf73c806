"""The shortcut of the Python lexer cuts every text into the words of Pygments' own lexer."""

import sysconfig
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers.python import PythonLexer

from cleartitle.similarity import words

PIECES = """def class from import lazy match case yield async for if else lambda is in not as None True print self x _
f" f' " ' \"\"\" ''' r" b' rb" u rf" Rb' \\ ( ) [ ] { } : := = == != ! < << >> > -> . .. .5 1. 1_0 0x1f 1e5j 1if @ @a
foo_ @= % %s %(a)d {0} {a!r} {{ }} é ü ² · $ ? ` , ; + - ** // & | ^ ~ #""".split()
BLANKS = [" ", "  ", "    ", "\t", "\n", "\n\n", "\\\n", "\x0c", "\r\n", "\xa0", "\u2028", "\0"]
PHRASES = [
    "yield from",
    "async for",
    "lazy import",
    "case _",
    "match x",
    "# a b",
    '\\"',
    "\\N{DASH}",
    "\\u1234",
    "\\x41",
]
soup = st.lists(st.sampled_from([*PIECES, *BLANKS, *PHRASES]), max_size=40).map("".join)
LINES = [
    "def f(",
    "class A:",
    "class A(B):",
    "async def f():",
    "from . import a",
    "import a as b,",
    "# don't",
    '# "a b" c',
    "x = 'a' + 'b'",
    "type X = int",
    "match x:",
    '    """doc %s"""',
    "    '''",
    "    return x.y[1.5] == 0x1f",
    "x = \\",
]
lines = st.lists(
    st.lists(st.sampled_from([*PIECES, *PHRASES, *LINES, "    "]), max_size=5).map(
        lambda parts: " ".join(parts) + "\n"
    ),
    max_size=10,
).map("".join)
spaced = st.lists(st.sampled_from([*PIECES, *PHRASES]), max_size=40).map(" ".join)


def plain(text):
    return " ".join(value for _, value in PythonLexer().get_tokens(text)).split()


@given(soup | spaced | lines | st.text(max_size=100))
@settings(max_examples=600)
def test_any_text_is_cut_as_pygments_cuts_it(text):
    assert words(text) == plain(text)


LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = [
    "argparse.py",
    "ast.py",
    "typing.py",
    "string.py",
    "tokenize.py",
    "re/_parser.py",
    "dataclasses.py",
    "difflib.py",
]


@pytest.mark.parametrize("name", FILES)
def test_the_standard_library_is_cut_as_pygments_cuts_it(name):
    text = (LIBRARY / name).read_text(encoding="utf-8")
    assert words(text) == plain(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        '"',
        "'",
        '"""',
        "(",
        "# don't ",
        "\n",
        " ",
        "    \n",
        "x = '%s'\ny = 1\n",
        "a.1\n",
        '"\\',
        "{",
        "é",
        "\\\n",
        "f'{",
    ],
)
def test_a_hostile_text_is_cut_in_linear_time(piece):
    def seconds(size):
        text = (piece * (size // len(piece) + 1))[:size]
        start = time.process_time()
        words(text)
        return time.process_time() - start

    assert seconds(120_000) < 12 * seconds(30_000) + 0.5
