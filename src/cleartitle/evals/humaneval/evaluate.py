"""Run HumanEval: ask, run the programs, sum up. Each step reads and writes tables of the run."""

import hashlib
import platform
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle import __version__
from cleartitle.errors import InputError
from cleartitle.evals.humaneval.execute import ANSWERED, CONTROLS, RESULTS, execute
from cleartitle.evals.humaneval.pass_at import by_problem, pass_at
from cleartitle.evals.humaneval.problems import DATASET, PROBLEMS, problems
from cleartitle.evals.humaneval.prompts import INSTRUCTION, problem_request
from cleartitle.evals.humaneval.sandbox import Limits, confinement
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.runner import ask
from cleartitle.evals.session import Scoring, conduct, model_key
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import canonical_json, write_json
from cleartitle.jobs import Shard, map_shards
from cleartitle.models import Estimate, Model, Request, Sampling
from cleartitle.options import NOT_IN_KEY, fingerprint
from cleartitle.tables import read_parts, read_table, table_of

__all__ = ["SCORING", "HumanevalOptions", "estimate", "evaluate", "run_tests"]

SUMMARY_VERSION = 1
SHARD_PROBLEMS = 8

OUTCOMES = ("passed", "failed", "error", "timeout", "memory", "crashed", "refused", "empty", "no answer")
"""What can come of an answer (`RESULTS`)."""


@dataclass(frozen=True)
class HumanevalOptions:
    """How a model is put to the problems."""

    limit: int = 0
    """Problems to ask, the first of the data set; 0 for all 164."""
    samples: int = 1
    """Answers per problem."""
    temperature: float = 0.0
    """0 is greedy, as LiCoEval asks; pass@k for k above 1 needs more."""
    max_tokens: int = 512
    """Longest answer, in tokens of the model."""
    seed: int = 0
    """Of the model where it samples."""
    cpu_seconds: int = 5
    """Processor time of one program."""
    wall_seconds: float = 20.0
    """Wall time of one program with its tests."""
    memory_mib: int = 1024
    """Address space of one program."""
    workers: int = field(default=0, metadata=NOT_IN_KEY)
    """Programs that run at the same time; 0 means one a processor."""

    def __post_init__(self) -> None:
        """Refuse what no run can honor."""
        lowest = {"limit": 0, "samples": 1, "max_tokens": 1, "cpu_seconds": 1, "memory_mib": 128, "workers": 0}
        wrong = [f"{name}={getattr(self, name)}" for name, least in lowest.items() if getattr(self, name) < least]
        wrong += [] if 0 <= self.temperature <= 2 else [f"temperature={self.temperature}"]
        wrong += [] if 0 < self.wall_seconds < 86_400 else [f"wall_seconds={self.wall_seconds}"]
        if wrong:
            raise InputError(f"run options: {', '.join(wrong)}: out of range")

    @property
    def limits(self) -> Limits:
        """What one program may use."""
        return Limits(self.wall_seconds, self.cpu_seconds, self.memory_mib * 2**20)


def evaluate(model: Model, output: Path, options: HumanevalOptions) -> dict[str, Any]:
    """Put ``model`` to the problems, in the run folder ``output``, and return the summary.

    A run that was killed goes on where it stopped: no committed answer is asked for again, and programs of whole shards
    do not run again.

    Raises:
        InputError: the folder holds another run, or one that is under way.
        SandboxError: programs cannot be run confined on this system.
    """
    chosen = _chosen(options)
    confinement()  # before any call that costs
    key = fingerprint(options, model=model_key(model), problems=DATASET["sha256"], instruction=INSTRUCTION)
    requests = _requests(model, chosen, options)
    return conduct(
        model,
        output,
        "humaneval",
        key,
        options=options,
        inputs={"dataset": DATASET},
        prompts=chosen,
        answer=partial(ask, model, requests, output / "generations", key=key, label="answer problems"),
        score=run_tests,
    )


def estimate(model: Model, options: HumanevalOptions) -> Estimate:
    """What a run would ask for, before any call."""
    return model.estimate(tuple(_requests(model, _chosen(options), options)))


def _chosen(options: HumanevalOptions) -> pa.Table:
    table = problems()
    return table.slice(0, options.limit or table.num_rows)


def _requests(model: Model, chosen: pa.Table, options: HumanevalOptions) -> list[Request]:
    sampling = Sampling(
        temperature=options.temperature, max_tokens=options.max_tokens, seed=options.seed, n=options.samples
    )
    style = model.capabilities().style
    return [problem_request(problem, style, sampling) for problem in chosen.to_pylist()]


