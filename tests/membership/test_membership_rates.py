"""Decisions, thresholds, true positives at few false ones, calibration, results."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cleartitle.membership.attacks import AttackScores
from cleartitle.membership.rates import at_threshold, calibration, shadow_threshold, top_half, tpr_at_fpr
from cleartitle.membership.results import attack_results, compare_all

PAIRS = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=4, max_size=50)


def parts(pairs):
    scores, member = np.array([a for a, _ in pairs], float), np.array([b for _, b in pairs])
    assume(member.any() and not member.all())
    return scores, member


def balanced(scores, member, threshold):
    called = scores >= threshold
    return called[member].mean() - called[~member].mean()


@given(PAIRS)
def test_no_threshold_is_better_on_the_shadows_than_the_one_they_teach(pairs):
    scores, member = parts(pairs)
    best = max(balanced(scores, member, level) for level in [*scores, math.inf])
    assert balanced(scores, member, shadow_threshold(scores, member)) == pytest.approx(max(best, 0.0))


def test_a_threshold_is_carried_over_with_its_accuracy_precision_and_recall():
    found = at_threshold([0.0, 1.0, 2.0, 3.0, math.nan], [False, True, False, True, True], 1.5)
    assert (found.accuracy.count, found.accuracy.total) == (2, 4)
    assert found.precision == 0.5 and found.recall == 0.5 and found.called == 2


def test_nothing_called_has_no_precision():
    found = at_threshold([0.0, 1.0], [False, True], 5.0)
    assert found.precision is None and found.recall == 0.0


@given(PAIRS, st.integers(0, 2**31))
def test_the_highest_half_does_not_depend_on_the_order_of_texts(pairs, seed):
    scores, member = parts(pairs)
    order = np.random.default_rng(seed).permutation(len(scores))
    one, two = top_half(scores, member), top_half(scores[order], member[order])
    assert one.accuracy == two.accuracy
    assert one.precision == pytest.approx(two.precision)


def test_the_highest_half_of_balanced_texts_has_equal_accuracy_precision_and_recall():
    member = np.arange(100) % 2 == 0
    scores = np.random.default_rng(0).normal(member, 1)
    found = top_half(scores, member)
    assert found.accuracy.value == found.precision == found.recall


def test_scores_that_are_all_equal_come_to_one_half():
    member = np.arange(100) % 2 == 0
    assert top_half(np.zeros(100), member).accuracy.value == 0.5


def test_true_positives_at_few_false_ones_are_counted_at_the_right_threshold():
    others, members = np.arange(200.0), np.array([150.0, 188.0, 189.0, 190.0, 300.0])
    scores = np.concatenate([others, members])
    member = np.arange(205) >= 200
    found = tpr_at_fpr(scores, member, 0.05)
    # Ten of 200 may be called, 190 to 199: what scores above 189 is a member.
    assert found.rate is not None and (found.rate.count, found.threshold) == (2, 189.0)
    assert found.rate.interval is not None and found.rate.interval.method == "clopper-pearson"


def test_no_threshold_calls_more_of_the_others_than_allowed_also_with_ties():
    member = np.arange(800) % 2 == 0
    scores = np.round(np.random.default_rng(1).normal(member, 1), 0)
    found = tpr_at_fpr(scores, member, 0.05)
    assert found.threshold is not None and (scores[~member] > found.threshold).mean() <= 0.05


def test_too_few_non_members_are_refused_with_how_many_are_needed():
    member = np.arange(400) % 2 == 0
    found = tpr_at_fpr(np.zeros(400), member, 0.001)
    assert found.rate is None
    assert found.refused == "TPR at 0.1 % FPR is not given: it needs 10,000 non-members, this run has 200"
    assert tpr_at_fpr(np.zeros(400), member, 0.05).rate is not None
    assert tpr_at_fpr(np.zeros(398), member[:398], 0.05).rate is None


def test_probabilities_that_are_what_they_say_have_a_small_error_and_boasting_ones_a_large_one():
    generator = np.random.default_rng(2)
    truth = generator.random(5000)
    member = generator.random(5000) < truth
    honest, boasting = calibration(truth, member), calibration((truth > 0.5) * 1.0, member)
    assert honest is not None and boasting is not None
    assert honest.ece < 0.03 < 0.2 < boasting.ece
    assert honest.brier == pytest.approx(1 / 6, abs=0.01)
    assert sum(item.members.total for item in honest.bins) == 5000


def test_what_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibration([1.5], [True])
    assert calibration([], []) is None


def scores_of(**columns) -> AttackScores:
    count = len(next(iter(columns.values())))
    projects = tuple(f"p{n // 10}" for n in range(count))
    return AttackScores(tuple(map(str, range(count))), projects, {k: np.array(v) for k, v in columns.items()}, {})


def test_results_hold_the_figures_that_summaries_name():
    generator = np.random.default_rng(5)
    member = np.arange(400) % 2 == 0
    table = scores_of(good=generator.normal(1.5 * member, 1), bad=generator.normal(0, 1, 400))
    shadow = scores_of(good=generator.normal(1.5 * member, 1), bad=generator.normal(0, 1, 400))
    results = attack_results(table, member, shadow=shadow, shadow_member=member)
    record = results["good"].as_json()
    assert record["auc"] > 0.8 and record["auc_interval"]["low"] < record["auc"] < record["auc_interval"]["high"]
    assert record["accuracy_rule"] == "threshold from shadow models" and record["accuracy"] > 0.7
    assert record["p_holm"] == pytest.approx(2 * record["p"])
    assert results["bad"].p_holm == results["bad"].p
    assert [item.refused is None for item in results["good"].tpr] == [True, False, False]


def test_without_shadows_the_highest_half_decides_and_a_known_threshold_comes_first():
    member = np.arange(40) % 2 == 0
    table = scores_of(a=member * 1.0 - 0.5)
    assert attack_results(table, member)["a"].decisions.rule == "highest half"
    assert attack_results(table, member, thresholds={"a": 0.0})["a"].decisions.threshold == 0.0


def test_an_attack_that_scored_no_text_has_no_figures():
    member = np.arange(20) % 2 == 0
    result = attack_results(scores_of(a=np.full(20, np.nan)), member)["a"]
    assert result.auc is None and result.unscored == 20 and result.half_rule.accuracy.value is None


def test_named_pairs_are_compared_and_corrected_together():
    generator = np.random.default_rng(6)
    member = np.arange(300) % 2 == 0
    good = generator.normal(2 * member, 1)
    table = scores_of(good=good, same=good + generator.normal(0, 0.1, 300), bad=generator.normal(0, 1, 300))
    found = compare_all(table, member, [("good", "bad"), ("good", "same"), ("good", "absent")])
    assert set(found) == {("good", "bad"), ("good", "same")}
    difference, corrected = found["good", "bad"]
    assert difference.is_clear and corrected == pytest.approx(2 * difference.p)
