import html
import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.report import Mark, MarkedText
from cleartitle.report.text import SHOWN_CHARACTERS, marked_html, plain, shown

BOX = re.compile(r'<span class="hidden-sign" title="[^"<>]*">U\+([0-9A-F]{4,6})</span>')
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=300)


def text_of(markup: str) -> str:
    """What a browser would show, with boxes turned back into the signs they stand for."""
    opened = BOX.sub(lambda match: chr(int(match[1], 16)), markup)
    return html.unescape(re.sub(r"</?mark[^>]*>", "", opened))


@given(ANY_TEXT)
def test_every_sign_of_a_text_is_shown_and_none_is_markup(text: str) -> None:
    markup = str(shown(text))
    assert text_of(markup) == text.replace("\r\n", "\n")
    assert not re.search(r"[<>]", BOX.sub("", markup))


@given(ANY_TEXT)
def test_no_control_or_direction_sign_reaches_the_page(text: str) -> None:
    for output in (str(shown(text)), plain(text)):
        hidden = {sign for sign in output if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co")} - {"\n", "\t"}
        # Format signs of scripts that are part of spelling (Arabic number signs and the like) have a glyph.
        assert all(
            unicodedata.category(sign) == "Cf" and unicodedata.bidirectional(sign) in ("AN", "AL", "L")
            for sign in hidden
        ), [hex(ord(sign)) for sign in hidden]
        output.encode()


@pytest.mark.parametrize(
    ("sign", "code"),
    [("\u202e", "U+202E"), ("\x00", "U+0000"), ("\x1b", "U+001B"), ("\u200b", "U+200B"), ("\r", "U+000D"),
     ("\ud800", "U+D800"), ("\U000e0041", "U+E0041"), ("\u2028", "U+2028"), ("\xad", "U+00AD")],
)  # fmt: skip
def test_a_hidden_sign_is_shown_as_its_code_point(sign: str, code: str) -> None:
    assert code in str(shown(f"a{sign}b"))
    assert f"[{code}]" in plain(f"a{sign}b")


def test_plain_text_is_one_line() -> None:
    assert plain("a\r\nb\n\n c") == "a b c"


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), max_size=8))
def test_marks_cover_exactly_their_ranges(text: str, ranges: list[tuple[int, int]]) -> None:
    marked = MarkedText("t", text.replace("\r\n", "\n"), [Mark(start, end, "shared") for start, end in ranges])
    markup = BOX.sub(lambda match: chr(int(match[1], 16)), str(marked_html(marked)))
    covered: list[tuple[str, bool]] = []
    for number, piece in enumerate(re.split(r'<mark class="shared">(.*?)</mark>', markup, flags=re.DOTALL)):
        covered.extend((sign, number % 2 == 1) for sign in html.unescape(piece))
    expected = [(sign, any(start <= place < end for start, end in ranges)) for place, sign in enumerate(marked.text)]
    assert covered == expected


def test_overlapping_marks_carry_both_kinds() -> None:
    marked = MarkedText("t", "abcdef", [Mark(0, 4, "shared"), Mark(2, 6, "comment")])
    assert str(marked_html(marked)) == (
        '<mark class="shared">ab</mark><mark class="comment shared">cd</mark><mark class="comment">ef</mark>'
    )


def test_a_text_is_cut_and_marks_beyond_the_cut_are_dropped() -> None:
    marked = MarkedText("t", "x" * 1_000_000, [Mark(10, 20, "shared"), Mark(900_000, 900_001, "comment")])
    markup = str(marked_html(marked))
    assert text_of(markup) == "x" * SHOWN_CHARACTERS
    assert "comment" not in markup


def test_time_grows_with_the_length_of_hostile_text_not_faster() -> None:
    text = ("\u202e<" * 10 + "&" * 10) * 40_000
    start = time.perf_counter()
    shown(text)
    plain(text)
    assert time.perf_counter() - start < 20


def test_a_long_name_is_cut_and_says_so() -> None:
    assert str(shown("x" * 30_000)).endswith("x … (the first 20,000 of 30,000 characters)")
    assert len(plain("x" * 30_000)) == SHOWN_CHARACTERS + 1
