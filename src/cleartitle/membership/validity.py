"""May these texts say anything about membership? VALID, CAUTION or INVALID, with reasons in plain sentences."""

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cleartitle.evals.statistics import Interval
from cleartitle.membership.blind import BlindReport
from cleartitle.membership.statistics import Difference, auc, auc_interval, compare, scored, shift_warning

__all__ = ["Control", "Matched", "Validity", "judge", "matched_subset"]

Verdict = Literal["VALID", "CAUTION", "INVALID"]
_ORDER: tuple[Verdict, ...] = ("VALID", "CAUTION", "INVALID")

CAUTION_FROM = 0.55
INVALID_FROM = 0.65
FEW_PROJECTS = 10
DUPLICATES_CAUTION = 0.01
DUPLICATES_INVALID = 0.1
CALIPER = 0.2


@dataclass(frozen=True)
class Control:
    """The same attack on a model that saw neither set: what it finds is in the texts, not in the target's memory."""

    auc: float
    interval: Interval | None
    excess: Difference


@dataclass(frozen=True)
class Matched:
    """The attack on pairs of a member and a non-member that the blind classifier cannot tell apart."""

    pairs: int
    auc: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Validity:
    """The verdict on one attack's figure.

    ``excess`` is its AUC minus the best blind one, paired. With INVALID no headline may be printed (`may_print`); with
    CAUTION print ``excess`` and ``matched`` beside it.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    attack: str
    attack_auc: float | None
    blind_auc: float
    blind_p: float
    excess: Difference | None
    matched: Matched | None
    control: Control | None

    @property
    def may_print(self) -> bool:
        """Whether the attack's figure may be shown as evidence."""
        return self.verdict != "INVALID"

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``summary.json``."""
        return asdict(self)


def judge(
    blind: BlindReport,
    attack: str,
    scores: npt.ArrayLike,
    member: npt.ArrayLike,
    projects: Sequence[Hashable] | None = None,
    *,
    control: npt.ArrayLike | None = None,
    unit: str = "project",
    seed: int = 0,
) -> Validity:
    """Judge whether the figure of ``attack`` is evidence of membership.

    The rules, fixed before looking: INVALID where blind classifiers reach an AUC of .65 beyond chance, or as much as
    the attack beyond chance; where one non-member in ten is a near-duplicate of a member; where the attack is clearly
    below .5; or where the control model shows as much as the target. CAUTION where they reach .55 beyond chance, where
    the attack's interval is not clear of the blind AUC, with one near-duplicate in a hundred, with under ten projects
    on a side, or where the control is clearly above .5. VALID otherwise, which does not show that the sets are alike,
    only that nothing here tells them apart. Beyond chance: `BlindReport.is_telling`.

    Args:
        blind: of exactly these texts.
        attack: its name.
        scores: of the attack, one a text.
        member: bool, one a text.
        projects: what each text comes from.
        control: scores of the same attack for these texts on a model that saw neither set.
        unit: what the projects are, in words.
        seed: of the bootstrap.
    """
    labels = np.asarray(member, bool)
    values = np.asarray(scores, np.float64)
    area = auc(values, labels)
    interval = auc_interval(values, labels, projects, seed=seed) if not np.isnan(area) else None
    best = blind.best
    notes: list[tuple[Verdict, str]] = [*_of_blind(blind), *_of_design(blind, unit)]
    excess = matched = None
    if not np.isnan(area):
        excess = _paired(values, best.scores, labels, projects, seed)
        notes += _of_attack(blind, area, interval, excess)
        matched = matched_subset(values, best.scores, labels)
    found = None
    if control is not None and not np.isnan(area):
        found, more = _of_control(values, np.asarray(control, np.float64), labels, projects, seed)
        notes += more
    verdict = _ORDER[max((_ORDER.index(grade) for grade, _ in notes), default=0)]
    ordered = sorted(notes, key=lambda note: -_ORDER.index(note[0]))
    return Validity(
        verdict,
        tuple(text for _, text in ordered),
        attack,
        None if np.isnan(area) else area,
        best.auc,
        blind.p,
        excess,
        matched,
        found,
    )


def matched_subset(scores: npt.ArrayLike, blind: npt.ArrayLike, member: npt.ArrayLike) -> Matched:
    """The attack's AUC on members and non-members matched by blind score (propensity score matching).

    Each member, in order of its score, takes the nearest non-member that is left within 0.2 standard deviations of the
    blind scores (Austin 2011); others are left out. The interval is DeLong's.
    """
    values, propensity = np.asarray(scores, np.float64), np.asarray(blind, np.float64)
    labels = np.asarray(member, bool)
    usable = ~(np.isnan(values) | np.isnan(propensity))
    spread = float(propensity[usable].std()) if usable.any() else 0.0
    members = np.flatnonzero(usable & labels)
    others = np.flatnonzero(usable & ~labels)
    others = others[np.argsort(propensity[others], kind="stable")]
    levels = propensity[others]
    free = np.ones(len(others), bool)
    chosen: list[int] = []
    for one in members[np.argsort(propensity[members], kind="stable")]:
        low = np.searchsorted(levels, propensity[one] - CALIPER * spread)
        high = np.searchsorted(levels, propensity[one] + CALIPER * spread, side="right")
        window = np.flatnonzero(free[low:high]) + low
        if len(window):
            nearest = window[np.abs(levels[window] - propensity[one]).argmin()]
            free[nearest] = False
            chosen += [int(one), int(others[nearest])]
    if not chosen:
        return Matched(0, None, None)
    area = auc(values[chosen], labels[chosen])
    return Matched(len(chosen) // 2, area, auc_interval(values[chosen], labels[chosen]))


def _of_blind(blind: BlindReport) -> list[tuple[Verdict, str]]:
    best = blind.best
    if not blind.is_telling:
        text = f"No blind classifier tells the sets apart beyond chance (best AUC {best.auc:.3f}, p = {blind.p:.2g})."
        return [("CAUTION" if best.auc >= INVALID_FROM else "VALID", text + _too_small(best.auc))]
    telling = ", ".join(f"{item.name} (AUC {item.auc:.2f})" for item in blind.features[:3])
    text = (
        f"Without the model, {best.name} tells members from non-members with AUC {best.auc:.3f} "
        f"(p = {blind.p:.2g}). Plain features that differ most: {telling}."
    )
    if best.auc >= INVALID_FROM:
        return [("INVALID", text)]
    return [("CAUTION" if best.auc >= CAUTION_FROM else "VALID", text)]


def _too_small(area: float) -> str:
    return " There are too few texts to tell such an AUC from chance." if area >= INVALID_FROM else ""


def _of_design(blind: BlindReport, unit: str) -> list[tuple[Verdict, str]]:
    notes: list[tuple[Verdict, str]] = []
    share = blind.duplicates.non_members.value or 0.0
    if share >= DUPLICATES_CAUTION:
        text = f"Near-duplicates of members among the non-members: {blind.duplicates.non_members}."
        notes.append(("INVALID" if share >= DUPLICATES_INVALID else "CAUTION", text))
    if blind.projects is not None and min(blind.projects) < FEW_PROJECTS:
        members, others = blind.projects
        text = (
            f"Members come from {members} {unit}s and non-members from {others}: too few to tell membership from what "
            f"is particular to these {unit}s."
        )
        notes.append(("CAUTION", text))
    elif blind.shared_projects == 0:
        notes.append(
            ("VALID", f"No {unit} stands on both sides: what is found holds for {unit}s, not for single texts.")
        )
    return notes


def _of_attack(
    blind: BlindReport, area: float, interval: Interval | None, excess: Difference | None
) -> list[tuple[Verdict, str]]:
    notes: list[tuple[Verdict, str]] = []
    warning = shift_warning(area, interval)
    if warning is not None:
        notes.append(("INVALID", warning))
    if not blind.is_telling:
        return notes
    if blind.best.auc >= area:
        notes.append(("INVALID", f"The attack (AUC {area:.3f}) tells no more than those who never asked the model."))
    elif excess is None or not excess.is_clear:
        notes.append(("CAUTION", f"The attack's AUC {area:.3f} is not clear of the blind AUC {blind.best.auc:.3f}."))
    return notes


def _of_control(
    values: npt.NDArray[np.float64],
    control: npt.NDArray[np.float64],
    labels: npt.NDArray[np.bool_],
    projects: Sequence[Hashable] | None,
    seed: int,
) -> tuple[Control | None, list[tuple[Verdict, str]]]:
    area = auc(control, labels)
    if np.isnan(area):
        return None, [("CAUTION", "The control model scored no text.")]
    interval = auc_interval(control, labels, projects, seed=seed)
    excess = compare(values, control, labels, projects, seed=seed)
    found = Control(area, interval, excess)
    text = f"On a model that saw neither set the same attack has AUC {area:.3f}"
    if interval is not None and interval.low > 0.5:
        beyond = excess.is_clear and excess.value > 0
        ending = ": part of the figure is in the texts." if beyond else ": the figure is in the texts, not the model."
        return found, [("CAUTION" if beyond and area < INVALID_FROM else "INVALID", text + ending)]
    return found, [("VALID", text + ", not above chance.")]


def _paired(
    values: npt.NDArray[np.float64],
    blind: npt.NDArray[np.float64],
    labels: npt.NDArray[np.bool_],
    projects: Sequence[Hashable] | None,
    seed: int,
) -> Difference | None:
    both = ~(np.isnan(values) | np.isnan(blind))
    kept, truth = scored(values[both], labels[both])
    if not len(kept) or truth.all() or not truth.any():
        return None
    return compare(values, blind, labels, projects, seed=seed)
