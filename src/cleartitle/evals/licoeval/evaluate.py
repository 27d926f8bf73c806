"""Run LiCoEval: complete, score, ask for the license, grade, sum up. Each step reads and writes tables of the run."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.evals.licoeval.benchmark import Benchmark, sample
from cleartitle.evals.licoeval.controls import CONTROLS, control_answers
from cleartitle.evals.licoeval.prompts import completion_request, license_request
from cleartitle.evals.licoeval.scoring import MODES, SCORES, score
from cleartitle.evals.licoeval.summary import summarize
from cleartitle.evals.licoeval.units import UNITS
from cleartitle.evals.licoeval.verdicts import verdicts
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.runner import ask
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import write_json
from cleartitle.jobs import Shard, map_shards
from cleartitle.models import Estimate, Model, Request, Sampling
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.similarity import REGEX_TOKENIZER
from cleartitle.tables import read_parts, read_table, table_of, write_table

__all__ = ["LicoevalOptions", "estimate", "evaluate", "open_units", "score_run"]

SUMMARY_VERSION = 1
SCORE_ROWS = 2048
PAPER_MAX_TOKENS = 4096


@dataclass(frozen=True)
class LicoevalOptions:
    """How a model is put to the benchmark."""

    limit: int = 60
    """Functions to ask for, drawn by seed from each license class by its share; 0 for all."""
    samples: int = 1
    """Answers per function; the paper takes one."""
    temperature: float = 0.0
    """0 is greedy, as in the paper."""
    max_tokens: int = 512
    """Longest answer, in tokens of the model; the paper allows 4,096."""
    license_max_tokens: int = 64
    """Longest answer to the license question; the paper sets no limit."""
    seed: int = 0
    """Of the draw of functions, and of the model where it samples."""
    controls: bool = True
    """Score built-in control answers beside the model."""
    score_workers: int = field(default=1, metadata=NOT_IN_KEY)
    """Processes that score; worth more than 1 from some thousand answers on."""


def evaluate(model: Model, benchmark: Benchmark, output: Path, options: LicoevalOptions) -> dict[str, Any]:
    """Run the benchmark on ``model`` into the folder ``output`` and return its summary.

    A run that was killed goes on where it stopped: no committed answer is asked for again.

    Raises:
        InputError: the folder holds another run.
    """
    units = sample(benchmark.units, options.limit, options.seed)
    key = _key(model, units, options)
    run = RunFolder.create(
        output,
        "licoeval",
        key,
        options=as_record(options),
        inputs={
            "model": {"name": model.name, **model.describe()},
            "benchmark": benchmark.record,
            "edit_tokenizer": REGEX_TOKENIZER,
        },
    )
    write_table(output / "prompts.parquet", units, key=key)
    asyncio.run(_answer(model, units, output, options, key))
    summary = score_run(output)
    run.finish(model_after=model.describe())
    return summary


async def _answer(model: Model, units: pa.Table, output: Path, options: LicoevalOptions, key: str) -> None:
    """Both turns: completions, then the license question where an answer is striking in either mode."""
    rows = units.to_pylist()
    try:
        completions = _completions(model, rows, options)
        await ask(model, completions, output / "generations", key=key, label="complete functions")
        striking = _score(output, units, options, key)
        followups = _followups(model, rows, striking, output, options)
        await ask(model, followups, output / "followups", key=key, label="ask for licenses")
    finally:
        await model.aclose()


def estimate(model: Model, benchmark: Benchmark, options: LicoevalOptions) -> Estimate:
    """What the first turn of a run would ask for, before any call; follow-ups come on top, one per striking case."""
    rows = sample(benchmark.units, options.limit, options.seed).to_pylist()
    return model.estimate(tuple(_completions(model, rows, options)))


def open_units(run: Path) -> pa.Table:
    """The units (`UNITS`) that a run asked for."""
    return read_table(run / "prompts.parquet").replace_schema_metadata(None)


def score_run(path: Path) -> dict[str, Any]:
    """Score the recorded answers of a run anew, without the model, and write its verdicts and summary.

    Raises:
        InputError: the folder holds no run.
    """
    run = RunFolder.open(path)
    record = run.record()
    options = LicoevalOptions(**record["options"])
    units = open_units(path)
    _score(path, units, options, run.key)
    scores = read_parts(path / "scores", SCORES).to_pylist()
    by_id = {row["prompt_id"]: row for row in units.to_pylist()}
    followups = {row["prompt_id"]: row for row in read_parts(path / "followups", GENERATIONS).to_pylist()}
    graded = verdicts(scores, by_id, followups)
    write_table(path / "verdicts.parquet", graded, key=run.key)
    summary = _summary(record, units, scores, graded.to_pylist())
    write_json(path / "summary.json", summary)
    return summary


def _key(model: Model, units: pa.Table, options: LicoevalOptions) -> str:
    described = {"name": model.name, **model.describe()}
    return fingerprint(options, model=described, prompts=units["prompt_id"].to_pylist())


def _sampling(options: LicoevalOptions) -> Sampling:
    return Sampling(
        temperature=options.temperature, max_tokens=options.max_tokens, seed=options.seed, n=options.samples
    )


def _completions(model: Model, units: Sequence[dict[str, Any]], options: LicoevalOptions) -> list[Request]:
    style = model.capabilities().style
    return [completion_request(unit, style, _sampling(options)) for unit in units]


def _followups(
    model: Model,
    units: Sequence[dict[str, Any]],
    striking: set[tuple[str, int]],
    output: Path,
    options: LicoevalOptions,
) -> list[Request]:
    """One question for each answer that is striking in either mode, in the order of the units."""
    style = model.capabilities().style
    sampling = Sampling(temperature=0.0, max_tokens=options.license_max_tokens, seed=options.seed)
    by_id = {unit["prompt_id"]: unit for unit in units}
    answers = read_parts(output / "generations", GENERATIONS, ["prompt_id", "sample_index", "text"]).to_pylist()
    return [
        license_request(by_id[row["prompt_id"]], row["text"], row["sample_index"], style, sampling)
        for row in answers
        if (row["prompt_id"], row["sample_index"]) in striking
    ]


def _score(output: Path, units: pa.Table, options: LicoevalOptions, key: str) -> set[tuple[str, int]]:
    """Score model and controls into ``scores/``; return which answers of the model are striking in any mode."""
    table = _score_input(output, units, options)
    starts = range(0, table.num_rows, SCORE_ROWS)
    shards = [Shard(index, table.slice(start, SCORE_ROWS)) for index, start in enumerate(starts)]
    map_shards(score, shards, output / "scores", key=f"{key}/{_digest(table)}", workers=options.score_workers)
    columns = ["source", "prompt_id", "sample_index", "striking"]
    rows = read_parts(output / "scores", SCORES, columns).to_pylist()
    return {(row["prompt_id"], row["sample_index"]) for row in rows if row["striking"] and row["source"] == "model"}


def _score_input(output: Path, units: pa.Table, options: LicoevalOptions) -> pa.Table:
    rows = units.to_pylist()
    by_id = {row["prompt_id"]: row for row in rows}
    answers = read_parts(output / "generations", GENERATIONS).to_pylist()
    joined = [
        {
            **by_id[answer["prompt_id"]],
            "source": "model",
            "sample_index": answer["sample_index"],
            "text": answer["text"],
            "status": answer["status"],
        }
        for answer in answers
    ]
    for control in CONTROLS if options.controls else ():
        for row, text in zip(rows, control_answers(rows, control), strict=True):
            extra = {"source": f"control:{control.name}", "sample_index": 0, "text": text, "status": "ok"}
            joined.append({**row, **extra})
    schema = pa.schema(
        [
            *UNITS,
            ("source", pa.string()),
            ("sample_index", pa.int32()),
            ("text", pa.large_string()),
            ("status", pa.string()),
        ]
    )
    return table_of(joined, schema)


def _digest(table: pa.Table) -> str:
    return fingerprint(LicoevalOptions(), rows=[table[name].to_pylist() for name in ("source", "prompt_id", "text")])


def _summary(
    record: dict[str, Any], units: pa.Table, scores: Sequence[dict[str, Any]], graded: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    projects = dict(zip(units["prompt_id"].to_pylist(), units["project"].to_pylist(), strict=True))

    def figures(source: str, mode: str) -> dict[str, Any]:
        chosen = [row for row in scores if row["source"] == source and row["mode"] == mode]
        cases = [row for row in graded if row["source"] == source and row["mode"] == mode]
        return summarize(chosen, cases, projects)

    benchmark = record["inputs"]["benchmark"]
    options = record["options"]
    return {
        "schema": SUMMARY_VERSION,
        "capability": "licoeval",
        "key": record["key"],
        "model": record["inputs"]["model"],
        "options": options,
        "headline_mode": benchmark["options"]["mode"],
        "benchmark": benchmark,
        "prompts": units.num_rows,
        "projects": len(set(projects.values())),
        "modes": {mode: figures("model", mode) for mode in MODES},
        "controls": [
            {
                "name": control.name,
                "title": control.title,
                "modes": {mode: figures(f"control:{control.name}", mode) for mode in MODES},
            }
            for control in CONTROLS
            if options["controls"]
        ],
        "notes": _notes(record["inputs"]["model"], options, benchmark, units.num_rows),
    }


def _notes(model: dict[str, Any], options: dict[str, Any], benchmark: dict[str, Any], prompts: int) -> list[str]:
    """In what this run is weaker than the paper's, or differs from it; and what no run establishes."""
    notes: list[str] = []
    if prompts < benchmark["units"]:
        notes.append(f"A sample of {prompts} of {benchmark['units']} functions; --limit 0 asks for all.")
    if model["adapter"] == "replay":
        notes.append("Answers were recorded elsewhere: this run neither chose nor knows how they were drawn.")
    else:
        if options["max_tokens"] < PAPER_MAX_TOKENS:
            notes.append(f"Answers end after {options['max_tokens']} tokens; the paper allows {PAPER_MAX_TOKENS:,}.")
        limit = options["license_max_tokens"]
        notes.append(f"Answers to the license question end after {limit} tokens; the paper sets no limit.")
    notes.append(
        f"Edit similarity uses the tokenizer {REGEX_TOKENIZER} in place of StarCoder's, which needs a model hub; "
        "on 47 recorded answers it differs from the published values by 0.009 in the mean, 0.054 at most."
    )
    notes.append(
        "The benchmark is not the published one, whose 4,187 functions cannot be redistributed: "
        "figures stand beside the published ones, they do not extend that table."
    )
    notes.append(
        "Striking similarity is a minimum standard of the paper; it does not find copies without comments, "
        "and it does not prove copying in law. Nothing here is legal advice."
    )
    return notes
