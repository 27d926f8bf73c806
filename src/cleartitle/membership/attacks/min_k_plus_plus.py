"""Min-K %++: the least likely tokens, each measured against what the model expected there."""

from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import Floats, logprobs, lowest, mean
from cleartitle.membership.evidence import Evidence, Need
from cleartitle.models.token_stats import TokenStats

__all__ = ["MinKPlusPlus", "z_scores"]

SMALLEST_SPREAD = 1e-3
"""Below it a distribution is one token, and its spread is rounding error of 32-bit numbers."""


def z_scores(stats: TokenStats) -> Floats:
    """``(log p(x_i) - mu_i) / sigma_i`` of each token, without unit; no rows where the model gives no distribution.

    mu and sigma are weighted by the distribution itself: ``mu = sum_v p log p``, ``sigma^2 = sum_v p (log p)^2 - mu^2``
    (Zhang et al. 2025, section 4.2). A mean over the vocabulary without weights is another number.
    """
    if stats.mean is None or stats.spread is None or stats.logprob is None:
        return np.empty(0)
    spread = np.maximum(np.nan_to_num(np.asarray(stats.spread, np.float64)), SMALLEST_SPREAD)
    return (logprobs(stats) - np.asarray(stats.mean, np.float64)) / spread


@dataclass(frozen=True)
class MinKPlusPlus:
    """Mean of the ``k`` % lowest z-scores, without unit (see `z_scores`).

    Zhang et al. 2025 ("Min-K%++"), equations 3 and 4. As in `MinK` at least one token counts, so that short texts have
    a score. The premise is that training makes a token a local maximum; it was shown for language models, not for
    code.
    """

    k: int = 20
    needs: frozenset[Need] = frozenset({"logprob", "distribution"})

    @property
    def name(self) -> str:
        """With its k."""
        return f"Min-K %++ (k = {self.k})"

    def score(self, evidence: Evidence) -> float:
        """The mean of the lowest."""
        return mean(lowest(z_scores(evidence.target), self.k / 100))
