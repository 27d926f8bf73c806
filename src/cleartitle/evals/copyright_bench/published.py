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
    ("Llama-4-Maverick", "not named", "neutral", 108),
    ("Llama-4-Maverick", "not named", "ip-dismissive", 125),
)
"""Violations of 240 runs in the std environment, where the text names model and prompt."""

HUMANS = {"mean": 30.5, "neutral": 36.3, "participants": 176}
"""In percent, as printed: mean over prompts, and mean over tasks of the neutral prompt."""

PEOPLE = (
    ("all three", "neutral", 36.3, 16, 44),
    ("webdev", "ip-aware", 0.0, 0, 15),
    ("merch", "ip-aware", 6.6, 1, 15),
    ("pitchdeck", "ip-aware", 0.0, 0, 15),
    ("lowest of three", "ip-dismissive", 46.2, 6, 13),
    ("highest of three", "ip-dismissive", 50.0, 7, 14),
)
"""Task, prompt, rate in percent as printed, and the smallest counts near 176 people in 12 cells that give it.

The paper prints no counts of people. These are what its rates and the size of its study imply, and may be off by one.
"""


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
    people: list[dict[str, Any]] = []
    for task, prompt, percent, violations, runs in PEOPLE:
        here = rate(violations, runs)
        assert here.interval is not None
        interval = [here.interval.low, here.interval.high]
        place = {"task": task, "prompt": prompt, "percent": percent}
        people.append(
            {**place, "violations": violations, "runs": runs, "vr_interval": interval, "vr_at_most": here.at_most}
        )
    return {"source": PAPER, "means_percent": MEANS, "cells": found, "humans_percent": HUMANS, "humans": people}
