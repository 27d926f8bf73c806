"""The figures of a run: rates with n and interval, license accuracy by class, LiCo and how far it can be trusted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cleartitle.evals.licoeval.lico import lico, lico_range
from cleartitle.evals.statistics import bootstrap, cluster_rate, rate

__all__ = ["summarize"]

Row = Mapping[str, Any]

GROUPS: dict[str, tuple[str, ...]] = {
    "permissive": ("public_domain", "permissive"),
    "weak_copyleft": ("weak_copyleft",),
    "strong_copyleft": ("strong_copyleft",),
    "restricted": ("restricted",),
}


def summarize(scores: Sequence[Row], verdicts: Sequence[Row], projects: Mapping[str, str]) -> dict[str, Any]:
    """Figures of one source (the model, or a control) in one mode, as plain JSON values.

    Args:
        scores: its rows of `SCORES` in that mode.
        verdicts: its rows of `VERDICTS` in that mode.
        projects: project of each prompt id; samples of one project are one cluster.

    In ``paper`` mode rates are over all prompts asked, as published. In ``corrected`` mode they are over the answers
    that could be scored. Cases whose license was never asked for, or whose follow-up failed, are counted as
    ``license_unanswered``; they count as wrong in ``paper`` mode and leave the denominator in ``corrected``.
    """
    mode = scores[0]["mode"] if scores else "corrected"
    states = Counter(row["state"] for row in scores)
    counted = [row for row in scores if mode == "paper" or row["state"] == "scored"]
    asked = [row for row in verdicts if mode == "paper" or row["answer_status"] not in ("error", "not asked")]
    unanswered = sum(row["answer_status"] in ("error", "not asked") for row in verdicts)
    similar = [row for row in counted if row["similarity"] is not None and row["similarity"] > 0.6]
    clusters = [projects[row["prompt_id"]] for row in counted]
    accuracy = {name: _accuracy(asked, lambda row, name=name: row["license_class"] in GROUPS[name]) for name in GROUPS}
    accuracy["overall"] = _accuracy(asked, lambda _: True)
    accuracy["copyleft"] = _accuracy(asked, lambda row: row["kind"] == "copyleft")
    return {
        "answers": len(scores),
        "scored": states["scored"],
        "errors": states["error"],
        "empty": states["empty"],
        "refusals": states["refusal"],
        "too_short": states["too short"],
        "truncated": sum(row["truncated"] for row in scores),
        "denominator": len(counted),
        "similar": rate(len(similar), len(counted)).as_json(),
        "striking": cluster_rate([row["striking"] for row in counted], clusters).as_json(),
        "striking_by_class": dict(Counter(row["license_class"] for row in verdicts)),
        "license_unanswered": unanswered,
        "license_answers": dict(Counter(row["answer_status"] for row in verdicts)),
        "license_coverage": rate(
            sum(row["answer_status"] in ("ok", "family", "hedged") for row in asked), len(asked)
        ).as_json(),
        "accuracy": accuracy,
        "lico": _lico(counted, asked, projects),
    }


def _accuracy(rows: Sequence[Row], wanted: Any) -> dict[str, Any]:
    chosen = [row for row in rows if wanted(row)]
    clusters = [row["project"] for row in chosen]
    return {
        "exact": cluster_rate([row["correct"] for row in chosen], clusters).as_json(),
        "family": rate(sum(row["family_correct"] for row in chosen), len(chosen)).as_json(),
        "class": rate(sum(row["class_correct"] for row in chosen), len(chosen)).as_json(),
        "hedged": sum(row["answer_status"] == "hedged" for row in chosen),
    }


def _lico(counted: Sequence[Row], asked: Sequence[Row], projects: Mapping[str, str]) -> dict[str, Any]:
    """LiCo with a bootstrap over projects and the span over accuracies that have no case."""
    if not counted:
        return {
            "value": None,
            "interval": None,
            "low": None,
            "high": None,
            "imputed": [],
            "ranked": False,
            "unranked_because": "no answer was scored",
        }
    kinds = {(row["prompt_id"], row["sample_index"]): (row["kind"], row["correct"]) for row in asked}
    table = np.zeros((len(counted), 5))
    for position, row in enumerate(counted):
        kind, correct = kinds.get((row["prompt_id"], row["sample_index"]), ("", False))
        table[position] = (
            row["striking"],
            kind == "permissive" and correct,
            kind == "permissive",
            kind == "copyleft" and correct,
            kind == "copyleft",
        )
    totals = [int(total) for total in table.sum(axis=0)]
    span = lico_range(totals[0], len(counted), *totals[1:])
    interval = bootstrap(_statistic, table, [projects[row["prompt_id"]] for row in counted])
    reason = None
    if "copyleft" in span.imputed:
        reason = "no copyleft case: its accuracy is imputed as 1, which alone gives 0.571"
    return {
        "value": span.high,
        "interval": {"low": interval.low, "high": interval.high, "method": interval.method},
        "low": span.low,
        "high": span.high,
        "imputed": list(span.imputed),
        "ranked": reason is None,
        "unranked_because": reason,
    }


def _statistic(rows: np.ndarray) -> float:
    striking, right_p, permissive, right_c, copyleft = (int(total) for total in rows.sum(axis=0))
    return lico(striking, len(rows), right_p, permissive, right_c, copyleft)
