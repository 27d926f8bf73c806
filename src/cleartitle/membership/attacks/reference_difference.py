"""Reference difference: likelier than for a model that did not see the text."""

import math
from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import (
    log_ranks,
    logprobs,
    mean,
    reference_log_ranks,
    reference_logprobs,
)
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["RankGain", "ReferenceDifference"]


@dataclass(frozen=True)
class ReferenceDifference:
    """Mean over the tokens of the log-probability minus that of the references (their mean), in nats.

    ``(1/n) sum_i (log p(x_i) - log q(x_i))``: Carlini et al. 2021 section 5.2, Mireshghallah et al. 2022. What the
    references find easy is taken out. A reference that differs from the target in size or training data leaves
    differences that are not memory; one that saw the text hides it.
    """

    name: str = "reference difference"
    needs: frozenset[Need] = frozenset({"logprob", "reference"})

    def score(self, evidence: Evidence) -> float:
        """The mean difference."""
        own, other = logprobs(evidence.target), reference_logprobs(evidence)
        return mean(own - other) if len(other) else math.nan


@dataclass(frozen=True)
class RankGain:
    """Mean over the tokens of the log-rank for the references minus that for the target, in nats; ranks alone.

    ``(1/n) sum_i (log r_q(x_i) - log r(x_i))``: the reference difference for services that tell no probabilities. A
    token beyond the output size counts as rank 100,000 on both sides, so cut target and references to one size.
    """

    name: str = "rank gain"
    needs: frozenset[Need] = frozenset({"rank", "reference"})

    def score(self, evidence: Evidence) -> float:
        """The mean gain."""
        own, other = log_ranks(evidence.target), reference_log_ranks(evidence)
        return mean(other - own) if len(own) and len(other) else math.nan
