"""The null of CodeIPPrompt: whose source the answers to a prompt are compared with to see what chance alone gives.

Each prompt gets the source of another prompt of the same language and license class, of about the same length and,
where there is one, of another project. No source is used twice, so that the null holds the same sources as the run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
import scipy

__all__ = ["ARRANGED", "COLUMNS", "Arrangement", "arrange"]

COLUMNS = ("prompt_id", "text", "language", "license_class", "project", "path", "content_id", "source_tokens")
"""Columns of a prompt that the arrangement looks at."""

ARRANGED = (
    # Prompt whose source is the null of this one; null where the language has no other source.
    pa.field("null_id", pa.string()),
    # class | language | none: what the two have in common beside the length
    pa.field("null_match", pa.string()),
    # Whether no source of another project was left.
    pa.field("null_same_project", pa.bool_()),
)
"""Columns that a run adds to those of a prompt."""

BLOCK = 64
"""Most prompts among which sources are exchanged; blocks of neighbors in length keep the work and memory small."""
NEVER, SAME_TEXT, SAME_PROJECT, OTHER_CLASS, JITTER = 1e9, 1e6, 1e3, 30.0, 0.1


@dataclass(frozen=True)
class Arrangement:
    """Prompts in the order of a run.

    ``order[i]`` is the row of the prompt at place ``i``: by language, license class and length of the source.
    ``partners[i]`` is the place of its null, -1 without one, and always in the same shard. ``matches`` and
    ``same_project`` are as in `ARRANGED`. ``starts`` are the first places of the shards.
    """

    order: list[int]
    partners: list[int]
    matches: list[str]
    same_project: list[bool]
    starts: list[int]

    def bounds(self) -> list[tuple[int, int]]:
        """First place of each shard and the place after its last."""
        return list(zip(self.starts, [*self.starts[1:], len(self.order)], strict=True))


def arrange(prompts: pa.Table, *, seed: int, shard: int = BLOCK) -> Arrangement:
    """Order prompts (`COLUMNS`) and give each its null.

    In each block the pairs are those of least cost: a source of the same project, name or prompt costs more than any
    difference in length (logarithm of tokens), and a small seeded term decides between equals. The same content is
    never paired. A license class with one prompt exchanges with the next class of its language.

    Args:
        prompts: rows in the order of the prompt set.
        seed: of the term between equals; equal seeds give equal pairs.
        shard: prompts from which on a shard is closed.
    """
    rows = prompts.select(list(COLUMNS)).to_pylist()
    order = sorted(range(len(rows)), key=lambda row: _rank(rows[row]))
    found = Arrangement(order, [-1] * len(rows), ["none"] * len(rows), [False] * len(rows), [])
    generator = np.random.default_rng(seed)
    waiting = 0
    for start, end in _blocks([rows[row] for row in order]):
        _pair([rows[row] for row in order[start:end]], start, found, generator)
        if not found.starts or (waiting and waiting + end - start > shard):
            found.starts.append(start)
            waiting = 0
        waiting += end - start
    return found


def _rank(row: dict[str, Any]) -> tuple[str, str, int, str]:
    return row["language"], row["license_class"] or "", row["source_tokens"], row["prompt_id"]


def _blocks(rows: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """Bounds of the blocks: whole groups of language and class, or near-equal pieces of large ones."""
    blocks: list[tuple[int, int]] = []
    for start, end in _groups(rows):
        pieces = -(-(end - start) // BLOCK)
        edges = [start + (end - start) * piece // pieces for piece in range(pieces + 1)]
        blocks += zip(edges, edges[1:], strict=False)
    return blocks


def _groups(rows: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """Bounds of groups of language and class; one without two contents joins a neighbor of its language."""
    groups: list[list[int]] = []
    keys: list[tuple[str, str]] = []
    for place, row in enumerate(rows):
        key = (row["language"], row["license_class"] or "")
        if not keys or keys[-1] != key:
            groups.append([place, place])
            keys.append(key)
        groups[-1][1] = place + 1
    merged: list[tuple[int, int, str]] = []
    for (start, end), (language, _) in zip(groups, keys, strict=True):
        last = merged[-1] if merged else None
        if last and last[2] == language and (_alone(rows[start:end]) or _alone(rows[last[0] : last[1]])):
            merged[-1] = (last[0], end, language)
        else:
            merged.append((start, end, language))
    return [(start, end) for start, end, _ in merged]


def _alone(rows: Sequence[dict[str, Any]]) -> bool:
    return len({row["content_id"] for row in rows}) < 2


def _pair(rows: Sequence[dict[str, Any]], start: int, found: Arrangement, generator: np.random.Generator) -> None:
    count = len(rows)
    lengths = np.log1p([row["source_tokens"] for row in rows])
    cost = np.abs(lengths[:, None] - lengths[None, :]) + generator.uniform(0, JITTER, (count, count))
    for price, name in ((SAME_PROJECT, "project"), (SAME_TEXT, "text"), (SAME_TEXT, "file"), (NEVER, "content_id")):
        values = np.array([_value(row, name) for row in rows], dtype=object)
        cost += price * (values[:, None] == values[None, :])
    classes = np.array([row["license_class"] for row in rows], dtype=object)
    cost += OTHER_CLASS * (classes[:, None] != classes[None, :])
    _, columns = scipy.optimize.linear_sum_assignment(cost)
    for place, partner in enumerate(columns.tolist()):
        if cost[place, partner] >= NEVER:
            continue
        own, other = rows[place], rows[partner]
        found.partners[start + place] = start + partner
        found.matches[start + place] = "class" if own["license_class"] == other["license_class"] else "language"
        found.same_project[start + place] = own["project"] == other["project"]


def _value(row: dict[str, Any], name: str) -> object:
    return PurePosixPath(row["path"]).name if name == "file" else row[name]
