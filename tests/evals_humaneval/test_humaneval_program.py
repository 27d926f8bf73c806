import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.humaneval import assemble

PROMPT = '''import math
from typing import List


def area(sides: List[float]) -> float:
    """ Multiply.
    >>> area([2, 3])
    6
    """
'''
BODY = "    product = 1\n    for side in sides:\n        product *= side\n    return product\n"
HEAD = "def area(sides):\n"


def value(answer: str) -> object:
    """What the program found in an answer gives for ``area([2, 3])``."""
    program = assemble(answer, PROMPT, "area")
    names: dict[str, object] = {}
    exec(compile(program.source, "program", "exec"), names)
    function = names["area"]
    assert callable(function)
    return function([2, 3])


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        (BODY, "body"),
        (f"{BODY}\n\nprint(area([1]))\n", "body"),
        (f"{BODY}\n\ndef area_of_circle(r):\n    return math.p", "body"),
        (f"Here it is:\n```python\n{HEAD}{BODY}```\nIt multiplies.", "program"),
        (f"```\n{PROMPT}{BODY}```", "program"),
        (f"{HEAD}{BODY}", "program"),
        (f"```python\n{HEAD}{BODY}", "program"),
        (f"<think>\ndef area(x): pass\n</think>\n```python\n{HEAD}{BODY}```", "program"),
        (f"```python\n{HEAD}{BODY}```\nUse it:\n```python\nprint(area([2, 3]))\n```", "program"),
        (f"```python\n{HEAD}{BODY}\nassert area([2, 3]) == 7\nprint(input())\n```", "program"),
        (f"```python\n{HEAD}{BODY}\nif __name__ == '__main__':\n    raise SystemExit\n```", "program"),
        (f"```python\n{HEAD}{BODY}\n\nresult = area(int(input()))\n```", "program"),
        ("```python\ndef area(s):\n    return times(s)\n\ndef times(n):\n    return math.prod(n)\n```", "program"),
        ("```python\nfrom functools import reduce\nONE = 1\ndef step(a, b):\n    return a * b * ONE\n\n"
         "def area(sides):\n    return reduce(step, sides)\n```", "program"),
        (f"```python\n{HEAD}{BODY}    extra = [1, 2\n```", "body"),
        (f"```python\n{HEAD}{BODY}```\r\n".replace("\n", "\r\n"), "program"),
        ("product = 1\nfor side in sides:\n    product *= side\nreturn product\n", "body"),
    ],
)  # fmt: skip
def test_a_right_answer_is_found_in_whatever_form_it_comes(answer: str, how: str) -> None:
    assert assemble(answer, PROMPT, "area").how == how
    if "extra" not in answer:
        assert value(answer) == 6


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        ("", "nothing"),
        ("I am not able to do this.", "nothing"),
        (f"```python\ndef surface(sides):\n{BODY}```", "other function"),
    ],
)
def test_what_is_no_answer_gives_no_program(answer: str, how: str) -> None:
    program = assemble(answer, PROMPT, "area")
    assert (program.how, program.source) == (how, "")


def test_what_the_function_does_not_reach_does_not_run() -> None:
    source = assemble(f"```python\nother = 1 / 0\n{HEAD}{BODY}```", PROMPT, "area").source
    assert "1 / 0" not in source and "import math" in source


@given(st.text(max_size=300) | st.text(alphabet="`\ndef area():return[( \t'\"#", max_size=300))
def test_any_text_is_read_and_twice_alike(answer: str) -> None:
    program = assemble(answer, PROMPT, "area")
    assert program == assemble(answer, PROMPT, "area")
    if program.how == "program":
        ast.parse(program.source)


@pytest.mark.parametrize(
    "answer",
    [
        "```\n" * 100_000,
        "```python\ndef area(" + "(" * 100_000,
        "def area(x):\n" + "    if x:\n" * 20_000,
        "def area(x): return " + "-" * 100_000 + "1",
        "def area\n" * 50_000,
        "<think>" * 50_000,
        "\x00" * 200_000,
    ],
)
def test_hostile_text_is_read_in_bounded_time(answer: str) -> None:
    started = time.process_time()
    assemble(answer, PROMPT, "area")
    assert time.process_time() - started < 20
