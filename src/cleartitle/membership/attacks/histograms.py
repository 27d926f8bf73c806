"""Histograms of ranks: what a classifier of ranks reads instead of a text's hundreds of numbers."""

import numpy as np
import numpy.typing as npt

from cleartitle.membership.attacks.arrays import Floats
from cleartitle.models.token_stats import BEYOND

__all__ = ["CHANGE_EDGES", "LOG_EDGES", "change_histogram", "linear_edges", "rank_histogram"]

LOG_EDGES: Floats = np.array([1, 2, 3, 4, 6, 8, 12, *(2.0**power for power in range(4, 18)), 2.0**20])
"""Lower ends of log-spaced bins of ranks, from rank 1 alone to a million; the last number closes the last bin."""

_STEPS = np.array([0.1, 0.35, 0.7, 1.4, 2.1, 2.8, 4.2, 5.6])
CHANGE_EDGES: Floats = np.concatenate([-_STEPS[::-1], _STEPS])
"""Edges, in nats, of the bins of log-rank changes; what lies outside falls into the first or last bin."""


def linear_edges(output_size: int, bins: int = 99) -> Floats:
    """Edges of ``bins`` bins of equal width from 0 to ``output_size`` ranks, as in the released code of CodeMI."""
    return np.linspace(0, output_size, bins + 1)


def rank_histogram(ranks: npt.ArrayLike, edges: npt.ArrayLike) -> Floats:
    """Share of the ranks in each bin, and in a last one those outside of the edges; length ``len(edges)``, sum 1.

    Bins are half open, ``edges[i] <= rank < edges[i + 1]``, but for the last one, which holds its upper edge too.
    `BEYOND` and ranks above the last edge or below the first fall into the overflow bin. No ranks give zeros.
    """
    values, ends = np.asarray(ranks, np.float64), np.asarray(edges, np.float64)
    counts = np.zeros(len(ends))
    if not len(values):
        return counts
    inside = values[values != BEYOND]
    counts[:-1] = np.histogram(inside, ends)[0]
    counts[-1] = len(values) - counts[:-1].sum()
    return counts / len(values)


def change_histogram(change: npt.ArrayLike, edges: npt.ArrayLike = CHANGE_EDGES) -> Floats:
    """Share of the changes in each of the ``len(edges) + 1`` bins that the edges part; sum 1, zeros for no change."""
    values, ends = np.asarray(change, np.float64), np.asarray(edges, np.float64)
    if not len(values):
        return np.zeros(len(ends) + 1)
    return np.bincount(np.searchsorted(ends, values, side="right"), minlength=len(ends) + 1) / len(values)
