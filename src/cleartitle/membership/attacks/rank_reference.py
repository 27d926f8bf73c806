"""Ranks, and what references make of them: what CodeMI could see and does not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import Floats, log_ranks, reference_log_ranks
from cleartitle.membership.attacks.histograms import LOG_EDGES, change_histogram, rank_histogram
from cleartitle.membership.attacks.linear import LinearAttack, fit_linear
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["LogRanks", "RankReference"]


def _ranks(evidence: Evidence) -> Floats:
    assert evidence.target.rank is not None
    return rank_histogram(evidence.target.rank, LOG_EDGES)


def _ranks_and_changes(evidence: Evidence) -> Floats:
    change = reference_log_ranks(evidence) - log_ranks(evidence.target)
    return np.concatenate([_ranks(evidence), change_histogram(change), [change.mean()]])


@dataclass(frozen=True)
class LogRanks:
    """Logistic regression over a histogram of the ranks in log-spaced bins, taught by shadows.

    The idea of CodeMI (section 4.2) with bins that tell rank 1 from rank 400; its own are hundreds of ranks wide. Ranks
    alone, no probabilities. Rare tokens carry much of it: on a small corpus a token that the model never saw gives a
    non-member away, which is true of the corpus and not of larger ones.
    """

    name: str = "log-rank histogram"
    needs: frozenset[Need] = frozenset({"rank", "shadows"})

    def fit(self, evidence: Sequence[Evidence], member: np.ndarray, *, seed: int) -> LinearAttack:
        """Teach it; the seed does not matter, the objective is convex."""
        return fit_linear(self.name, self.needs, _ranks, evidence, member)


@dataclass(frozen=True)
class RankReference:
    """The same with a histogram of the rank changes against references, and their mean (CodeMI with references).

    Change of a token: log-rank for the references (their mean) minus that for the target. References take out what is
    easy or hard for any model, also tokens that no model saw. They must not have seen the text, and a target of
    another kind than the references differs from them without memory.
    """

    name: str = "ranks with references (CodeMI-C)"
    needs: frozenset[Need] = frozenset({"rank", "reference", "shadows"})

    def fit(self, evidence: Sequence[Evidence], member: np.ndarray, *, seed: int) -> LinearAttack:
        """Teach it; the seed does not matter, the objective is convex."""
        return fit_linear(self.name, self.needs, _ranks_and_changes, evidence, member)
