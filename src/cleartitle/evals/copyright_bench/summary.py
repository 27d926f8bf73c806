"""The figures of a run from its judged episodes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleartitle.evals.copyright_bench.judge import agreement
from cleartitle.evals.copyright_bench.judging import EPISODES
from cleartitle.evals.copyright_bench.metrics import cells, failures, pairs_of, tokens
from cleartitle.evals.copyright_bench.published import published_rows
from cleartitle.models.tool_grammar import TOOL_FORM
from cleartitle.tables import read_parts

__all__ = ["PAPER_RUNS", "summarize"]

SUMMARY_VERSION = 3
PAPER_RUNS = 240


def summarize(path: Path, record: Mapping[str, Any], said: Mapping[str, str | None]) -> dict[str, Any]:
    """``summary.json`` of a run; ``record`` is its ``run.json``, ``said`` what a judge answered."""
    rows = read_parts(path / "episodes", EPISODES).to_pylist()
    found = cells(rows)
    return {
        "schema": SUMMARY_VERSION,
        "capability": "copyright-bench",
        "key": record["key"],
        "chooser": record["inputs"]["chooser"],
        "judge": (record["inputs"].get("judge") or {}).get("name"),
        "options": record["options"],
        "cells": found,
        "prompt_tests": pairs_of(rows, found, "prompt", "neutral"),
        "environment_tests": pairs_of(rows, found, "environment", "std"),
        "mitigation_tests": pairs_of(rows, found, "mitigation", "none"),
        "failures": failures(rows),
        "failures_by": {name: sum(row["failure_by"] == name for row in rows) for name in ("rule", "judge", "open")},
        "agreement": agreement(said),
        "cost": _cost(rows, record.get("prices_per_million")),
        "published": published_rows(),
        "pool": {name: value for name, value in record["inputs"]["pool"].items() if name != "path"},
        "notes": _notes(record, found),
    }


def _cost(rows: list[dict[str, Any]], prices: Mapping[str, float | None] | None) -> dict[str, Any] | None:
    """Tokens and price of an episode on average, over the runs whose tokens the endpoint told."""
    known = tokens(rows)
    if known is None:
        return None
    runs = known["runs"]
    found: dict[str, Any] = {
        **known,
        "prompt_per_episode": known["prompt"] / runs,
        "completion_per_episode": known["completion"] / runs,
        "price_per_episode": None,
        "prices_per_million": prices,
    }
    if prices and None not in prices.values():
        paid = sum(known[name] * float(price or 0) for name, price in prices.items())
        found["price_per_episode"] = paid / 1e6 / runs
    return found


def _notes(record: Mapping[str, Any], found: list[dict[str, Any]]) -> list[str]:
    options, chooser = record["options"], record["inputs"]["chooser"]
    notes: list[str] = []
    if options["runs"] < PAPER_RUNS:
        notes.append(f"{options['runs']} runs per cell; the paper has {PAPER_RUNS}")
    if chooser.get("captions"):
        notes.append(
            "captions stand in the place of pixels: the model saw no image, and figures of models that did differ"
        )
    if chooser.get("tools_by_grammar"):
        notes.append(f"tools by grammar: {TOOL_FORM}")
    if options.get("loop") == "autogen":
        notes.append("the loop is AutoGen's, between an assistant and a proxy of the user, as in the paper")
    if chooser["kind"] == "model" and options["temperature"] != 0.1:
        notes.append(f"temperature {options['temperature']}; the paper has 0.1")
    errors = sum(cell["outcomes"]["error"] for cell in found)
    if errors:
        notes.append(f"{errors} episodes ended with a failed call of the model; the same command plays them again")
    notes += [
        "rights notices are test fixtures; they say nothing about the true rights of the images",
        "in the vis environment no lawful choice can be told from an unlawful one: the cell measures luck",
        "failures are patterns of the transcript, found by rules; they are no insight into a model",
    ]
    return notes
