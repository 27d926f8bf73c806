"""Decisions from scores: thresholds, accuracy, true positives at few false ones, calibration."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from cleartitle.evals.statistics import CONFIDENCE, Interval, Rate, rate
from cleartitle.membership.statistics import Floats, scored

__all__ = [
    "Bin",
    "Calibration",
    "Decisions",
    "TprAtFpr",
    "at_threshold",
    "calibration",
    "shadow_threshold",
    "top_half",
    "tpr_at_fpr",
]

LEAST_FALSE_POSITIVES = 10


@dataclass(frozen=True)
class Decisions:
    """What a rule that calls texts members or not comes to.

    ``rule`` is in words. ``precision`` is of the texts that were called members, ``recall`` of the members. Counts may
    be halves of a tie, so ``precision`` and ``recall`` are plain shares (None: nothing to judge); accuracy has n and
    interval.
    """

    rule: str
    threshold: float
    accuracy: Rate
    precision: float | None
    recall: float | None
    called: int


@dataclass(frozen=True)
class TprAtFpr:
    """True positive rate where at most ``fpr`` of the non-members are called members.

    ``rate.interval`` is exact (Clopper-Pearson) with the threshold taken as given. ``refused`` says why there is no
    rate: fewer than ten non-members would decide where the threshold lies.
    """

    fpr: float
    rate: Rate | None
    threshold: float | None
    refused: str | None


@dataclass(frozen=True)
class Bin:
    """Texts whose probability lies in one tenth: mean probability, share of members with Wilson's interval."""

    low: float
    high: float
    mean: float
    members: Rate


@dataclass(frozen=True)
class Calibration:
    """Whether probabilities of membership are what they say.

    ``brier`` is the mean squared error (0 best; .25 is a constant half), ``ece`` the mean gap between probability and
    share over the bins, weighted by texts (0 best). Both hold for this share of members only.
    """

    brier: float
    ece: float
    bins: tuple[Bin, ...]


def shadow_threshold(scores: npt.ArrayLike, member: npt.ArrayLike) -> float:
    """The threshold with the best balanced accuracy on shadow texts, midway between the scores on its sides.

    Of equally good ones the highest. It is learned from shadows alone; carry it to the target with `at_threshold`. NaN
    where a label is lacking.
    """
    values, labels = scored(scores, member)
    if not labels.any() or labels.all():
        return math.nan
    levels, inverse = np.unique(values, return_inverse=True)
    members = np.bincount(inverse, labels, minlength=len(levels))
    others = np.bincount(inverse, ~labels, minlength=len(levels))
    gain = np.append(np.cumsum(members[::-1] / labels.sum() - others[::-1] / (~labels).sum())[::-1], 0.0)
    best = int(np.flatnonzero(gain >= gain.max() - 1e-12)[-1])
    if best == 0:
        return float(levels[0])
    if best == len(levels):
        return float(np.nextafter(levels[-1], math.inf))
    return float((levels[best - 1] + levels[best]) / 2)


def at_threshold(
    scores: npt.ArrayLike, member: npt.ArrayLike, threshold: float, rule: str = "threshold from shadow models"
) -> Decisions:
    """Call every text a member whose score is at least ``threshold``; texts without a score are left out."""
    values, labels = scored(scores, member)
    called = values >= threshold
    right = int((called == labels).sum())
    true = int((called & labels).sum())
    count = int(called.sum())
    return Decisions(
        rule,
        float(threshold),
        rate(right, len(labels)),
        true / count if count else None,
        true / int(labels.sum()) if labels.any() else None,
        count,
    )


def top_half(scores: npt.ArrayLike, member: npt.ArrayLike) -> Decisions:
    """Call the half of the texts with the highest scores members: the rule of CodeMI, section 5.3.

    It knows that half of the texts are members, which nobody knows in practice. Of texts that tie at the border an
    equal share of members and others is called, so that the order of the input does not count (the number right is
    rounded to whole texts).
    """
    values, labels = scored(scores, member)
    if not len(values):
        return Decisions("highest half", math.nan, rate(0, 0), None, None, 0)
    half = len(values) // 2
    border = float(np.sort(values)[::-1][max(half - 1, 0)])
    above, tied = values > border, values == border
    share = (half - int(above.sum())) / int(tied.sum())
    true = float((above & labels).sum() + share * (tied & labels).sum())
    right = true + float((~labels).sum()) - (half - true)
    return Decisions(
        "highest half",
        border,
        rate(round(right), len(labels)),
        true / half if half else None,
        true / int(labels.sum()) if labels.any() else None,
        half,
    )


def tpr_at_fpr(scores: npt.ArrayLike, member: npt.ArrayLike, fpr: float) -> TprAtFpr:
    """True positive rate at the lowest threshold that calls at most ``fpr`` of the non-members members.

    Refused with fewer than ``10 / fpr`` non-members: 200 for 5 %, 1,000 for 1 %, 10,000 for 0.1 %.
    """
    values, labels = scored(scores, member)
    others = np.sort(values[~labels])[::-1]
    if len(others) * fpr < LEAST_FALSE_POSITIVES - 1e-9 or not labels.any():
        needed = math.ceil(LEAST_FALSE_POSITIVES / fpr - 1e-9)
        return TprAtFpr(
            fpr,
            None,
            None,
            f"TPR at {100 * fpr:g} % FPR is not given: it needs {needed:,} non-members, this run has {len(others):,}",
        )
    allowed = math.floor(len(others) * fpr + 1e-9)
    # Whatever scores above the first non-member that is not allowed is called a member.
    border = others[allowed] if allowed < len(others) else -math.inf
    hits = int((values[labels] > border).sum())
    plain = rate(hits, int(labels.sum()))
    exact = scipy.stats.binomtest(hits, plain.total).proportion_ci(CONFIDENCE, method="exact")
    interval = Interval(float(exact.low), float(exact.high), "clopper-pearson")
    return TprAtFpr(fpr, Rate(plain.count, plain.total, plain.value, interval, plain.at_most), float(border), None)


def calibration(probability: npt.ArrayLike, member: npt.ArrayLike, bins: int = 10) -> Calibration | None:
    """Reliability of probabilities of membership in bins of equal width; None without texts.

    Raises:
        ValueError: a number outside of 0 to 1.
    """
    values, labels = scored(probability, member)
    if not len(values):
        return None
    if values.min() < 0 or values.max() > 1:
        raise ValueError("a probability lies between 0 and 1")
    place = np.minimum((values * bins).astype(int), bins - 1)
    found: list[Bin] = []
    error = 0.0
    for number in np.unique(place):
        inside: Floats = values[place == number]
        members = rate(int(labels[place == number].sum()), len(inside))
        assert members.value is not None
        found.append(Bin(int(number) / bins, (int(number) + 1) / bins, float(inside.mean()), members))
        error += len(inside) / len(values) * abs(float(inside.mean()) - members.value)
    return Calibration(float(np.mean((values - labels) ** 2)), error, tuple(found))
