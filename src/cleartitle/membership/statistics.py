"""How well scores part members from non-members: areas, rates and differences, each with its uncertainty."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from cleartitle.evals.statistics import CONFIDENCE, Interval, percentile_interval

__all__ = [
    "Difference",
    "auc",
    "auc_interval",
    "chance_p",
    "compare",
    "delong",
    "holm",
    "partial_auc",
    "project_auc_interval",
    "roc_curve",
    "scored",
    "shift_warning",
]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

DRAWS = 2000


@dataclass(frozen=True)
class Difference:
    """AUC of one attack minus that of another on the same texts.

    ``p`` is two-sided, from the paired test of DeLong et al. 1988 (None where the difference has no variance, as with
    equal orders). ``interval`` comes from the same variance, ``bootstrap`` from resamples of whole projects where
    texts share them (None otherwise). The test takes texts as independent: where ``bootstrap`` is there, believe it.
    """

    value: float
    interval: Interval | None
    p: float | None
    bootstrap: Interval | None
    texts: int

    @property
    def is_clear(self) -> bool:
        """Whether zero lies outside of the interval that counts (``bootstrap`` where there is one)."""
        interval = self.bootstrap or self.interval
        return interval is not None and not interval.low <= 0 <= interval.high


def auc(scores: npt.ArrayLike, member: npt.ArrayLike) -> float:
    """Probability that a random member scores higher than a random non-member, ties as one half; 0 to 1.

    The Mann-Whitney statistic divided by the number of pairs, which is the area under the ROC curve (Hanley and McNeil
    1982). Texts without a score (NaN) are left out. NaN where members or non-members are lacking.
    """
    values, labels = scored(scores, member)
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        return math.nan
    ranks = _midranks(values)
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def delong(scores: npt.ArrayLike, member: npt.ArrayLike) -> Interval | None:
    """95 % interval of the AUC after DeLong, DeLong and Clarke-Pearson 1988, cut to 0 to 1; texts as independent.

    Computed from midranks (Sun and Xu 2014). None with fewer than two members or non-members, and where all scores are
    equal. Where every member scores above every non-member (or below) the variance is estimated as 0, which claims a
    certainty that is not there: the interval is then the exact one of no inversion among as many independent pairs as
    the smaller set has texts.
    """
    values, labels = scored(scores, member)
    fewest = min(int(labels.sum()), int((~labels).sum()))
    if fewest < 2:
        return None
    area, variance = _delong(values[None, :], labels)
    return _saturated(float(area[0]), fewest) or _normal_interval(float(area[0]), float(variance[0, 0]), "DeLong")


def chance_p(scores: npt.ArrayLike, member: npt.ArrayLike) -> float | None:
    """Two-sided p-value of an AUC of one half (Mann-Whitney, normal approximation with ties); texts as independent.

    None where a label is lacking or all scores are equal.
    """
    values, labels = scored(scores, member)
    if not labels.any() or labels.all() or values.min() == values.max():
        return None
    return float(scipy.stats.mannwhitneyu(values[labels], values[~labels], method="asymptotic").pvalue)


def project_auc_interval(
    scores: npt.ArrayLike,
    member: npt.ArrayLike,
    projects: Sequence[Hashable],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval | None:
    """Percentile interval of the AUC over resamples of whole projects, in three strata.

    Projects of members alone, of non-members alone and of both are drawn with replacement apart from each other, so
    that each resample holds both labels. None where a label comes from one project only: nothing then tells how
    projects differ. An AUC of exactly 0 or 1 has the exact bound of `delong`, counted in projects.
    """
    keep = ~np.isnan(np.asarray(scores, np.float64))
    values, labels = np.asarray(scores, np.float64)[keep], np.asarray(member, bool)[keep]
    groups = [project for project, kept in zip(projects, keep, strict=True) if kept]
    prepared = _Resampling.of(labels, groups)
    if prepared is None:
        return None
    saturated = _saturated(auc(values, labels), prepared.fewest)
    if saturated is not None:
        return saturated
    return percentile_interval(prepared.areas([values], draws=draws, seed=seed)[0], prepared.count, seed)


def auc_interval(
    scores: npt.ArrayLike,
    member: npt.ArrayLike,
    projects: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
) -> Interval | None:
    """The interval of the AUC that fits the texts: over projects where texts share one, else `delong`.

    ``interval.method`` says which. Where texts share projects and a label comes from a single one, `delong` is given
    and its method says that it takes the texts of that project as independent.
    """
    if projects is None or len(set(projects)) == len(projects):
        return delong(scores, member)
    interval = project_auc_interval(scores, member, projects, seed=seed)
    if interval is not None:
        return interval
    plain = delong(scores, member)
    return None if plain is None else Interval(plain.low, plain.high, "DeLong, texts of one project as independent")


def compare(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    member: npt.ArrayLike,
    projects: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
) -> Difference:
    """AUC of ``first`` minus that of ``second`` on the texts that both scored, paired.

    Raises:
        ValueError: no members or no non-members among these texts, or the lengths differ.
    """
    one, two, labels = (np.asarray(values) for values in (first, second, member))
    if not len(one) == len(two) == len(labels):
        raise ValueError("paired attacks need a score and a label for each text")
    both = ~(np.isnan(one) | np.isnan(two))
    pair, truth = np.stack([one[both], two[both]]).astype(np.float64), labels[both].astype(bool)
    if not truth.any() or truth.all():
        raise ValueError("no members or no non-members among the texts that both attacks scored")
    value = auc(pair[0], truth) - auc(pair[1], truth)
    interval, p = _paired_delong(pair, truth, value)
    bootstrap = None
    if projects is not None and len(set(projects)) < len(projects):
        prepared = _Resampling.of(truth, [project for project, kept in zip(projects, both, strict=True) if kept])
        if prepared is not None:
            areas = prepared.areas(list(pair), draws=DRAWS, seed=seed)
            bootstrap = percentile_interval(areas[0] - areas[1], prepared.count, seed)
    return Difference(float(value), interval, p, bootstrap, len(truth))


def partial_auc(scores: npt.ArrayLike, member: npt.ArrayLike, largest_fpr: float = 0.05) -> float:
    """Area under the ROC curve up to a false positive rate, scaled to .5 for chance and 1 for perfect (McClish 1989).

    NaN where members or non-members are lacking. A value below .5 is worse than chance in this part of the curve.
    """
    values, labels = scored(scores, member)
    if not labels.any() or labels.all():
        return math.nan
    fpr, tpr = roc_curve(values, labels)
    inside = fpr <= largest_fpr
    edge = np.interp(largest_fpr, fpr, tpr)
    x, y = np.append(fpr[inside], largest_fpr), np.append(tpr[inside], edge)
    area, least = float(np.trapezoid(y, x)), largest_fpr**2 / 2
    return 0.5 * (1 + (area - least) / (largest_fpr - least))


def roc_curve(scores: npt.ArrayLike, member: npt.ArrayLike) -> tuple[Floats, Floats]:
    """False and true positive rates from (0, 0) to (1, 1), one point for each distinct score, highest first.

    NaN are left out; needs both labels.
    """
    values, labels = scored(scores, member)
    order = np.argsort(-values, kind="stable")
    last = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    true = np.cumsum(labels[order])[last]
    false = last + 1 - true
    return np.append(0.0, false / false[-1]), np.append(0.0, true / true[-1])


def holm(p_values: Mapping[str, float | None]) -> dict[str, float | None]:
    """P-values that hold for all comparisons together (Holm 1979), 0 to 1; None stays None and does not count."""
    known = sorted((value, name) for name, value in p_values.items() if value is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p_values)
    largest = 0.0
    for place, (value, name) in enumerate(known):
        largest = max(largest, min(1.0, value * (len(known) - place)))
        adjusted[name] = largest
    return adjusted


def shift_warning(area: float, interval: Interval | None) -> str | None:
    """What an AUC clearly below one half means, or None where it is not.

    Memory of members cannot lower their likelihood, so such a value shows that the two sets differ by themselves; it
    does not show that the attack failed, and turning the sign round does not mend it.
    """
    if math.isnan(area) or interval is None or interval.high >= 0.5:
        return None
    return (
        f"AUC {area:.3f} with its whole interval [{interval.low:.3f}, {interval.high:.3f}] below .5: the non-members "
        "are easier for the model than the members. The two sets differ in something else than membership; "
        "no conclusion on membership can be drawn from them."
    )


def scored(scores: npt.ArrayLike, member: npt.ArrayLike) -> tuple[Floats, Bools]:
    """Scores that are numbers, with their labels.

    Raises:
        ValueError: the lengths differ.
    """
    values, labels = np.asarray(scores, np.float64), np.asarray(member, bool)
    if values.shape != labels.shape:
        raise ValueError(f"{values.shape} scores and {labels.shape} labels")
    keep = ~np.isnan(values)
    return values[keep], labels[keep]


def _midranks(values: Floats) -> Floats:
    """Ranks from 1 on, the mean rank for ties."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


