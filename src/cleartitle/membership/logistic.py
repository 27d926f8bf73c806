"""Logistic regression with a ridge penalty: few lines, no framework, the same numbers on every machine."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

__all__ = ["Logistic", "fit_logistic"]

Floats = npt.NDArray[np.float64]


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
    sign = np.where(truth, 1.0, -1.0)

    def objective(parameters: Floats) -> tuple[float, Floats]:
        weights, intercept = parameters[:-1], parameters[-1]
        margin = sign * (design @ weights + intercept)
        pull = -sign * expit(-margin)
        value = float(np.logaddexp(0, -margin).sum() + penalty / 2 * weights @ weights)
        return value, np.append(design.T @ pull + penalty * weights, pull.sum())

    start = np.zeros(rows.shape[1] + 1)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000, "ftol": 1e-12})
    solution = np.asarray(found.x, np.float64)
    return Logistic(empty.center, empty.scale, np.where(constant, 0.0, solution[:-1]), float(solution[-1]))
