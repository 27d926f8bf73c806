"""The stream of JPlag for Python equals the recorded one, construct by construct and on real code."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code.streams.jplag_python import tokens

REFERENCE = Path(__file__).resolve().parents[3].parent / "shared" / "reference"
needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference values are not beside the repository"
)

CONSTRUCTS = {
    "import a": "IMPORT",
    "from .a import (b, c)": "IMPORT",
    "from __future__ import annotations": "IMPORT",
    "a = b = 1": "ASSIGN ASSIGN",
    "a += 1": "ASSIGN",
    "a @= b": "ASSIGN",
    "a: int = 1": "ASSIGN",
    "a == b <= c != d": "",
    "(a := 1)": "",
    "a.b.c": "ARRAY ARRAY",
    "a[1][2:3]": "ARRAY ARRAY",
    "f(x)(y=1)": "APPLY APPLY ASSIGN",
    "f(x for x in y)": "APPLY",
    "a.b(c).d": "ARRAY APPLY ARRAY",
    "()": "",
    "(a)": "",
    "(a,)": "ARRAY",
    "(f(a, b))": "ARRAY APPLY",
    "('a,b')": "ARRAY",
    "(a # one, two\n)": "",
    "(a, # one\n b)": "ARRAY",
    "[]": "",
    "[a]": "",
    "[a, [b, c]]": "ARRAY ARRAY",
    "[a for a, b in c]": "ARRAY",
    "{}": "",
    "{1: 2}": "ARRAY",
    "{**a}": "ARRAY",
    "{1}": "ARRAY",
    "{a: b for a in c}": "ARRAY",
    "{a for a in c}": "ARRAY",
    "a, b = c, d": "ASSIGN",
    "for (a, b) in c: pass": "FOR_BEGIN ARRAY FOR_END",
    "del a[0], b": "DEL ARRAY",
    "assert a, b": "ASSERT",
    "raise A from b": "RAISE",
    "lambda a, b=1: a": "LAMBDA ASSIGN",
    "f'{a.b(c)=} {d[0]!r:>{e.f}}'": "",
    "if a: b()\nelif c: pass\nelse: d.e": "IF_BEGIN APPLY ARRAY IF_END",
    "a if b else c": "",
    "while a:\n  if b: break\n  continue\nelse: pass": "WHILE_BEGIN IF_BEGIN BREAK IF_END CONTINUE WHILE_END",
    "try: a()\nexcept (B, C) as d: e()\nelse: pass\nfinally: f()": (
        "TRY_BEGIN APPLY EXCEPT_BEGIN ARRAY EXCEPT_END APPLY FINALLY APPLY"
    ),
    "try: a\nexcept: b[0]": "TRY_BEGIN EXCEPT_BEGIN EXCEPT_END ARRAY",
    "with a() as b, c: d()": "WITH_BEGIN APPLY APPLY WITH_END",
    "class A(b.C, metaclass=D): x = 1": "CLASS_BEGIN ARRAY ASSIGN ASSIGN CLASS_END",
    "def f(a, b: t.List[int] = 1, *c, **d) -> X[y]: return (a, b)": (
        "METHOD_BEGIN ARRAY ARRAY ASSIGN ARRAY RETURN ARRAY METHOD_END"
    ),
    "def f(a: Dict[str, List[int]]): pass": "METHOD_BEGIN ARRAY ARRAY METHOD_END",
    "def f():\n yield\n yield a\n yield from b.c\n d = yield\n d = yield e": (
        "METHOD_BEGIN YIELD YIELD YIELD YIELD YIELD ARRAY ASSIGN ASSIGN YIELD METHOD_END"
    ),
    "def f(): return (yield a, b)": "METHOD_BEGIN RETURN YIELD METHOD_END",
    "@a.b.c(d.e, f=1)\n@g\ndef h(): pass": "DEC_BEGIN ARRAY ASSIGN METHOD_BEGIN METHOD_END DEC_END",
    "async def f():\n async with a: pass\n async for b in c: await d()": (
        "ASYNC METHOD_BEGIN ASYNC WITH_BEGIN WITH_END ASYNC FOR_BEGIN AWAIT APPLY FOR_END METHOD_END"
    ),
    "pass; global a": "",
    "# a, b\n'text, more'": "",
}


@pytest.mark.parametrize("source", CONSTRUCTS, ids=range(len(CONSTRUCTS)))
def test_construct_gives_its_tokens(source):
    assert tokens(source.encode() + b"\n").names == CONSTRUCTS[source].split()


@needs_reference
def test_tokens_equal_the_recorded_ones_of_real_code():
    recorded = [json.loads(line) for line in (REFERENCE / "pairs" / "jplag_tokens.jsonl").read_text().splitlines()]
    recorded = [entry for entry in recorded if entry["lang"] == "python"]
    assert recorded
    for entry in recorded:
        expected = entry["tokens"][:-1]  # without the end of the file
        found = tokens((REFERENCE / "pairs" / entry["file"]).read_bytes())
        assert found.names == [token["t"] for token in expected], entry["file"]
        # A group stands here where its bracket is, there where its first element is; ends differ in broken lines.
        for row, token in zip(found.first_lines, expected, strict=True):
            assert row + 1 == token["l"] or token["t"] == "ARRAY" or token["t"].endswith("_END"), entry["file"]


def test_rows_are_those_of_the_text_whatever_its_line_ends():
    found = tokens(b"a = 1\r\n\r\nif b:\r\n    c()\r\n")
    assert list(zip(found.names, found.first_lines, strict=True)) == [
        ("ASSIGN", 0), ("IF_BEGIN", 2), ("APPLY", 3), ("IF_END", 3)
    ]  # fmt: skip


def test_a_program_that_was_cut_short_keeps_what_it_had():
    whole = "def f(a, b=1):\n    x = a.b(c, d)\n    if x:\n        for y in z:\n            g(y)\n"
    complete = tokens(whole.encode()).names
    for size in range(len(whole)):
        found = tokens(whole[:size].encode()).names
        begun = [name for name in found if not name.endswith("_END")]
        assert len(found) <= len(complete) + 2
        assert size < whole.index("g(y)") or begun[:6] == complete[:6]


@given(st.binary(max_size=300))
def test_any_bytes_are_read(source):
    found = tokens(source)
    assert len(found.names) == len(found.first_lines) == len(found.last_lines)
    assert all(0 <= row <= source.count(b"\n") for row in found.first_lines)
