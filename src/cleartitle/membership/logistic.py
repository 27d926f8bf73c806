"""Logistic regression with a ridge penalty: few lines, no framework, the same numbers on every machine."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

__all__ = ["Logistic", "fit_logistic"]

Floats = npt.NDArray[np.float64]
STEPS = 100
JITTER = 1e-9
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Logistic:
    """A fitted model on standardized columns; missing values (NaN) are read as the column's mean."""

    center: Floats
    scale: Floats
    weights: Floats
    intercept: float

    def log_odds(self, features: npt.ArrayLike) -> Floats:
        """Log-odds of membership of each row, in nats."""
        return self.standardize(features) @ self.weights + self.intercept

    def probability(self, features: npt.ArrayLike) -> Floats:
        """Probability of membership of each row at the share of members that was fitted on, 0 to 1."""
        return expit(self.log_odds(features))

    def standardize(self, features: npt.ArrayLike) -> Floats:
        """Columns with the mean and spread of the fitted texts taken out, within ten spreads."""
        rows = (np.atleast_2d(np.asarray(features, np.float64)) - self.center) / self.scale
        return np.clip(np.nan_to_num(rows, nan=0.0, posinf=10.0, neginf=-10.0), -10.0, 10.0)


def fit_logistic(features: npt.ArrayLike, labels: npt.ArrayLike, *, penalty: float = 1.0) -> Logistic:
    """Fit ``min_w penalty / 2 |w|^2 + sum log(1 + exp(-y (x w + b)))`` on standardized columns, intercept free.

    That is the usual objective with C = 1 / penalty. Columns without spread get weight 0. The objective is convex, so
    that the result does not depend on a seed.

    Raises:
        ValueError: only one label.
    """
    rows, truth = np.asarray(features, np.float64), np.asarray(labels, bool)
    if not truth.any() or truth.all():
        raise ValueError("a logistic regression needs both labels")
    finite = np.where(np.isfinite(rows), rows, np.nan)
    known = np.maximum(np.isfinite(finite).sum(axis=0), 1)
    center = np.nansum(finite, axis=0) / known
    scale = np.sqrt(np.nansum((finite - center) ** 2, axis=0) / known)
    constant = scale <= 1e-12 * np.maximum(1.0, np.abs(center))
    empty = Logistic(center, np.where(constant, 1.0, scale), np.zeros(rows.shape[1]), 0.0)
    design = np.where(constant, 0.0, empty.standardize(rows))
    solution = _newton(np.column_stack([design, np.ones(len(design))]), truth, penalty)
    return Logistic(empty.center, empty.scale, np.where(constant, 0.0, solution[:-1]), float(solution[-1]))


def _newton(design: Floats, truth: npt.NDArray[np.bool_], penalty: float) -> Floats:
    """Minimize the objective by Newton steps, halved until they help; the last column is not penalized."""
    ridge = np.full(design.shape[1], penalty)
    ridge[-1] = 0.0
    weights = np.zeros(design.shape[1])
    sign = np.where(truth, 1.0, -1.0)

    def objective(candidate: Floats) -> float:
        return float(np.logaddexp(0, -sign * (design @ candidate)).sum() + ridge @ candidate**2 / 2)

    value = objective(weights)
    for _ in range(STEPS):
        chance = expit(design @ weights)
        gradient = design.T @ (chance - truth) + ridge * weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design
        curvature[np.diag_indices_from(curvature)] += ridge + JITTER
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > JITTER and objective(weights - size * step) > value:
            size /= 2
        weights = weights - size * step
        before, value = value, objective(weights)
        if before - value <= TOLERANCE * max(1.0, value):
            break
    return weights
