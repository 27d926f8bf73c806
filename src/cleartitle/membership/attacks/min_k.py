"""Min-K %: the least likely tokens alone."""

from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import logprobs, lowest, mean
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["SWEEP", "MinK"]

SWEEP = (5, 10, 20, 30, 40, 50, 100)
"""Percentages that a curve over k shows; 20 is the one that was fixed before looking."""


@dataclass(frozen=True)
class MinK:
    """Mean log-probability of the ``k`` % least likely tokens, in nats, at most 0.

    ``(1/|E|) sum_{i in E} log p(x_i | x_<i)``, E the ``int(n k / 100)`` tokens with the lowest values: Shi et al. 2024,
    equation 1. The released code takes the mean of nothing for texts of under 100/k tokens; here E holds at least one
    token. k is no dial: 20 is fixed before looking, others are shown as a curve.
    """

    k: int = 20
    needs: frozenset[Need] = frozenset({"logprob"})

    @property
    def name(self) -> str:
        """With its k."""
        return f"Min-K % (k = {self.k})"

    def score(self, evidence: Evidence) -> float:
        """The mean of the lowest."""
        return mean(lowest(logprobs(evidence.target), self.k / 100))
