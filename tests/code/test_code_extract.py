"""Bodies cut out of model answers."""

import ast
import random
import sysconfig
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code import extract_body, units
from cleartitle.errors import InputError

F = "```"
BODY = "    total = 0\n    # add up\n    for item in items:\n        total += item\n\n    return total"
DEFINITION = f'def add(items):\n    """Sum."""\n{BODY}\n'


def body(answer, **options):
    return extract_body(answer, "add", **options).body


@pytest.mark.parametrize(
    "answer",
    [
        DEFINITION,
        f"{F}python\n{DEFINITION}{F}",
        f"Sure! Here's the code:\n\n{F}python\nimport math\n\n{DEFINITION}\nprint(add([1]))\n{F}\nIt's done.",
        f"{F}\n{DEFINITION}{F}",
        f"~~~py\n{DEFINITION}~~~",
        f"{F}python\n{DEFINITION}",
        f"Here's it:\n\n{DEFINITION}\nIt's a simple loop (really",
        f"{F}bash\npip install x\n{F}\nthen\n{F}python\n{DEFINITION}{F}",
        f"{F}python\nadd([1, 2])\n{F}\nuses\n{DEFINITION}",
        f"{F}python\ndef add(items): ...\n{F}\nin full\n{F}python\n{DEFINITION}{F}",
        DEFINITION.replace("\n", "\r\n"),
        f"\ufeff{DEFINITION}",
        f"<think>def add(items): return nothing at all, of course, never ever\n</think>\n{DEFINITION}",
        DEFINITION.replace("(items):", "(\n    items,  # a: b\n) -> dict[str, int]:  # note"),
        DEFINITION.replace("(items):", '(items, sep=":", pick=lambda x: x):'),
        DEFINITION.replace("def add(items):", "@cached\nasync  def  add (items) :"),
        DEFINITION.replace('"""Sum."""', "r'''Sum\n\ndef add(items):\n'''"),
        DEFINITION.replace('"""Sum."""', '# first\n    "Sum."  # doc'),
        DEFINITION.replace('    """Sum."""\n', ""),
        f"{DEFINITION}# after\n\nclass Other:\n    pass\n",
        f"{DEFINITION}if __name__ == '__main__':\n    add([])\n",
        f"{DEFINITION}@decorated\ndef other():\n    pass\n",
        f"def helper():\n    return 1\n\n{DEFINITION}",
    ],
)
def test_the_body_is_cut_out_of_a_definition(answer):
    extraction = extract_body(answer, "add")
    assert (extraction.body, extraction.how, extraction.truncated) == (BODY, "definition", False)


@pytest.mark.parametrize(
    "answer",
    [
        BODY,
        f"\n{BODY}\n\n\ndef other():\n    return 2\n",
        f"{BODY}\n{F}\n\nThis function adds.",
        f"{BODY}\n\nprint(add([1]))\n",
        f'    """Sum."""\n{BODY}',
        BODY.lstrip(),
        f"Here is the body:\n\n{BODY}\n\nThis works because of the loop.",
        f"{F}python\n{BODY}\n{F}",
        f"{F}\n{BODY.lstrip()}\n{F}",
    ],
)
def test_an_answer_that_continues_the_prompt_is_the_body(answer):
    extraction = extract_body(answer, "add", prompt="def add(items):\n")
    assert (extraction.body, extraction.how, extraction.truncated) == (BODY, "continuation", False)


def test_an_echo_of_the_prompt_is_not_part_of_the_body():
    prompt = 'def add(items):\n    """Sum."""\n'
    assert extract_body(prompt + BODY, "add", prompt=prompt).body == BODY


def test_a_body_at_the_left_margin_ends_at_prose_and_definitions():
    flat = "total = 0\nfor item in items:\n    total += item\nreturn total"
    assert body(flat) == flat
    assert body(f"{flat}\n\nThis adds all items.") == flat
    assert body(f"{F}\n{flat}\n\ndef other():\n    pass\n{F}") == flat
    helper = "def one(x):\n    return x\nreturn one(items)"
    assert body(helper) == helper


def test_a_first_line_without_its_indentation_gets_it_back():
    assert body("for a in items:\n        use(a)\n    return 1") == "    for a in items:\n        use(a)\n    return 1"


def test_a_function_of_another_name_is_taken_when_there_is_no_other_code():
    extraction = extract_body(f"{F}python\nimport os\n\n{DEFINITION.replace('def add', 'def plus')}{F}", "add")
    assert (extraction.body, extraction.how) == (BODY, "other definition")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("def add(items):\n    total = sum(items", "    total = sum(items"),
        ("def add(items):\n    if items and", "    if items and"),
        ("def add(items):\n    for item in items:", "    for item in items:"),
        ('def add(items):\n    text = """half', '    text = """half'),
        ("def add(items):\n    text = 'half", "    text = 'half"),
        ("    total = (1 +\n", "    total = (1 +"),
        ("def add(items", ""),
        ("def add(items):\n", ""),
        ('def add(items):\n    """half a docstring', ""),
    ],
)
def test_code_that_was_cut_short_is_kept_and_marked(answer, expected):
    extraction = extract_body(answer, "add")
    assert (extraction.body, extraction.truncated) == (expected, True)


@pytest.mark.parametrize("last", ["return", "...", "x = 1.", "yield", "pass  # and"])
def test_code_that_ends_with_a_whole_statement_is_not_cut_short(last):
    assert not extract_body(f"def add(items):\n    {last}", "add").truncated


def test_a_function_of_a_docstring_only_has_an_empty_body_that_is_whole():
    extraction = extract_body('def add(items):\n    """Sum."""\n', "add")
    assert (extraction.body, extraction.truncated) == ("", False)


