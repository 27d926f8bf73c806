"""Expected maximum (EM) and empirical probability (EP) of CodeIPPrompt, section 4.2, in closed form and by bootstrap.

The population is one score per prompt: the largest over the answers to it. One draw takes ``n`` of them with
replacement. EM is the mean of the largest score of a draw, EP the share of draws that hold a score above the threshold.
Both follow from the distribution of the scores alone, so that the bootstrap of the paper only adds noise; it is kept,
with a seed, because the published figures were made with it.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "DRAWS",
    "THRESHOLD",
    "Expected",
    "Resampled",
    "Scores",
    "chance_of_one",
    "empirical_probability",
    "expected_maximum",
    "resampled",
    "share_per_prompt",
]

Scores = npt.NDArray[np.float64]

THRESHOLD = 0.5
"""A score above it counts (section 4.2, from the study with people)."""
DRAWS = 1000
"""Resamples of the paper."""
DRAWN_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Expected:
    """The largest of ``n`` scores: its mean (EM) and its standard deviation over draws."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Resampled:
    """EM with its population standard deviation and EP, each from ``draws`` draws of their own, as released."""

    em: float
    em_sd: float
    ep: float
    draws: int
    seed: int

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``summary.json``."""
        return asdict(self)


def expected_maximum(scores: Scores, n: int) -> Expected:
    """EM in closed form, ``Σ x(i) [(i/m)^n − ((i−1)/m)^n]`` over the ``m`` sorted scores, and its deviation.

    The deviation is that of the largest score between draws. It does not shrink with the number of prompts, and it is
    no error of EM.

    Raises:
        ValueError: no scores, or ``n`` below 1.
    """
    ordered = np.sort(_checked(scores, n))
    chances = np.diff((np.arange(len(ordered) + 1) / len(ordered)) ** n)
    mean = float(chances @ ordered)
    return Expected(mean, float(np.sqrt(max(0.0, float(chances @ ordered**2) - mean * mean))))


def empirical_probability(scores: Scores, n: int, threshold: float = THRESHOLD) -> float:
    """EP in closed form, ``1 − (share of scores at or below the threshold)^n``.

    Raises:
        ValueError: no scores, or ``n`` below 1.
    """
    return chance_of_one(float(np.mean(_checked(scores, n) > threshold)), n)


def chance_of_one(share: float, n: int) -> float:
    """The probability that at least one of ``n`` draws hits what has this ``share`` (0 to 1)."""
    return -float(np.expm1(n * np.log1p(-share))) if share < 1 else 1.0


def share_per_prompt(ep: float, n: int) -> float:
    """The inverse of `chance_of_one`: the share of prompts above the threshold that gives this EP."""
    return -float(np.expm1(np.log1p(-ep) / n)) if ep < 1 else 1.0


def resampled(scores: Scores, n: int, *, draws: int = DRAWS, seed: int = 0, threshold: float = THRESHOLD) -> Resampled:
    """EM and EP by the bootstrap of the release: draws of ``n`` scores with replacement, here with a seed.

    Raises:
        ValueError: no scores, or ``n`` or ``draws`` below 1.
    """
    scores = _checked(scores, min(n, draws))
    generator = np.random.default_rng(seed)
    maxima, others = (_maxima(scores, n, draws, generator) for _ in range(2))
    return Resampled(float(maxima.mean()), float(maxima.std()), float(np.mean(others > threshold)), draws, seed)


def _maxima(scores: Scores, n: int, draws: int, generator: np.random.Generator) -> Scores:
    at_once = max(1, DRAWN_AT_ONCE // n)
    parts = [
        scores[generator.integers(0, len(scores), (min(at_once, draws - start), n))].max(axis=1)
        for start in range(0, draws, at_once)
    ]
    return np.concatenate(parts)


def _checked(scores: Scores, n: int) -> Scores:
    if len(scores) == 0 or n < 1:
        raise ValueError(f"EM and EP need scores and draws, not {len(scores)} scores and n = {n}")
    return np.asarray(scores, dtype=np.float64)
