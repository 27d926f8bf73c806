"""CodeMI: a small network that reads the histogram of a text's ranks, taught by shadow models (section 4.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from cleartitle.membership.attacks.arrays import Floats
from cleartitle.membership.attacks.histograms import LOG_EDGES, linear_edges, rank_histogram
from cleartitle.membership.evidence import Evidence, Need, given
from cleartitle.membership.networks import log_odds, taught

__all__ = ["CodeMi", "CodeMiAttack"]

HIDDEN, RATE, EPOCHS, BATCH, TAUGHT = 50, 0.01, 50, 32, 0.8


@dataclass(frozen=True)
class CodeMi:
    """The membership classifier of CodeMI (Wan et al. 2024, section 4.2), with the settings of its released code.

    The ranks of a text become shares in bins and one overflow bin; a network of one hidden layer (50 units, tanh, two
    outputs, cross-entropy, Adam at 0.01, batches of 32, 50 epochs) learns from them. ``paper``: 99 bins of equal width
    from 0 to the output size, so that with 50,000 tokens ranks 1 and 500 are one feature; taught by the first 80 % of
    the members and of the non-members of each shadow, as released. ``corrected``: log-spaced bins, all shadow texts.

    A word that is not in the vocabulary falls into the overflow bin (the release gives it a rank beyond the last one):
    where a model's vocabulary was made of its own training set, that bin tells members apart without any memory.

    Args:
        mode: see above.
        output_size: largest rank that the model shows.
        unknown: id of the token that stands for all words outside of the vocabulary, None where there is none.
        shadow_output_size: the same as ``output_size`` for shadows of another vocabulary, which get bins of their own.
        shadow_unknown: the same as ``unknown`` for them.
    """

    mode: Literal["paper", "corrected"]
    output_size: int
    unknown: int | None = None
    shadow_output_size: int | None = None
    shadow_unknown: int | None = None

    @property
    def name(self) -> str:
        """``CodeMI paper`` or ``CodeMI corrected``."""
        return f"CodeMI {self.mode}"

    @property
    def needs(self) -> frozenset[Need]:
        """Ranks alone."""
        return frozenset({"rank", "shadows"})

    def features(self, evidence: Evidence) -> Floats:
        """Shares of the ranks in the bins, overflow last; they sum to 1, or are 0 for a text without rows."""
        rank = evidence.target.rank
        assert rank is not None
        if self.unknown is not None:
            rank = np.where(evidence.target.token == self.unknown, 0, rank)
        return rank_histogram(rank, linear_edges(self.output_size) if self.mode == "paper" else LOG_EDGES)

    def fit(self, evidence: Sequence[Evidence], member: np.ndarray, *, seed: int) -> "CodeMiAttack":
        """Teach the network.

        Raises:
            MissingExtraError: torch is not installed.
        """
        shadows = self
        if self.shadow_output_size is not None:
            shadows = replace(self, output_size=self.shadow_output_size, unknown=self.shadow_unknown)
        usable = [number for number, item in enumerate(evidence) if "rank" in given(item)]
        labels = np.asarray(member, bool)[usable]
        rows = np.stack([shadows.features(evidence[number]) for number in usable])
        if self.mode == "paper":
            first = np.concatenate([np.flatnonzero(labels == label)[: _share(labels, label)] for label in (1, 0)])
            rows, labels = rows[first], labels[first]
        network = taught(
            lambda torch: torch.nn.Sequential(
                torch.nn.Linear(rows.shape[1], HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 2)
            ),
            rows,
            labels,
            seed=seed,
            rate=RATE,
            epochs=EPOCHS,
            batch=BATCH,
        )
        return CodeMiAttack(self, network)


@dataclass(frozen=True)
class CodeMiAttack:
    """A taught classifier. Its scores are log-odds of membership; the release decides at 0."""

    taught_by: CodeMi
    network: Any

    @property
    def name(self) -> str:
        """That of the classifier."""
        return self.taught_by.name

    @property
    def needs(self) -> frozenset[Need]:
        """Ranks alone."""
        return frozenset({"rank"})

    def score(self, evidence: Evidence) -> float:
        """Log-odds of membership in nats; NaN for a text without ranks."""
        if not self.needs <= given(evidence):
            return float("nan")
        return log_odds(self.network, self.taught_by.features(evidence))


def _share(labels: np.ndarray, label: int) -> int:
    return int(TAUGHT * int((labels == bool(label)).sum()))
