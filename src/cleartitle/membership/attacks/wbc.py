"""WBC: votes of windows between the target and a reference."""

import math
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import logprobs, reference_logprobs
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["WINDOWS", "Wbc"]

WINDOWS = (2, 3, 4, 6, 9, 13, 18, 25, 32, 40)


@dataclass(frozen=True)
class Wbc:
    """Share of windows in which the target finds the text likelier than the reference, averaged over sizes; 0 to 1.

    For each size w: the share of the ``n - w + 1`` windows with ``sum log p > sum log q``; then the mean over the sizes
    (window-based comparison, USENIX Security 2026, with its ten sizes). A size above n is one window of the whole text.
    Votes are robust against single tokens; like every reference attack it rests on the reference being alike in all but
    the text.
    """

    windows: tuple[int, ...] = WINDOWS
    name: str = "WBC"
    needs: frozenset[Need] = frozenset({"logprob", "reference"})

    def score(self, evidence: Evidence) -> float:
        """The mean share of won windows."""
        own, other = logprobs(evidence.target), reference_logprobs(evidence)
        if not len(own) or not len(other):
            return math.nan
        sums = np.concatenate([[0.0], np.cumsum(own - other)])
        widths = [min(window, len(own)) for window in self.windows]
        return float(np.mean([np.count_nonzero(sums[w:] > sums[:-w]) / (len(sums) - w) for w in widths]))
