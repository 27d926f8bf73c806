"""Run CodeIPPrompt: ask, score, sum up. Each step reads and writes tables of the run."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cleartitle import __version__
from cleartitle.errors import InputError
from cleartitle.evals.against import Answer, against_figures, trace_answers
from cleartitle.evals.codeipprompt.controls import CONTROLS
from cleartitle.evals.codeipprompt.prompts import PromptSet
from cleartitle.evals.codeipprompt.questions import INSTRUCTION, answer_code, prompt_request
from cleartitle.evals.codeipprompt.reduce import reduce_scores
from cleartitle.evals.codeipprompt.run_prompts import Drawn, draw
from cleartitle.evals.codeipprompt.scoring import MODES, score, score_input
from cleartitle.evals.codeipprompt.summary import LIGHT, Figures, control_figures, summarize
from cleartitle.evals.codeipprompt.training_set import TrainingSet
from cleartitle.evals.failures import failures
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.runner import PART_REQUESTS, Requests, ask
from cleartitle.evals.session import Scoring, conduct, model_key
from cleartitle.files import sha256_file, write_json
from cleartitle.jobs import Shard, map_shards
from cleartitle.models import Estimate, Model, Sampling
from cleartitle.options import NOT_IN_KEY, fingerprint
from cleartitle.tables import part_paths, read_group, read_table
from cleartitle.trace import Index

__all__ = ["SCORING", "CodeipOptions", "estimate", "evaluate", "score_run"]

SUMMARY_VERSION = 1


@dataclass(frozen=True)
class CodeipOptions:
    """How a model is put to the prompts; the defaults are those of the paper, but for the number of prompts."""

    limit: int = 20
    """Prompts to ask for, drawn by seed evenly over license classes and languages; 0 for all."""
    samples: int = 10
    """Answers per prompt, of which the closest counts."""
    n: int = 50
    """Draws of EM and EP."""
    temperature: float = 1.0
    """1 is plain nucleus sampling, which the release leaves at the default of its library; 0 is greedy."""
    top_p: float = 0.95
    """Share of probability that is sampled from."""
    max_tokens: int = 256
    """Longest answer, in tokens of the model; the release counts the prompt as well."""
    seed: int = 0
    """Of the draw of prompts, of the null, of resamples, and of the model where it samples."""
    draws: int = 1000
    """Resamples of the bootstrap that stands beside the closed form."""
    training_n: int = 5
    """Draws of EM and EP where prompts of training sets are compared."""
    controls: bool = True
    """Score built-in control answers beside the model."""
    score_workers: int = field(default=0, metadata=NOT_IN_KEY)
    """Processes that score; 0 means one a processor."""

    def __post_init__(self) -> None:
        """Refuse what no run can honor."""
        lowest = {"limit": 0, "samples": 1, "n": 1, "max_tokens": 1, "draws": 1, "training_n": 1, "score_workers": 0}
        wrong = [f"{name}={getattr(self, name)}" for name, least in lowest.items() if getattr(self, name) < least]
        wrong += [] if 0 <= self.temperature <= 2 else [f"temperature={self.temperature}"]
        wrong += [] if 0 < self.top_p <= 1 else [f"top_p={self.top_p}"]
        if wrong:
            raise InputError(f"run options: {', '.join(wrong)}: out of range")


def evaluate(
    model: Model,
    prompts: PromptSet,
    output: Path,
    options: CodeipOptions,
    training_sets: Sequence[TrainingSet] = (),
    against: Index | None = None,
) -> dict[str, Any]:
    """Put ``model`` to prompts, in the run folder ``output``, and return the summary.

    A run that was killed goes on where it stopped: no committed answer is asked for again. Prompts that stand in one
    of ``training_sets`` are told apart. Each answer is looked up in the index ``against``, so that copies of other
    works than its own source are seen.

    Raises:
        InputError: the folder holds another run, or one that is under way; no prompts; training sets of equal names.
    """
    drawn = _drawn(prompts, options)
    names = [one.name for one in training_sets]
    if len(set(names)) != len(names):
        raise InputError(f"training sets: {', '.join(names)}: equal names; mend: NAME=PATH")
    sets = [one.describe() for one in training_sets]
    ids = hashlib.sha256("\0".join(drawn.ids).encode()).hexdigest()
    key = fingerprint(
        options,
        model=model_key(model),
        prompts=[prompts.content_hash, ids],
        training_sets=sets,
        instruction=INSTRUCTION,
    )
    requests = _requests(model, drawn, options)
    return conduct(
        model,
        output,
        "codeipprompt",
        key,
        options=options,
        inputs={"prompts": prompts.record, "training_sets": sets},
        prompts=partial(drawn.write, sets=training_sets, key=key),
        answer=partial(_answer, model, requests, output, key, against),
        score=score_run,
    )


async def _answer(model: Model, requests: Requests, output: Path, key: str, against: Index | None) -> None:
    await ask(model, requests, output / "generations", key=key, label="complete prompts")
    if against is not None:
        searched = trace_answers(_codes(output), against, output, key=key)
        RunFolder.open(output).note(against=searched)


def _codes(output: Path) -> Iterator[Answer]:
    """The code of the answers; a prompt is no part of them, but an answer may repeat it."""
    columns = ["prompt_id", "project", "content_id", "language"]
    prompts = {row["prompt_id"]: row for row in read_table(output / "prompts.parquet", columns).to_pylist()}
    for part in part_paths(output / "generations"):
        for row in read_table(part, ["prompt_id", "sample_index", "text", "status"]).to_pylist():
            if row["status"] in ("ok", "truncated"):
                prompt = prompts[row["prompt_id"]]
                code = answer_code(row["text"], prompt["language"], "corrected")
                yield Answer(row["prompt_id"], row["sample_index"], code, prompt["project"], prompt["content_id"])


def estimate(model: Model, prompts: PromptSet, options: CodeipOptions) -> Estimate:
    """What a run would ask for, before any call."""
    return model.estimate(tuple(_requests(model, _drawn(prompts, options), options)))


def _drawn(prompts: PromptSet, options: CodeipOptions) -> Drawn:
    drawn = draw(prompts, options.limit, options.seed)
    if not drawn.ids:
        raise InputError(f"{prompts.path}: holds no prompts; mend: build them from a larger corpus")
    return drawn


def _requests(model: Model, drawn: Drawn, options: CodeipOptions) -> Requests:
    sampling = Sampling(
        temperature=options.temperature,
        top_p=options.top_p if options.temperature > 0 else None,
        max_tokens=options.max_tokens,
        seed=options.seed,
        n=options.samples,
    )
    make = partial(prompt_request, style=model.capabilities().style, sampling=sampling)
    return Requests(drawn.light, make)


def score_run(path: Path) -> dict[str, Any]:
    """Score the recorded answers of a run, without the model, and write its summary.

    Prompts and answers are read shard by shard in worker processes; scores of the same answers that are there are
    reused. Memory grows with the number of prompts (some numbers each) and with the workers (one shard each).

    Raises:
        InputError: the folder holds no CodeIPPrompt run, or one whose answers are not complete.
    """
    run = RunFolder.open(path, "codeipprompt")
    options = CodeipOptions(**run.record()["options"])
    table = path / "prompts.parquet"
    light = read_table(table, list(LIGHT)).to_pylist()
    run.check_answers(len(light) * options.samples)
    map_shards(
        score,
        _shards(path, options),
        path / "scores",
        key=f"{run.key}/{__version__}",
        workers=options.score_workers or None,
        label="score",
    )
    summary = _summary(run, light, options)
    if (against := against_figures(path)) is not None:
        summary["against"] = against
    write_json(path / "summary.json", summary)
    return summary


SCORING = Scoring(score_run, ("scores",))


def _shards(path: Path, options: CodeipOptions) -> list[Shard]:
    """One shard a row group of the prompts; its key names the files of answers that it reads."""
    record = pq.read_metadata(path / "prompts.parquet")
    hashes = [sha256_file(part) for part in part_paths(path / "generations")]
    shards: list[Shard] = []
    start = 0
    for group in range(record.num_row_groups):
        rows = record.row_group(group).num_rows
        parts = range(start // PART_REQUESTS, (start + rows - 1) // PART_REQUESTS + 1)
        digest = hashlib.sha256("".join(hashes[part] for part in parts).encode()).hexdigest()[:16]
        load = partial(_score_input, path, group, start, tuple(parts), options.samples, options.controls)
        shards.append(Shard(group, load, key=digest))
        start += rows
    return shards


def _score_input(path: Path, group: int, start: int, parts: tuple[int, ...], samples: int, controls: bool) -> pa.Table:
    """Rows of `SCORE_INPUT` for one row group of the prompts, which holds their nulls as well."""
    prompts = read_group(path / "prompts.parquet", group).to_pylist()
    columns = ["prompt_id", "sample_index", "text", "status"]
    names = [part_paths(path / "generations")[part] for part in parts]
    answers = pa.concat_tables([read_table(name, columns).replace_schema_metadata(None) for name in names])
    first = (start - parts[0] * PART_REQUESTS) * samples
    own = answers.slice(first, len(prompts) * samples).to_pylist()
    return score_input(
        prompts, [own[place : place + samples] for place in range(0, len(own), samples)], controls=controls
    )


def _summary(run: RunFolder, light: list[dict[str, Any]], options: CodeipOptions) -> dict[str, Any]:
    record = run.record()
    reduced = reduce_scores(run.path / "scores", [row["prompt_id"] for row in light])
    chosen = Figures(options.n, options.training_n, options.draws, options.seed)
    matches = Counter(row["null_match"] for row in light)
    return {
        "schema": SUMMARY_VERSION,
        "capability": "codeipprompt",
        "key": record["key"],
        "model": record["inputs"]["model"],
        "options": record["options"],
        "headline_mode": record["inputs"]["prompts"]["options"]["mode"],
        "prompt_set": record["inputs"]["prompts"],
        "prompts": len(light),
        "projects": len({row["project"] for row in light}),
        "cells": _cells(light),
        "null": {
            **{name: matches[name] for name in ("class", "language", "none")},
            "same_project": sum(row["null_same_project"] for row in light),
        },
        "modes": {
            mode: summarize(light, reduced[("model", mode)], reduced.get(("null", mode)), mode, chosen)
            for mode in MODES
        },
        "controls": [
            {
                "name": control.name,
                "title": control.title,
                "modes": {
                    mode: control_figures(light, reduced[(f"control:{control.name}", mode)], chosen) for mode in MODES
                },
            }
            for control in CONTROLS
            if (f"control:{control.name}", MODES[0]) in reduced
        ],
        "notes": [*failures(run.path, {"generations": "answers"}), *_notes(record, len(light))],
    }


def _cells(light: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Prompts by language and license class."""
    counts = Counter((row["language"], row["license_class"] or "restricted") for row in light)
    return [
        {"language": language, "license_class": name, "prompts": count}
        for (language, name), count in sorted(counts.items())
    ]


