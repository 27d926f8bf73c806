"""What `summary.json` of a study and of an evaluation hold of the same figures, under the same names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cleartitle.membership.attacks import ATTACKS
from cleartitle.membership.blind import BlindReport
from cleartitle.membership.dataset_test import DatasetTestOptions, dataset_test
from cleartitle.membership.evidence import Attack, Evidence, TrainedAttack
from cleartitle.membership.study_tables import Measured, Side, brief, measure
from cleartitle.membership.validity import Validity

__all__ = ["cases", "figures", "renamed", "together", "verdict_record"]

WITHHELD: dict[str, Any] = {"auc": None, "auc_interval": None, "accuracy": None, "withheld": "the run is INVALID"}


def figures(found: Measured, blind: BlindReport, verdict: Validity, headline: str) -> dict[str, Any]:
    """Verdict, headline and attacks; an INVALID run keeps its figures out of both."""
    attacks = {name: brief(result) for name, result in found.results.items()}
    return {
        "validity": verdict.verdict,
        "validity_report": verdict_record(verdict, blind),
        "headline": {"attack": headline, **attacks.get(headline, {})} if verdict.may_print else None,
        "attacks": attacks if verdict.may_print else {name: {**WITHHELD} for name in attacks},
        "withheld": None if verdict.may_print else attacks,
        "not_run": found.scores.left_out,
        "tpr": {name: [_tpr(item) for item in result.tpr] for name, result in found.results.items()},
        "differences": found.differences,
    }


def verdict_record(verdict: Validity, blind: BlindReport) -> dict[str, Any]:
    """A verdict with the classifiers that it rests on, as plain values."""
    return {
        **verdict.as_json(),
        "blind": [
            {"name": one.name, "auc": one.auc, "auc_interval": _pair(one.interval), "p": one.p}
            for one in blind.classifiers
        ],
        "features": [vars(feature) for feature in blind.features[:8]],
        "left_out": list(blind.left_out),
    }


def renamed(
    target: Side,
    shadow: Side,
    evidence: list[Evidence],
    kept: np.ndarray,
    seed: int,
    trained: Sequence[TrainedAttack],
    plain: Sequence[Attack] = ATTACKS,
) -> dict[str, Any]:
    """The same attacks where every text is asked about as a rewrite of the same program, beside the texts as they are.

    Names of locals, order of imports and quotes differ. Only texts that could be rewritten are in either figure.

    Args:
        target: the texts as they are.
        shadow: of the shadows, as they are.
        evidence: of the rewrites, for the texts that have one, in order.
        kept: which texts these are; bool, one a text of ``target``.
        seed: of the bootstrap.
        trained: attacks that the shadows teach.
        plain: attacks that learn nothing.
    """
    member = target.member[kept]
    if not member.any() or member.all():
        return {"texts": int(kept.sum()), "refused": "too few texts could be rewritten"}
    unchanged = Side([item for item, keep in zip(target.evidence, kept, strict=True) if keep], member)
    before, after = (measure(side, shadow, seed, trained, plain) for side in (unchanged, Side(evidence, member)))
    return {
        "texts": int(kept.sum()),
        "attacks": {
            name: {"auc": before.results[name].auc, "auc_renamed": result.auc}
            for name, result in after.results.items()
            if name in before.results
        },
    }


def together(values: np.ndarray | None, target: Side, seed: int) -> dict[str, Any]:
    """The dataset-level test of the members against the non-members, by the scores of one attack."""
    if values is None:
        return {"refused": "the attack did not run"}
    test = dataset_test(values[target.member], values[~target.member], options=DatasetTestOptions(seed=seed))
    record = {name: value for name, value in vars(test).items() if name not in ("null", "power")}
    power = None if test.power is None else vars(test.power)
    return {**record, "power": power, "sentence": test.sentence}


def cases(whole: Side, values: np.ndarray | None) -> list[dict[str, Any]]:
    """Figure 10: the surest member and the surest non-member with the rank of each token."""
    found: list[dict[str, Any]] = []
    for label, best in ((True, max), (False, min)):
        scores = [] if values is None else values.tolist()
        places = [place for place, one in enumerate(scores) if whole.member[place] == label and not np.isnan(one)]
        if not places:
            continue
        item = whole.evidence[best(places, key=lambda place: scores[place])]
        if item.target.rank is None:
            continue
        found.append(
            {
                "member": label,
                "project": item.project,
                "text": item.text,
                "tokens": [
                    [int(start), int(end), int(one)]
                    for start, end, one in zip(item.target.start, item.target.end, item.target.rank, strict=True)
                ],
            }
        )
    return found


def _tpr(item: Any) -> dict[str, Any]:
    return {"fpr": item.fpr, "rate": None if item.rate is None else item.rate.as_json(), "refused": item.refused}


def _pair(interval: Any) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
