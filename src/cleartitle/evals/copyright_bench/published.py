"""Violation rates that the paper prints, as counts of 240 with an interval, marked as published."""

from typing import Any

from cleartitle.evals.statistics import rate

__all__ = ["published_rows"]

PAPER = "Copyright-Bench, arXiv 2607.21799v2"

MEANS = {
    "Claude 4.5 Opus": 27.6,
    "Gemini 3 Pro": 28.7,
    "Claude 4.5 Sonnet": 28.7,
    "GPT-5.2": 30.6,
    "GPT-5.1": 32.3,
    "Gemini 3 Flash": 33.9,
    "GPT-4o": 36.2,
    "Llama-4-Maverick": 41.0,
    "Qwen-3VL": 43.9,
    "DeepSeek-VL": 46.3,
    "Llama-4-Scout": 48.6,
}
"""Mean violation rate over all cells, in percent."""

CELLS = (
    ("GPT-5.1", "webdev", "neutral", 99),
    ("GPT-5.1", "merch", "neutral", 100),
    ("GPT-5.1", "pitchdeck", "neutral", 101),
    ("Gemini 3 Pro", "webdev", "neutral", 95),
    ("Gemini 3 Pro", "webdev", "ip-aware", 24),
    ("Claude 4.5 Opus", "webdev", "neutral", 92),
    ("Claude 4.5 Opus", "webdev", "ip-dismissive", 47),
)
"""Violations of 240 runs in the std environment, where the text names model, task and prompt."""

HUMANS = {"mean": 30.5, "neutral": 36.3, "participants": 176}


def published_rows() -> dict[str, Any]:
    """The paper's figures; intervals are ours, computed from the counts that the printed rates imply."""
    found = []
    for model, task, prompt, violations in CELLS:
        here = rate(violations, 240)
        assert here.interval is not None
        found.append(
            {
                "model": model,
                "task": task,
                "prompt": prompt,
                "violations": violations,
                "runs": 240,
                "vr": here.value,
                "vr_interval": [here.interval.low, here.interval.high],
            }
        )
    return {"source": PAPER, "means_percent": MEANS, "cells": found, "humans_percent": HUMANS}
