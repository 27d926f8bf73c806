"""Controls: code changed as a copyist would change it."""

import ast
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code import UnparsableError, comments, first_half, rename_identifiers, strip_comments, units

FUNCTION = '''def total(prices, rate=1, *, key=None):
    """Sum of prices."""
    # start
    amount = 0  # so far
    try:
        for price in prices:
            amount += price.amount * rate  # text
    except (TypeError, KeyError) as error:
        print("amount", error, sep=key)
    squares = [price * price for price in prices if price]
    return f"{amount}#{squares}" + str(rate)
'''


def library_functions():
    root = Path(sysconfig.get_path("stdlib"))
    for name in ("shutil.py", "argparse.py", "tarfile.py", "ast.py", "asyncio/tasks.py"):
        for unit in units((root / name).read_text(encoding="utf-8")):
            if not unit.is_method and not unit.is_nested and unit.body.strip() and unit.source[0] != " ":
                yield unit


LIBRARY = [pytest.param(unit, id=f"{number}-{unit.name}") for number, unit in enumerate(library_functions())]


def test_comments_are_stripped_and_strings_stay():
    assert strip_comments(FUNCTION) == FUNCTION.replace("    # start\n", "").replace("  # so far", "").replace(
        "  # text", ""
    )


@given(st.lists(st.sampled_from(["# c", "x = 1", "'", "\n", "\r\n", "  ", "'#'", '"""', "\r"])).map("".join))
def test_a_stripped_text_has_only_what_was_there_before_and_no_comments_at_line_starts(text):
    stripped = strip_comments(text)
    kept = iter(text)
    assert all(sign in kept for sign in stripped)


@pytest.mark.parametrize("unit", LIBRARY)
def test_stripping_comments_changes_no_syntax_tree(unit):
    stripped = strip_comments(unit.source)
    assert ast.dump(ast.parse(stripped)) == ast.dump(ast.parse(unit.source))
    assert comments(stripped) == []


def test_local_names_and_parameters_are_renamed_and_all_else_stays():
    renamed = rename_identifiers(FUNCTION, seed=3)
    names = {node.id for node in ast.walk(ast.parse(renamed)) if isinstance(node, ast.Name)}
    arguments = {node.arg for node in ast.walk(ast.parse(renamed)) if isinstance(node, ast.arg)}
    assert {"TypeError", "KeyError", "print", "str"} <= names
    assert not {"prices", "price", "rate"} & (names | arguments)
    # Names inside an f-string, attributes, keywords of calls, and words in strings and comments are not touched.
    for kept in ("amount +=", ".amount", "sep=", '"amount"', "{amount}#{squares}", '"""Sum of prices."""', "# so far"):
        assert kept in renamed


def test_every_occurrence_of_a_name_gets_the_same_new_name():
    renamed = rename_identifiers("def f(a, b):\n    c = a\n    def g(d): return a + d\n    return c, b, g\n", seed=1)
    function = ast.parse(renamed).body[0]
    a, b = (argument.arg for argument in function.args.args)
    inner = function.body[1]
    c, d = function.body[0].targets[0].id, inner.args.args[0].arg
    assert renamed == f"def f({a}, {b}):\n    {c} = {a}\n    def g({d}): return {a} + {d}\n    return {c}, {b}, g\n"
    assert len({a, b, c, d}) == 4
    assert not {a, b, c, d} & set("abcd")


def test_renaming_depends_on_the_seed_only():
    assert rename_identifiers(FUNCTION, seed=1) == rename_identifiers(FUNCTION, seed=1)
    assert rename_identifiers(FUNCTION, seed=1) != rename_identifiers(FUNCTION, seed=2)


def test_a_body_is_renamed_with_the_parameters_that_are_given():
    body = "    x = a + b\n    return x\n"
    assert "a + b" in rename_identifiers(body)
    renamed = rename_identifiers(body, parameters=("a",))
    assert "a + b" not in renamed
    assert "+ b" in renamed
    flat = rename_identifiers('x = """\nx\n"""\nreturn x\n')
    assert flat.splitlines()[1] == "x"
    assert not flat.startswith("x =")


def test_names_that_others_see_are_kept():
    source = (
        "def f(x):\n    global state\n    import os as system\n    state = system\n    class A:\n        x = 1\n"
        "    def g():\n        nonlocal y\n        y = 2\n    y = 1\n    match x:\n        case {'a': z, **rest}:\n"
        "            return call(k=1), z, rest\n    k = 1\n    __private = k\n    lone = 0\n    return lone\n"
    )
    renamed = rename_identifiers(source, seed=9)
    (changed,) = [(old, new) for old, new in zip(source.splitlines(), renamed.splitlines(), strict=True) if old != new][
        :-1
    ]
    assert changed[0] == "    lone = 0"


def test_renaming_runs_the_same():
    renamed = rename_identifiers(FUNCTION, seed=4)
    results = []
    for source in (FUNCTION, renamed):
        scope = {"Price": type("Price", (int,), {"amount": 3})}
        exec(compile(source, "text", "exec"), scope)
        results.append(scope["total"]([scope["Price"](2), scope["Price"](0)]))
    assert results == ["6#[4]1"] * 2


@pytest.mark.parametrize("unit", LIBRARY)
def test_renamed_functions_of_the_library_compile_and_keep_their_shape(unit):
    renamed = rename_identifiers(unit.source, seed=7)
    compile(renamed, "text", "exec")
    assert [type(node) for node in ast.walk(ast.parse(renamed))] == [
        type(node) for node in ast.walk(ast.parse(unit.source))
    ]
    assert rename_identifiers(unit.body, seed=7).count("\n") == unit.body.count("\n")


def test_half_of_a_body_is_valid_and_no_more_than_half_where_that_is_possible():
    body = "    a = 1\n    if a:\n        b = 2\n        c = 3\n    return a\n"
    assert first_half(body) == "    a = 1\n    if a:\n        b = 2\n"
    assert first_half("    try:\n        a()\n    finally:\n        b()\n    return 1\n").endswith("b()\n")
    assert first_half("a = 1\nreturn a\n") == "a = 1\n"
    assert first_half("    not python (\n    at all\n") == "    not python (\n"
    assert first_half("") == ""


@pytest.mark.parametrize("unit", LIBRARY)
def test_half_of_a_library_function_compiles_and_is_its_beginning(unit):
    half = first_half(unit.body)
    assert half
    assert unit.body.startswith(half)
    compile(unit.signature + half, "text", "exec")


def test_text_that_is_no_python_cannot_be_renamed():
    with pytest.raises(UnparsableError):
        rename_identifiers("def f(:")
    with pytest.raises(UnparsableError):
        rename_identifiers("x = 1\0")
