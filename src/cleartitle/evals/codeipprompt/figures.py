"""EM and EP of one group of prompts with their intervals, the null beside them, and what they exceed it by."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle.evals.codeipprompt.metrics import (
    DRAWS,
    THRESHOLD,
    Scores,
    chance_of_one,
    expected_maximum,
    resampled,
)
from cleartitle.evals.statistics import Interval, Rate, cluster_draws, cluster_rate, percentile_interval

__all__ = ["SWEEP", "Sampled", "difference", "em_ep", "figures", "sweep"]

SWEEP = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
"""The values of n of figure 4."""
INTERVAL_DRAWS = 1000
BATCH = 100
MOST_VALUES = 1000


@dataclass(frozen=True)
class Sampled:
    """Scores of prompts, own and null, as arrays of equal length; NaN where a prompt has none.

    ``projects`` are the clusters.
    """

    own: Scores
    null: Scores
    projects: Sequence[Hashable]

    def where(self, chosen: npt.NDArray[np.bool_]) -> "Sampled":
        """The prompts of a mask."""
        rows = np.flatnonzero(chosen).tolist()
        return Sampled(self.own[rows], self.null[rows], [self.projects[row] for row in rows])


def figures(group: Sampled, n: int, *, seed: int = 0, draws: int = DRAWS) -> dict[str, Any]:
    """All figures of a group of prompts at ``n`` draws, as plain JSON values.

    ``null`` holds the same figures of the same answers against the sources of other prompts, and ``excess`` what the
    own ones exceed them by, both over the prompts that have a null. Intervals are at 95 %, by resamples of projects;
    they say how far other projects would give other figures, not whether a high score is a copy.
    """
    known = group.where(~np.isnan(group.own))
    paired = known.where(~np.isnan(known.null))
    found: dict[str, Any] = em_ep(known.own, known.projects, n, seed=seed)
    found["bootstrap"] = resampled(known.own, n, draws=draws, seed=seed).as_json() if len(known.own) else None
    found["null"] = em_ep(paired.null, paired.projects, n, seed=seed)
    found["excess"] = _excess(paired, n, seed)
    return found


def em_ep(scores: Scores, projects: Sequence[Hashable], n: int, *, seed: int = 0) -> dict[str, Any]:
    """EM and EP of known scores in closed form, with intervals; None in place of figures where there is no score."""
    above = cluster_rate([bool(score > THRESHOLD) for score in scores], projects, seed=seed)
    record: dict[str, Any] = {"n": n, "prompts": len(scores), "above": above.as_json(), "em": None, "ep": None}
    if len(scores):
        largest = expected_maximum(scores, n)
        record["em"] = {"value": largest.mean, "sd": largest.sd, "interval": _em_interval(scores, projects, n, seed)}
        record["ep"] = _ep(above, n)
    return record


def sweep(group: Sampled) -> list[dict[str, Any]]:
    """EM with its deviation and EP at each n of `SWEEP`, own and null, over the prompts that have both."""
    paired = group.where(~np.isnan(group.own) & ~np.isnan(group.null))
    if not len(paired.own):
        return []
    rows: list[dict[str, Any]] = []
    for n in SWEEP:
        row: dict[str, Any] = {"n": n}
        for name, scores in (("own", paired.own), ("null", paired.null)):
            largest = expected_maximum(scores, n)
            ep = chance_of_one(float(np.mean(scores > THRESHOLD)), n)
            row[name] = {"em": largest.mean, "em_sd": largest.sd, "ep": ep}
        rows.append(row)
    return rows


def _ep(above: Rate, n: int) -> dict[str, Any]:
    """EP grows with the share of prompts above the threshold, so that the interval of the one gives that of the other.

    The sole use of the share also shows how little zero hits say: ``at_most`` of EP is what the bound of the share
    becomes in ``n`` draws.
    """
    assert above.value is not None and above.interval is not None and above.at_most is not None
    low, high = (chance_of_one(share, n) for share in (above.interval.low, above.interval.high))
    return {
        "value": chance_of_one(above.value, n),
        "interval": {"low": low, "high": high, "method": f"of the share of prompts: {above.interval.method}"},
        "at_most": chance_of_one(above.at_most, n),
    }


def difference(
    first: tuple[Scores, Sequence[Hashable]], second: tuple[Scores, Sequence[Hashable]], n: int, *, seed: int = 0
) -> dict[str, Any] | None:
    """EM and EP of one group of prompts less those of another; None where a group is empty.

    The intervals take the groups for independent and resample the projects of each.
    """
    groups = (first, second)
    if any(len(scores) == 0 for scores, _ in groups):
        return None
    ems = [expected_maximum(scores, n).mean for scores, _ in groups]
    eps = [chance_of_one(float(np.mean(scores > THRESHOLD)), n) for scores, _ in groups]
    draws = [_draws(scores, projects, n, seed + place) for place, (scores, projects) in enumerate(groups)]
    found: dict[str, Any] = {"em": {"value": ems[0] - ems[1]}, "ep": {"value": eps[0] - eps[1]}}
    for place, name in enumerate(("em", "ep")):
        found[name]["interval"] = None
        if draws[0] is not None and draws[1] is not None:
            values = draws[0][place] - draws[1][place]
            clusters = len({*first[1], *second[1]})
            found[name]["interval"] = _plain(percentile_interval(values, clusters, seed)) if np.ptp(values) else None
    return found


def _draws(scores: Scores, projects: Sequence[Hashable], n: int, seed: int) -> tuple[Scores, Scores] | None:
    """EM and EP of resamples of projects; None where there is one project."""
    if len(set(projects)) < 2:
        return None
    member, resamples = cluster_draws(projects, draws=INTERVAL_DRAWS, seed=seed)
    table = _Table(scores, member)
    pairs = [(table.means(times, n), table.chances(times, n)) for times in _batches(resamples)]
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])


def _em_interval(scores: Scores, projects: Sequence[Hashable], n: int, seed: int) -> dict[str, Any] | None:
    draws = _draws(scores, projects, n, seed)
    return None if draws is None else _plain(percentile_interval(draws[0], len(set(projects)), seed))


def _excess(paired: Sampled, n: int, seed: int) -> dict[str, Any] | None:
    """EM and EP less those of the null, with intervals over the same resamples of projects for both."""
    if not len(paired.own):
        return None
    pair = (paired.own, paired.null)
    em = expected_maximum(paired.own, n).mean - expected_maximum(paired.null, n).mean
    above = [float(np.mean(scores > THRESHOLD)) for scores in pair]
    ep = chance_of_one(above[0], n) - chance_of_one(above[1], n)
    found: dict[str, Any] = {"em": {"value": em, "interval": None}, "ep": {"value": ep, "interval": None}}
    if len(set(paired.projects)) < 2:
        return found
    member, resamples = cluster_draws(paired.projects, draws=INTERVAL_DRAWS, seed=seed)
    tables = [_Table(scores, member) for scores in pair]
    ems: list[Scores] = []
    eps: list[Scores] = []
    for times in _batches(resamples):
        own, null = (table.means(times, n) for table in tables)
        ems.append(own - null)
        own, null = (table.chances(times, n) for table in tables)
        eps.append(own - null)
    clusters = tables[0].clusters
    found["em"]["interval"] = _plain(percentile_interval(np.concatenate(ems), clusters, seed))
    if np.ptp(differences := np.concatenate(eps)) > 0:  # a constant would claim certainty
        found["ep"]["interval"] = _plain(percentile_interval(differences, clusters, seed))
    return found


def _batches(resamples: Iterator[npt.NDArray[np.int64]]) -> Iterator[Scores]:
    """Resamples as matrices of at most `BATCH` rows: how often each cluster was drawn."""
    while rows := list(islice(resamples, BATCH)):
        yield np.array(rows, dtype=np.float64)


class _Table:
    """How often each cluster has each score, so that a resample is a product of matrices.

    Scores are rounded to a thousandth where there are more than a thousand different ones: an interval is no sharper.
    """

    def __init__(self, scores: Scores, member: npt.NDArray[np.int64]) -> None:
        self.clusters = int(member.max()) + 1
        rounded = scores if len(np.unique(scores)) <= MOST_VALUES else np.round(scores, 3)
        self.values, place = np.unique(rounded, return_inverse=True)
        self.counts = np.zeros((self.clusters, len(self.values)))
        np.add.at(self.counts, (member, place), 1.0)
        self.sizes = np.bincount(member, minlength=self.clusters).astype(float)
        self.hits = np.bincount(member, weights=scores > THRESHOLD, minlength=self.clusters)

    def means(self, times: Scores, n: int) -> Scores:
        """EM of each resample."""
        shares = np.cumsum(times @ self.counts, axis=1) / (times @ self.sizes)[:, None]
        return np.diff(shares**n, axis=1, prepend=0.0) @ self.values

    def chances(self, times: Scores, n: int) -> Scores:
        """EP of each resample."""
        return 1 - (1 - (times @ self.hits) / (times @ self.sizes)) ** n


def _plain(interval: Interval) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "method": interval.method}
