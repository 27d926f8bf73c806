"""The check of a pool of images by people: may the two of a pair stand for each other?"""

import random
from collections.abc import Collection
from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import Asset, Pool
from cleartitle.labels.agreement import Votes
from cleartitle.labels.question import CONTROL, Choice, Drawn, Item, LabelOptions, Panel, Question, Said, Stratum, Task
from cleartitle.labels.sampling import draw_indices

__all__ = ["LOOK_ALIKES", "accepted_pairs"]

QUESTION = Question(
    "look-alikes",
    1,
    "Can these two images stand for each other?",
    "Accept a pair if both show what is named, are alike in composition, light and sharpness, and neither holds a "
    "watermark, a signature or a text that tells whose it is. Reject it otherwise.",
    (
        Choice("accept", "Accept: either would do"),
        Choice("reject", "Reject: they differ, or one gives itself away"),
        Choice("unsure", "I cannot tell"),
    ),
    swap=True,
)
STRATUM = "pairs of the pool"


def _draw(path: Path, options: LabelOptions) -> Drawn:
    """All pairs, or as many as the limit says, and checks: images of two pairs that show different things."""
    pool = Pool.open(path)
    count = options.limit or len(pool.pairs)
    chosen = [pool.pairs[index] for index in draw_indices(len(pool.pairs), count, f"{options.seed}/look-alikes")]
    items = [_item(pool, pair.name, pair.assets, ", ".join(sorted(pair.tags))) for pair in chosen]
    stratum = Stratum(STRATUM, len(pool.pairs), tuple(item.id for item in items))
    return Drawn((*items, *_controls(pool, len(items), options)), (stratum,), pool.key)


def _controls(pool: Pool, judged: int, options: LabelOptions) -> list[Item]:
    if len(pool.tags) < 2:
        return []
    lot = random.Random(f"{options.seed}/look-alikes/controls")
    items: list[Item] = []
    for number in range(round(judged * options.controls / (1 - options.controls))):
        first = lot.choice(pool.pairs)
        others = [pair for pair in pool.pairs if not pair.tags & first.tags]
        if others:
            assets = first.assets[0], lot.choice(others).assets[0]
            shown = ", ".join(sorted(first.tags))
            items.append(_item(pool, f"{CONTROL}reject:{number}", assets, shown, "reject"))
    return items


def _item(pool: Pool, name: str, assets: tuple[Asset, Asset], shown: str, expected: str | None = None) -> Item:
    panels = [Panel(f"{side}: {shown}", "", pool.file(asset, "stripped")) for side, asset in zip("AB", assets)]  # noqa: B905
    return Item(name, tuple(panels), None, expected)


def _tool(path: Path, items: Collection[str]) -> Said:
    """What the program says: it paired them, so it accepts them all."""
    pool = Pool.open(path)
    known = {pair.name for pair in pool.pairs}
    said: dict[str, str | None] = {item: "accept" if item in known else None for item in items}
    return Said(said, dict.fromkeys(items, STRATUM), {STRATUM: len(known)})


def accepted_pairs(pool: Pool, votes: Votes) -> list[str]:
    """The pairs that the majority of raters accepts, in the order of the pool; what nobody judged is not accepted.

    Raises:
        InputError: the labels answer another question, or are of another pool.
    """
    if votes.task != LOOK_ALIKES.name:
        raise InputError(f"labels of the task {votes.task!r}; mend: name those that `cleartitle assets check` wrote")
    if votes.run != pool.key:
        raise InputError(f"{pool.path}: is pool {pool.key}, and the labels are of pool {votes.run}")
    return [pair.name for pair in pool.pairs if votes.majority(pair.name) == "accept"]


LOOK_ALIKES = Task("look-alikes", "pool", QUESTION, _draw, _tool, frozenset({"accept"}))
