# pyright: reportMissingImports=false, reportUntypedFunctionDecorator=false
"""Metrics of Inspect AI over the scores of `inspect_licoeval`, from the same functions that sum up our own runs.

They look at every sample of every epoch. They take an empty list and unscored values (NaN), as Inspect calls them on
both while a run is under way; what has no case is NaN, never 0.
"""

from math import isnan, nan
from typing import Any, cast

from inspect_ai.scorer import Metric, SampleScore, metric

from cleartitle.evals.licoeval import lico_range
from cleartitle.evals.statistics import cluster_rate

__all__ = ["lico_score", "rate"]


@metric(scores="unreduced")
def rate() -> Metric:
    """Share of scores that are 1, its n, and its 95 % interval (`cluster_rate`, with projects as clusters)."""

    def compute(scores: list[SampleScore]) -> Any:
        known = [score for score in scores if not isnan(score.score.as_float())]
        found = cluster_rate(
            [score.score.as_float() == 1 for score in known],
            [(score.sample_metadata or {}).get("project") for score in known],
            [score.sample_id for score in known],
        )
        interval = found.interval
        return {
            "share": nan if found.value is None else found.value,
            "n": found.total,
            "low": nan if interval is None else interval.low,
            "high": nan if interval is None else interval.high,
        }

    return compute


@metric(scores="unreduced")
def lico_score() -> Metric:
    """LiCo of the whole run, with the counts that it is made of (`lico_range`).

    ``lico`` counts an accuracy without a case as 1, as published; ``lico_low`` counts it as 0. Where they differ, the
    run says nothing about that accuracy.
    """

    def compute(scores: list[SampleScore]) -> Any:
        values = [(score.score.value, (score.score.metadata or {}).get("kind")) for score in scores]
        scored = [(cast("dict[str, float]", value), kind) for value, kind in values if isinstance(value, dict)]
        rows = [(value, kind) for value, kind in scored if not isnan(value["striking"])]
        answers, striking = len(rows), sum(value["striking"] == 1 for value, _ in rows)
        named = {
            name: [
                value["license_correct"] for value, kind in rows if kind == name and not isnan(value["license_correct"])
            ]
            for name in ("permissive", "copyleft")
        }
        counts = {f"{name}_cases": len(cases) for name, cases in named.items()}
        if answers == 0:
            return {"lico": nan, "lico_low": nan, "answers": 0, "striking": 0, **counts}
        right = {name: sum(case == 1 for case in cases) for name, cases in named.items()}
        span = lico_range(
            striking,
            answers,
            right["permissive"],
            counts["permissive_cases"],
            right["copyleft"],
            counts["copyleft_cases"],
        )
        return {"lico": span.high, "lico_low": span.low, "answers": answers, "striking": striking, **counts}

    return compute
