"""Functions cut from Python sources."""

import ast
import sysconfig
import time
import tokenize
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code import UnparsableError, comments, complexity, units
from cleartitle.code.languages import split_lines
from cleartitle.errors import InputError

EVERYTHING = '''# license
import functools


@functools.cache  # kept
@decorate(
    "with arguments",
)
def outer(
    first,  # a comment: with a colon
    second: dict[str, int] = {"a": 1},
    *rest: "int",
    key=lambda value: value[1:2],
    **more,
) -> dict[str, "list[int]"]:  # why
    # before the docstring
    r"""Title of \\d.

    More.
    """

    # first comment
    text = "# no comment"

    async def inner(self): return 1  # one line

    if first and second:
        return [
            first,
            second,
        ]
    # trailing, indented

# not a part of it


class Shape:
    @property
    def area(self):
        """Area."""; return 1

    def grow(self): "Doc only."


try:
    import fast
except ImportError:
    def fast(x): return x; y = 2
'''


def only(text):
    (unit,) = units(text)
    return unit


def by_name(text):
    return {unit.qualname: unit for unit in units(text)}


def test_all_functions_are_found_with_their_place():
    found = by_name(EVERYTHING)
    assert list(found) == ["outer", "outer.inner", "Shape.area", "Shape.grow", "fast"]
    places = {name: (unit.is_method, unit.is_nested, unit.is_async) for name, unit in found.items()}
    assert places == {
        "outer": (False, False, False),
        "outer.inner": (False, True, True),
        "Shape.area": (True, False, False),
        "Shape.grow": (True, False, False),
        "fast": (False, False, False),
    }


def test_a_function_is_cut_into_signature_docstring_and_body():
    outer = by_name(EVERYTHING)["outer"]
    lines = EVERYTHING.splitlines(keepends=True)
    assert (outer.start_line, outer.end_line) == (5, 32)
    assert outer.decorators == "".join(lines[4:8])
    assert outer.signature == "".join(lines[4:15])
    assert outer.docstring == "".join(lines[15:20])
    assert outer.docstring_value == "Title of \\d.\n\nMore."
    assert outer.body == "".join(lines[20:32])
    assert outer.body.endswith("    # trailing, indented\n")


def test_body_lines_are_counted_from_first_to_last_filled_line():
    outer = by_name(EVERYTHING)["outer"]
    assert (outer.body_lines, outer.body_lines_nonblank) == (11, 9)


def test_comments_of_the_body_are_real_ones_with_lines_of_the_file():
    outer = by_name(EVERYTHING)["outer"]
    assert [(comment.line, comment.text) for comment in outer.comments] == [
        (22, "# first comment"),
        (25, "# one line"),
        (32, "# trailing, indented"),
    ]


def test_complexity_counts_branches_boolean_operators_and_closures():
    assert by_name(EVERYTHING)["outer"].complexity == complexity(by_name(EVERYTHING)["outer"].source)
    assert only("def f(a):\n    if a and b:\n        return [x for x in a if x]\n").complexity == 5


def test_functions_on_one_line_are_cut_at_the_colon():
    found = by_name(EVERYTHING)
    assert found["fast"].signature == "    def fast(x):"
    assert found["fast"].body == " return x; y = 2\n"
    assert found["Shape.area"].docstring == '        """Area.""";'
    assert found["Shape.area"].body == " return 1\n"
    assert (found["Shape.grow"].body, found["Shape.grow"].body_lines) == ("", 0)


def test_a_multiline_last_expression_is_whole():
    unit = only('def f():\n    return """\nno indentation\n"""\nx = 1\n')
    assert unit.body == '    return """\nno indentation\n"""\n'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_kept_as_they_are(end):
    text = EVERYTHING.replace("\n", end)
    for unit in units(text):
        lines = split_lines(text)[unit.start_line - 1 : unit.end_line]
        assert unit.source == "".join(lines)
    assert [unit.body.count(end) for unit in units(text)] == [unit.body.count("\n") for unit in units(EVERYTHING)]


def test_form_feeds_and_unicode_line_separators_move_no_line():
    text = 'x = "\u2028\x85"\n\x0c\ndef f(größe="ä#"):\n    "ß"\n\x0c    return größe  # ü\n'
    unit = only(text)
    assert (unit.start_line, unit.end_line) == (3, 5)
    assert unit.docstring == '    "ß"\n'
    assert [comment.text for comment in unit.comments] == ["# ü"]


