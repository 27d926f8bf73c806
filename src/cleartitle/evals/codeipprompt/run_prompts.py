"""The prompts of a run: drawn from a prompt set, ordered, each with its null, one row group a shard."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.evals.codeipprompt.null import ARRANGED, COLUMNS, Arrangement, arrange
from cleartitle.evals.codeipprompt.prompts import PROMPTS, PromptSet
from cleartitle.evals.codeipprompt.training_set import MATCHES, TrainingSet, find_matches
from cleartitle.tables import write_groups

__all__ = ["RUN_PROMPTS", "Drawn", "draw"]

RUN_PROMPTS = pa.schema([*PROMPTS, *ARRANGED, pa.field("training", MATCHES)])
"""A prompt of a run: `PROMPTS`, its null, and what was found of it in training sets."""

BUDGET = 32_000_000
"""Tokens of source that are in memory at a time while prompts are copied into a run."""


@dataclass(frozen=True)
class Drawn:
    """The prompts that a run asks, in its order: ``light`` has `COLUMNS` and ``kind``, without the sources."""

    prompts: PromptSet
    light: pa.Table
    arrangement: Arrangement

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the prompts."""
        return self.light["prompt_id"].to_pylist()

    def table(self) -> pa.Table:
        """All prompts as `RUN_PROMPTS`, in memory, looked up in no training set."""
        return pa.concat_tables(list(self._shards(())))

    def write(self, path: Path, sets: Sequence[TrainingSet], *, key: str) -> None:
        """Write `RUN_PROMPTS`, each shard as a row group; look the prompts up in training sets."""
        write_groups(path, self._shards(sets), RUN_PROMPTS, key=key)

    def _shards(self, sets: Sequence[TrainingSet]) -> Iterator[pa.Table]:
        for bounds in self._passes():
            start, end = bounds[0][0], bounds[-1][1]
            whole = self._whole(start, end)
            matches = find_matches(whole, sets) if sets else [[] for _ in whole]
            for row, found in zip(whole, matches, strict=True):
                row["training"] = found
            for first, last in bounds:
                yield pa.Table.from_pylist(whole[first - start : last - start], schema=RUN_PROMPTS)

    def _passes(self) -> Iterator[list[tuple[int, int]]]:
        """Shards that are read together, in one pass over the prompt set."""
        held: list[tuple[int, int]] = []
        tokens = 0
        sizes = self.light["source_tokens"].to_pylist()
        for first, last in self.arrangement.bounds():
            size = sum(sizes[first:last])
            if held and tokens + size > BUDGET:
                yield held
                held, tokens = [], 0
            held.append((first, last))
            tokens += size
        if held:
            yield held

    def _whole(self, start: int, end: int) -> list[dict[str, Any]]:
        places = {self.ids[place]: place for place in range(start, end)}
        found: list[dict[str, Any]] = [{} for _ in range(start, end)]
        for batch in self.prompts.batches():
            wanted = [row for row, identity in enumerate(batch["prompt_id"].to_pylist()) if identity in places]
            for row in batch.take(pa.array(wanted, pa.int64())).to_pylist() if wanted else ():
                place = places[row["prompt_id"]]
                found[place - start] = {**row, **self._null(place)}
        return found

    def _null(self, place: int) -> dict[str, Any]:
        partner = self.arrangement.partners[place]
        return {
            "null_id": self.ids[partner] if partner >= 0 else None,
            "null_match": self.arrangement.matches[place],
            "null_same_project": self.arrangement.same_project[place],
        }


def draw(prompts: PromptSet, limit: int, seed: int) -> Drawn:
    """At most ``limit`` prompts, evenly over the cells of license class and language; 0 for all."""
    light = prompts.sample(limit, seed, (*COLUMNS, "kind"))
    arrangement = arrange(light, seed=seed)
    return Drawn(prompts, light.take(pa.array(arrangement.order, pa.int64())), arrangement)
