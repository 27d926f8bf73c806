"""Comments, shared comments, preambles, languages and complexity."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code import (
    LANGUAGES,
    UnparsableError,
    comment_lines_paper,
    comments,
    complexity,
    language,
    language_of_path,
    preamble,
    shared_comments,
    units,
    without_header,
)
from cleartitle.code.languages import split_lines
from cleartitle.errors import InputError


def texts(source, name="python"):
    return [comment.text for comment in comments(source, name)]


def test_signs_in_strings_are_no_comments():
    source = 'a = "# no"  # yes\nb = \'\'\'\n# no\n\'\'\'\nc = r"\\\\"  # also\nd = "\\"# no"\n# last'
    assert texts(source) == ["# yes", "# also", "# last"]


def test_a_comment_has_its_line_and_offset():
    source = "x = 1\r\n\r\n  # here\r\n"
    (comment,) = comments(source)
    assert (comment.line, comment.text) == (3, "# here")
    assert source[comment.offset :].startswith("# here")


def test_broken_and_truncated_code_still_gives_its_comments():
    assert texts("def f(:\n  # one\n    'it\n # two\n x = (1, # three") == ["# one", "# two", "# three"]
    assert texts('x = """never closed\n# inside') == []


@pytest.mark.parametrize("name", ["java", "c", "cpp", "csharp"])
def test_other_languages_have_line_and_block_comments(name):
    source = 'int x = 1; // line\n/* block\n   over two */\nchar *s = "// no";\n'
    assert texts(source, name) == ["// line", "/* block\n   over two */"]
    assert [comment.line for comment in comments(source, name)] == [1, 2]


def test_directives_of_the_c_preprocessor_are_no_comments():
    assert texts("#include <stdio.h>\n#define A 1 // one\n", "c") == ["// one"]


@given(st.text(max_size=200))
def test_any_text_has_comments_in_order_within_it(source):
    found = comments(source)
    assert all(source.startswith(comment.text, comment.offset) for comment in found)
    assert all(comment.text.startswith("#") for comment in found)
    assert [comment.offset for comment in found] == sorted({comment.offset for comment in found})


@pytest.mark.parametrize(
    "hostile", ["'" * 10**6, '"\\' * 5 * 10**5, "#" * 10**6, "'''\"" * 2 * 10**5, "\\" * 10**6, "# a\n" * 10**5]
)
def test_hostile_texts_are_read_in_linear_time(hostile):
    start = time.process_time()
    comments(hostile)
    shared_comments(hostile, hostile, "prompt")
    assert time.process_time() - start < 10


def test_the_rule_of_the_release_takes_whatever_follows_a_sign():
    assert comment_lines_paper('x = "#fff"  # white\n#\n') == {'fff"  # white', ""}


REFERENCE = """
    # Sum first.
    color = "# red"
    # in the prompt
    # noqa: E501
    # type: ignore[arg-type]
    # ---------
    # x
    #  Spaced   out
    #
"""
CANDIDATE = REFERENCE.replace("#  Spaced   out", "# Spaced out")
PROMPT = "def f():\n    '''What is in the prompt.'''\n"


def test_paper_mode_shares_equal_text_that_is_not_in_the_prompt():
    shared = shared_comments(REFERENCE, CANDIDATE, PROMPT, "paper")
    assert shared == ["---------", "Sum first.", "noqa: E501", 'red"', "type: ignore[arg-type]", "x"]


def test_corrected_mode_shares_worded_comments_only():
    assert shared_comments(REFERENCE, CANDIDATE, PROMPT) == ["Spaced out", "Sum first."]


PRAGMAS = [
    "noqa",
    "noqa: F401",
    "type: ignore",
    "pylint: disable=all",
    "pragma: no cover",
    "fmt: off",
    "isort: skip",
    "nosec",
    "mypy: ignore-errors",
    "-*- coding: utf-8 -*-",
    "!/usr/bin/env python",
    "pyright: basic",
    "coding: utf-8",
    "yapf: disable",
]


@pytest.mark.parametrize("pragma", PRAGMAS)
def test_notes_to_tools_are_not_shared_comments(pragma):
    text = f"x = 1  # {pragma}\n"
    assert shared_comments(text, text) == []
    assert shared_comments(text + "# A word", text + "# A word") == ["A word"]


def test_other_languages_share_comments_without_their_signs():
    assert shared_comments("// Sum first\n", "/*  Sum first */", language="java") == ["Sum first"]


