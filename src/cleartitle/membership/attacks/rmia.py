"""RMIA: likelihood ratio against the mean probability of the references."""

import math
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import mean_logprob
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["Rmia"]


@dataclass(frozen=True)
class Rmia:
    """``log p(x) - log(((1 + a) q(x) + 1 - a) / 2)`` with q the mean over the references, in nats.

    Zarifzadeh et al. 2024, equation 10 (offline form, references that did not see x). The probability of a sequence is
    its geometric mean over the tokens, since products over hundreds of tokens are all 0. The published score counts
    the members of a population whose ratio is exceeded, which orders texts as the ratio does, so no population is
    needed. ``a`` is their 0.3, fixed before looking. With few references it is near to the reference difference.
    """

    a: float = 0.3
    name: str = "RMIA (offline ratio)"
    needs: frozenset[Need] = frozenset({"logprob", "reference"})

    def score(self, evidence: Evidence) -> float:
        """The logarithm of the ratio."""
        own = mean_logprob(evidence.target)
        others = [value for value in map(mean_logprob, evidence.references) if not math.isnan(value)]
        if math.isnan(own) or not others:
            return math.nan
        outside = float(np.mean(np.exp(others)))
        return own - math.log(((1 + self.a) * outside + 1 - self.a) / 2)
