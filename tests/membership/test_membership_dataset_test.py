"""The test of a whole set of texts: calibrated where nothing is, powerful where something is."""

from dataclasses import replace

import numpy as np
import pytest

from cleartitle.membership.dataset_test import DatasetTestOptions, dataset_test

FEW = DatasetTestOptions(permutations=400, null_draws=20)


def side(generator, projects: int, shift: float, per_project: int = 5):
    """Scores of texts, those of a project alike, and their projects."""
    project = np.repeat(np.arange(projects), per_project)
    scores = shift + generator.normal(0, 1, len(project)) + generator.normal(0, 0.7, projects)[project]
    return scores, [f"p{number}" for number in project]


def test_trained_sets_are_found_and_the_words_stay_careful():
    generator = np.random.default_rng(0)
    (high, of_high), (low, of_low) = side(generator, 40, 0.9), side(generator, 40, 0.0)
    found = dataset_test(high, low, of_high, of_low, FEW)
    assert found.welch_p is not None and found.permutation_p is not None
    assert max(found.welch_p, found.permutation_p) < 0.01
    assert found.sentence.startswith("Consistent with") and "does not prove" in found.sentence
    assert (found.suspects, found.suspect_texts, found.unit) == (40, 200, "project")


@pytest.mark.parametrize("columns", [1, 3])
def test_untrained_sets_are_rejected_about_as_often_as_alpha_says(columns):
    generator = np.random.default_rng(1)
    options = replace(FEW, permutations=200, null_draws=1)
    p_values = []
    for _ in range(150):
        sides = [side(generator, 14, 0.0) for _ in range(2)]
        rows = [np.stack([scores, *generator.normal(0, 1, (columns - 1, len(scores)))], axis=1) for scores, _ in sides]
        found = dataset_test(rows[0], rows[1], sides[0][1], sides[1][1], options)
        p_values.append((found.welch_p, found.permutation_p))
    rejected = (np.array(p_values, float) < 0.05).mean(axis=0)
    assert (rejected <= 0.11).all() and (rejected >= 0.0).all()


def test_texts_taken_as_independent_claim_more_than_their_projects_do():
    generator = np.random.default_rng(2)
    (high, of_high), (low, of_low) = side(generator, 12, 0.4, 20), side(generator, 12, 0.0, 20)
    by_project, by_text = dataset_test(high, low, of_high, of_low, FEW), dataset_test(high, low, None, None, FEW)
    assert by_text.welch_p is not None and by_project.welch_p is not None
    assert by_text.welch_p < by_project.welch_p
    assert by_text.unit == "text"


def test_several_scores_are_weighed_on_one_half_and_tested_on_the_other():
    generator = np.random.default_rng(3)
    (high, of_high), (low, of_low) = side(generator, 60, 1.0), side(generator, 60, 0.0)
    noise = generator.normal(0, 1, (2, 300))
    found = dataset_test(np.stack([noise[0], high], 1), np.stack([noise[1], low], 1), of_high, of_low, FEW)
    assert found.welch_p is not None and found.welch_p < 0.01
    assert found.weights[1] > 2 * abs(found.weights[0])


def test_held_out_texts_that_score_higher_are_no_evidence():
    generator = np.random.default_rng(4)
    (high, of_high), (low, of_low) = side(generator, 30, -1.0), side(generator, 30, 0.0)
    found = dataset_test(high, low, of_high, of_low, FEW)
    assert found.welch_p is not None and found.welch_p > 0.9
    assert found.sentence.startswith("Cannot tell")
    assert found.power is not None and found.power.needed is None


def test_the_number_of_projects_that_are_needed_reaches_the_power_it_promises():
    generator = np.random.default_rng(5)
    (high, of_high), (low, of_low) = side(generator, 200, 0.6), side(generator, 200, 0.0)
    found = dataset_test(high, low, of_high, of_low, FEW)
    assert found.power is not None and found.power.needed is not None
    needed = found.power.needed
    assert found.power.needed_texts == 5 * needed
    assert found.power.low is not None and found.power.low <= needed
    options = replace(FEW, permutations=1, null_draws=1)
    reached = 0
    for _ in range(100):
        sides = [side(generator, needed, shift) for shift in (0.6, 0.0)]
        p = dataset_test(sides[0][0], sides[1][0], sides[0][1], sides[1][1], options).welch_p
        reached += p is not None and p < 0.01
    assert 65 <= reached <= 95


def test_null_calibration_finds_nothing_between_halves_of_the_held_out_texts():
    generator = np.random.default_rng(6)
    (high, of_high), (low, of_low) = side(generator, 20, 0.5), side(generator, 60, 0.0)
    found = dataset_test(high, low, of_high, of_low, replace(FEW, null_draws=200)).null
    assert found.is_sound and found.rejected is not None and found.rejected.total == 200


def test_too_few_units_are_refused_with_the_mend():
    found = dataset_test([1.0] * 20, [0.0] * 20, ["one"] * 20, list(range(20)))
    assert found.welch_p is None and found.refused is not None
    assert "1 suspect and 20 held-out" in found.sentence and "mend:" in found.sentence


def test_few_held_out_texts_give_a_test_without_calibration_and_so_no_conclusion():
    found = dataset_test(np.arange(8) + 9.0, np.arange(8.0), options=FEW)
    assert found.null.refused is not None
    assert found.sentence.startswith("No conclusion")


def test_texts_without_any_score_are_left_out_and_single_holes_read_as_the_mean():
    generator = np.random.default_rng(7)
    rows = generator.normal(0, 1, (40, 2))
    rows[0], rows[1, 1] = np.nan, np.nan
    found = dataset_test(rows, generator.normal(0, 1, (40, 2)), options=FEW)
    assert found.suspect_texts == 39 and found.welch_p is not None


def test_sets_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="same scores"):
        dataset_test(np.zeros((9, 2)), np.zeros((9, 1)))
    with pytest.raises(ValueError, match="projects"):
        dataset_test(np.zeros(9), np.zeros(9), ["a"])


def test_equal_seeds_give_equal_outcomes():
    generator = np.random.default_rng(8)
    (high, of_high), (low, of_low) = side(generator, 20, 0.5), side(generator, 20, 0.0)
    assert dataset_test(high, low, of_high, of_low, FEW) == dataset_test(high, low, of_high, of_low, FEW)
