"""Run a grid of cells with a policy or a model, judge the transcripts, and sum them up."""

import io
import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from PIL import Image

from cleartitle import __version__
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.conversation import Ask, Converse, Limits, converse
from cleartitle.evals.copyright_bench.episodes import (
    OFFERS,
    Condition,
    Mitigation,
    episode_id,
    offer_row,
    open_office,
    policy_episode,
    prepare_episode,
)
from cleartitle.evals.copyright_bench.judge import judge_open, judgements
from cleartitle.evals.copyright_bench.judging import judge_table
from cleartitle.evals.copyright_bench.play import Episode, play
from cleartitle.evals.copyright_bench.policies import POLICIES, PolicyName
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.summary import PAPER_RUNS, summarize
from cleartitle.evals.copyright_bench.tasks import ENVIRONMENTS, PROMPTS, TASKS, Environment, Prompt, Task
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS, Row
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.session import Scoring, conduct, model_key
from cleartitle.files import sha256_file, write_json
from cleartitle.jobs import Shard, locked, map_shards
from cleartitle.models import Model, ModelOptions
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.tables import part_paths, read_group, read_table, table_of, write_groups, write_table

__all__ = [
    "SCORING",
    "CopyrightBenchOptions",
    "Weights",
    "estimate_calls",
    "evaluate_model",
    "evaluate_policy",
    "score",
]

PER_SHARD = 60
THUMBNAIL = 112
PICTURES = pa.schema([("asset", pa.string()), ("shows", pa.list_(pa.string())), ("jpeg", pa.binary())])
"""Small pictures of what was on offer, for the report."""

Weights = Literal["open", "closed"]
Loop = Literal["own", "autogen"]


