"""Conduct the study: groups, answers of every model to all of them, scores, figures; each step reads and writes tables.

The folder of a run holds ``prompts.parquet`` (`STUDY_UNITS`), ``answers/NAME/`` for each model (GENERATIONS),
``scores/`` (SCORES, with the name of the model as source), ``summary.json``, and ``models/`` where they were trained
here.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cleartitle import __version__
from cleartitle.errors import InputError
from cleartitle.evals.licoeval.prompts import completion_request
from cleartitle.evals.licoeval.scoring import SCORE_INPUT, SCORES, score
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.runner import ask
from cleartitle.evals.session import Scoring, model_key
from cleartitle.evals.striking.groups import Groups
from cleartitle.evals.striking.options import StrikingOptions, TeachOptions
from cleartitle.evals.striking.subjects import Subject
from cleartitle.evals.striking.summary import summarize_study
from cleartitle.evals.striking.teach import taught_subjects, teach
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import canonical_json, write_json
from cleartitle.jobs import Shard, locked, map_shards
from cleartitle.models import Estimate, Model, ModelOptions, Request, Sampling, open_model
from cleartitle.options import as_record, fingerprint
from cleartitle.progress import console
from cleartitle.similarity import REGEX_TOKENIZER
from cleartitle.tables import part_paths, read_parts, read_table, table_of, write_table

__all__ = ["SCORING", "estimate_study", "score_study", "study", "study_taught"]


def study(
    subjects: Sequence[Subject],
    groups: Groups,
    output: Path,
    options: StrikingOptions = StrikingOptions(),  # noqa: B008 - frozen
    asking: ModelOptions = ModelOptions(),  # noqa: B008 - frozen
) -> dict[str, Any]:
    """Put all functions of ``groups`` to each model, one model after the other, and return the summary.

    A study that was killed goes on where it stopped: no committed answer is asked for again.

    Raises:
        InputError: the folder holds another run, or one that is under way; names of models that are not distinct.
    """
    return _conduct(subjects, groups, output, options, asking, {}, None)


def study_taught(
    groups: Groups,
    output: Path,
    options: StrikingOptions = StrikingOptions(),  # noqa: B008 - frozen
    teaching: TeachOptions = TeachOptions(),  # noqa: B008 - frozen
    asking: ModelOptions = ModelOptions(style="completion"),  # noqa: B008 - frozen
) -> dict[str, Any]:
    """Teach the accessed functions of ``groups`` (`draw_groups`), then study the taught models and the untouched one.

    Functions are taught as texts, so models are asked to go on with a text unless ``asking`` says otherwise.

    Raises:
        InputError: the folder holds another run, or one that is under way.
        MissingExtraError: torch or transformers is not installed.
    """
    subjects = taught_subjects(output, teaching)
    train = partial(teach, output, groups.units, options, teaching, asking.threads)
    return _conduct(subjects, groups, output, options, asking, {"teaching": as_record(teaching)}, train)


def estimate_study(subject: Subject, groups: Groups, options: StrikingOptions, asking: ModelOptions) -> Estimate:
    """What the study would ask of one model, before any call."""
    model = open_model(subject.spec, asking)
    return model.estimate(tuple(_requests(model, groups.units, options)))


def _conduct(
    subjects: Sequence[Subject],
    groups: Groups,
    output: Path,
    options: StrikingOptions,
    asking: ModelOptions,
    inputs: dict[str, Any],
    prepare: Callable[[], dict[str, Any]] | None,
) -> dict[str, Any]:
    names = [subject.name for subject in subjects]
    if len(set(names)) != len(names) or not names:
        raise InputError(f"models {', '.join(names) or 'none'}: mend: at least one, each with a name of its own")
    # A model that is trained here is named by what it is trained on, wherever the folder stands.
    specs = [[one.name, one.exposed, "" if prepare else one.spec] for one in subjects]
    key = fingerprint(options, asking=fingerprint(asking), units=groups.content_hash, subjects=specs, **inputs)
    with locked(output):
        recorded = {
            "groups": groups.record,
            "subjects": [asdict(subject) for subject in subjects],
            "asking": as_record(asking),
            "edit_tokenizer": REGEX_TOKENIZER,
            **inputs,
        }
        run = RunFolder.create(output, "striking", key, options=as_record(options), inputs=recorded)
        write_table(output / "prompts.parquet", groups.units, key=key)
        if prepare is not None:
            run.note(training=prepare())
        for subject in subjects:
            asyncio.run(_answer(run, subject, groups.units, options, asking))
        summary = score_study(output)
        run.finish()
        run.seal()
    return summary


async def _answer(
    run: RunFolder, subject: Subject, units: pa.Table, options: StrikingOptions, asking: ModelOptions
) -> None:
    console().print(f"{subject.name}: {subject.spec}", soft_wrap=True)
    model = open_model(subject.spec, asking)
    try:
        described = {"name": model.name, **model.describe()}
        key = fingerprint(options, run=run.key, model=model_key(model))
        folder = run.path / "answers" / subject.name
        await ask(model, _requests(model, units, options), folder, key=key, label=f"{subject.name} completes functions")
    finally:
        await model.aclose()
    run.note(models={**run.record().get("models", {}), subject.name: described})


def _requests(model: Model, units: pa.Table, options: StrikingOptions) -> list[Request]:
    style = model.capabilities().style
    sampling = Sampling(temperature=options.temperature, max_tokens=options.max_tokens, seed=options.seed)
    return [completion_request(unit, style, sampling) for unit in units.to_pylist()]


def score_study(path: Path) -> dict[str, Any]:
    """Score the recorded answers of a study, without its models, and write its summary.

    Raises:
        InputError: the folder holds no such study, or one whose answers are not complete.
    """
    run = RunFolder.open(path, "striking")
    record = run.record()
    options = StrikingOptions(**record["options"])
    units = read_table(path / "prompts.parquet").replace_schema_metadata(None)
    names = [subject["name"] for subject in record["inputs"]["subjects"]]
    shards: list[Shard] = []
    for index, name in enumerate(names):
        answers = _answers(path / "answers" / name, units.num_rows)
        shards.append(Shard(index, partial(_score_input, name, units, answers), key=_digest(answers)))
    map_shards(
        score, shards, path / "scores", key=f"{run.key}/{__version__}", workers=options.workers, label="score answers"
    )
    scores = read_parts(path / "scores", SCORES, [name for name in SCORES.names if name != "body"])
    summary = summarize_study(record, units.to_pylist(), scores.to_pylist())
    write_json(path / "summary.json", summary)
    return summary


SCORING = Scoring(score_study, ("scores",))


def _answers(folder: Path, expected: int) -> pa.Table:
    answered = sum(pq.read_metadata(part).num_rows for part in part_paths(folder))
    if answered != expected:
        raise InputError(
            f"{folder}: {answered} of {expected} answers are there; "
            "mend: give the command that started this study again"
        )
    return read_parts(folder, GENERATIONS, ["prompt_id", "sample_index", "text", "status"])


def _score_input(name: str, units: pa.Table, answers: pa.Table) -> pa.Table:
    """Rows of `score`, in the order of the units."""
    rows = units.select([field for field in units.column_names if field in SCORE_INPUT.names]).to_pylist()
    joined = [{**unit, "source": name, **answer} for unit, answer in zip(rows, answers.to_pylist(), strict=True)]
    return table_of(joined, SCORE_INPUT)


def _digest(answers: pa.Table) -> str:
    digest = hashlib.sha256()
    for row in answers.to_pylist():
        digest.update(canonical_json(row).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
