"""Do two groups differ: Mann-Whitney U, Cliff's delta and its level (LiCoEval, Table II)."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import scipy

__all__ = ["LEVELS", "Level", "cliffs_delta", "compare_groups", "level"]

Level = Literal["negligible", "small", "medium", "large"]

LEVELS: tuple[tuple[float, Level], ...] = ((0.147, "negligible"), (0.33, "small"), (0.474, "medium"), (1.01, "large"))
"""Upper bounds of |delta| (Romano, Kromrey, Coraggio and Skowronek 2006): below the bound is that level."""


def cliffs_delta(first: Sequence[float], second: Sequence[float]) -> float:
    """P(a > b) - P(a < b) for a of ``first`` and b of ``second``, from -1 to 1; 0 where neither tends to be larger.

    From the U statistic, 2 U / (m n) - 1 (Cliff 1993), so that it costs a sort and not m n comparisons.

    Raises:
        ValueError: a group is empty.
    """
    if not len(first) or not len(second):
        raise ValueError("Cliff's delta needs two groups that are not empty")
    u = scipy.stats.mannwhitneyu(first, second, alternative="two-sided", method="asymptotic").statistic
    return float(2 * u / (len(first) * len(second)) - 1)


def level(delta: float) -> Level:
    """How large an effect of this size is called, whatever its sign."""
    return next(name for bound, name in LEVELS if abs(delta) < bound)


def compare_groups(accessed: Sequence[float], unseen: Sequence[float]) -> dict[str, Any] | None:
    """Both groups in numbers, the p-value of the two-sided Mann-Whitney U test, and Cliff's delta with its level.

    Delta is positive where accessed functions have the larger values. A large p-value does not show that the groups are
    alike: with small groups it shows nothing. None where a group is empty.
    """
    if not len(accessed) or not len(unseen):
        return None
    delta = cliffs_delta(accessed, unseen)
    # With all values equal there is nothing to test.
    constant = len({*accessed, *unseen}) == 1
    return {
        "accessed": _statistics(accessed),
        "unseen": _statistics(unseen),
        "p_value": 1.0
        if constant
        else float(scipy.stats.mannwhitneyu(accessed, unseen, alternative="two-sided").pvalue),
        "cliffs_delta": delta,
        "level": level(delta),
    }


def _statistics(values: Sequence[float]) -> dict[str, float]:
    array = np.asarray(values, dtype=float)
    return {
        "n": len(array),
        "min": float(array.min()),
        "median": float(np.median(array)),
        "mean": float(array.mean()),
        "max": float(array.max()),
    }
