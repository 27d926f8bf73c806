from itertools import combinations
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.humaneval import estimate_pass, pass_at


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_the_estimate_is_the_share_of_draws_that_hold_a_pass(numbers: tuple[int, int, int]) -> None:
    samples, passed, k = numbers
    draws = list(combinations([True] * passed + [False] * (samples - passed), k))
    assert isclose(estimate_pass(samples, passed, k), sum(map(any, draws)) / len(draws))


@pytest.mark.parametrize("numbers", [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_what_cannot_be_is_refused(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="cannot be estimated"):
        estimate_pass(*numbers)


def test_one_answer_a_problem_gives_a_count_and_wilsons_interval() -> None:
    found = pass_at({str(number): (1, int(number < 6)) for number in range(60)}, 1)
    assert (found["count"], found["total"], found["value"]) == (6, 60, 0.1)
    assert found["interval"]["method"] == "wilson"
    assert round(found["interval"]["low"], 4) == 0.0466 and round(found["interval"]["high"], 4) == 0.2015


def test_several_answers_give_a_mean_over_problems_with_a_bootstrap() -> None:
    counts = {"a": (4, 1), "b": (4, 4), "c": (4, 0), "d": (4, 2), "e": (2, 1)}
    found = pass_at(counts, 1)
    assert isclose(found["value"], (0.25 + 1 + 0 + 0.5 + 0.5) / 5)
    assert "bootstrap" in found["interval"]["method"]
    assert found["interval"]["low"] < found["value"] < found["interval"]["high"]
    three = pass_at(counts, 3)
    assert three["total"] == 4, "a problem with two samples has no pass@3"
    assert isclose(three["value"], (0.75 + 1 + 0 + 1) / 4)


def test_nothing_answered_is_no_figure() -> None:
    assert pass_at({"a": (0, 0)}, 1)["value"] is None
    alone = pass_at({"a": (2, 1)}, 1)
    assert alone["value"] == 0.5 and alone["interval"] is None
