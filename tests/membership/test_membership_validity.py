"""The gate: which figures may be printed, and why not."""

from dataclasses import replace

import numpy as np
import pytest

from cleartitle.evals.statistics import Interval, rate
from cleartitle.membership.blind import BlindClassifier, BlindFeature, BlindReport
from cleartitle.membership.duplicates import Duplicates
from cleartitle.membership.statistics import auc
from cleartitle.membership.validity import judge, matched_subset

COUNT = 400
MEMBER = np.arange(COUNT) % 2 == 0


def scores(shift: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift * MEMBER, 1)


def blind(shift: float, p: float, *, duplicates: int = 0, projects=(40, 40), shared=40) -> BlindReport:
    """A report whose best classifier has an AUC that belongs to ``shift``."""
    values = scores(shift, 99)
    area = auc(values, MEMBER)
    classifier = BlindClassifier("linear, surface", area, Interval(area - 0.05, area + 0.05, "test"), p, values)
    copies = Duplicates(0.8, rate(duplicates, COUNT // 2), ())
    features = (BlindFeature("f-strings", 0.9, 3.0, 0.0),)
    return BlindReport((classifier,), p, 200, "text", features, copies, projects, shared, ())


NOTHING = blind(0.0, 0.4)


def test_an_attack_on_sets_that_nothing_parts_is_valid():
    found = judge(NOTHING, "fused", scores(1.0, 1), MEMBER, control=scores(0.0, 2))
    assert found.verdict == "VALID" and found.may_print
    assert any("not above chance" in reason for reason in found.reasons)
    assert found.excess is not None and found.excess.is_clear


def test_an_attack_that_finds_nothing_on_sets_that_nothing_parts_is_valid_too():
    assert judge(NOTHING, "fused", scores(0.0, 1), MEMBER).verdict == "VALID"


def test_sets_that_are_told_apart_without_the_model_are_invalid_and_say_by_what():
    found = judge(blind(1.0, 0.005), "fused", scores(3.0, 1), MEMBER)
    assert found.verdict == "INVALID" and not found.may_print
    assert "f-strings (AUC 0.90)" in found.reasons[0]


def test_an_attack_that_tells_no_more_than_blind_guesses_is_invalid():
    found = judge(blind(0.3, 0.01), "perplexity", scores(0.0, 3), MEMBER)
    assert found.verdict == "INVALID"
    assert any("no more than those who never asked" in reason for reason in found.reasons)


def test_sets_that_differ_a_little_call_for_caution_with_the_excess_beside():
    found = judge(blind(0.3, 0.01), "fused", scores(1.5, 1), MEMBER)
    assert found.verdict == "CAUTION" and found.may_print
    assert found.excess is not None and found.excess.value > 0.1
    assert found.matched is not None and found.matched.pairs > 50 and found.matched.auc is not None
    assert found.matched.auc > 0.75


def test_large_blind_areas_that_chance_gives_with_few_texts_call_for_caution():
    report = replace(blind(0.8, 0.2))
    assert report.best.auc > 0.65
    found = judge(report, "fused", scores(1.0, 1), MEMBER)
    assert found.verdict == "CAUTION" and "too few texts" in found.reasons[0]


@pytest.mark.parametrize(("copies", "verdict"), [(0, "VALID"), (5, "CAUTION"), (40, "INVALID")])
def test_copies_on_both_sides_spoil_the_labels(copies, verdict):
    assert judge(blind(0.0, 0.4, duplicates=copies), "fused", scores(1.0, 1), MEMBER).verdict == verdict


def test_few_projects_call_for_caution_and_sets_without_a_common_project_are_noted():
    assert judge(blind(0.0, 0.4, projects=(2, 30), shared=0), "fused", scores(1.0, 1), MEMBER).verdict == "CAUTION"
    apart = judge(blind(0.0, 0.4, shared=0), "fused", scores(1.0, 1), MEMBER)
    assert apart.verdict == "VALID" and any("holds for projects" in reason for reason in apart.reasons)


def test_an_area_below_one_half_is_a_shift():
    found = judge(NOTHING, "perplexity", scores(-1.0, 1), MEMBER)
    assert found.verdict == "INVALID" and "below .5" in found.reasons[0]


def test_a_control_model_that_shows_as_much_makes_the_figure_invalid():
    same = scores(1.0, 1)
    found = judge(NOTHING, "fused", same, MEMBER, control=same + np.random.default_rng(5).normal(0, 0.1, COUNT))
    assert found.verdict == "INVALID" and "not the model" in found.reasons[0]
    assert found.control is not None and found.control.auc > 0.65


def test_a_control_model_that_shows_a_part_calls_for_caution():
    found = judge(NOTHING, "fused", scores(2.0, 1), MEMBER, control=scores(0.45, 6))
    assert found.verdict == "CAUTION" and "part of the figure" in found.reasons[0]


def test_an_attack_without_scores_has_no_figures_and_a_verdict_on_the_sets():
    found = judge(NOTHING, "fused", np.full(COUNT, np.nan), MEMBER)
    assert found.attack_auc is None and found.excess is None and found.verdict == "VALID"


def test_matching_takes_away_what_the_blind_score_explains():
    generator = np.random.default_rng(8)
    member = np.arange(1000) % 2 == 0
    shift = generator.normal(member * 1.0, 1)
    attack = shift + generator.normal(0, 0.3, 1000)
    found = matched_subset(attack, shift, member)
    assert auc(attack, member) > 0.7
    assert found.auc is not None and abs(found.auc - 0.5) < 0.07 and found.pairs > 200


def test_matching_without_a_counterpart_gives_no_pairs():
    assert matched_subset([1.0, 2.0], [0.0, 10.0], [True, False]).pairs == 0


def test_the_summary_holds_plain_values():
    record = judge(NOTHING, "fused", scores(1.0, 1), MEMBER).as_json()
    assert record["verdict"] == "VALID" and record["excess"]["texts"] == COUNT
