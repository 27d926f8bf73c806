"""Areas, intervals and differences against brute force and against what must hold."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm

from cleartitle.membership.statistics import (
    auc,
    auc_interval,
    chance_p,
    compare,
    delong,
    holm,
    partial_auc,
    project_auc_interval,
    roc_curve,
    shift_warning,
)

SCORES = st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=60)


def parts(pairs):
    scores, member = np.array([a for a, _ in pairs], float), np.array([b for _, b in pairs])
    assume(member.any() and not member.all())
    return scores, member


def wins(scores, member):
    """One row a member, one column a non-member: 1 won, a half for a tie."""
    high, low = scores[member][:, None], scores[~member][None, :]
    return (high > low) + 0.5 * (high == low)


@given(SCORES)
def test_auc_is_the_share_of_pairs_won(pairs):
    scores, member = parts(pairs)
    assert auc(scores, member) == pytest.approx(wins(scores, member).mean())


@given(SCORES, st.floats(0.1, 5))
def test_auc_keeps_under_monotone_changes_and_turns_round_with_the_sign(pairs, power):
    scores, member = parts(pairs)
    assert auc(np.exp(power * scores / 5), member) == pytest.approx(auc(scores, member))
    assert auc(-scores, member) == pytest.approx(1 - auc(scores, member))


@given(SCORES)
def test_texts_without_a_score_are_left_out(pairs):
    scores, member = parts(pairs)
    holes = np.append(scores, [math.nan, math.nan])
    assert auc(holes, np.append(member, [True, False])) == auc(scores, member)


def test_one_label_has_no_area():
    assert math.isnan(auc([1.0, 2.0], [True, True]))
    assert chance_p([1.0, 2.0], [True, True]) is None
    assert math.isnan(partial_auc([1.0, 2.0], [False, False]))


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.booleans()), min_size=6, max_size=60))
def test_delong_variances_are_those_of_its_definition(rows):
    scores = np.array([row[:2] for row in rows], float).T
    member = np.array([row[2] for row in rows])
    assume(2 <= member.sum() <= len(member) - 2)
    tables = [wins(row, member) for row in scores]
    of_members, of_others = (np.stack([table.mean(axis) for table in tables]) for axis in (1, 0))
    covariance = np.cov(of_members) / member.sum() + np.cov(of_others) / (~member).sum()
    area = tables[0].mean()
    interval = delong(scores[0], member)
    if 0 < area < 1 and covariance[0, 0] > 1e-12:
        half = 1.959963984540054 * math.sqrt(covariance[0, 0])
        assert interval is not None
        assert interval.low == pytest.approx(max(0, area - half), abs=1e-9)
        assert interval.high == pytest.approx(min(1, area + half), abs=1e-9)
    difference = compare(scores[0], scores[1], member)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert difference.value == pytest.approx(area - tables[1].mean())
    if variance > 1e-12:
        expected = 2 * norm.sf(abs(difference.value) / math.sqrt(variance))
        assert difference.p == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_perfect_parting_has_an_interval_that_does_not_claim_certainty():
    scores, member = np.arange(40.0), np.arange(40) >= 20
    interval = auc_interval(scores, member)
    assert interval is not None and interval.high == 1.0
    assert interval.low == pytest.approx(0.025 ** (1 / 20))
    assert "exact" in interval.method
    by_project = auc_interval(scores, member, [n // 5 for n in range(40)])
    assert by_project is not None and by_project.low == pytest.approx(0.025 ** (1 / 4))


def test_intervals_over_projects_are_wider_where_texts_of_a_project_are_alike():
    generator = np.random.default_rng(0)
    project = np.repeat(np.arange(40), 10)
    member = project % 2 == 0
    scores = generator.normal(0, 1, 40)[project] + generator.normal(0, 0.1, 400) + 0.5 * member
    wide, narrow = auc_interval(scores, member, list(project)), delong(scores, member)
    assert wide is not None and narrow is not None
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    assert "40 clusters" in wide.method


def test_intervals_hold_the_true_area_about_as_often_as_they_say():
    generator = np.random.default_rng(1)
    truth = norm.cdf(0.7 / math.sqrt(2))
    member = np.arange(120) % 2 == 0
    held = 0
    for _ in range(200):
        interval = delong(generator.normal(0.7 * member, 1), member)
        held += interval is not None and interval.low <= truth <= interval.high
    assert 178 <= held <= 199


def test_a_label_from_one_project_gives_an_interval_that_says_what_it_takes_for_granted():
    scores, member = np.arange(20.0) % 7, np.arange(20) % 2 == 0
    projects = ["a" if label else f"b{n // 4}" for n, label in enumerate(member)]
    assert project_auc_interval(scores, member, projects) is None
    interval = auc_interval(scores, member, projects)
    assert interval is not None and "as independent" in interval.method


def test_equal_seeds_give_equal_intervals():
    scores, member = np.arange(40.0) % 11, np.arange(40) % 3 == 0
    projects = [n // 4 for n in range(40)]
    assert project_auc_interval(scores, member, projects, seed=3) == project_auc_interval(
        scores, member, projects, seed=3
    )


def test_an_attack_does_not_differ_from_itself():
    scores, member = np.arange(30.0) % 7, np.arange(30) % 2 == 0
    difference = compare(scores, scores, member)
    assert difference.value == 0 and difference.p is None and not difference.is_clear


def test_a_difference_is_taken_on_the_texts_that_both_scored_and_by_project():
    generator = np.random.default_rng(2)
    member = np.arange(200) % 2 == 0
    good, bad = generator.normal(2.0 * member, 1), generator.normal(0, 1, 200)
    bad[:20] = np.nan
    found = compare(good, bad, member, [n // 10 for n in range(200)])
    assert found.texts == 180 and found.is_clear and found.value > 0.25
    assert found.p is not None and found.p < 1e-6
    assert found.bootstrap is not None and found.bootstrap.low > 0


def test_a_comparison_without_both_labels_is_refused():
    with pytest.raises(ValueError, match="no members"):
        compare([1.0, math.nan], [1.0, 2.0], [True, False])
    with pytest.raises(ValueError, match="paired"):
        compare([1.0], [1.0, 2.0], [True, False])


@given(SCORES)
def test_the_curve_has_the_area_of_the_auc_and_its_first_part_lies_within_bounds(pairs):
    scores, member = parts(pairs)
    fpr, tpr = roc_curve(scores, member)
    assert (np.diff(fpr) >= 0).all() and (np.diff(tpr) >= 0).all()
    assert float(np.trapezoid(tpr, fpr)) == pytest.approx(auc(scores, member))
    assert -1 <= partial_auc(scores, member, 0.05) <= 1


def test_partial_area_is_one_for_perfect_scores_and_one_half_for_none():
    member = np.arange(200) % 2 == 0
    assert partial_auc(member * 1.0, member) == pytest.approx(1)
    assert partial_auc(np.zeros(200), member) == pytest.approx(0.5)


def test_areas_equal_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    generator = np.random.default_rng(3)
    for decimals in (0, 1, 4):
        member = generator.random(150) < 0.4
        scores = np.round(generator.normal(member, 1), decimals)
        assert auc(scores, member) == pytest.approx(metrics.roc_auc_score(member, scores))
        expected = metrics.roc_auc_score(member, scores, max_fpr=0.05)
        assert partial_auc(scores, member, 0.05) == pytest.approx(expected)


def test_holm_multiplies_the_smallest_most_and_keeps_the_order():
    found = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": None, "e": 0.005})
    assert found["e"] == pytest.approx(0.02) and found["a"] == pytest.approx(0.03)
    assert found["c"] == pytest.approx(0.06) and found["b"] == pytest.approx(0.06)
    assert found["d"] is None


def test_p_values_against_chance_are_small_for_memory_alone():
    generator = np.random.default_rng(4)
    member = np.arange(200) % 2 == 0
    clear, nothing = chance_p(generator.normal(member, 1), member), chance_p(generator.normal(0, 1, 200), member)
    assert clear is not None and clear < 1e-4
    assert nothing is not None and nothing > 0.01


def test_an_area_clearly_below_one_half_is_explained_and_another_is_not():
    member = np.arange(200) % 2 == 0
    scores = -1.0 * member + np.arange(200) / 100
    warning = shift_warning(auc(scores, member), delong(scores, member))
    assert warning is not None and "differ in something else" in warning
    assert shift_warning(0.49, delong(np.arange(200) % 17, member)) is None