def test_tabs_backslashes_and_a_byte_order_mark_are_read():
    text = "\ufeffdef f \\\n  (a,\\\n   b) \\\n  :\n\tif a:\n\t\treturn b\n\t# tail\nx = 1\n"
    unit = only(text)
    assert unit.signature == "def f \\\n  (a,\\\n   b) \\\n  :\n"
    assert unit.body == "\tif a:\n\t\treturn b\n\t# tail\n"


def test_a_decorator_in_brackets_or_after_a_backslash_belongs_to_the_function():
    assert only("@(\n  a\n  @ b)\ndef f(): pass\n").start_line == 1
    assert only("@ \\\n a\ndef f(): pass\n").start_line == 1


def test_trailing_comments_of_an_inner_function_end_where_its_indentation_ends():
    found = by_name("def f():\n    def g():\n        return 1\n        # of g\n    # of f\n")
    assert found["f.g"].body.endswith("# of g\n")
    assert found["f"].body.endswith("# of f\n")


def test_overloads_and_conditional_definitions_are_all_found():
    text = "@overload\ndef f(a: int): ...\nif x:\n    def f(a): pass\nelse:\n    for i in y:\n        def f(b): pass\n"
    assert [unit.start_line for unit in units(text)] == [1, 4, 7]


def test_lambdas_are_no_units():
    assert units("f = lambda x: x\n") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [("def f(:\n", 1), ("x = 1\n  y = 2\n", 2), ("def f():\n", 1), ("print 'two'\n", 1), ("x = '\n", 1)],
)
def test_a_syntax_error_is_one_line_with_its_place(text, line):
    with pytest.raises(UnparsableError, match=rf"not parsable at line {line}: .*; mend it") as caught:
        units(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "text",
    ["x = 1\0", "(" * 10**5, "-" * 10**5 + "1", "x = '\ud800'", "a" + ".b" * 10**5, "1" * 10**5, "lambda: " * 10**4],
    ids=["nul", "brackets", "signs", "surrogate", "attributes", "digits", "lambdas"],
)
def test_hostile_sources_raise_nothing_but_unparsable(text):
    start = time.process_time()
    try:
        units("def f():\n    return 1\n" + text)
    except UnparsableError as error:
        assert "\n" not in str(error)
    assert time.process_time() - start < 10


@given(st.text(max_size=80) | st.lists(st.sampled_from(EVERYTHING.split(" ")), max_size=40).map(" ".join))
def test_any_text_gives_units_or_unparsable(text):
    try:
        found = units(text)
    except UnparsableError:
        return
    lines = split_lines(text.removeprefix("\ufeff"))
    assert all(unit.source == "".join(lines[unit.start_line - 1 : unit.end_line]) for unit in found)


def test_warnings_of_the_parser_stay_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert only('def f():\n    return "\\d" is 1\n').name == "f"


def test_a_language_without_functions_is_refused_with_those_that_have_them():
    with pytest.raises(InputError, match="'java' is not supported for functions; choose one of: python"):
        units("class A {}", language="java")


def library_files():
    root = Path(sysconfig.get_path("stdlib"))
    return [root / name for name in ("argparse.py", "ast.py", "dataclasses.py", "typing.py", "turtle.py", "zipfile.py")]


@pytest.mark.parametrize("path", [path for path in library_files() if path.is_file()], ids=lambda path: path.name)
def test_functions_of_the_standard_library_are_cut_exactly(path):
    text = path.read_text(encoding="utf-8")
    tree = {
        (node.lineno, node.name): node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    found = units(text)
    assert len(found) == len(tree)
    for unit in found:
        node = tree[unit.start_line + unit.decorators.count("\n"), unit.name]
        assert unit.docstring_value == ast.get_docstring(node)
        shell = f"{unit.signature}{unit.docstring}{unit.body}"
        inner = ast.parse(shell if node.col_offset == 0 else f"if True:\n{shell}").body[0]
        inner = inner.body[0] if isinstance(inner, ast.If) else inner
        assert ast.dump(inner) == ast.dump(node)


@pytest.mark.parametrize("path", [path for path in library_files() if path.is_file()], ids=lambda path: path.name)
def test_comments_of_the_standard_library_are_those_of_the_tokenizer(path):
    with tokenize.open(path) as stream:
        expected = [
            (token.start[0], token.string)
            for token in tokenize.generate_tokens(stream.readline)
            if token.type == tokenize.COMMENT
        ]
    found = comments(path.read_text(encoding="utf-8"))
    assert [(comment.line, comment.text) for comment in found] == expected
