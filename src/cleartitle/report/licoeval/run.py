"""The tables of a LiCoEval run, read once for all parts of its report."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import MODES, SCORES, open_units
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import read_json
from cleartitle.tables import read_parts, read_table

__all__ = ["CLASS_TITLES", "Case", "Run", "open_run"]

CLASS_TITLES = {
    "public_domain": "public domain",
    "permissive": "permissive",
    "weak_copyleft": "weak copyleft",
    "strong_copyleft": "strong copyleft",
    "restricted": "restricted",
}

TEXTS = frozenset({"preamble", "signature", "docstring", "body", "text", "reasoning", "answer", "evidence"})
"""Columns that hold text of a corpus or of a model."""

Row = Mapping[str, Any]
Case = tuple[str, int]
"""Prompt id and sample index of an answer of the model."""


@dataclass(frozen=True)
class Run:
    """A run: its record, its summary, and rows of its tables.

    ``scores`` (``body`` for the model only) and ``verdicts`` are keyed ``(source, prompt_id, sample_index, mode)``,
    ``generations`` ``(prompt_id, sample_index)``, ``followups`` by `followup_id`; ``units`` by prompt id, in the order
    of the run.
    """

    record: dict[str, Any]
    summary: dict[str, Any]
    units: dict[str, dict[str, Any]]
    scores: dict[tuple[str, str, int, str], dict[str, Any]]
    verdicts: dict[tuple[str, str, int, str], dict[str, Any]]
    generations: dict[tuple[str, int], dict[str, Any]]
    followups: dict[str, dict[str, Any]]
    redacted: bool = False
    """Whether hashes stand in the place of texts of the corpus and of the model."""

    @property
    def mode(self) -> str:
        """The mode of the headline."""
        return self.summary["headline_mode"]

    @property
    def modes(self) -> tuple[str, ...]:
        """Both modes, that of the headline first."""
        return tuple(sorted(MODES, key=lambda mode: mode != self.mode))

    @property
    def figures(self) -> dict[str, Any]:
        """Figures of the model in the mode of the headline."""
        return self.summary["modes"][self.mode]

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.summary["model"]["name"]

    @cached_property
    def titles(self) -> dict[str, str]:
        """Title of each source of answers: the model first, then the controls."""
        controls = {
            f"control:{control['name']}": f"control: {control['title']}" for control in self.summary["controls"]
        }
        return {"model": self.model, **controls}

    def rows(self, source: str, mode: str | None = None) -> list[dict[str, Any]]:
        """Scores of one source in one mode, in the order of the run."""
        wanted = (source, mode or self.mode)
        return [row for row in self.scores.values() if (row["source"], row["mode"]) == wanted]

    def values(self, source: str, measure: str) -> list[float]:
        """One measure of the answers of a source that could be scored, in the mode of the headline."""
        return [row[measure] for row in self.rows(source) if row["state"] == "scored" and row[measure] is not None]

    def score(self, case: Case, mode: str | None = None) -> dict[str, Any]:
        """Numbers about an answer of the model, by default in the mode of the headline."""
        return self.scores[("model", *case, mode or self.mode)]

    def striking_modes(self, case: Case) -> list[str]:
        """The modes in which an answer of the model is striking."""
        return [mode for mode in self.modes if self.score(case, mode)["striking"]]

    def similarity(self, case: Case) -> float:
        """In the mode of the headline, or in the other one where the answer is striking only there."""
        mode = next(iter(self.striking_modes(case)), self.mode)
        return self.score(case, mode)["similarity"] or 0.0

    def verdict(self, case: Case, mode: str | None = None) -> dict[str, Any] | None:
        """The verdict on an answer of the model in one mode, or in the first mode that has one."""
        modes = self.modes if mode is None else (mode,)
        found = (self.verdicts.get(("model", *case, one)) for one in modes)
        return next((row for row in found if row is not None), None)


def open_run(path: Path, *, redact: bool = False) -> Run:
    """Read the run in a folder; ``redact`` puts a hash in the place of each text of the corpus and of the model.

    Raises:
        InputError: it is not a scored LiCoEval run.
    """
    record = RunFolder.open(path).record()
    if record.get("capability") != "licoeval":
        raise InputError(f"{path}: a run of {record.get('capability')!r}, not of licoeval")
    hide = _redacted if redact else list
    units = hide(open_units(path).to_pylist())
    scores = read_parts(path / "scores", SCORES)
    answers = hide(scores.filter(pc.field("source") == "model").to_pylist())
    controls = scores.filter(pc.field("source") != "model").drop_columns(["body"]).to_pylist()
    verdicts = hide(read_table(path / "verdicts.parquet").to_pylist())
    return Run(
        record,
        read_json(path / "summary.json"),
        {row["prompt_id"]: row for row in units},
        {_key(row): row for row in (*answers, *controls)},
        {_key(row): row for row in verdicts},
        {
            (row["prompt_id"], row["sample_index"]): row
            for row in hide(read_parts(path / "generations", GENERATIONS).to_pylist())
        },
        {row["prompt_id"]: row for row in hide(read_parts(path / "followups", GENERATIONS).to_pylist())},
        redacted=redact,
    )


def _redacted(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with the hash of each text in its place; license names, origins and copyright lines stay."""
    hidden: list[dict[str, Any]] = []
    for row in rows:
        changed: dict[str, Any] = {name: _hash_of(row[name]) for name in TEXTS & row.keys()}
        if "shared_comments" in row:
            changed["shared_comments"] = [_hash_of(comment) for comment in row["shared_comments"]]
        hidden.append({**row, **changed})
    return hidden


def _hash_of(text: str | None) -> str | None:
    if not text:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"[left out: {len(text):,} characters, sha256 {digest}]\n"


def _key(row: Row) -> tuple[str, str, int, str]:
    return row["source"], row["prompt_id"], row["sample_index"], row["mode"]