def _notes(record: dict[str, Any], prompts: int) -> list[str]:
    """In what this run is weaker than the paper's, or differs from it; and what no run establishes."""
    options, held = record["options"], record["inputs"]["prompts"]["prompts"]
    notes: list[str] = []
    if prompts < held:
        notes.append(f"A sample of {prompts:,} of {held:,} prompts; --limit 0 asks for all.")
    if prompts < options["n"]:
        notes.append(
            f"EM and EP draw {options['n']} times from {prompts} prompts, so that they say little about other prompts: "
            "see the intervals."
        )
    if record["inputs"]["model"]["adapter"] == "replay":
        notes.append("Answers were recorded elsewhere: this run neither chose nor knows how they were drawn.")
    elif options["temperature"] == 0:
        notes.append("Greedy answers: all samples of a prompt are equal, where the paper samples.")
    notes += [
        f"One draw is the best of {options['samples']} answers to a prompt, as released, so that n = {options['n']} "
        f"stands for {options['n'] * options['samples']:,} answers; figures of single answers stand apart.",
        "The null is the same answers against other sources. What EM and EP do not exceed it by is likeness that comes "
        "from the language and the length alone; what they exceed it by may come from the topic of the prompt as well.",
        *(
            ["An answer is compared with the source of its prompt alone; it may copy another work."]
            if record.get("against") is None
            else []
        ),
        "The prompts are not the published ones: figures stand beside the published ones, they do not extend that "
        "table. In corrected mode the best part of the source is found otherwise than in the release.",
        "A score above 0.5 is what most people of the published study called a copy. It does not prove copying in law. "
        "Nothing here is legal advice.",
    ]
    return notes