def test_an_open_bracket_does_not_swallow_the_next_function():
    assert body("def add(items):\n    x = [1,\n\ndef other():\n    return 2\n") == "    x = [1,"


@pytest.mark.parametrize("answer", ["", "  \n", "I'm sorry, but I can't help with that.", f"{F}\n{F}", "No.\n\nNever."])
def test_an_answer_without_code_has_no_body(answer):
    extraction = extract_body(answer, "add")
    assert (extraction.body, extraction.how, extraction.truncated) == ("", "nothing", False)


def test_a_body_on_the_line_of_the_header_ends_with_its_statement():
    assert body("def add(items): return sum(\n  items\n)\nx = 1\n") == " return sum(\n  items\n)"


def test_a_method_is_cut_where_its_own_indentation_ends():
    answer = "class A:\n    def add(self):\n        return 1\n\n    def other(self):\n        pass\n"
    assert body(answer) == "        return 1"


def test_strings_over_several_lines_do_not_end_the_body():
    inside = '    text = """\nno indentation\ndef add(x):\n"""\n    return text'
    assert body(f"def add(items):\n{inside}\n") == inside


def test_fences_in_an_indented_docstring_do_not_end_the_block():
    answer = (
        f'{F}python\ndef add(items):\n    """Sum.\n\n    {F}python\n    add([])\n    {F}\n    """\n{BODY}\n{F}\nbye'
    )
    assert body(answer) == BODY


def test_paper_mode_takes_what_the_release_takes():
    def paper(answer):
        return extract_body(answer, "add", mode="paper").body

    assert paper(f"Text\n{F}python\n{DEFINITION}\nprint(1)\n{F}") == f"{BODY}\n\nprint(1)"
    assert paper(f"{F}python\n{DEFINITION}") == BODY
    assert paper(f"{DEFINITION}\ndef other():\n    pass") == BODY
    assert paper(f'{DEFINITION}\nif __name__ == "__main__":\n    x') == f"{BODY}\n\nif "
    assert paper(f"{DEFINITION}# Example usage\nadd()") == BODY
    assert paper("x = 1\ndef other(a):\n    return a") == "    return a"
    assert paper("Sorry.") == "Sorry."


def test_paper_mode_keeps_the_quirks_of_the_release():
    def paper(answer):
        return extract_body(answer, "add", mode="paper").body

    noted = "def add(x):  # note\n    if x:\n        return 1\n"
    assert paper(noted) == "        return 1"
    assert body(noted) == "    if x:\n        return 1"
    followed = f"{DEFINITION}\nclass Other:\n    pass"
    assert paper(followed) == f"{BODY}\n\nclass Other:\n    pass"


def test_modes_and_languages_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match="'papr' is unknown; choose one of: paper, corrected"):
        extract_body("", "add", mode="papr")
    with pytest.raises(InputError, match="'java' is not supported for functions"):
        extract_body("", "add", language="java")


def functions_of_the_library():
    root = Path(sysconfig.get_path("stdlib"))
    for name in ("heapq.py", "textwrap.py", "shutil.py", "inspect.py", "statistics.py"):
        text = (root / name).read_text(encoding="utf-8")
        found = units(text)
        names = [unit.name for unit in found]
        for unit in found:
            if not unit.is_method and not unit.is_nested and unit.body_lines > 2 and not unit.decorators:
                yield text, unit, names.count(unit.name) == 1


def test_every_library_function_comes_back_whole_from_each_way_of_answering():
    count = 0
    for text, unit, is_unique in functions_of_the_library():
        count += 1
        expected = unit.body.strip("\n")
        for answer in (unit.source, f"Here:\n{F}python\n{unit.source}{F}\nIt's done.", unit.body):
            found = extract_body(answer, unit.name)
            assert (found.body, found.truncated) == (expected.rstrip(), False), unit.name
        if is_unique:
            assert extract_body(text, unit.name).body == expected.rstrip(), unit.name
    assert count > 100


def test_a_library_function_cut_anywhere_gives_a_beginning_of_its_body():
    draws = random.Random(5)
    for _, unit, _ in functions_of_the_library():
        begin = len(unit.signature + unit.docstring) + 1
        end = draws.randrange(begin, len(unit.source) + 1)
        found = extract_body(unit.source[:end], unit.name)
        assert unit.body.lstrip("\n").startswith(found.body), unit.name
        if not found.truncated and found.body:
            ast.parse(f"def f():\n{found.body}\n" if "else" in found.body.rpartition("\n")[2] else "pass")


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from([*DEFINITION.split("\n"), F, '"""', "(", "'", "text"])).map("\n".join)
)
def test_any_answer_gives_a_part_of_itself(answer):
    for mode in ("paper", "corrected"):
        found = extract_body(answer, "add", mode=mode).body
        assert "".join(found.split()) in "".join(answer.split())


HOSTILE = [
    "(" * 10**6,
    '"""' * 3 * 10**5,
    "def add(" * 10**5,
    "def add(\n" * 5 * 10**4,
    'def add(x):\n """\n' * 5 * 10**4,
    "def add(x):\n" * 10**5,
    "def a():\n" * 10**5,
    f"{F}\n" * 2 * 10**5,
    "\n" * 10**6,
    " " * 10**6,
    "\\\n" * 3 * 10**5,
    "a: " * 3 * 10**5,
    "<think>" * 10**5,
    "    x\n" * 10**5,
    "x y z\n" * 5 * 10**4,
]


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: repr(text[:12]))
def test_hostile_answers_are_read_in_bounded_time(hostile):
    start = time.process_time()
    for mode in ("paper", "corrected"):
        extract_body(hostile, "add", mode=mode)
    assert time.process_time() - start < 20