def _delong(scores: Floats, labels: Bools) -> tuple[Floats, Floats]:
    """Areas, shape (k,), and their covariance, shape (k, k), of k scores of the same texts."""
    positives, negatives = int(labels.sum()), int((~labels).sum())
    both = np.stack([_midranks(row) for row in scores])
    high = both[:, labels] - np.stack([_midranks(row) for row in scores[:, labels]])
    low = both[:, ~labels] - np.stack([_midranks(row) for row in scores[:, ~labels]])
    of_members, of_others = high / negatives, 1 - low / positives
    covariance = np.atleast_2d(np.cov(of_members)) / positives + np.atleast_2d(np.cov(of_others)) / negatives
    return of_members.mean(axis=1), covariance


def _normal_interval(center: float, variance: float, method: str, *, low: float = 0.0) -> Interval | None:
    if variance <= 1e-18:
        return None
    half = float(scipy.stats.norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(variance)
    return Interval(max(low, center - half), min(1.0, center + half), method)


def _saturated(area: float, pairs: int) -> Interval | None:
    """The exact interval of 0 of ``pairs`` where an AUC is exactly 0 or 1."""
    if 0 < area < 1:
        return None
    width = 1 - ((1 - CONFIDENCE) / 2) ** (1 / pairs)
    method = f"exact, no inversion among {pairs} independent pairs"
    return Interval(1 - width, 1.0, method) if area >= 1 else Interval(0.0, width, method)


def _paired_delong(pair: Floats, labels: Bools, value: float) -> tuple[Interval | None, float | None]:
    if min(int(labels.sum()), int((~labels).sum())) < 2:
        return None, None
    _, covariance = _delong(pair, labels)
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    interval = _normal_interval(value, variance, "paired DeLong", low=-1.0)
    if interval is None:
        return None, None
    return interval, float(2 * scipy.stats.norm.sf(abs(value) / math.sqrt(variance)))


@dataclass(frozen=True)
class _Resampling:
    """Texts by project, ready for resamples of whole projects within strata."""

    labels: Bools
    project: npt.NDArray[np.int64]
    strata: tuple[npt.NDArray[np.int64], ...]

    @classmethod
    def of(cls, labels: Bools, projects: Sequence[Hashable]) -> "_Resampling | None":
        numbers: dict[Hashable, int] = {}
        project = np.fromiter((numbers.setdefault(name, len(numbers)) for name in projects), np.int64, len(projects))
        members = np.bincount(project, labels, minlength=len(numbers)) > 0
        others = np.bincount(project, ~labels, minlength=len(numbers)) > 0
        if min(int(members.sum()), int(others.sum())) < 2:
            return None
        strata = (members & ~others, others & ~members, members & others)
        return cls(labels, project, tuple(np.flatnonzero(stratum) for stratum in strata if stratum.any()))

    @property
    def count(self) -> int:
        """Number of projects."""
        return sum(map(len, self.strata))

    @property
    def fewest(self) -> int:
        """Number of projects of the label that comes from fewer of them."""
        return min(len(np.unique(self.project[self.labels])), len(np.unique(self.project[~self.labels])))

    def areas(self, scores: Sequence[Floats], *, draws: int, seed: int) -> Floats:
        """The AUC of each score in each resample, shape (scores, draws): the same resamples for all.

        A half where a resample lacks a label. The pairs that each project's members win against each project's others
        are counted once; a resample only weighs them.
        """
        generator = np.random.default_rng(seed)
        times = np.zeros((draws, self.count))
        rows = np.arange(draws)[:, None] * self.count
        for stratum in self.strata:
            chosen = generator.choice(stratum, (draws, len(stratum))) + rows
            times += np.bincount(chosen.ravel(), minlength=draws * self.count).reshape(draws, self.count)
        members = times @ np.bincount(self.project[self.labels], minlength=self.count)
        others = times @ np.bincount(self.project[~self.labels], minlength=self.count)
        won = np.stack([((times @ self._wins(values)) * times).sum(axis=1) for values in scores])
        return np.where(members * others > 0, won / np.maximum(members * others, 1), 0.5)

    def _wins(self, values: Floats) -> Floats:
        """Pairs in which a member of project i scores above another text of project j, ties as halves, [i, j]."""
        members, of_members = values[self.labels], self.project[self.labels]
        others, of_others = values[~self.labels], self.project[~self.labels]
        wins = np.zeros((self.count, self.count))
        for number in np.unique(of_others):
            ordered = np.sort(others[of_others == number])
            below = (np.searchsorted(ordered, members) + np.searchsorted(ordered, members, side="right")) / 2
            wins[:, number] = np.bincount(of_members, below, minlength=self.count)
        return wins
