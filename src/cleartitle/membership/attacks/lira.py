"""LiRA: how far a text's likelihood lies above those of models that did not see it, in their own spread."""

import math
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import mean_logprob
from cleartitle.membership.evidence import ENOUGH_REFERENCES, Evidence, Need

__all__ = ["Lira"]

SMALLEST = 1e-6


@dataclass(frozen=True)
class Lira:
    """``(x - m) / s`` of the mean log-probability x, with m and s over the references' for the same text.

    Carlini et al. 2022, "Membership Inference Attacks From First Principles", section IV, offline variant: its
    probability under a normal distribution of models that did not see the text orders texts as this number does. The
    spread of one text over models needs many of them: with fewer than eight references it is not run (RMIA is for
    those).
    """

    name: str = "LiRA (offline)"
    needs: frozenset[Need] = frozenset({"logprob", "eight references"})

    def score(self, evidence: Evidence) -> float:
        """The standardized distance; 0 where the references hold the text for as likely, on average."""
        own = mean_logprob(evidence.target)
        others = np.array([value for value in map(mean_logprob, evidence.references) if not math.isnan(value)])
        if math.isnan(own) or len(others) < ENOUGH_REFERENCES:
            return math.nan
        return float((own - others.mean()) / max(others.std(ddof=1), SMALLEST))
