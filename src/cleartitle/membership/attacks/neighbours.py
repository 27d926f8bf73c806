"""Neighbors: the text against rewrites of it that mean the same."""

import math
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import Floats, logprobs, lowest, mean_logprob
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["Neighbours", "PolarizedNeighbours"]


@dataclass(frozen=True)
class Neighbours:
    """Mean log-probability of the text minus that of its rewrites (their mean), in nats.

    ``LL(x) - (1/m) sum_j LL(x_j)``: Mattern et al. 2023, with rewrites of the program (`python_rewrites`) in place of
    exchanged words. A model prefers names that people choose over drawn ones, seen or not, so that texts with many
    local names score higher.
    """

    name: str = "neighbours"
    needs: frozenset[Need] = frozenset({"logprob", "neighbours"})

    def score(self, evidence: Evidence) -> float:
        """The difference."""
        others = [value for value in map(mean_logprob, evidence.neighbours) if not math.isnan(value)]
        return mean_logprob(evidence.target) - float(np.mean(others)) if others else math.nan


@dataclass(frozen=True)
class PolarizedNeighbours:
    """Polarized distance of the rewrites (their mean) minus that of the text, in nats.

    The distance is the mean of the ``far`` share of likeliest tokens minus the mean of the ``near`` share of least
    likely ones: Ye et al. 2024 ("PAC") with their shares; rewrites that stay programs as in AST-PAC (2026). Training
    lifts the least likely tokens and so shortens the distance.
    """

    near: float = 0.3
    far: float = 0.05
    name: str = "neighbours (polarized)"
    needs: frozenset[Need] = frozenset({"logprob", "neighbours"})

    def score(self, evidence: Evidence) -> float:
        """The difference of distances."""
        own = logprobs(evidence.target)
        others = [values for values in map(logprobs, evidence.neighbours) if len(values)]
        if not len(own) or not others:
            return math.nan
        return float(np.mean([self._distance(values) for values in others])) - self._distance(own)

    def _distance(self, values: Floats) -> float:
        return float(-lowest(-values, self.far).mean() - lowest(values, self.near).mean())
