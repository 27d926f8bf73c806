"""Rates that carry their n and an interval, and intervals that know that samples of one project belong together."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.stats import binomtest

__all__ = ["Interval", "Rate", "bootstrap", "cluster_rate", "rate"]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A closed interval at 95 % confidence; ``method`` names how it was made."""

    low: float
    high: float
    method: str


@dataclass(frozen=True)
class Rate:
    """``count`` of ``total``; ``value`` is None where ``total`` is 0 (nothing to judge is not 0 %).

    ``at_most`` is the exact (Clopper-Pearson, two-sided 95 %) upper bound, to be quoted where ``count`` is 0:
    "0 of 100" is "at most 3.6 %".
    """

    count: int
    total: int
    value: float | None
    interval: Interval | None
    at_most: float | None

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``summary.json``."""
        return asdict(self)

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "no case"
        if self.count == 0 and self.at_most is not None:
            return f"0 of {self.total} (at most {100 * self.at_most:.1f} %)"
        low, high = 100 * self.interval.low, 100 * self.interval.high
        return f"{self.count} of {self.total} = {100 * self.value:.2f} % [{low:.1f}, {high:.1f}]"


def rate(count: int, total: int) -> Rate:
    """A proportion of independent trials with Wilson's interval (without continuity correction).

    Raises:
        ValueError: not ``0 <= count <= total``.
    """
    if not 0 <= count <= total:
        raise ValueError(f"a rate needs 0 <= count <= total, not {count} of {total}")
    if total == 0:
        return Rate(0, 0, None, None, None)
    test = binomtest(count, total)
    wilson = test.proportion_ci(CONFIDENCE, method="wilson")
    exact = test.proportion_ci(CONFIDENCE, method="exact")
    interval = Interval(float(wilson.low), float(wilson.high), "wilson")
    return Rate(count, total, count / total, interval, float(exact.high))


def cluster_rate(hits: Sequence[bool], clusters: Sequence[Hashable], *, seed: int = 0) -> Rate:
    """A proportion whose interval is a bootstrap over clusters (projects) where samples share one.

    Falls back to Wilson's where every cluster holds one sample, or where all hits are equal (a bootstrap of
    a constant has no width and would claim certainty); ``interval.method`` says which was used.
    """
    plain = rate(sum(map(bool, hits)), len(hits))
    if plain.value in (None, 0.0, 1.0) or len(set(clusters)) in (1, len(clusters)):
        return plain
    interval = bootstrap(
        lambda chosen: float(np.mean(chosen)), np.asarray(hits, dtype=float)[:, None], clusters, seed=seed
    )
    return Rate(plain.count, plain.total, plain.value, interval, plain.at_most)


def bootstrap(
    statistic: Callable[[np.ndarray], float],
    rows: np.ndarray,
    clusters: Sequence[Hashable],
    *,
    draws: int = 2000,
    seed: int = 0,
) -> Interval:
    """Percentile interval of ``statistic`` over resamples of whole clusters.

    Args:
        statistic: maps rows of shape (m, columns) to a number.
        rows: one row per sample, shape (n, columns).
        clusters: the cluster of each row, length n.
        draws: number of resamples.
        seed: of the generator; equal seeds give equal intervals.

    Raises:
        ValueError: ``rows`` is empty or the lengths differ.
    """
    if len(rows) == 0 or len(rows) != len(clusters):
        raise ValueError("a bootstrap needs as many clusters as rows, and at least one")
    index: dict[Hashable, list[int]] = {}
    for position, cluster in enumerate(clusters):
        index.setdefault(cluster, []).append(position)
    groups = [np.asarray(members) for members in index.values()]
    generator = np.random.default_rng(seed)
    values = np.empty(draws)
    for draw in range(draws):
        chosen = generator.integers(0, len(groups), len(groups))
        values[draw] = statistic(rows[np.concatenate([groups[i] for i in chosen])])
    low, high = np.percentile(values, [100 * (1 - CONFIDENCE) / 2, 100 * (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high), f"bootstrap over {len(groups)} clusters, {draws} draws, seed {seed}")
