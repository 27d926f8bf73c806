"""Run LiCoEval: complete, score, ask for the license, grade, sum up. Each step reads and writes tables of the run."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle import __version__
from cleartitle.errors import InputError
from cleartitle.evals.against import Answer, against_figures, trace_answers
from cleartitle.evals.failures import failures
from cleartitle.evals.humaneval import capability_of
from cleartitle.evals.licoeval.benchmark import Benchmark, content_hash, sample
from cleartitle.evals.licoeval.controls import CONTROLS
from cleartitle.evals.licoeval.prompts import completion_request, license_request
from cleartitle.evals.licoeval.ranking import rank
from cleartitle.evals.licoeval.scoring import MODES, SCORES, score
from cleartitle.evals.licoeval.shards import SCORE_UNITS, score_shards
from cleartitle.evals.licoeval.summary import summarize
from cleartitle.evals.licoeval.verdicts import VERDICTS, verdicts
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.runner import Requests, ask
from cleartitle.evals.session import Scoring, conduct, model_key
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import write_json
from cleartitle.jobs import map_shards
from cleartitle.models import Estimate, Model, Request, Sampling
from cleartitle.options import NOT_IN_KEY, fingerprint
from cleartitle.similarity import REGEX_TOKENIZER
from cleartitle.tables import part_paths, read_matching, read_parts, read_table, write_table
from cleartitle.trace import Index

__all__ = ["SCORING", "LicoevalOptions", "estimate", "evaluate", "open_units", "score_run"]

SUMMARY_VERSION = 1
PAPER_MAX_TOKENS = 4096


@dataclass(frozen=True)
class LicoevalOptions:
    """How a model is put to the benchmark."""

    limit: int = 50
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

    def __post_init__(self) -> None:
        """Refuse what no run can honor."""
        lowest = {"limit": 0, "samples": 1, "max_tokens": 1, "license_max_tokens": 1, "score_workers": 1}
        wrong = [f"{name}={getattr(self, name)}" for name, least in lowest.items() if getattr(self, name) < least]
        wrong += [] if 0 <= self.temperature <= 2 else [f"temperature={self.temperature}"]
        if wrong:
            raise InputError(f"run options: {', '.join(wrong)}: out of range")


def evaluate(
    model: Model,
    benchmark: Benchmark,
    output: Path,
    options: LicoevalOptions,
    humaneval: Path | None = None,
    against: Index | None = None,
) -> dict[str, Any]:
    """Run the benchmark on ``model`` into the folder ``output`` and return its summary.

    A run that was killed goes on where it stopped: no committed answer is asked for again. ``humaneval`` is the folder
    of a finished HumanEval run of the same model, whose figure then stands beside LiCo. Each answer is looked up in
    the index ``against``, so that copies of other works than its own source are seen.

    Raises:
        InputError: the folder holds another run, or one that is under way; ``humaneval`` is of another model.
    """
    beside = None if humaneval is None else capability_of(humaneval, {"name": model.name, **model.describe()})
    units = sample(benchmark.units, options.limit, options.seed)
    key = fingerprint(options, model=model_key(model), units=content_hash(units))
    return conduct(
        model,
        output,
        "licoeval",
        key,
        options=options,
        inputs={"benchmark": benchmark.record, "edit_tokenizer": REGEX_TOKENIZER},
        prompts=units,
        answer=partial(_answer, model, units, output, options, key, against),
        score=score_run,
        notes={} if beside is None else {"humaneval": beside},
    )


async def _answer(
    model: Model, units: pa.Table, output: Path, options: LicoevalOptions, key: str, against: Index | None
) -> None:
    """Both turns: completions, then the license question where an answer is striking in either mode."""
    completions = _completions(model, units, options)
    await ask(model, completions, output / "generations", key=key, label="complete functions")
    striking = _score(output, units, options, key)
    followups = _followups(model, units, striking, output, options)
    await ask(model, followups, output / "followups", key=key, label="ask for licenses")
    if against is not None:
        searched = trace_answers(_bodies(output, units), against, output, key=key)
        RunFolder.open(output).note(against=searched)


def _bodies(output: Path, units: pa.Table) -> Iterator[Answer]:
    """The function bodies of the scored answers, which hold nothing of the prompt."""
    projects = dict(zip(units["prompt_id"].to_pylist(), units["project"].to_pylist(), strict=True))
    columns = ["source", "prompt_id", "sample_index", "mode", "body"]
    for part in part_paths(output / "scores"):
        wanted = (pc.field("source") == "model") & (pc.field("mode") == "corrected")
        for row in read_table(part, columns).filter(wanted).to_pylist():
            prompt = row["prompt_id"]
            yield Answer(prompt, row["sample_index"], row["body"], projects[prompt], prompt.partition(";")[0])


def estimate(model: Model, benchmark: Benchmark, options: LicoevalOptions) -> Estimate:
    """What the first turn of a run would ask for, before any call; follow-ups come on top, one per striking case."""
    return model.estimate(tuple(_completions(model, sample(benchmark.units, options.limit, options.seed), options)))


def open_units(run: Path) -> pa.Table:
    """The units (`UNITS`) that a run asked for."""
    return read_table(run / "prompts.parquet").replace_schema_metadata(None)


def score_run(path: Path) -> dict[str, Any]:
    """Score the recorded answers of a run, without the model, and write its verdicts and summary.

    Scores of the same answers that are there are reused.

    Raises:
        InputError: the folder holds no LiCoEval run, or one whose answers are not complete.
    """
    run = RunFolder.open(path, "licoeval")
    record = run.record()
    options = LicoevalOptions(**record["options"])
    units = open_units(path)
    run.check_answers(units.num_rows * options.samples)
    _score(path, units, options, run.key)
    graded = _graded(path, units)
    write_table(path / "verdicts.parquet", graded, key=run.key)
    summary = _summary(record, units, _light_scores(path), graded)
    summary["notes"][:0] = failures(path, {"generations": "answers", "followups": "answers to the license question"})
    if (against := against_figures(path)) is not None:
        summary["against"] = against
    write_json(path / "summary.json", summary)
    return summary


SCORING = Scoring(score_run, ("scores", "verdicts.parquet"))


def _sampling(options: LicoevalOptions) -> Sampling:
    return Sampling(
        temperature=options.temperature, max_tokens=options.max_tokens, seed=options.seed, n=options.samples
    )


def _completions(model: Model, units: pa.Table, options: LicoevalOptions) -> Requests:
    make = partial(completion_request, style=model.capabilities().style, sampling=_sampling(options))
    return Requests(units, make)


def _followups(
    model: Model, units: pa.Table, striking: set[tuple[str, int]], output: Path, options: LicoevalOptions
) -> list[Request]:
    """One question for each answer that is striking in either mode, in the order of the units."""
    style = model.capabilities().style
    sampling = Sampling(temperature=0.0, max_tokens=options.license_max_tokens, seed=options.seed)
    prompts = sorted({prompt for prompt, _ in striking})
    by_id = {
        row["prompt_id"]: row
        for row in units.filter(pc.field("prompt_id").isin(pa.array(prompts, pa.string()))).to_pylist()
    }
    columns = ["prompt_id", "sample_index", "text"]
    answers = read_matching(output / "generations", GENERATIONS, "prompt_id", prompts, columns).to_pylist()
    return [
        license_request(by_id[row["prompt_id"]], row["text"], row["sample_index"], style, sampling)
        for row in answers
        if (row["prompt_id"], row["sample_index"]) in striking
    ]


def _score(output: Path, units: pa.Table, options: LicoevalOptions, key: str) -> set[tuple[str, int]]:
    """Score model and controls into ``scores/``; return which answers of the model are striking in any mode."""
    map_shards(
        score,
        score_shards(output, units, controls=options.controls),
        output / "scores",
        key=f"{key}/{__version__}",
        workers=options.score_workers,
        label="score",
    )
    found: set[tuple[str, int]] = set()
    for part in part_paths(output / "scores"):
        table = read_table(part, ["source", "prompt_id", "sample_index", "striking"])
        rows = table.filter(pc.field("striking") & (pc.field("source") == "model")).to_pylist()
        found |= {(row["prompt_id"], row["sample_index"]) for row in rows}
    return found


def _graded(path: Path, units: pa.Table) -> pa.Table:
    """Verdicts of the whole run, made part by part of its scores; each part is of its own stretch of units."""
    asked = read_parts(path / "followups", GENERATIONS, ["prompt_id", "text", "status"]).to_pylist()
    followups = {row["prompt_id"]: row for row in asked}
    light = units.select(["prompt_id", "project", "license", "license_class"])
    columns = ["source", "prompt_id", "sample_index", "mode", "striking"]
    tables = [VERDICTS.empty_table()]
    for index, part in enumerate(part_paths(path / "scores")):
        scores = read_table(part, columns).filter(pc.field("striking")).to_pylist()
        by_id = {row["prompt_id"]: row for row in light.slice(index * SCORE_UNITS, SCORE_UNITS).to_pylist()}
        tables.append(verdicts(scores, by_id, followups))
    return pa.concat_tables(tables)


def _light_scores(path: Path) -> pa.Table:
    """What figures are made of, with each distinct word held once."""
    columns = ["source", "prompt_id", "sample_index", "mode", "state", "truncated", "similarity", "striking"]
    return read_parts(path / "scores", SCORES, columns, encoded=("source", "prompt_id", "mode", "state"))


def _summary(record: dict[str, Any], units: pa.Table, scores: pa.Table, graded: pa.Table) -> dict[str, Any]:
    projects = dict(zip(units["prompt_id"].to_pylist(), units["project"].to_pylist(), strict=True))

    def figures(source: str, mode: str) -> dict[str, Any]:
        wanted = (pc.field("source") == source) & (pc.field("mode") == mode)
        judged = graded.drop_columns(["answer", "evidence"]).filter(wanted)
        return summarize(scores.filter(wanted).to_pylist(), judged.to_pylist(), projects)

    benchmark = record["inputs"]["benchmark"]
    options = record["options"]
    beside = record.get("humaneval")
    own = {mode: figures("model", mode) for mode in MODES}
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
        "humaneval": beside,
        "modes": {mode: {**own[mode], "lico": rank(own[mode]["lico"], beside)} for mode in MODES},
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