def test_an_unknown_mode_is_refused():
    with pytest.raises(InputError, match="'loose' is unknown; choose one of: paper, corrected"):
        shared_comments("", "", "", "loose")


MODULE = '''#!/usr/bin/env python
# Copyright 2001 A. Person
# Licensed under terms

"""What the module does."""

# Second notice: all rights reserved.
import os  # kept
import sys

__license__ = "MIT"
__version__ = "1"
# A table.
TABLE = [
    1,
]

# About the function.
@decorated
def first():
    return 1

CONSTANT = 2
'''


def test_a_preamble_is_what_precedes_the_first_definition_without_the_license():
    assert preamble(MODULE) == (
        '"""What the module does."""\n\nimport os  # kept\nimport sys\n\n__version__ = "1"\n'
        "# A table.\nTABLE = [\n    1,\n]\n"
    )


def test_a_module_docstring_that_names_the_license_is_left_out():
    assert preamble('"""Tool.\n\nLicence: MIT\n"""\nimport os\n\n\nclass A:\n    pass\n') == "import os\n"


def test_a_conditional_definition_ends_the_preamble():
    text = "import os\ntry:\n    import fast\nexcept ImportError:\n    def fast(): return 'secret'\nx = 1\n"
    assert preamble(text) == "import os\n"


def test_a_preamble_never_holds_the_words_of_a_license():
    notices = ["# SPDX-License-Identifier: X", "# (c) 2010 B", "# WITHOUT WARRANTY", "# public domain", "# © B"]
    for notice in notices:
        assert preamble(f"import os\n{notice}\nx = 1\ndef f(): pass\n") == "import os\nx = 1\n"


def test_a_file_of_comments_has_no_preamble():
    assert preamble("# only\n\n# comments\n") == ""
    assert preamble("") == ""
    assert preamble("def f(): pass\n") == ""


def test_a_license_word_in_a_string_is_no_comment():
    text = 'LABELS = """\n# license\n"""\n\ndef f(): pass\n'
    assert preamble(text) == 'LABELS = """\n# license\n"""\n'


def test_a_file_that_is_no_program_has_no_preamble_but_an_error():
    with pytest.raises(UnparsableError, match="line 1"):
        preamble("import\n")


@given(st.lists(st.sampled_from([*MODULE.split("\n"), "if x:", "    pass"]), max_size=25).map("\n".join))
def test_a_preamble_consists_of_lines_of_the_file_and_defines_nothing(source):
    try:
        found = preamble(source)
    except UnparsableError:
        return
    lines = [line.rstrip("\r\n") for line in split_lines(source)]
    assert all(line in lines for line in found.splitlines())
    assert units(found) == []


def test_lines_after_a_header_are_what_follows_it():
    assert without_header("# a\r\n# b\r\n\r\nx = 1\r\n", 2) == "x = 1\r\n"
    assert without_header("x = 1\n", 0) == "x = 1\n"
    assert without_header("# a", 5) == ""


def test_each_language_names_its_capabilities():
    assert list(LANGUAGES) == ["python", "java", "c", "cpp", "csharp"]
    assert language("python", "functions").extensions[0] == ".py"
    with pytest.raises(InputError, match="'rust' is not supported; choose one of: python, java, c, cpp, csharp"):
        language("rust")
    with pytest.raises(InputError, match="'rust' is not supported for complexity"):
        complexity("", "rust")


@pytest.mark.parametrize(
    ("path", "name"),
    [("a/b.py", "python"), ("B.PYI", "python"), ("x\\y.cs", "csharp"), ("a.h", "c"), ("a.hpp", "cpp"), ("py", None)],
)
def test_the_suffix_of_a_path_tells_the_language(path, name):
    assert language_of_path(path) == name


def test_complexity_of_other_languages_is_counted_by_lizard():
    source = "int f(int a, int b) { if (a && b) { return 1; } for (;;) { } return 0; }"
    assert complexity(source, "c") == 4
    assert complexity(f"class A {{ {source} }}", "java") == 4


def test_complexity_of_an_indented_or_broken_function():
    assert complexity("    def f(a):\n        return a or b\n") == 2
    assert complexity("class A:\n    def f(a):\n        assert a\n") == 2
    with pytest.raises(UnparsableError):
        complexity("def f(:")
    with pytest.raises(InputError, match="no python function"):
        complexity("x = 1")
