"""A convolutional network over the ranks of a text, token after token, taught by shadow models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleartitle.membership.attacks.arrays import Floats, log_ranks, reference_log_ranks
from cleartitle.membership.evidence import Evidence, Need, given
from cleartitle.membership.networks import log_odds, taught

__all__ = ["SequenceAttack", "SequenceNetwork"]

SCALE = 10.0
KERNEL, CHANNELS, DROPOUT = 5, 16, 0.5
RATE, DECAY, EPOCHS, BATCH = 3e-3, 1e-3, 100, 32


@dataclass(frozen=True)
class SequenceNetwork:
    """Two convolutions over log-ranks in order, mean and maximum over the tokens, and a linear layer.

    A histogram forgets where in the text a rank stands; runs of well-known tokens are what remembering looks like. The
    idea is that of LT-MIA (arXiv 2604.03199), a transformer over per-token statistics of the full distribution, taught
    by many models of known training sets; this one reads ranks alone, beside the mean log-rank of the references where
    all texts have some. Its size and training (width 16, kernels of 5, dropout .5, Adam at .003, weight decay .001, 100
    epochs) were fixed on made-up scores, before looking at any model.

    Args:
        longest: tokens of a text that it reads, from the first one on.
    """

    longest: int = 512
    name: str = "sequence network"
    needs: frozenset[Need] = frozenset({"rank", "shadows"})

    def fit(self, evidence: Sequence[Evidence], member: np.ndarray, *, seed: int) -> "SequenceAttack":
        """Teach the network.

        Raises:
            MissingExtraError: torch is not installed.
        """
        usable = [number for number, item in enumerate(evidence) if "rank" in given(item)]
        beside = all(len(reference_log_ranks(evidence[number])) for number in usable)
        longest = min(self.longest, max(len(evidence[number].target) for number in usable))
        rows = np.stack([channels(evidence[number], beside, longest) for number in usable])
        labels = np.asarray(member, bool)[usable]
        network = taught(
            lambda torch: _network(torch, rows.shape[1]),
            rows,
            labels,
            seed=seed,
            rate=RATE,
            epochs=EPOCHS,
            batch=BATCH,
            decay=DECAY,
        )
        needs: frozenset[Need] = frozenset({"rank", "reference"}) if beside else frozenset({"rank"})
        return SequenceAttack(self.name, needs, self.longest, network)


@dataclass(frozen=True)
class SequenceAttack:
    """The taught network; its scores are log-odds of membership in nats."""

    name: str
    needs: frozenset[Need]
    longest: int
    network: Any

    def score(self, evidence: Evidence) -> float:
        """The log-odds; NaN for a text that lacks what the network was taught with."""
        beside = "reference" in self.needs
        if not self.needs <= given(evidence) or (beside and not len(reference_log_ranks(evidence))):
            return float("nan")
        return log_odds(self.network, channels(evidence, beside, min(self.longest, len(evidence.target))))


def channels(evidence: Evidence, beside: bool, longest: int) -> Floats:
    """What the network reads of a text, shape (2 or 3, ``longest``): 1 where a token is, its log-rank, the references'.

    Log-ranks are divided by 10; behind a text that is shorter stand zeros.
    """
    lines = [log_ranks(evidence.target), *([reference_log_ranks(evidence)] if beside else [])]
    found = np.zeros((1 + len(lines), longest))
    for number, line in enumerate(lines, start=1):
        cut = line[:longest]
        found[0, : len(cut)] = 1.0
        found[number, : len(cut)] = cut / SCALE
    return found


def _network(torch: Any, width: int) -> Any:
    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Conv1d(width, CHANNELS, KERNEL, padding=KERNEL // 2)
            self.second = torch.nn.Conv1d(CHANNELS, CHANNELS, KERNEL, padding=KERNEL // 2)
            self.dropout = torch.nn.Dropout(DROPOUT)
            self.last = torch.nn.Linear(2 * CHANNELS, 2)

        def forward(self, rows: Any) -> Any:
            there = rows[:, :1]
            hidden = torch.relu(self.second(torch.relu(self.first(rows)))) * there
            mean = hidden.sum(2) / there.sum(2).clamp(min=1)
            return self.last(self.dropout(torch.cat([mean, hidden.amax(2)], 1)))

    return Network()