def run_tests(path: Path) -> dict[str, Any]:
    """Run the programs in the recorded answers of a run, without the model, and write its summary.

    Raises:
        InputError: the folder holds no HumanEval run, or one whose answers are not complete.
        SandboxError: programs cannot be run confined on this system.
    """
    run = RunFolder.open(path, "humaneval")
    record = run.record()
    options = HumanevalOptions(**record["options"])
    chosen = read_table(path / "prompts.parquet").replace_schema_metadata(None).cast(PROBLEMS)
    run.check_answers(chosen.num_rows * options.samples)
    answers = read_parts(path / "generations", GENERATIONS, ["prompt_id", "sample_index", "text", "status"])
    confined = confinement()
    shards = [Shard(index, table, key=_digest(table)) for index, table in enumerate(_shards(chosen, answers, options))]
    map_shards(
        partial(execute, limits=options.limits, confined=confined),
        shards,
        path / "results",
        key=f"{run.key}/{__version__}/{platform.python_version()}",
        workers=options.workers or None,
        label="run programs",
    )
    summary = _summary(record, read_parts(path / "results", RESULTS), answers, confined.record())
    write_json(path / "summary.json", summary)
    return summary


SCORING = Scoring(run_tests, ("results",))


def _shards(chosen: pa.Table, answers: pa.Table, options: HumanevalOptions) -> Iterator[pa.Table]:
    """Problems of one shard with the answers of the model, then with those of the controls."""
    for start in range(0, chosen.num_rows, SHARD_PROBLEMS):
        part = chosen.slice(start, SHARD_PROBLEMS).to_pylist()
        by_id = {row["prompt_id"]: row for row in part}
        own = answers.slice(start * options.samples, len(part) * options.samples).to_pylist()
        rows = [{**by_id[row["prompt_id"]], "source": "model", **row} for row in own]
        for name in CONTROLS:
            rows += [
                {**row, "source": f"control:{name}", "sample_index": 0, "text": "", "status": "ok"} for row in part
            ]
        yield table_of(rows, ANSWERED)


def _digest(table: pa.Table) -> str:
    return hashlib.sha256(canonical_json(table.to_pylist()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _summary(record: dict[str, Any], results: pa.Table, answers: pa.Table, confined: dict[str, str]) -> dict[str, Any]:
    options = record["options"]
    rows = results.filter(pc.field("source") == "model").drop_columns(["program"]).to_pylist()
    counts = by_problem(rows)
    outcomes = Counter(row["outcome"] for row in rows)
    wanted = [k for k in (1, 10, 100) if k <= options["samples"]]
    return {
        "schema": SUMMARY_VERSION,
        "capability": "humaneval",
        "key": record["key"],
        "model": record["inputs"]["model"],
        "options": options,
        "dataset": record["inputs"]["dataset"],
        "problems": len({row["prompt_id"] for row in rows}),
        "answers": len(rows),
        "truncated": answers["status"].to_pylist().count("truncated"),
        "outcomes": {name: outcomes[name] for name in OUTCOMES},
        "pass_at": [pass_at(counts, k) for k in wanted],
        "by_how": dict(sorted(Counter(row["how"] for row in rows).items())),
        "controls": {name: _control(results, name) for name in CONTROLS},
        "confinement": confined,
        "python": platform.python_version(),
        "notes": _notes(record),
    }


def _control(results: pa.Table, name: str) -> dict[str, Any]:
    rows = results.filter(pc.field("source") == f"control:{name}").select(["prompt_id", "outcome"]).to_pylist()
    return {"title": CONTROLS[name], **pass_at(by_problem(rows), 1)}


def _notes(record: dict[str, Any]) -> list[str]:
    options, model = record["options"], record["inputs"]["model"]
    notes: list[str] = []
    if 0 < options["limit"] < DATASET["problems"]:
        notes.append(
            f"The first {options['limit']} of {DATASET['problems']} problems; --limit 0 asks all. The problems do not "
            "come in random order, so the figure of all may lie outside the interval."
        )
    if model["adapter"] == "replay":
        notes.append("Answers were recorded elsewhere: this run neither chose nor knows how they were drawn.")
    notes.append(
        "The instruction to chat models is this program's own, and programs are read leniently (prose, examples and "
        "cut-off ends do no harm): published figures were made with other wordings and readers."
    )
    notes.append(
        "The problems are public since 2021. That a model solves them may be memory; the figure is no measure of "
        "code that was never published."
    )
    return notes
