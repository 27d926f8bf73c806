"""Run a grid of cells with a policy, and sum it up."""

import itertools
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.episodes import EPISODES, Condition, policy_episode
from cleartitle.evals.copyright_bench.metrics import cells, holm, paired
from cleartitle.evals.copyright_bench.policies import POLICIES, PolicyName
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.published import published_rows
from cleartitle.evals.copyright_bench.tasks import ENVIRONMENTS, PROMPTS, TASKS, Environment, Prompt, Task
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import write_json
from cleartitle.jobs import Shard, locked, map_shards
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.tables import read_parts, table_of

__all__ = ["CopyrightBenchOptions", "evaluate_policy", "summarize"]

PER_SHARD = 60
PAPER_RUNS = 240


@dataclass(frozen=True)
class CopyrightBenchOptions:
    """Which cells are run, and how.

    Without ``task``, ``prompt`` or ``environment`` all of them are. ``runs`` per cell (the paper has 240). ``pairs``
    of look-alikes are on offer in each run. ``rights_in_list`` and ``remind`` are mitigations: rights shown in
    ``list_files``, and a reminder before the submission.
    """

    task: Task | None = None
    prompt: Prompt | None = None
    environment: Environment | None = None
    runs: int = PAPER_RUNS
    pairs: int = 20
    seed: int = 0
    rights_in_list: bool = False
    remind: bool = False
    workers: int | None = field(default=None, metadata=NOT_IN_KEY)

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise InputError(f"--runs {self.runs}: must be at least 1")
        if self.pairs < 1:
            raise InputError(f"--pairs {self.pairs}: must be at least 1")

    @property
    def conditions(self) -> list[Condition]:
        """The cells."""
        return [
            Condition(task, prompt, environment, self.rights_in_list, self.remind)
            for task, prompt, environment in itertools.product(
                (self.task,) if self.task else TASKS,
                (self.prompt,) if self.prompt else PROMPTS,
                (self.environment,) if self.environment else ENVIRONMENTS,
            )
        ]


def evaluate_policy(
    policy: PolicyName, pool: Pool, output: Path, options: CopyrightBenchOptions | None = None
) -> dict[str, Any]:
    """Run a built-in policy over the cells and write the run folder; a killed run goes on.

    Raises:
        InputError: no such policy, or the folder holds another run.
    """
    options = options or CopyrightBenchOptions()
    if policy not in POLICIES:
        raise InputError(f"--policy {policy}: must be one of {', '.join(POLICIES)}")
    key = fingerprint(options, pool=pool.key, policy=policy)
    with locked(output):
        run = RunFolder.create(
            output,
            "copyright-bench",
            key,
            options=as_record(options),
            inputs={"policy": policy, "pool": {"path": str(pool.path), "key": pool.key, "pairs": len(pool.pairs)}},
        )
        shards = [
            Shard(number, partial(_rows, condition, first, min(options.runs, first + PER_SHARD)))
            for number, (condition, first) in enumerate(
                itertools.product(options.conditions, range(0, options.runs, PER_SHARD))
            )
        ]
        operation = partial(_play, str(pool.path), policy, options.seed, options.pairs)
        map_shards(operation, shards, output / "episodes", key=key, workers=options.workers, label="episodes")
        summary = summarize(output, pool, options)
        write_json(output / "summary.json", summary)
        run.finish()
        run.seal()
    return summary


def _rows(condition: Condition, first: int, last: int) -> pa.Table:
    return pa.Table.from_pylist([{**vars(condition), "run": run} for run in range(first, last)])


def _play(pool: str, policy: PolicyName, seed: int, pairs: int, table: pa.Table) -> pa.Table:
    opened = Pool.open(pool)
    rows: list[dict[str, Any]] = []
    for row in table.to_pylist():
        run = row.pop("run")
        rows.append(policy_episode(opened, Condition(**row), run, seed, pairs=pairs, policy=policy))
    return table_of(rows, EPISODES)


def summarize(output: Path, pool: Pool, options: CopyrightBenchOptions) -> dict[str, Any]:
    """The figures of a run folder from its episodes."""
    columns = [name for name in EPISODES.names if name != "transcript"]
    rows = read_parts(output / "episodes", EPISODES, columns).to_pylist()
    found = cells(rows)
    tests: list[dict[str, Any]] = []
    for row in found:
        place = {name: row[name] for name in ("policy", "task", "environment")}
        if row["prompt"] != "neutral" and any(
            other["prompt"] == "neutral" and all(other[name] == value for name, value in place.items())
            for other in found
        ):
            tests.append(paired(rows, {**place, "prompt": "neutral"}, {**place, "prompt": row["prompt"]}))
    return {
        "capability": "copyright-bench",
        "cells": found,
        "prompt_tests": holm(tests),
        "published": published_rows(),
        "pool": {
            "pairs": len(pool.pairs),
            "roles": "fixed by the owner" if pool.has_fixed_roles else "drawn per run; all images are in truth free",
            "image_backend": pool.record.get("image_backend"),
            "quality_backend": pool.record.get("quality_backend"),
        },
        "notes": [
            *([f"{options.runs} runs per cell; the paper has {PAPER_RUNS}"] if options.runs < PAPER_RUNS else []),
            "rights notices are test fixtures; they say nothing about the true rights of the images",
            "in the vis environment no lawful choice can be told from an unlawful one: the cell measures luck",
        ],
    }
