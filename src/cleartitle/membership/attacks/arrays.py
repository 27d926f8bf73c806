"""What the attacks share: log-probabilities and ranks without holes, and means that know of empty arrays."""

import math

import numpy as np
import numpy.typing as npt

from cleartitle.membership.evidence import Evidence
from cleartitle.models.token_stats import BEYOND, TokenStats

__all__ = [
    "BEYOND_LOGPROB",
    "BEYOND_RANK",
    "IMPOSSIBLE",
    "Floats",
    "common_means",
    "correct_top1",
    "log_ranks",
    "logprobs",
    "lowest",
    "mean",
    "mean_logprob",
    "reference_log_ranks",
    "reference_logprobs",
]

Floats = npt.NDArray[np.float64]

IMPOSSIBLE = -50.0
"""Nats of a token to which the model gives probability 0 (an underflow; one such token must not decide alone)."""
BEYOND_LOGPROB = -12.0
"""Nats of a token beyond the output size, whose probability nobody told: about 6 in a million."""
BEYOND_RANK = 100_000
"""Rank of a token beyond the output size."""


def logprobs(stats: TokenStats) -> Floats:
    """Log-probabilities of the given tokens in nats, float64; no rows where the model gives none.

    `IMPOSSIBLE` stands for negative infinity and anything below it, `BEYOND_LOGPROB` for NaN.
    """
    if stats.logprob is None:
        return np.empty(0)
    values = np.asarray(stats.logprob, np.float64)
    return np.maximum(np.where(np.isnan(values), BEYOND_LOGPROB, values), IMPOSSIBLE)


def log_ranks(stats: TokenStats) -> Floats:
    """Natural logarithms of the ranks (0 is rank 1); `BEYOND_RANK` for a token beyond the output size."""
    if stats.rank is None:
        return np.empty(0)
    return np.log(np.where(stats.rank == BEYOND, BEYOND_RANK, stats.rank).astype(np.float64))


def correct_top1(stats: TokenStats) -> npt.NDArray[np.bool_]:
    """Whether the given token is the likeliest: rank 1, or as likely as the likeliest where there are no ranks."""
    if stats.rank is not None:
        return np.asarray(stats.rank == 1)
    if stats.top1 is None:
        return np.empty(0, bool)
    return logprobs(stats) >= np.asarray(stats.top1, np.float64) - 1e-6


def mean(values: Floats) -> float:
    """Arithmetic mean, NaN of nothing."""
    return float(values.mean()) if len(values) else math.nan


def lowest(values: Floats, share: float) -> Floats:
    """The ``share`` (0 to 1) of the values that are lowest, rounded down and at least one; nothing of nothing."""
    if not len(values):
        return values
    count = max(1, int(len(values) * share))
    return values if count >= len(values) else np.partition(values, count - 1)[:count]


def mean_logprob(stats: TokenStats | None) -> float:
    """Mean log-probability of the given tokens in nats, NaN where there is none."""
    return math.nan if stats is None else mean(logprobs(stats))


def reference_logprobs(evidence: Evidence) -> Floats:
    """Log-probabilities averaged over the references that give them, one a row of the target; no rows without any."""
    found = [logprobs(reference) for reference in evidence.references if reference.logprob is not None]
    return np.mean(found, axis=0) if found else np.empty(0)


def reference_log_ranks(evidence: Evidence) -> Floats:
    """Log-ranks averaged over the references that give them, one a row of the target; no rows without any."""
    found = [log_ranks(reference) for reference in evidence.references if reference.rank is not None]
    return np.mean(found, axis=0) if found else np.empty(0)


def common_means(*scores: TokenStats) -> tuple[float, ...] | None:
    """Mean log-probability in each, over the positions that all of them scored; None where there is none."""
    shared = set.intersection(*(set(one.position.tolist()) for one in scores))
    kept = [logprobs(one)[np.isin(one.position, list(shared))] for one in scores]
    if not shared or not all(map(len, kept)):
        return None
    return tuple(float(values.mean()) for values in kept)
