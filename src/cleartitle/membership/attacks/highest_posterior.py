"""Highest posterior: how sure the model is, whatever stands there."""

from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import mean
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["HighestPosterior"]


@dataclass(frozen=True)
class HighestPosterior:
    """Mean over the tokens of the largest probability, from 0 to 1.

    ``(1/n) sum_i max_v p(v | x_<i)``: Salem et al. 2019 ("ML-Leaks"), attack 3, as CodeMI section 5.3 takes it over
    to sequences. It does not look at the text's own tokens, so that it tells a model's confidence on this kind of text
    from memory of it only where the kinds are equal.
    """

    name: str = "highest posterior"
    needs: frozenset[Need] = frozenset({"top1"})

    def score(self, evidence: Evidence) -> float:
        """The mean largest probability."""
        top1 = evidence.target.top1
        return mean(np.exp(np.empty(0) if top1 is None else np.asarray(top1, np.float64)))
