"""CodeIPPrompt's score on hostile generations: it ends in time, with a number or a state."""

import inspect
import textwrap
import time

import pytest

from cleartitle.similarity import code_similarity

LANGUAGES = ("python", "java", "c", "cpp", "csharp")
BODY = "".join(f"    if (a[{n}] > b) {{\n        b = f(a[{n}], b);\n    }}\n" for n in range(12))
CLASS = f"class A {{\n  int f(int[] a, int b) {{\n{BODY}    return b;\n  }}\n}}\n"
SOURCES = dict.fromkeys(LANGUAGES, CLASS)
SOURCES["python"] = inspect.getsource(textwrap)
SECONDS = 20.0
"""Processor time that a score may take: a step may be under way when the time that it is given ends."""


def timed(language, candidate, **options):
    begin = time.process_time()
    found = code_similarity(reference=SOURCES[language], candidate=candidate, language=language, **options)
    return found, time.process_time() - begin


@pytest.mark.parametrize("mode", ["corrected", "paper"])
def test_a_function_of_ten_megabytes_ends_in_time(mode):
    candidate = "def f(x):\n" + "    x = g(x, [1, 2])\n    if x:\n        x.y = h(x)\n" * 200_000
    assert len(candidate) > 10_000_000
    found, seconds = timed("python", candidate, mode=mode, seconds=2.0)
    assert (found.state, found.value) == ("deadline", None)
    assert seconds < SECONDS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("junk", [b"\xff\xfe\x00", b"\xc3(", b"\xed\xa0\x80", b"\x00"])
def test_invalid_bytes_do_not_hide_a_copy(language, junk):
    text = SOURCES[language].encode()
    middle = text.index(b"\n", len(text) // 2)
    found, _ = timed(language, junk + b"\n" + text[:middle] + b"\n" + junk + text[middle:])
    assert found.state == "scored"
    assert found.value > 0.5


@pytest.mark.parametrize("language", LANGUAGES)
def test_mixed_line_ends_do_not_change_the_score(language):
    lines = SOURCES[language].split("\n")
    mixed = "".join(line + ("\n", "\r\n")[number % 2] for number, line in enumerate(lines))
    assert timed(language, mixed)[0].value == timed(language, SOURCES[language])[0].value == 1.0
