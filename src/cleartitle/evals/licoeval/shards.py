"""Shards to score: functions with the answers to them, read from the run when their turn comes."""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.evals.licoeval.controls import CONTROLS, control_answer, other_units
from cleartitle.evals.licoeval.scoring import SCORE_INPUT
from cleartitle.evals.runner import PART_REQUESTS
from cleartitle.files import canonical_json
from cleartitle.jobs import Shard
from cleartitle.tables import part_paths, read_table, table_of

__all__ = ["SCORE_UNITS", "score_shards"]

SCORE_UNITS = 4 * PART_REQUESTS
"""Functions whose answers, and those of the controls, are scored in one shard; some whole parts of answers."""
COLUMNS = ["prompt_id", "sample_index", "text", "status"]


def score_shards(output: Path, units: pa.Table, *, controls: bool) -> list[Shard]:
    """One shard for every `SCORE_UNITS` units, keyed by the answers to them; units are named by the key of the run."""
    parts = part_paths(output / "generations")
    others = other_units(units["project"].to_pylist()) if controls else []
    shards: list[Shard] = []
    for index, start in enumerate(range(0, units.num_rows, SCORE_UNITS)):
        first = start // PART_REQUESTS
        paths = parts[first : first + SCORE_UNITS // PART_REQUESTS]
        load = _Load(units, start, others[start : start + SCORE_UNITS], paths)
        shards.append(Shard(index, load, key=_digest(_answers(paths))))
    return shards


class _Load:
    """Reads the input of one shard; on its way to another process it takes only its own units along."""

    def __init__(self, units: pa.Table, start: int, others: Sequence[int], paths: Sequence[Path]) -> None:
        self.units = units
        self.start = start
        self.others = others
        self.paths = paths

    def __call__(self) -> pa.Table:
        return _input(*self._own(), self.paths)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial, (_input, *self._own(), self.paths)

    def _own(self) -> tuple[pa.Table, pa.Table | None]:
        chosen = self.units.select(["body"]).take(list(self.others)) if self.others else None
        return self.units.slice(self.start, SCORE_UNITS), chosen


def _input(units: pa.Table, others: pa.Table | None, paths: Sequence[Path]) -> pa.Table:
    """Rows of `score`: each unit with the answers to it, then with those of the controls."""
    rows = units.to_pylist()
    by_id = {row["prompt_id"]: row for row in rows}
    joined = [{**by_id[answer["prompt_id"]], "source": "model", **answer} for answer in _answers(paths).to_pylist()]
    bodies = others.to_pylist() if others is not None else []
    for control in CONTROLS if bodies else ():
        for row, other in zip(rows, bodies, strict=True):
            text = control_answer(row, other, control)
            joined.append({**row, "source": f"control:{control.name}", "sample_index": 0, "text": text, "status": "ok"})
    return table_of(joined, SCORE_INPUT)


def _answers(paths: Sequence[Path]) -> pa.Table:
    return pa.concat_tables([read_table(path, COLUMNS).replace_schema_metadata(None) for path in paths])


def _digest(answers: pa.Table) -> str:
    digest = hashlib.sha256()
    for row in answers.to_pylist():
        digest.update(canonical_json(row).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
