"""The tables of a CodeIPPrompt run, as far as its report needs them: numbers of all prompts, texts of the cases."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from cleartitle.evals.codeipprompt import (
    LIGHT,
    REPORTED_APART,
    RUN_PROMPTS,
    SCORES,
    STUDY,
    THRESHOLD,
    Reduced,
    reduce_scores,
)
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import read_json
from cleartitle.report.modes import InTwoModes
from cleartitle.tables import read_matching, read_table

__all__ = ["Case", "Run", "open_run"]


@dataclass(frozen=True)
class Case:
    """The closest answer to a prompt: the prompt with its source, the answer, and its scores.

    ``scores`` are keyed by source (``model``, ``null``) and mode.
    """

    prompt: dict[str, Any]
    answer: dict[str, Any]
    scores: dict[tuple[str, str], dict[str, Any]]


@dataclass(frozen=True)
class Run(InTwoModes):
    """A run: its record, its summary, its prompts without their sources, and the best score of each prompt."""

    path: Path
    record: dict[str, Any]
    summary: dict[str, Any]
    prompts: list[dict[str, Any]]
    reduced: dict[tuple[str, str], Reduced]
    study: dict[str, Any] | None
    redacted: bool = False

    @cached_property
    def apart(self) -> np.ndarray:
        """Which prompts are of code whose copying is no infringement."""
        return np.array([row["license_class"] in REPORTED_APART for row in self.prompts], dtype=bool)

    def best(self, source: str, *, counted: bool = True) -> list[float]:
        """Best scores of the prompts that have one, by default without those that are reported apart."""
        reduced = self.reduced.get((source, self.mode))
        if reduced is None:
            return []
        wanted = ~np.isnan(reduced.best) & (~self.apart if counted else True)
        return reduced.best[wanted].tolist()

    def closest(self, limit: int) -> list[Case]:
        """The prompts with the highest scores, those reported apart last, each with its closest answer.

        Only scores above the threshold, where there are any.
        """
        best = self.reduced[("model", self.mode)].best
        wanted = best > THRESHOLD
        known = np.flatnonzero(wanted if wanted.any() else ~np.isnan(best)).tolist()
        order = sorted(known, key=lambda row: (self.apart[row], -best[row], self.prompts[row]["prompt_id"]))[:limit]
        cases = self._cases({self.prompts[row]["prompt_id"] for row in order})
        return [cases[self.prompts[row]["prompt_id"]] for row in order]

    def _cases(self, names: Collection[str]) -> dict[str, Case]:
        prompts = read_matching(self.path / "prompts.parquet", RUN_PROMPTS, "prompt_id", names).to_pylist()
        answers = read_matching(self.path / "generations", GENERATIONS, "prompt_id", names).to_pylist()
        rows = read_matching(self.path / "scores", SCORES, "prompt_id", names)
        rows = rows.filter(pc.field("source").isin(["model", "null"])).to_pylist()
        cases: dict[str, Case] = {}
        for prompt in prompts:
            name = prompt["prompt_id"]
            own = [row for row in rows if row["prompt_id"] == name]
            values = [row for row in own if (row["source"], row["mode"]) == ("model", self.mode)]
            index = max(values, key=lambda row: (row["value"] or -1.0, -row["sample_index"]))["sample_index"]
            answer = next(row for row in answers if (row["prompt_id"], row["sample_index"]) == (name, index))
            scores = {(row["source"], row["mode"]): row for row in own if row["sample_index"] == index}
            cases[name] = Case(prompt, answer, scores)
        return cases


def open_run(path: Path, *, redact: bool = False) -> Run:
    """Read the run in a folder; ``redact`` marks that no text of the corpus or of the model may be shown.

    Raises:
        InputError: it is not a scored CodeIPPrompt run.
    """
    record = RunFolder.open(path, "codeipprompt").record()
    prompts = read_table(path / "prompts.parquet", list(LIGHT)).to_pylist()
    study = path / STUDY
    return Run(
        path,
        record,
        read_json(path / "summary.json"),
        prompts,
        reduce_scores(path / "scores", [row["prompt_id"] for row in prompts]),
        read_json(study) if study.is_file() else None,
        redacted=redact,
    )
