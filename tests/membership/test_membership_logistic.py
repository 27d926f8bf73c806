"""Logistic regression: the optimum, and what it does with holes and constants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from cleartitle.membership.logistic import fit_logistic


@settings(max_examples=20)
@given(st.integers(0, 2**31), st.integers(1, 6), st.floats(0.1, 10))
def test_the_solution_is_the_minimum_that_another_optimizer_finds(seed, columns, penalty):
    generator = np.random.default_rng(seed)
    rows = generator.normal(3, 2, (80, columns))
    labels = generator.random(80) < 0.5
    labels[:2] = [True, False]
    model = fit_logistic(rows, labels, penalty=penalty)
    design, sign = model.standardize(rows), np.where(labels, 1.0, -1.0)

    def objective(weights):
        margins = sign * (design @ weights[:-1] + weights[-1])
        return np.logaddexp(0, -margins).sum() + penalty / 2 * (weights[:-1] ** 2).sum()

    other = minimize(objective, np.zeros(columns + 1), method="BFGS")
    assert objective(np.append(model.weights, model.intercept)) <= other.fun + 1e-6


def test_parted_texts_and_more_columns_than_texts_have_a_solution():
    generator = np.random.default_rng(0)
    labels = np.arange(20) % 2 == 0
    rows = generator.normal(0, 1, (20, 60)) + 5.0 * labels[:, None]
    model = fit_logistic(rows, labels)
    assert ((model.log_odds(rows) > 0) == labels).all()


def test_constant_columns_have_no_weight_and_holes_read_as_the_mean():
    generator = np.random.default_rng(1)
    labels = np.arange(100) % 2 == 0
    rows = np.stack([np.full(100, 7.0), generator.normal(labels, 1), np.full(100, np.nan)], axis=1)
    model = fit_logistic(rows, labels)
    assert model.weights[0] == 0 and model.weights[2] == 0
    assert model.log_odds([[7.0, np.nan, 3.0]])[0] == pytest.approx(model.intercept)


def test_far_values_are_held_within_ten_spreads():
    labels = np.arange(50) % 2 == 0
    model = fit_logistic(np.random.default_rng(2).normal(labels, 1)[:, None], labels)
    assert np.isfinite(model.probability([[np.inf], [-np.inf], [1e300]])).all()


def test_one_label_is_refused():
    with pytest.raises(ValueError, match="both labels"):
        fit_logistic(np.zeros((3, 1)), [True, True, True])
