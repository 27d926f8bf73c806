"""Rewrites of programs: other texts, the same doings."""

import ast
import colorsys
import fractions
import heapq
import inspect
import string
import textwrap
import time
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.membership.rewrites import python_rewrites, same_program

PROGRAM = '''\
import os
import json
from math import sqrt, floor
# a comment
LIMIT = 'ten'


def area(width, height=2):
    """Docstring 'kept'."""
    product = width * height
    try:
        label = f"{product} units"
    except ValueError as error:
        label = str(error)
    return label, [item + product for item in range(floor(sqrt(width)))]


class Box:
    size = 3

    def grow(self, by):
        size = self.size + by
        return {"size": size, 'by': by}


def seen():
    hidden = 1
    return locals()
'''


def run(text: str) -> types.ModuleType:
    module = types.ModuleType("rewritten")
    exec(compile(text, "rewritten", "exec"), module.__dict__)  # noqa: S102
    return module


def test_rewrites_differ_from_the_text_and_from_each_other_and_do_the_same():
    rewrites = python_rewrites(PROGRAM, 4)
    assert len({PROGRAM, *rewrites}) == 5
    before = run(PROGRAM)
    for text in rewrites:
        after = run(text)
        assert after.area(10, height=3) == before.area(10, height=3)
        assert after.Box().grow(by=2) == before.Box().grow(by=2) == {"size": 5, "by": 2}
        assert after.seen() == {"hidden": 1}
        assert after.LIMIT == "ten"


def test_local_names_go_and_parameters_globals_attributes_and_observed_names_stay():
    names = {node.id for node in ast.walk(ast.parse(python_rewrites(PROGRAM, 1)[0])) if isinstance(node, ast.Name)}
    assert not {"product", "item", "error"} & names or "product" in names  # product stands in an f-string
    assert "item" not in names and "error" not in names
    assert {"width", "height", "by", "hidden", "LIMIT", "sqrt"} <= names | {"LIMIT"}


@pytest.mark.parametrize(
    ("module", "probe"),
    [
        (colorsys, lambda m: [m.rgb_to_hsv(0.2, 0.4, 0.4), m.hls_to_rgb(0.3, 0.5, 0.5)]),
        (textwrap, lambda m: [m.fill("a b c " * 30, 20), m.dedent("  x\n    y\n"), m.shorten("one two three", 8)]),
        (heapq, lambda m: [m.nsmallest(3, [5, 1, 4, 2]), list(m.merge([1, 4], [2, 3]))]),
        (fractions, lambda m: [str(m.Fraction("3/7") + m.Fraction(1, 3)), m.Fraction(1.5).limit_denominator(3)]),
        (string, lambda m: [m.Template("$a-${b}").substitute(a=1, b=2), m.capwords("x y")]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_modules_of_the_standard_library_do_the_same_after_a_rewrite(module, probe):
    source = inspect.getsource(module)
    rewrites = python_rewrites(source, 2, seed=3)
    assert rewrites
    expected = [repr(value).replace("rewritten.", "") for value in probe(module)]
    for text in rewrites:
        assert [repr(value).replace("rewritten.", "") for value in probe(run(text))] == expected


@settings(max_examples=15)
@given(st.integers(0, 2**31))
def test_equal_seeds_give_equal_rewrites_that_pass_for_the_same_program(seed):
    rewrites = python_rewrites(PROGRAM, 2, seed)
    assert rewrites == python_rewrites(PROGRAM, 2, seed)
    assert all(same_program(PROGRAM, text) for text in rewrites)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "x = 2\n"),
        ("x = 1\n", "y = 1\n"),
        ("def f(a):\n    b = a\n    return b\n", "def f(a):\n    b = a\n    return a\n"),
        ("def f(a, b):\n    c = a\n    return c + b\n", "def f(a, b):\n    b = a\n    return b + b\n"),
        ("def f(a):\n    return a\n", "def f(b):\n    return b\n"),
        ("import a\nx = 1\nimport b\n", "import b\nx = 1\nimport a\n"),
        ("import a\n", "import a, b\n"),
        ("x = 1\n", "x = 1\ny = 2\n"),
        ("x = (", "x = ("),
    ],
)
def test_other_programs_are_not_the_same(before, after):
    assert not same_program(before, after)


def test_renamed_locals_swapped_imports_and_quotes_are_the_same_program():
    before = "import a\nimport b\n\ndef f(x):\n    y = 'q'\n    return y + x\n"
    after = 'import b\nimport a\n\ndef f(x):\n    z = "q"\n    return z + x\n'
    assert same_program(before, after)


@pytest.mark.parametrize(
    "imports",
    [
        "from __future__ import annotations\nfrom a import b\n",
        "from a import *\nimport b\n",
        "import a.b\nimport a.c\n",
        "import a; x = 1\nimport b\n",
    ],
)
def test_imports_whose_order_counts_stay_in_order(imports):
    text = imports + "LABEL = 'one'\n"
    for rewrite in python_rewrites(text, 3):
        assert rewrite.startswith(imports)


def test_a_text_that_was_cut_is_rewritten_up_to_its_last_whole_statement():
    cut = PROGRAM[: PROGRAM.index("        return {")] + "        return {'si"
    rewrites = python_rewrites(cut, 2)
    assert rewrites and all(text.endswith("return {'si") for text in rewrites)
    assert all("product" in text for text in rewrites)


def test_line_ends_and_wide_letters_survive():
    text = "import b\r\nimport a\r\nNAME = 'größe 漢字'\r\ndef f():\r\n    wert = 'ß'\r\n    return wert\r\n"
    for rewrite in python_rewrites(text, 3):
        assert rewrite.count("\r\n") == text.count("\r\n") and "größe 漢字" in rewrite
        assert run(rewrite.replace("import b\r\n", "").replace("import a\r\n", "")).f() == "ß"


@pytest.mark.parametrize(
    "text",
    ["", "x", "not python at all {", "\0", "(" * 5000, "'" * 5000, "x = [" * 2000, "a\n" * 20_000, "if x:\n" * 3000],
    ids=lambda text: repr(text[:8]),
)
def test_texts_that_cannot_be_rewritten_give_nothing_and_take_no_time(text):
    start = time.process_time()
    assert python_rewrites(text, 3) == []
    assert time.process_time() - start < 10
