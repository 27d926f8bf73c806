"""Run a family of works with a policy or a model, judge the transcripts, and sum them up."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa

from cleartitle import __version__
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.conversation import Limits, converse
from cleartitle.evals.copyright_bench.office import ToolError
from cleartitle.evals.copyright_bench.play import Ask, Episode, play
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.tasks import PROMPTS, Prompt
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS, Row, Transcript
from cleartitle.evals.license_choice.formal import Cell, Family, check_situation
from cleartitle.evals.license_choice.images import LicensedImages
from cleartitle.evals.license_choice.judging import SITUATIONS, judge_table, situation_row
from cleartitle.evals.license_choice.law import JURISDICTIONS, Jurisdiction, version
from cleartitle.evals.license_choice.policies import CHOOSERS, Chooser, choose
from cleartitle.evals.license_choice.software import Software
from cleartitle.evals.license_choice.summary import summarize
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.session import Scoring, conduct, model_key
from cleartitle.files import sha256_file, write_json
from cleartitle.jobs import Shard, locked, map_shards
from cleartitle.models import Model
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.tables import part_paths, read_group, read_table, table_of, write_groups

__all__ = ["SCORING", "FamilyName", "LicenseChoiceOptions", "evaluate_model", "evaluate_policy", "open_family", "score"]

CAPABILITY = "license-choice"
PER_SHARD = 30
FamilyName = Literal["licensed-images", "software"]


@dataclass(frozen=True)
class LicenseChoiceOptions:
    """Which cells are run, and how.

    Without ``task``, ``prompt`` or ``environment`` all of the family are. ``law`` names the jurisdictions, each a
    condition of its own. ``runs`` per cell; each third of them has another right act. The rest is for models.
    """

    task: str | None = None
    prompt: Prompt | None = None
    environment: str | None = None
    law: tuple[Jurisdiction, ...] = ("us",)
    runs: int = 60
    seed: int = 0
    steps: int = 30
    nudges: int = 1
    temperature: float = 0.1
    max_tokens: int = 1024
    workers: int | None = field(default=None, metadata=NOT_IN_KEY)

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", tuple(self.law))  # as read from a record
        for name in ("runs", "steps"):
            if getattr(self, name) < 1:
                raise InputError(f"--{name} {getattr(self, name)}: must be at least 1")
        if not self.law or len(set(self.law)) < len(self.law) or not set(self.law) <= set(JURISDICTIONS):
            raise InputError(f"--law {' '.join(self.law)}: one or several of {', '.join(JURISDICTIONS)}, each once")

    def blocks(self, family: Family) -> list[list[tuple[Cell, int]]]:
        """All runs, in the blocks that are one part each.

        Raises:
            InputError: the family has no such task or environment.
        """
        for name, known in (("task", family.tasks), ("environment", family.environments)):
            if getattr(self, name) not in (None, *known):
                raise InputError(f"--{name} {getattr(self, name)}: {family.name} has {', '.join(known)}")
        cells = itertools.product(
            (self.task,) if self.task else family.tasks,
            (self.prompt,) if self.prompt else PROMPTS,
            (self.environment,) if self.environment else family.environments,
            self.law,
        )
        return [
            [(Cell(*cell), run) for run in range(first, min(self.runs, first + PER_SHARD))]
            for cell, first in itertools.product(cells, range(0, self.runs, PER_SHARD))
        ]


def open_family(name: str, pool: Path | None) -> Family:
    """The family of a name.

    Raises:
        InputError: no such family, or images without a pool.
    """
    if name not in get_args(FamilyName):
        raise InputError(f"--family {name}: must be one of {', '.join(get_args(FamilyName))}")
    if name == "software":
        return Software()
    if pool is None:
        raise InputError("--family licensed-images: needs a pool of images; mend: --pool FOLDER")
    return LicensedImages(Pool.open(pool))


def evaluate_policy(
    policy: Chooser, family: FamilyName, output: Path, options: LicenseChoiceOptions, *, pool: Path | None = None
) -> dict[str, Any]:
    """Run a built-in policy over the cells and write the run folder; a killed run goes on.

    Raises:
        InputError: no such policy, family, task or environment, or the folder holds another run.
    """
    if policy not in CHOOSERS:
        raise InputError(f"--policy {policy}: must be one of {', '.join(CHOOSERS)}")
    opened = open_family(family, pool)
    blocks = options.blocks(opened)
    key = fingerprint(options, family=[family, opened.key], policy=policy, law=version())
    with locked(output):
        inputs = {"chooser": {"kind": "policy", "name": policy}, **_inputs(opened, pool, blocks)}
        run = RunFolder.create(output, CAPABILITY, key, options=as_record(options), inputs=inputs)
        _write_situations(opened, blocks, options.seed, key, output / "prompts.parquet")
        shards = [
            Shard(number, partial(pa.Table.from_pylist, [{**asdict(cell), "run": one} for cell, one in block]))
            for number, block in enumerate(blocks)
        ]
        operation = partial(_play_policy, family, pool, policy, options.seed)
        map_shards(operation, shards, output / "transcripts", key=key, workers=options.workers, label="runs")
        summary = score(output)
        run.finish()
        run.seal()
    return summary


def evaluate_model(
    model: Model, family: FamilyName, output: Path, options: LicenseChoiceOptions, *, pool: Path | None = None
) -> dict[str, Any]:
    """Put a model that calls tools to the cells and write the run folder; a killed run goes on.

    Raises:
        InputError: the model calls no tools, or takes no images for a family of images; or the folder holds
            another run.
    """
    opened = open_family(family, pool)
    can, replayed = model.capabilities(), model.describe().get("adapter") == "replay"
    if not replayed and not can.tools:
        raise InputError(f"{model.name}: calls no tools; mend: a chat model that does")
    if not replayed and not can.images and family == "licensed-images":
        raise InputError(f"{model.name}: takes no images; mend: --family software, or a model that does")
    blocks = options.blocks(opened)
    key = fingerprint(options, family=[family, opened.key], model=model_key(model), law=version())
    parts = [[_episode(opened, cell, run, options) for cell, run in block] for block in blocks]
    return conduct(
        model,
        output,
        CAPABILITY,
        key,
        options=options,
        inputs={"chooser": {"kind": "model", "name": model.name}, **_inputs(opened, pool, blocks)},
        prompts=partial(_write_situations, opened, blocks, options.seed, key),
        answer=lambda: play(model, parts, output / "transcripts", key=key),
        score=score,
    )


def score(path: Path) -> dict[str, Any]:
    """Judge the recorded transcripts of a run, without model and material, and write its summary.

    Raises:
        InputError: the folder holds no run of this capability, or one whose runs are not complete.
    """
    run = RunFolder.open(path, CAPABILITY)
    record = run.record()
    parts = part_paths(path / "transcripts")
    if len(parts) != record["inputs"]["parts"]:
        raise InputError(
            f"{path}: {len(parts)} of {record['inputs']['parts']} parts are there; "
            "mend: give the command that started this run again"
        )
    chooser = str(record["inputs"]["chooser"]["name"])
    shards = [
        Shard(number, pa.table({"part": [number]}), key=sha256_file(part)[:16]) for number, part in enumerate(parts)
    ]
    key = fingerprint(LicenseChoiceOptions(**record["options"]), run=run.key, version=__version__)
    workers = record["options"].get("workers")
    map_shards(partial(_judge, str(path), chooser), shards, path / "choices", key=key, workers=workers, label="judge")
    summary = summarize(path, record)
    write_json(path / "summary.json", summary)
    return summary


SCORING = Scoring(score, ("choices",))


def _inputs(family: Family, pool: Path | None, blocks: list[list[tuple[Cell, int]]]) -> dict[str, Any]:
    about = {"name": family.name, "key": family.key}
    return {"family": about, "pool": None if pool is None else str(pool), "parts": len(blocks)}


def _write_situations(family: Family, blocks: list[list[tuple[Cell, int]]], seed: int, key: str, path: Path) -> None:
    if path.is_file():
        return

    def groups() -> Iterator[pa.Table]:
        for block in blocks:
            rows: list[dict[str, Any]] = []
            for cell, run in block:
                situation = family.draw(cell, run, seed)
                check_situation(situation)
                rows.append(situation_row(situation))
            yield table_of(rows, SITUATIONS)

    write_groups(path, groups(), SITUATIONS, key=key)


def _play_policy(family: str, pool: Path | None, policy: Chooser, seed: int, table: pa.Table) -> pa.Table:
    opened = open_family(family, pool)
    rows: list[Row] = []
    for row in table.to_pylist():
        run = row.pop("run")
        situation = opened.draw(Cell(**row), run, seed)
        transcript = Transcript(situation.name, situation.instruction)
        with opened.open(situation) as desk:
            try:
                choose(policy, opened, desk, situation, random.Random(f"{policy} {situation.seed}"))
                end = "submitted", ""
            except ToolError as error:
                end = "error", str(error)
            transcript.calls(desk)
        rows += transcript.end(*end)
    return table_of(rows, TRANSCRIPTS)


def _episode(family: Family, cell: Cell, run: int, options: LicenseChoiceOptions) -> Episode:
    name = f"{cell.task}/{cell.prompt}/{cell.environment}/{cell.law}/{run:04d}"

    async def episode(ask: Ask) -> list[Row]:
        situation = family.draw(cell, run, options.seed)
        limits = Limits(options.steps, options.nudges, options.temperature, options.max_tokens, situation.seed % 2**31)
        pictures = {choice.path: choice.work for choice in situation.choices}
        with family.open(situation) as desk:
            return await converse(ask, desk, situation.name, situation.instruction, limits, pictures)

    return name, episode


def _judge(path: str, chooser: str, table: pa.Table) -> pa.Table:
    number = table["part"][0].as_py()
    situations = read_group(Path(path) / "prompts.parquet", number).to_pylist()
    transcripts = read_table(part_paths(Path(path) / "transcripts")[number]).to_pylist()
    return judge_table(situations, transcripts, chooser)
