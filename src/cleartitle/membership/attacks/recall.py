"""ReCaLL: what a prefix of non-members does to the likelihood."""

import math
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import logprobs
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["Recall"]

SMALLEST = 1e-10


@dataclass(frozen=True)
class Recall:
    """Log-likelihood of the text after a prefix of known non-members over that without; above 0, mostly near 1.

    ``LL(x | P) / LL(x)``, both means over the tokens that both scored: Xie et al. 2024 ("ReCaLL"), section 3. A prefix
    from the source that the non-members come from, and the members do not, tells the two sources apart by itself: draw
    it from the same source as the texts.
    """

    name: str = "ReCaLL"
    needs: frozenset[Need] = frozenset({"logprob", "prefix"})

    def score(self, evidence: Evidence) -> float:
        """The ratio."""
        if evidence.prefixed is None:
            return math.nan
        own, after = logprobs(evidence.target), logprobs(evidence.prefixed)
        if not len(own) or not len(after):
            return math.nan
        _, rows, others = np.intersect1d(evidence.target.position, evidence.prefixed.position, return_indices=True)
        if not len(rows):
            return math.nan
        return float(-after[others].mean() / (-own[rows].mean() + SMALLEST))
