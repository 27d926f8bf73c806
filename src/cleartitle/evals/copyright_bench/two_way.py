"""A rate whose runs share asset pairs and wordings, both at once: neither is nested in the other."""

import math
from collections.abc import Hashable, Sequence

import numpy as np
import scipy

from cleartitle.evals.statistics import CONFIDENCE, Interval, Rate, rate

__all__ = ["two_way_rate"]


def two_way_rate(hits: Sequence[bool], pairs: Sequence[Hashable], wordings: Sequence[Hashable]) -> Rate:
    """A proportion with an interval clustered by pair and by wording; all three of length n.

    The variance is that of the pairs plus what wordings add to it (Cameron, Gelbach and Miller 2011, section 2.2: by
    pair, plus by wording, minus by both; here each sum is at least 0 and the whole at least that of independent runs).
    Its degrees of freedom are Satterthwaite's, so that an effect of wordings, of which there are three, widens the
    interval by the t distribution with two. The interval is Wilson's with the number of independent runs that would
    have this variance. Where no run or all runs are hits it is Wilson's over the runs: nothing then tells how they
    vary. Three wordings say little of a fourth.
    """
    plain = rate(sum(map(bool, hits)), len(hits))
    if plain.value in (None, 0.0, 1.0):
        return plain
    share = float(plain.value or 0)
    rest = np.asarray(hits, dtype=float) - share
    alone = share * (1 - share) / len(hits)
    by_pair, by_wording = _variance(rest, pairs), _variance(rest, wordings)
    both = _variance(rest, list(zip(pairs, wordings, strict=True)))
    groups = len(set(pairs)), len(set(wordings))
    parts = [max(by_pair, alone), max(0.0, by_wording - max(both, alone))]
    variance = sum(parts)
    freedom = variance**2 / sum(part**2 / max(1, count - 1) for part, count in zip(parts, groups, strict=True))
    trials = share * (1 - share) / variance
    low, high = _wilson(share, trials, float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, freedom)))
    method = f"wilson, {trials:.1f} of {len(hits)} runs, clustered by {groups[0]} pairs and {groups[1]} wordings"
    return Rate(plain.count, plain.total, plain.value, Interval(low, high, method), plain.at_most)


def _variance(rest: np.ndarray, clusters: Sequence[Hashable]) -> float:
    """Of the mean, from sums over clusters; 0 where there is one cluster, which tells nothing."""
    numbers: dict[Hashable, int] = {}
    member = np.fromiter((numbers.setdefault(name, len(numbers)) for name in clusters), int, len(rest))
    if len(numbers) == 1:
        return 0.0
    sums = np.bincount(member, rest)
    return float((sums**2).sum() * len(numbers) / (len(numbers) - 1) / len(rest) ** 2)


def _wilson(share: float, trials: float, z: float) -> tuple[float, float]:
    center = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, center - half), min(1.0, center + half)
