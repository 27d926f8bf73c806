"""What the page of a study reads: record, summary, functions and scores."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import SCORES
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.tables import read_parts, read_table

__all__ = ["Material", "open_material"]

_TEXTS = ("preamble", "signature", "docstring", "body")


@dataclass(frozen=True)
class Material:
    """A study in memory; ``scores`` are those of the headline mode, by model in the order of the functions."""

    record: Mapping[str, Any]
    summary: Mapping[str, Any]
    units: Mapping[str, Mapping[str, Any]]
    scores: Mapping[str, Sequence[Mapping[str, Any]]]
    redacted: bool

    def scored(self, subject: str, group: str) -> list[Mapping[str, Any]]:
        """Scores of one model's answers to one group, of those that could be scored."""
        return [
            row
            for row in self.scores[subject]
            if row["state"] == "scored" and self.units[row["prompt_id"]]["group"] == group
        ]


def open_material(path: Path, *, redact: bool) -> Material:
    """Read the study in a folder; ``redact`` puts a hash in the place of each text.

    Raises:
        InputError: it is not a finished study of striking similarity.
    """
    record, summary = RunFolder.open(path, "striking").record(), read_json(path / "summary.json")
    if not isinstance(summary, dict):
        raise InputError(f"{path}: summary.json is not of a study; mend: `cleartitle score {path}`")
    units: list[dict[str, Any]] = read_table(path / "prompts.parquet").to_pylist()
    rows: list[dict[str, Any]] = read_parts(path / "scores", SCORES).to_pylist()
    rows = [row for row in rows if row["mode"] == summary["headline_mode"]]
    if redact:
        units = [{**unit, **{name: _redacted(unit[name]) for name in _TEXTS}} for unit in units]
        rows = [{**row, "body": _redacted(row["body"]), "shared_comments": [""] * _shared(row)} for row in rows]
    by_name: dict[str, list[Mapping[str, Any]]] = {subject["name"]: [] for subject in summary["subjects"]}
    for row in rows:
        by_name[row["source"]].append(row)
    return Material(record, summary, {unit["prompt_id"]: unit for unit in units}, by_name, redact)


def _shared(row: Mapping[str, Any]) -> int:
    return len(row["shared_comments"])


def _redacted(text: str) -> str:
    if not text:
        return text
    return f"[left out: {len(text):,} characters, sha256 {hashlib.sha256(text.encode()).hexdigest()}]\n"
