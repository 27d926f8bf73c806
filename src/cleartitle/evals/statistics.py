"""Rates that carry their n and an interval, and intervals that know that samples of one project belong together."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy

__all__ = ["Interval", "Rate", "bootstrap", "cluster_draws", "cluster_rate", "percentile_interval", "rate"]

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
    test = scipy.stats.binomtest(count, total)
    wilson = test.proportion_ci(CONFIDENCE, method="wilson")
    exact = test.proportion_ci(CONFIDENCE, method="exact")
    interval = Interval(float(wilson.low), float(wilson.high), "wilson")
    return Rate(count, total, count / total, interval, float(exact.high))


def cluster_rate(
    hits: Sequence[bool],
    clusters: Sequence[Hashable],
    prompts: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
) -> Rate:
    """A proportion whose interval is a bootstrap over clusters (projects) where samples share one.

    Falls back to Wilson's where every cluster holds one sample, where there is one cluster only (nothing tells how
    clusters differ), or where all hits are equal (a bootstrap of a constant has no width and would claim certainty);
    ``interval.method`` says which was used.

    ``prompts`` names the prompt of each sample. Several samples of one prompt are no independent trials (greedy ones
    are all equal), so that ``at_most`` and Wilson's interval then count each prompt once: with 0 or all hits as 0 or
    all of the prompts, otherwise with the share as it is.
    """
    plain = rate(sum(map(bool, hits)), len(hits))
    if plain.value is None:
        return plain
    trials = len(set(prompts)) if prompts is not None else len(hits)
    if trials < len(hits):
        bounds = rate(round(plain.value * trials), trials)
        low, high = proportion_interval(plain.value, trials)
        wilson = Interval(low, high, f"wilson, n = {trials} prompts")
        plain = Rate(plain.count, plain.total, plain.value, wilson, bounds.at_most)
    if plain.value in (0.0, 1.0) or len(set(clusters)) in (1, len(clusters)):
        return plain
    interval = bootstrap(
        lambda sums, n: float(sums[0] / n), np.asarray(hits, dtype=float)[:, None], clusters, seed=seed
    )
    return Rate(plain.count, plain.total, plain.value, interval, plain.at_most)


def proportion_interval(share: float, trials: int) -> tuple[float, float]:
    """Wilson's interval of a share (0 to 1) of ``trials`` that need not be a whole number of them."""
    z = float(scipy.stats.norm.ppf((1 + CONFIDENCE) / 2))
    center = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, center - half), min(1.0, center + half)


def bootstrap(
    statistic: Callable[[np.ndarray, int], float],
    rows: np.ndarray,
    clusters: Sequence[Hashable],
    *,
    draws: int = 2000,
    seed: int = 0,
) -> Interval:
    """Percentile interval of ``statistic`` over resamples of whole clusters.

    With few clusters the interval is too narrow, and one cluster gives none (see ``Raises``).

    Args:
        statistic: maps the column sums of a resample, shape (columns,), and its number of rows to a number.
        rows: one row per sample, shape (n, columns).
        clusters: the cluster of each row, length n.
        draws: number of resamples.
        seed: of the generator; equal seeds give equal intervals.

    Raises:
        ValueError: ``rows`` is empty, the lengths differ, or there is one cluster only.
    """
    if len(rows) == 0 or len(rows) != len(clusters):
        raise ValueError("a bootstrap needs as many clusters as rows, and at least one")
    member, resamples = cluster_draws(clusters, draws=draws, seed=seed)
    sums = np.zeros((int(member.max()) + 1, rows.shape[1] + 1))
    np.add.at(sums, member, np.column_stack([rows, np.ones(len(rows))]))
    values = np.empty(draws)
    for draw, times in enumerate(resamples):
        total = times @ sums
        values[draw] = statistic(total[:-1], round(total[-1]))
    return percentile_interval(values, len(sums), seed)


def cluster_draws(clusters: Sequence[Hashable], *, draws: int, seed: int) -> tuple[np.ndarray, Iterator[np.ndarray]]:
    """The number of each row's cluster, and resamples of whole clusters: how often each one was drawn.

    Raises:
        ValueError: there is one cluster only.
    """
    numbers: dict[Hashable, int] = {}
    member = np.fromiter((numbers.setdefault(cluster, len(numbers)) for cluster in clusters), int, len(clusters))
    count = len(numbers)
    if count == 1:
        raise ValueError("a bootstrap over one cluster has no width")

    def resamples() -> Iterator[np.ndarray]:
        generator = np.random.default_rng(seed)
        for _ in range(draws):
            yield np.bincount(generator.integers(0, count, count), minlength=count)

    return member, resamples()


def percentile_interval(values: np.ndarray, clusters: int, seed: int) -> Interval:
    """The middle 95 % of the values that resamples of clusters gave."""
    low, high = np.percentile(values, [100 * (1 - CONFIDENCE) / 2, 100 * (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high), f"bootstrap over {clusters} clusters, {len(values)} draws, seed {seed}")
