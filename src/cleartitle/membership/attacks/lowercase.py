"""Likelihood of the text against that of the same text in small letters."""

import math
from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import mean_logprob
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["Lowercase"]

SMALLEST = 1e-10


@dataclass(frozen=True)
class Lowercase:
    """Ratio of log-perplexities: that of ``text.lower()`` over that of the text; above 0, 1 where case does not matter.

    ``L(lower(x)) / L(x)`` with ``L = -(1/n) sum log p``: Carlini et al. 2021, section 5.2. A text without capitals
    scores 1 whatever the model saw, and in code a changed case is another program, not another spelling.
    """

    name: str = "lowercase"
    needs: frozenset[Need] = frozenset({"logprob", "lowercase"})

    def score(self, evidence: Evidence) -> float:
        """The ratio."""
        own, lower = -mean_logprob(evidence.target), -mean_logprob(evidence.lowercase)
        return math.nan if math.isnan(own + lower) else lower / (own + SMALLEST)