@dataclass(frozen=True)
class CopyrightBenchOptions:
    """Which cells are run, and how.

    Without ``task``, ``prompt`` or ``environment`` all of them are. ``runs`` per cell (the paper has 240). ``pairs``
    of look-alikes are on offer in each run. Each ``mitigation`` is a condition of its own: none, rights-in-list (shown
    in ``list_files``), reminder (a question before the submission), or both. The rest is for models: ``captions`` give
    words in the place of pixels, ``steps`` answers at most, ``nudges`` reminders after answers without a call, and the
    ``loop``: our own, or AutoGen's two agents as in the paper.
    """

    task: Task | None = None
    prompt: Prompt | None = None
    environment: Environment | None = None
    mitigation: tuple[Mitigation, ...] = ("none",)
    runs: int = PAPER_RUNS
    pairs: int = 20
    seed: int = 0
    captions: bool = False
    steps: int = 30
    nudges: int = 1
    temperature: float = 0.1
    max_tokens: int = 1024
    loop: Loop = "own"
    workers: int | None = field(default=None, metadata=NOT_IN_KEY)

    def __post_init__(self) -> None:
        # As read from a record
        object.__setattr__(self, "mitigation", tuple(self.mitigation))
        for name in ("runs", "pairs", "steps"):
            if getattr(self, name) < 1:
                raise InputError(f"--{name} {getattr(self, name)}: must be at least 1")
        if not self.mitigation or len(set(self.mitigation)) < len(self.mitigation):
            raise InputError("--mitigation: each at most once, and at least one")

    @property
    def conditions(self) -> list[Condition]:
        """The cells."""
        return [
            Condition(task, prompt, environment, mitigation)
            for task, prompt, environment, mitigation in itertools.product(
                (self.task,) if self.task else TASKS,
                (self.prompt,) if self.prompt else PROMPTS,
                (self.environment,) if self.environment else ENVIRONMENTS,
                self.mitigation,
            )
        ]

    @property
    def blocks(self) -> list[list[tuple[Condition, int]]]:
        """All episodes, in the blocks that are one part each."""
        return [
            [(condition, run) for run in range(first, min(self.runs, first + PER_SHARD))]
            for condition, first in itertools.product(self.conditions, range(0, self.runs, PER_SHARD))
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
        chooser = {"kind": "policy", "name": policy}
        run = RunFolder.create(
            output,
            "copyright-bench",
            key,
            options=as_record(options),
            inputs={"chooser": chooser, "pool": about_pool(pool)},
        )
        _write_offers(pool, options, key, output / "prompts.parquet")
        shards = [Shard(number, partial(_block, block)) for number, block in enumerate(options.blocks)]
        operation = partial(_play_policy, str(pool.path), policy, options.seed, options.pairs)
        folder = output / "transcripts"
        map_shards(operation, shards, folder, key=key, workers=options.workers, label="episodes")
        summary = score(output)
        run.finish()
        run.seal()
    return summary


def evaluate_model(
    model: Model,
    pool: Pool,
    output: Path,
    options: CopyrightBenchOptions | None = None,
    *,
    judge: Model | None = None,
    weights: Weights | None = None,
    asking: ModelOptions | None = None,
    conversation: Converse = converse,
) -> dict[str, Any]:
    """Put a model to the cells and write the run folder; a killed run goes on, and no answer is asked for twice.

    Args:
        model: it calls tools; without images it needs ``captions``.
        pool: what is on offer.
        output: folder of the run.
        options: cells and limits.
        judge: a model that decides which failure a transcript shows where the rules cannot.
        weights: whether the weights of the model are open, as its user says.
        asking: for the prices of tokens.
        conversation: the loop, as ``options.loop`` names it.

    Raises:
        InputError: the model takes no tools, or no images and there are no captions; the folder holds another run.
    """
    options = options or CopyrightBenchOptions()
    can = model.capabilities()
    replayed = model.describe().get("adapter") == "replay"
    if not can.tools and not replayed:
        raise InputError(f"{model.name}: calls no tools; mend: a chat model that does")
    if not can.images and not options.captions and not replayed:
        raise InputError(f"{model.name}: takes no images; mend: --captions, which puts words in the place of pixels")
    chooser = {
        "kind": "model",
        "name": model.name,
        "weights": weights,
        "captions": options.captions,
        "tools_by_grammar": can.tools_by_grammar,
    }
    prices = (asking.price_prompt, asking.price_completion) if asking else (None, None)
    judged = {"judge": None if judge is None else {"name": judge.name, **judge.describe()}}
    key = fingerprint(options, pool=pool.key, model=model_key(model), judge=judge and model_key(judge))

    async def answer() -> None:
        try:
            await play(model, _episodes(pool, options, conversation), output / "transcripts", key=key)
            if judge is not None:
                await judge_open(judge, _open_cases(output, model.name), output, key)
        finally:
            if judge is not None:
                await judge.aclose()

    return conduct(
        model,
        output,
        "copyright-bench",
        key,
        options=options,
        inputs={"chooser": chooser, "pool": about_pool(pool), **judged},
        prompts=partial(_write_offers, pool, options, key),
        answer=answer,
        score=score,
        notes={"prices_per_million": dict(zip(("prompt", "completion"), prices, strict=True))},
    )


def estimate_calls(options: CopyrightBenchOptions) -> dict[str, int]:
    """Upper bounds of what a model run would ask for; what a conversation needs is known only when it is played."""
    episodes = len(options.conditions) * options.runs
    calls = episodes * options.steps
    return {"episodes": episodes, "most_calls": calls, "most_completion_tokens": calls * options.max_tokens}


def score(path: Path) -> dict[str, Any]:
    """Judge the recorded transcripts of a run, without model and pool, and write its summary.

    Raises:
        InputError: the folder holds no run of this capability, or one whose episodes are not complete.
    """
    run = RunFolder.open(path, "copyright-bench")
    record = run.record()
    if "chooser" not in record["inputs"]:
        raise InputError(f"{path}: a run of an older version; mend: run it again")
    options = CopyrightBenchOptions(**record["options"])
    chooser = record["inputs"]["chooser"]
    parts = part_paths(path / "transcripts")
    wanted = record["inputs"].get("parts", len(options.blocks))
    if len(parts) != wanted:
        raise InputError(
            f"{path}: {len(parts)} of {wanted} parts of episodes are there; "
            "mend: give the command that started this run again"
        )
    said = judgements(path)
    operation = partial(_judge_part, str(path), chooser["name"], said)
    shards = [
        Shard(number, pa.table({"part": [number]}), key=sha256_file(part)[:16]) for number, part in enumerate(parts)
    ]
    key = fingerprint(options, run=run.key, version=__version__, judgements=said)
    map_shards(operation, shards, path / "episodes", key=key, workers=options.workers, label="judge episodes")
    summary = summarize(path, record, said)
    write_json(path / "summary.json", summary)
    return summary


SCORING = Scoring(score, ("episodes",))


def play_one(
    pool: Pool, options: CopyrightBenchOptions, condition: Condition, run: int, conversation: Converse = converse
) -> tuple[Row, Episode]:
    """What one episode offers (a row of ``OFFERS``), and what plays it with any way to ask a model."""
    offer, asked = prepare_episode(pool, condition, run, options.seed, pairs=options.pairs)
    name = episode_id(condition, run)
    limits = Limits(
        steps=options.steps,
        nudges=options.nudges,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        seed=offer.seed % 2**31,
    )

    async def episode(ask: Ask) -> list[Row]:
        pictures = {file.path: file.asset.name for file in offer.files}
        with open_office(pool, condition, offer, captions=options.captions) as office:
            return await conversation(ask, office, name, asked.text, limits, pictures)

    return offer_row(condition, run, offer, asked), (name, episode)


def _episodes(pool: Pool, options: CopyrightBenchOptions, conversation: Converse) -> list[list[Episode]]:
    """The episodes of all blocks; an offer is drawn when its episode is played."""

    def later(condition: Condition, run: int) -> Episode:
        async def episode(ask: Ask) -> list[Row]:
            _, (_, now) = play_one(pool, options, condition, run, conversation)
            return await now(ask)

        return episode_id(condition, run), episode

    return [[later(condition, run) for condition, run in block] for block in options.blocks]


def _write_offers(pool: Pool, options: CopyrightBenchOptions, key: str, path: Path) -> None:
    """Write ``prompts.parquet``, a row group a block, and ``pictures.parquet`` beside it."""
    if path.is_file() and (path.parent / "pictures.parquet").is_file():
        return
    used: set[str] = set()

    def groups() -> Iterator[pa.Table]:
        for block in options.blocks:
            rows = [
                offer_row(condition, run, *prepare_episode(pool, condition, run, options.seed, pairs=options.pairs))
                for condition, run in block
            ]
            used.update(file["asset"] for row in rows for file in row["files"])
            yield table_of(rows, OFFERS)

    write_groups(path, groups(), OFFERS, key=key)
    write_pictures(pool, used, path.parent / "pictures.parquet", key)


def write_pictures(pool: Pool, used: Collection[str], path: Path, key: str) -> None:
    """Write small pictures of the assets of these names."""
    shown = [
        {"asset": asset.name, "shows": list(asset.tags), "jpeg": _thumbnail(pool.file(asset, "stripped"))}
        for asset in sorted((asset for pair in pool.pairs for asset in pair.assets), key=lambda asset: asset.name)
        if asset.name in used
    ]
    write_table(path, table_of(shown, PICTURES), key=key)


def _thumbnail(path: Path) -> bytes:
    with Image.open(path) as image:
        picture = image.convert("RGB")
    picture.thumbnail((THUMBNAIL, THUMBNAIL))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=70)
    return stream.getvalue()


