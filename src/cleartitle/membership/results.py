"""What a run of attacks came to: one result an attack, as tables and summaries print it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle.evals.statistics import Interval
from cleartitle.membership.attacks.run import AttackScores
from cleartitle.membership.rates import Decisions, TprAtFpr, at_threshold, shadow_threshold, top_half, tpr_at_fpr
from cleartitle.membership.statistics import (
    Difference,
    auc,
    auc_interval,
    chance_p,
    compare,
    holm,
    partial_auc,
    scored,
    shift_warning,
)

__all__ = ["FALSE_POSITIVE_RATES", "AttackResult", "attack_results", "compare_all"]

FALSE_POSITIVE_RATES = (0.05, 0.01, 0.001)


@dataclass(frozen=True)
class AttackResult:
    """The figures of one attack on one run.

    ``p`` is against chance, ``p_holm`` the same for all attacks of the run together. ``shadow_rule`` is None without
    shadows. ``warning`` tells of an AUC clearly below one half. ``unscored`` texts are in no figure.
    """

    name: str
    members: int
    non_members: int
    unscored: int
    auc: float | None
    auc_interval: Interval | None
    partial_auc: float | None
    p: float | None
    p_holm: float | None
    half_rule: Decisions
    shadow_rule: Decisions | None
    tpr: tuple[TprAtFpr, ...]
    warning: str | None

    @property
    def decisions(self) -> Decisions:
        """By the threshold from shadows where there is one, else the highest half."""
        return self.shadow_rule or self.half_rule

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``summary.json``, with ``accuracy``, ``precision`` and ``recall`` of `decisions`."""
        record = asdict(self)
        chosen = self.decisions
        record["accuracy"] = chosen.accuracy.value
        record["accuracy_rule"] = chosen.rule
        record["precision"], record["recall"] = chosen.precision, chosen.recall
        return record


def attack_results(
    scores: AttackScores,
    member: npt.ArrayLike,
    *,
    shadow: AttackScores | None = None,
    shadow_member: npt.ArrayLike = (),
    thresholds: Mapping[str, float] | None = None,
    seed: int = 0,
) -> dict[str, AttackResult]:
    """The result of every attack that ran.

    Args:
        scores: of the texts under test.
        member: bool, one a text of ``scores``.
        shadow: scores by shadow models of their own members and non-members, for thresholds.
        shadow_member: bool, one a text of ``shadow``.
        thresholds: thresholds that are known otherwise, such as 0 for log-odds; they come before those from ``shadow``.
        seed: of the bootstrap.
    """
    labels = np.asarray(member, bool)
    projects = None if None in scores.projects else scores.projects
    p_values = {name: chance_p(values, labels) for name, values in scores.scores.items()}
    corrected = holm(p_values)
    results: dict[str, AttackResult] = {}
    for name, values in scores.scores.items():
        kept, truth = scored(values, labels)
        area = auc(kept, truth)
        interval = auc_interval(values, labels, projects, seed=seed) if not np.isnan(area) else None
        part = partial_auc(kept, truth)
        threshold = _threshold(name, shadow, shadow_member, thresholds or {})
        results[name] = AttackResult(
            name,
            int(truth.sum()),
            int((~truth).sum()),
            len(values) - len(kept),
            None if np.isnan(area) else area,
            interval,
            None if np.isnan(part) else part,
            p_values[name],
            corrected[name],
            top_half(kept, truth),
            None if threshold is None else at_threshold(kept, truth, threshold),
            tuple(tpr_at_fpr(kept, truth, fpr) for fpr in FALSE_POSITIVE_RATES),
            shift_warning(area, interval),
        )
    return results


def compare_all(
    scores: AttackScores, member: npt.ArrayLike, pairs: Sequence[tuple[str, str]], *, seed: int = 0
) -> dict[tuple[str, str], tuple[Difference, float | None]]:
    """The paired difference of each pair of attacks, with its p-value after Holm over these pairs.

    Pairs of which an attack did not run are left out. Name the pairs before looking: a pair that was picked for its
    difference has no p-value.
    """
    projects = None if None in scores.projects else scores.projects
    found = {
        pair: compare(scores.scores[pair[0]], scores.scores[pair[1]], member, projects, seed=seed)
        for pair in pairs
        if pair[0] in scores.scores and pair[1] in scores.scores
    }
    corrected = holm({"\n".join(pair): difference.p for pair, difference in found.items()})
    return {pair: (difference, corrected["\n".join(pair)]) for pair, difference in found.items()}


def _threshold(
    name: str, shadow: AttackScores | None, shadow_member: npt.ArrayLike, known: Mapping[str, float]
) -> float | None:
    if name in known:
        return known[name]
    if shadow is None or name not in shadow.scores:
        return None
    threshold = shadow_threshold(shadow.scores[name], shadow_member)
    return None if np.isnan(threshold) else threshold
