"""CodeIPPrompt's score on hostile generations: it ends in time, with a number or a state."""

import inspect
import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.similarity import PreparedProgram, code_similarity

LANGUAGES = ("python", "java", "c", "cpp", "csharp")
BODY = "".join(f"    if (a[{n}] > b) {{\n        b = f(a[{n}], b);\n    }}\n" for n in range(12))
CLASS = f"class A {{\n  int f(int[] a, int b) {{\n{BODY}    return b;\n  }}\n}}\n"
SOURCES = dict.fromkeys(LANGUAGES, CLASS)
SOURCES["python"] = inspect.getsource(textwrap)
SECONDS = 20.0
"""Processor time that a score may take: a step may be under way when the time that it is given ends."""

any_bytes = st.binary(max_size=40)


def timed(language, candidate, **options):
    begin = time.process_time()
    found = code_similarity(reference=SOURCES[language], candidate=candidate, language=language, **options)
    return found, time.process_time() - begin


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mode", ["corrected", "paper"])
@pytest.mark.parametrize("brackets", ["(", "{", "[", "()"])
def test_a_hundred_thousand_brackets_end_in_time(language, mode, brackets):
    text = brackets[0] * 100_000 + brackets[1:] * 100_000
    for candidate in (text, SOURCES[language] + text):
        found, seconds = timed(language, candidate, mode=mode, seconds=SECONDS / 4)
        assert found.state in ("scored", "too_short", "deadline")
        assert seconds < SECONDS


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_prefix_of_a_text_has_a_score_or_is_too_short(language):
    text = inspect.getsource(textwrap.TextWrapper._wrap_chunks) if language == "python" else SOURCES[language]
    reference = PreparedProgram(text, language)
    for size in range(len(text) + 1):
        found = code_similarity(reference=reference, candidate=text[:size], language=language, spans=False)
        assert found.state in ("scored", "too_short")
        assert found.value is None or 0 <= found.value <= 1
    assert found.state == "scored"
    assert found.value > 0.9


@given(st.sampled_from(LANGUAGES), any_bytes, any_bytes, st.integers(0, 600), st.sampled_from(["corrected", "paper"]))
def test_any_bytes_within_a_copy_are_scored(language, before, within, place, mode):
    text = SOURCES[language].encode()[:900]
    found, _ = timed(language, before + text[:place] + within + text[place:], mode=mode)
    assert found.state in ("scored", "too_short")
    assert found.value is None or 0 <= found.value <= 1
