"""DC-PDD: probabilities calibrated by how common a token is."""

from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import logprobs, mean
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["DcPdd"]


@dataclass(frozen=True)
class DcPdd:
    """Mean over the first occurrence of each token of ``min(p_i log(1 / f_i), bound)``, from 0 to ``bound``, in nats.

    ``f_i`` is the relative frequency of the token in public text: Zhang et al. 2024 ("Pretraining Data Detection for
    Large Language Models: A Divergence-based Calibration Method"), equations 4 to 6, with their bound of 0.01. At that
    bound a token counts in full from a probability of about 0.002 on, so that the number is near to the share of tokens
    the model did not think absurd; without a bound (None) rare tokens weigh most. A table of English is wrong for code:
    take one of public code (see `FrequencyTable`).
    """

    bound: float | None = 0.01
    needs: frozenset[Need] = frozenset({"logprob", "frequency"})

    @property
    def name(self) -> str:
        """With its bound where it is not the published one."""
        return {0.01: "DC-PDD", None: "DC-PDD (no bound)"}.get(self.bound, f"DC-PDD (bound {self.bound})")

    def score(self, evidence: Evidence) -> float:
        """The mean of the calibrated probabilities."""
        values = logprobs(evidence.target)
        if not len(values) or evidence.frequency is None:
            return float("nan")
        first = np.unique(evidence.target.token, return_index=True)[1]
        surprise = np.exp(values[first]) * -np.log(evidence.frequency[first])
        return mean(surprise if self.bound is None else np.minimum(surprise, self.bound))
