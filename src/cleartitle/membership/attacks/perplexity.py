"""Perplexity: how likely the model finds the text."""

from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import mean_logprob
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["Perplexity"]


@dataclass(frozen=True)
class Perplexity:
    """Mean log-probability of the tokens in nats, at most 0: the negative logarithm of the perplexity.

    ``(1/n) sum_i log p(x_i | x_<i)``: Yeom et al. 2018 (loss), Carlini et al. 2021 section 5.2, CodeMI section 5.3.
    Easy text has a low perplexity too, seen or not: the number says nothing without a comparison.
    """

    name: str = "perplexity"
    needs: frozenset[Need] = frozenset({"logprob"})

    def score(self, evidence: Evidence) -> float:
        """The mean log-probability."""
        return mean_logprob(evidence.target)
