"""The figures of a run: rates with n and interval, license accuracy by class, LiCo and how far it can be trusted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cleartitle.evals.licoeval.lico import lico, lico_range
from cleartitle.evals.statistics import bootstrap, cluster_rate

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
    similar = [row["similarity"] is not None and row["similarity"] > 0.6 for row in counted]
    accuracy = {
        name: _accuracy(asked, projects, lambda row, name=name: row["license_class"] in GROUPS[name]) for name in GROUPS
    }
    accuracy["overall"] = _accuracy(asked, projects, lambda _: True)
    accuracy["copyleft"] = _accuracy(asked, projects, lambda row: row["kind"] == "copyleft")
    return {
        "answers": len(scores),
        "scored": states["scored"],
        "errors": states["error"],
        "empty": states["empty"],
        "refusals": states["refusal"],
        "too_short": states["too short"],
        "truncated": sum(row["truncated"] for row in scores),
        "denominator": len(counted),
        "similar": _rate(similar, counted, projects),
        "striking": _rate([row["striking"] for row in counted], counted, projects),
        "striking_by_class": dict(Counter(row["license_class"] for row in verdicts)),
        "license_unanswered": unanswered,
        "license_answers": dict(Counter(row["answer_status"] for row in verdicts)),
        "license_coverage": _rate(
            [row["answer_status"] in ("ok", "family", "hedged") for row in asked], asked, projects
        ),
        "accuracy": accuracy,
        "lico": _lico(counted, asked, projects),
    }


def _rate(hits: Sequence[bool], rows: Sequence[Row], projects: Mapping[str, str]) -> dict[str, Any]:
    prompts = [row["prompt_id"] for row in rows]
    return cluster_rate(hits, [projects[prompt] for prompt in prompts], prompts).as_json()


def _accuracy(rows: Sequence[Row], projects: Mapping[str, str], wanted: Any) -> dict[str, Any]:
    chosen = [row for row in rows if wanted(row)]
    return {
        "exact": _rate([row["correct"] for row in chosen], chosen, projects),
        "family": _rate([row["family_correct"] for row in chosen], chosen, projects),
        "class": _rate([row["class_correct"] for row in chosen], chosen, projects),
        "hedged": sum(row["answer_status"] == "hedged" for row in chosen),
    }


def _lico(counted: Sequence[Row], asked: Sequence[Row], projects: Mapping[str, str]) -> dict[str, Any]:
    """LiCo with a bootstrap over projects and the span over accuracies that have no case.

    A resample that holds no copyleft case counts that accuracy as 1, as the formula does: with few such cases the upper
    end of the interval is high for that reason. Answers of one project give no interval.
    """
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
    clusters = [projects[row["prompt_id"]] for row in counted]
    interval = bootstrap(_statistic, table, clusters) if len(set(clusters)) > 1 else None
    reason = None
    if "copyleft" in span.imputed:
        reason = "no copyleft case: its accuracy is imputed as 1, which alone gives 0.571"
    return {
        "value": span.high,
        "interval": interval and {"low": interval.low, "high": interval.high, "method": interval.method},
        "low": span.low,
        "high": span.high,
        "imputed": list(span.imputed),
        "ranked": reason is None,
        "unranked_because": reason,
    }


def _statistic(sums: np.ndarray, n: int) -> float:
    striking, right_p, permissive, right_c, copyleft = (round(total) for total in sums)
    return lico(striking, n, right_p, permissive, right_c, copyleft)
