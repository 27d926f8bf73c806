"""Comparison of two groups: Cliff's delta, its levels, and groups that cannot be compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.striking import cliffs_delta, compare_groups, level

VALUES = st.lists(st.integers(-5, 5), min_size=1, max_size=12)


@given(VALUES, VALUES)
def test_delta_is_the_difference_of_the_shares_of_pairs(first: list[int], second: list[int]) -> None:
    pairs = [(a > b) - (a < b) for a in first for b in second]
    assert cliffs_delta(first, second) == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)
    assert cliffs_delta(second, first) == pytest.approx(-cliffs_delta(first, second), abs=1e-12)


@pytest.mark.parametrize(
    ("delta", "name"),
    [
        # the four values of Table II of the paper, and the bounds
        (-0.07, "negligible"),
        (-0.10, "negligible"),
        (-0.03, "negligible"),
        (0.146, "negligible"),
        (0.147, "small"),
        (-0.329, "small"),
        (0.33, "medium"),
        (0.4739, "medium"),
        (-0.474, "large"),
        (1.0, "large"),
        (-1.0, "large"),
    ],
)
def test_levels_follow_the_bounds_of_romano(delta: float, name: str) -> None:
    assert level(delta) == name


def test_a_group_that_is_larger_throughout_has_delta_one_and_a_small_p() -> None:
    found = compare_groups(list(range(100, 130)), list(range(30)))
    assert found is not None
    assert found["cliffs_delta"] == 1.0 and found["level"] == "large" and found["p_value"] < 1e-6
    assert found["accessed"] == {"n": 30, "min": 100.0, "median": 114.5, "mean": 114.5, "max": 129.0}


def test_equal_values_differ_in_nothing() -> None:
    found = compare_groups([3.0] * 5, [3.0] * 4)
    assert found is not None
    assert (found["p_value"], found["cliffs_delta"], found["level"]) == (1.0, 0.0, "negligible")


def test_an_empty_group_has_no_comparison() -> None:
    assert compare_groups([], [1.0]) is None
    with pytest.raises(ValueError, match="not empty"):
        cliffs_delta([1.0], [])
