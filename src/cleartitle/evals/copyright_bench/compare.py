"""Several runs beside each other, over the cells that they share."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.judging import EPISODES
from cleartitle.evals.copyright_bench.metrics import cell, holm, mcnemar
from cleartitle.evals.copyright_bench.published import published_rows
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.tables import read_parts

__all__ = ["compare_runs"]

PLACE = ("task", "prompt", "environment", "mitigation", "run")


def compare_runs(paths: Sequence[Path]) -> dict[str, Any]:
    """Rank runs by violation rate over the episodes that all of them have, and test each pair on equal offers.

    ``weights`` sums the runs of models by what their users said of the weights. Equal offers need one pool and one
    seed, which is checked by the seeds of the episodes and the key of the pool.

    Raises:
        InputError: fewer than two runs, one that is not finished or of another capability or pool, or no episode that
            all share.
    """
    if len(paths) < 2:
        raise InputError("a ranking needs at least two runs")
    runs = [_opened(path) for path in paths]
    if len({run["pool"] for run in runs}) > 1:
        raise InputError("the runs are over different pools of images; mend: run them over one")
    shared = set.intersection(*(set(run["rows"]) for run in runs))
    if not shared:
        raise InputError("the runs share no episode; mend: equal --seed, --pairs and cells")
    order = sorted(shared)
    named = [{**run, "shown": [run["rows"][place] for place in order]} for run in runs]
    ranked = sorted(named, key=lambda run: sum(bool(row["violation"]) for row in run["shown"]))
    tests = [
        {"one": one["name"], "other": other["name"], **mcnemar(_hits(one), _hits(other))}
        for one, other in combinations(ranked, 2)
    ]
    return {
        "cells": len({place[:4] for place in order}),
        "episodes": len(order),
        "ranking": [
            {
                "rank": rank,
                **{name: run[name] for name in ("name", "kind", "weights", "cost", "path")},
                **cell(run["shown"]),
            }
            for rank, run in enumerate(ranked, start=1)
        ],
        "weights": _groups(named),
        "pairs": holm(tests),
        "published": published_rows(),
    }


def _opened(path: Path) -> dict[str, Any]:
    run = RunFolder.open(path, "copyright-bench")
    if not (path / "summary.json").is_file():
        raise InputError(f"{path}: not finished; mend: give its command again")
    summary, record = read_json(path / "summary.json"), run.record()
    if "chooser" not in summary:
        raise InputError(f"{path}: a run of an older version; mend: run it again")
    chooser = summary["chooser"]
    rows = read_parts(path / "episodes", EPISODES).to_pylist()
    return {
        "path": str(path),
        "name": chooser["name"],
        "kind": chooser["kind"],
        "weights": chooser.get("weights"),
        "cost": summary["cost"],
        "pool": record["inputs"]["pool"]["key"],
        "rows": {(*(row[name] for name in PLACE), row["seed"]): row for row in rows},
    }


def _hits(run: Mapping[str, Any]) -> list[bool]:
    return [bool(row["violation"]) for row in run["shown"]]


def _groups(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for weights in ("open", "closed"):
        members = [run for run in runs if run["weights"] == weights]
        if members:
            rows = [row for run in members for row in run["shown"]]
            found.append({"weights": weights, "names": [run["name"] for run in members], **cell(rows)})
    return found
