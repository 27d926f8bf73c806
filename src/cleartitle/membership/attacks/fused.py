"""Everything that the run can see, in one regression."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import Floats, log_ranks, logprobs, reference_log_ranks, reference_logprobs
from cleartitle.membership.attacks.histograms import CHANGE_EDGES, LOG_EDGES, change_histogram, rank_histogram
from cleartitle.membership.attacks.linear import LinearAttack, fit_linear
from cleartitle.membership.attacks.scalar_stack import usable_parts
from cleartitle.membership.evidence import Attack, Evidence, Need, given
from cleartitle.membership.token_classes import IDENTIFIER, NUMBER, STRING, rows_in

__all__ = ["Fused"]

COARSE = LOG_EDGES[[0, 1, 3, 6, 8, 11, 14, 17, -1]]
FREQUENT, RARE = 1e-3, 1e-4
Block = Callable[[Evidence], Floats]


def _ranks(item: Evidence) -> Floats:
    assert item.target.rank is not None
    return rank_histogram(item.target.rank, LOG_EDGES)


def _rank_changes(item: Evidence) -> Floats:
    change = reference_log_ranks(item) - log_ranks(item.target)
    return np.append(change_histogram(change), change.mean())


def _logprob_changes(item: Evidence) -> Floats:
    change = logprobs(item.target) - reference_logprobs(item)
    return np.append(change_histogram(change, CHANGE_EDGES), np.quantile(change, [0.1, 0.5, 0.9]))


def _ranks_by_class(item: Evidence) -> Floats:
    assert item.target.rank is not None and item.classes is not None
    named = rows_in(item.classes, (IDENTIFIER, STRING, NUMBER))
    return np.concatenate([rank_histogram(item.target.rank[rows], COARSE) for rows in (named, ~named)])


def _ranks_by_frequency(item: Evidence) -> Floats:
    assert item.target.rank is not None and item.frequency is not None
    band = (item.frequency < FREQUENT).astype(int) + (item.frequency < RARE)
    return np.concatenate([rank_histogram(item.target.rank[band == number], COARSE) for number in range(3)])


BLOCKS: tuple[tuple[frozenset[Need], Block], ...] = (
    (frozenset({"rank"}), _ranks),
    (frozenset({"rank", "reference"}), _rank_changes),
    (frozenset({"logprob", "reference"}), _logprob_changes),
    (frozenset({"rank", "classes"}), _ranks_by_class),
    (frozenset({"rank", "frequency"}), _ranks_by_frequency),
)


@dataclass(frozen=True)
class Fused:
    """Logistic regression over the scores of ``parts`` and the histograms of ranks, taught by shadows.

    The histograms are those of `RankReference`, of the log-probability changes against references, and of ranks by
    class of token (names and literals apart from the rest) and by public frequency (above 1e-3, above 1e-4, rarer);
    each where the shadow evidence has what it needs. Many numbers and few shadow texts overfit: compare it with its
    parts, paired, and do not take the largest figure of a table for the best attack.
    """

    parts: tuple[Attack, ...]
    name: str = "fused"
    needs: frozenset[Need] = frozenset({"rank or top1", "shadows"})

    def fit(self, evidence: Sequence[Evidence], member: np.ndarray, *, seed: int) -> LinearAttack:
        """Teach it; the seed does not matter, the objective is convex."""
        parts = usable_parts(self.parts, evidence)
        everywhere = [item for item in map(given, evidence) if item]
        blocks = tuple((needs, block) for needs, block in BLOCKS if any(needs <= item for item in everywhere))

        def features(item: Evidence) -> Floats:
            scores = np.array([part.score(item) for part in parts])
            return np.concatenate([scores, *(block(item) for _, block in blocks)])

        needs = self.needs.union(*(part.needs for part in parts), *(needs for needs, _ in blocks))
        return fit_linear(self.name, needs, features, evidence, member)
