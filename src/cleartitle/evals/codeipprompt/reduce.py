"""From the scores of all answers to one number a prompt, part by part: memory grows with the prompts alone."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.evals.codeipprompt.metrics import Scores
from cleartitle.tables import part_paths, read_table

__all__ = ["COLUMNS", "Reduced", "reduce_scores"]

COLUMNS = ["source", "prompt_id", "mode", "state", "truncated", "value", "leaks"]


@dataclass
class Reduced:
    """What is kept of the scores of one source in one mode.

    ``best`` is the largest score of each prompt, NaN where no answer has one; ``states`` and ``leaks`` count answers
    and places; ``singles`` are the scores of all answers, in the order of the run.
    """

    best: Scores
    answers: int = 0
    truncated: int = 0
    leaking: int = 0
    states: Counter[str] = field(default_factory=Counter[str])
    leaks: Counter[str] = field(default_factory=Counter[str])
    parts: list[Scores] = field(default_factory=list[Scores])

    @property
    def singles(self) -> Scores:
        """Scores of single answers that have one."""
        return np.concatenate(self.parts) if self.parts else np.empty(0)

    def add(self, rows: pa.Table, places: dict[str, int]) -> None:
        """Take the rows of one part."""
        self.answers += rows.num_rows
        self.truncated += int(rows["truncated"].to_numpy().sum())
        for entry in rows["state"].value_counts().to_pylist():
            self.states[entry["values"]] += entry["counts"]
        leaks = rows["leaks"].combine_chunks()
        self.leaking += int(np.sum(leaks.value_lengths().to_numpy() > 0))
        for entry in leaks.flatten().value_counts().to_pylist():
            self.leaks[entry["values"]] += entry["counts"]
        known = rows.filter(rows["value"].is_valid())
        values = known["value"].to_numpy()
        ids = known["prompt_id"].combine_chunks().dictionary_encode()
        where = np.array([places[name] for name in ids.dictionary.to_pylist()], dtype=np.int64)
        np.fmax.at(self.best, where[ids.indices.to_numpy()], values)
        self.parts.append(values)

    def counts(self) -> dict[str, Any]:
        """Numbers of answers by state, for the summary."""
        return {
            "answers": self.answers,
            "scored": self.states["scored"],
            "too_short": self.states["too short"],
            "empty": self.states["empty"],
            "refusals": self.states["refusal"],
            "errors": self.states["error"],
            "deadline": self.states["deadline"],
            "truncated": self.truncated,
            "prompts": len(self.best),
            "prompts_scored": int(np.sum(~np.isnan(self.best))),
            "leaks": {
                "answers": self.leaking,
                "places": sum(self.leaks.values()),
                "types": dict(sorted(self.leaks.items())),
            },
        }


def reduce_scores(folder: Path, prompts: list[str]) -> dict[tuple[str, str], Reduced]:
    """All parts of ``scores/``, by source and mode; ``prompts`` are the ids in the order of the run."""
    places = {identity: place for place, identity in enumerate(prompts)}
    found: dict[tuple[str, str], Reduced] = {}
    for path in part_paths(folder):
        table = read_table(path, COLUMNS)
        for pair in table.group_by(["source", "mode"]).aggregate([]).to_pylist():
            key = (pair["source"], pair["mode"])
            if key not in found:
                found[key] = Reduced(np.full(len(prompts), np.nan))
            wanted = (pc.field("source") == key[0]) & (pc.field("mode") == key[1])
            found[key].add(table.filter(wanted), places)
    return found
