"""Episodes: one run of a chooser in one workspace. What it is offered and asked, and the office that it works in."""

import random
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa

from cleartitle.evals.copyright_bench.office import Office, ToolError
from cleartitle.evals.copyright_bench.policies import Eyes, PolicyName, choose
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.tasks import Brief, Environment, Prompt, Task, brief, wordings
from cleartitle.evals.copyright_bench.transcript import Row, Transcript
from cleartitle.evals.copyright_bench.web_index import default_web
from cleartitle.evals.copyright_bench.workspace import Offer, draw_offer, lay_out

__all__ = [
    "MITIGATIONS",
    "OFFERS",
    "Condition",
    "Mitigation",
    "episode_id",
    "episode_seed",
    "offer_row",
    "open_office",
    "policy_episode",
    "prepare_episode",
]

Mitigation = Literal["none", "rights-in-list", "reminder", "both"]
MITIGATIONS: tuple[Mitigation, ...] = get_args(Mitigation)

OFFERS = pa.schema(
    [
        pa.field("episode_id", pa.string(), nullable=False),
        pa.field("task", pa.string(), nullable=False),
        pa.field("prompt", pa.string(), nullable=False),
        pa.field("environment", pa.string(), nullable=False),
        pa.field("mitigation", pa.string(), nullable=False),
        pa.field("run", pa.int32(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("wording", pa.int32(), nullable=False),
        pa.field("topic", pa.string(), nullable=False),
        pa.field("least_width", pa.int32(), nullable=False),
        pa.field("chance", pa.float64(), nullable=False),
        pa.field("instruction", pa.string(), nullable=False),
        pa.field(
            "files",
            pa.list_(
                pa.struct(
                    [
                        ("path", pa.string()),
                        ("asset", pa.string()),
                        ("pair", pa.string()),
                        ("role", pa.string()),  # free | restricted, in this run
                        ("notice", pa.string()),  # free | restricted | stripped
                        ("width", pa.int32()),
                        ("relevant", pa.bool_()),
                    ]
                )
            ),
            nullable=False,
        ),
    ]
)
"""One row an episode: what was asked, and all that was on offer."""


@dataclass(frozen=True)
class Condition:
    """One cell of the table: what is asked, how, and where; with the mitigation that is in force."""

    task: Task
    prompt: Prompt
    environment: Environment
    mitigation: Mitigation = "none"


def episode_id(condition: Condition, run: int) -> str:
    """Names an episode within any run of the benchmark."""
    return f"{condition.task}/{condition.prompt}/{condition.environment}/{condition.mitigation}/{run:04d}"


def episode_seed(condition: Condition, run: int, seed: int) -> int:
    """The seed of one run.

    It depends on the task alone, so that prompts, environments and mitigations are compared on the same offers: equal
    pairs, roles and file names, in folders or not.
    """
    rng = random.Random(f"{seed} {condition.task} {run}")
    return rng.randrange(2**48)


def prepare_episode(pool: Pool, condition: Condition, run: int, seed: int, *, pairs: int) -> tuple[Offer, Brief]:
    """The offer and the instruction of one run."""
    wording = run % wordings(condition.prompt)
    least = brief(condition.task, condition.prompt, wording, "").least_width
    offer = draw_offer(pool, condition.environment, episode_seed(condition, run, seed), pairs=pairs, least_width=least)
    return offer, brief(condition.task, condition.prompt, wording, offer.topic)


def offer_row(condition: Condition, run: int, offer: Offer, asked: Brief) -> Row:
    """One row of ``OFFERS``."""
    return {
        "episode_id": episode_id(condition, run),
        **vars(condition),
        "run": run,
        "seed": offer.seed,
        "wording": asked.wording,
        "topic": offer.topic,
        "least_width": asked.least_width,
        "chance": offer.chance,
        "instruction": asked.text,
        "files": [
            {
                "path": file.path,
                "asset": file.asset.name,
                "pair": file.pair,
                "role": file.role,
                "notice": file.notice,
                "width": file.asset.width,
                "relevant": asked.topic in file.asset.tags,
            }
            for file in offer.files
        ],
    }


@contextmanager
def open_office(pool: Pool, condition: Condition, offer: Offer, *, captions: bool = False) -> Generator[Office]:
    """The office of one episode, over a workspace that is there as long as the block runs.

    With ``captions`` words stand in the place of pixels. They name what the pool says that an image shows, and its
    size: twins of one kind have equal words, so that the caption tells nothing of rights.
    """
    with tempfile.TemporaryDirectory(prefix="office-", dir=_scratch(pool)) as folder:
        lay_out(pool, offer, Path(folder))
        yield Office(
            Path(folder),
            default_web() if condition.environment == "web" else None,
            rights_in_list=condition.mitigation in ("rights-in-list", "both"),
            remind=condition.mitigation in ("reminder", "both"),
            captions=_captions(offer) if captions else None,
        )


def policy_episode(
    pool: Pool, condition: Condition, run: int, seed: int, *, pairs: int, policy: PolicyName
) -> list[Row]:
    """The transcript of one episode of a built-in policy (rows of ``TRANSCRIPTS``)."""
    offer, asked = prepare_episode(pool, condition, run, seed, pairs=pairs)
    files = {file.path: file.asset for file in offer.files}
    eyes = Eyes(
        shows=lambda path: asked.topic in files[path].tags and files[path].width >= asked.least_width,
        beauty=lambda path: files[path].quality,
    )
    transcript = Transcript(episode_id(condition, run), asked.text)
    with open_office(pool, condition, offer) as office:
        try:
            choose(policy, office, eyes, random.Random(f"{policy} {transcript.episode_id} {offer.seed}"))
        except ToolError as error:
            transcript.calls(office)
            return transcript.end("error", str(error))
    transcript.calls(office)
    return transcript.end("submitted")


def _captions(offer: Offer) -> Mapping[str, str]:
    return {
        file.path: f"The image shows: {', '.join(file.asset.tags)}. {file.asset.width} x {file.asset.height} pixels."
        for file in offer.files
    }


def _scratch(pool: Pool) -> Path | None:
    """A folder on the file system of the pool, so that files are linked and not copied."""
    folder = pool.path / ".offices"
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        return None
    return folder
