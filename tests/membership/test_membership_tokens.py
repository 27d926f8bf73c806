"""Classes and frequencies of model tokens."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from membership_evidence import stats

from cleartitle.errors import InputError
from cleartitle.membership.frequency import FrequencyTable
from cleartitle.membership.token_classes import CLASS_NAMES, LAYOUT, rows_in, token_classes

TEXT = 'def f(x):\n    """Say."""\n    return x + 12 if not x else "abc"  # why\n'


def names(pieces: list[str], text: str = TEXT, language: str = "python") -> list[str]:
    """Classes of pieces that follow each other in the text."""
    spans, place = [], 0
    for piece in pieces:
        start = text.index(piece, place)
        place = start + len(piece)
        spans.append((start, place))
    return [CLASS_NAMES[code] for code in token_classes(text, *zip(*spans, strict=True), language)]


def test_pieces_have_the_class_of_what_they_spell_blanks_apart():
    pieces = [
        "def",
        " f",
        "(",
        "x",
        "):",
        "\n",
        '    """Say',
        " return",
        " x",
        " +",
        " 1",
        "2",
        " not",
        ' "',
        "abc",
        "# why",
    ]
    assert names(pieces) == ["keyword", "identifier", "operator", "identifier", "operator", "layout", "comment",
                             "keyword", "identifier", "operator", "number", "number", "keyword", "string", "string",
                             "comment"]  # fmt: skip


def test_other_languages_are_read_with_their_own_lexers():
    text = "int main(void) { return 7; } // end"
    assert names(["int", "main", "7", "}", "// end"], text, "c") == [
        "keyword", "identifier", "number", "operator", "comment"]  # fmt: skip


def test_a_piece_of_white_space_or_of_nothing_is_layout():
    assert token_classes("a  b", [1, 2, 4], [3, 2, 4]).tolist() == [LAYOUT] * 3
    assert token_classes("", [0], [0]).tolist() == [LAYOUT]


@given(st.text(max_size=200))
def test_any_text_gets_a_class_for_each_character_that_is_no_white_space(text):
    places = np.arange(len(text))
    codes = token_classes(text, places, places + 1)
    assert codes.dtype == np.int8 and len(codes) == len(text)
    assert all(codes[place] == LAYOUT for place in places if text[place].isspace())


def test_a_long_line_takes_linear_time():
    text = "x=1;" * 25_000
    start = time.process_time()
    token_classes(text, np.arange(0, len(text), 4), np.arange(4, len(text) + 4, 4))
    assert time.process_time() - start < 5


def test_rows_are_picked_by_class():
    assert rows_in(np.array([0, 1, 5], np.int8), (1, 5)).tolist() == [False, True, True]


def test_an_unknown_language_is_refused():
    with pytest.raises(InputError, match="choose one of"):
        token_classes("x", [0], [1], "cobol")


@given(st.lists(st.lists(st.integers(0, 9), max_size=20), max_size=10))
def test_frequencies_are_above_zero_and_sum_to_one(texts):
    table = FrequencyTable.of(texts, 10)
    relative = table.relative(np.arange(10))
    assert (relative > 0).all() and relative.sum() == pytest.approx(1)


def test_counts_come_from_ids_or_from_scores():
    table = FrequencyTable.of([[1, 1, 2], stats([-1.0, -1.0], token=[2, 2])], 4)
    assert table.counts.tolist() == [0, 2, 3, 0]
    assert table.relative([2, 0]).tolist() == [4 / 9, 1 / 9]
    assert table.relative([99, -1]).tolist() == [1 / 9, 1 / 9]


def test_the_rarest_tokens_are_chosen_and_equals_by_place():
    table = FrequencyTable.of([[0, 0, 0, 1, 1, 2]], 5)
    assert table.rarest([0, 1, 2, 4, 0, 3], 3).tolist() == [2, 3, 5]
    assert table.rarest([0, 1], 9).tolist() == [0, 1]


def test_ids_of_another_vocabulary_are_refused_with_the_mend():
    with pytest.raises(InputError, match="token id 9 is outside of a vocabulary of 5; mend"):
        FrequencyTable.of([[9]], 5)