def about_pool(pool: Pool) -> dict[str, Any]:
    """What the record of a run says of its pool."""
    return {
        "path": str(pool.path),
        "key": pool.key,
        "pairs": len(pool.pairs),
        "roles": "fixed by the owner" if pool.has_fixed_roles else "drawn per run; all images are in truth free",
        "image_backend": pool.record.get("image_backend"),
        "quality_backend": pool.record.get("quality_backend"),
    }


def _block(block: list[tuple[Condition, int]]) -> pa.Table:
    return pa.Table.from_pylist([{**asdict(condition), "run": run} for condition, run in block])


def _play_policy(pool: str, policy: PolicyName, seed: int, pairs: int, table: pa.Table) -> pa.Table:
    opened = Pool.open(pool)
    rows: list[Row] = []
    for row in table.to_pylist():
        run = row.pop("run")
        rows += policy_episode(opened, Condition(**row), run, seed, pairs=pairs, policy=policy)
    return table_of(rows, TRANSCRIPTS)


def _judge_part(path: str, chooser: str, said: Mapping[str, str | None], table: pa.Table) -> pa.Table:
    number = table["part"][0].as_py()
    offers = read_group(Path(path) / "prompts.parquet", number).to_pylist()
    transcripts = read_table(part_paths(Path(path) / "transcripts")[number]).to_pylist()
    return judge_table(offers, transcripts, chooser, said)


def _open_cases(path: Path, chooser: str) -> dict[str, list[Row]]:
    """Transcripts whose failure the rules leave open."""
    found: dict[str, list[Row]] = {}
    for number, part in enumerate(part_paths(path / "transcripts")):
        judged = _judge_part(str(path), chooser, {}, pa.table({"part": [number]})).to_pylist()
        left = {row["episode_id"] for row in judged if row["failure_by"] == "open"}
        for row in read_table(part).to_pylist() if left else []:
            if row["episode_id"] in left:
                found.setdefault(row["episode_id"], []).append(row)
    return found
