import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.licoeval import check_published, lico, lico_range

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "reference" / "licoeval" / "paper_tables.json"


def test_all_fourteen_published_rows_come_out() -> None:
    rows = check_published()
    assert len(rows) == 14
    assert [row["model"] for row in rows if not row["agrees"]] == []


def test_the_shipped_table_is_the_reference_table() -> None:
    if not REFERENCE.exists():
        pytest.skip("reference values are not beside this checkout")
    reference = {row["model"]: row for row in json.loads(REFERENCE.read_text())["rows"]}
    for row in check_published():
        theirs = reference[row["model"]]
        assert (row["striking"], row["permissive"], row["copyleft"], row["lico"], row["humaneval"]) == (
            theirs["striking"],
            theirs["permissive"],
            theirs["copyleft"],
            theirs["lico"],
            theirs["humaneval"],
        )


def test_a_missing_copyleft_case_gives_away_four_sevenths_and_says_so() -> None:
    span = lico_range(20, 4187, 19, 20, 0, 0)
    assert span.imputed == ("copyleft",)
    assert span.high - span.low == pytest.approx(4 / 7)
    assert span.high == lico(20, 4187, 19, 20, 0, 0)


def test_nothing_striking_leaves_the_whole_span_open_but_the_first_term() -> None:
    span = lico_range(0, 60, 0, 0, 0, 0)
    assert (span.low, span.high) == (pytest.approx(1 / 7), 1.0)


@pytest.mark.parametrize("counts", [(5, 4, 0, 0, 0, 0), (3, 9, 2, 1, 0, 0), (1, 9, 1, 1, 1, 1), (-1, 9, 0, 0, 0, 0)])
def test_counts_that_cannot_be_are_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        lico(*counts)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_lico_lies_between_zero_and_one_and_naming_one_more_license_never_hurts(
    permissive: int, copyleft: int, rest: int, right_p: int, right_c: int
) -> None:
    right_p, right_c = min(right_p, permissive), min(right_c, copyleft)
    striking, total = permissive + copyleft, permissive + copyleft + rest
    value = lico(striking, total, right_p, permissive, right_c, copyleft)
    assert 0 <= value <= 1
    if right_c < copyleft:
        assert lico(striking, total, right_p, permissive, right_c + 1, copyleft) > value
