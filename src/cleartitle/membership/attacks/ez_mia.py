"""EZ-MIA: gains and losses against a reference, where the target is wrong."""

import math
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import correct_top1, logprobs, reference_logprobs
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["EzMia"]


@dataclass(frozen=True)
class EzMia:
    """Share of gains among gains and losses over the tokens that the target's first choice misses, from 0 to 1.

    With ``d_i = log p(x_i) - log q(x_i)`` over the tokens where another one is likelier: ``P = sum max(d, 0)``,
    ``N = sum max(-d, 0)``. The published score is ``P / N`` (EZ-MIA, 2026), and its released code gives 0 where no
    token lost (N = 0), the lowest score to the surest members. ``P / (P + N)`` orders texts as ``P / N`` does and
    gives these 1. So does a text without a miss: nothing that the target gets wrong speaks against it, but a trivial
    text can do that too.
    """

    name: str = "EZ-MIA"
    needs: frozenset[Need] = frozenset({"logprob", "rank or top1", "reference"})

    def score(self, evidence: Evidence) -> float:
        """The share of gains."""
        own, other = logprobs(evidence.target), reference_logprobs(evidence)
        hits = correct_top1(evidence.target)
        if not len(own) or not len(other) or not len(hits):
            return math.nan
        change = (own - other)[~hits]
        gains, losses = float(np.maximum(change, 0).sum()), float(np.maximum(-change, 0).sum())
        return gains / (gains + losses) if losses else 1.0
