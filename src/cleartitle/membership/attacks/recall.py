"""ReCaLL: what a prefix of non-members does to the likelihood."""

import math
from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import common_means
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
        means = common_means(evidence.target, evidence.prefixed)
        if means is None:
            return math.nan
        own, after = means
        return -after / (-own + SMALLEST)
