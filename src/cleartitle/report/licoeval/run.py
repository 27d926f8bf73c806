"""The tables of a LiCoEval run for its report: numbers by column, and the texts of those cases that the page shows."""

import hashlib
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.evals.licoeval import SCORES, UNITS
from cleartitle.evals.licoeval.prompts import followup_id
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import read_json
from cleartitle.report.licoeval.rows import Rows
from cleartitle.report.modes import InTwoModes
from cleartitle.report.titles import CLASS_TITLES
from cleartitle.tables import part_paths, read_matching, read_parts, read_table

__all__ = ["CLASS_TITLES", "Case", "Run", "open_run"]

TEXTS = frozenset({"preamble", "signature", "docstring", "body", "text", "reasoning", "answer", "evidence"})
"""Columns that hold text of a corpus or of a model."""

Row = dict[str, Any]
Case = tuple[str, int]
"""Prompt id and sample index of an answer of the model."""

_NUMBERS = ["source", "mode", "state", "bleu4", "minhash_jaccard", "edit_similarity", "similarity"]


class Run(InTwoModes):
    """A run: its record, its summary, and what its tables hold.

    Memory is bounded by the numbers of the run. Texts are read for the cases that are given to `read_texts`; rows of
    other cases come without them. With ``redacted`` hashes stand in the place of texts of the corpus and of the model.
    """

    def __init__(self, path: Path, record: dict[str, Any], summary: dict[str, Any], *, redacted: bool = False) -> None:
        self.path = path
        self.record = record
        self.summary = summary
        self.redacted = redacted
        self.generations: dict[Case, Row] = {}
        """Answers whose texts were read."""
        self.followups: dict[str, Row] = {}
        """Answers to the license question, by `followup_id`, for the same cases."""
        self._units: dict[str, Row] = {}
        self._bodies: dict[tuple[str, int, str], Row] = {}

    def read_texts(self, cases: Collection[Case]) -> None:
        """Read the texts of some cases: unit, answer, compared body, answer to the license question."""
        prompts = {prompt for prompt, _ in cases}
        units = read_matching(self.path / "prompts.parquet", UNITS, "prompt_id", prompts)
        self._units |= {row["prompt_id"]: row for row in units.to_pylist()}
        columns = ["source", "prompt_id", "sample_index", "mode", "body"]
        scores = read_matching(self.path / "scores", SCORES, "prompt_id", prompts, columns)
        for row in scores.filter(pc.field("source") == "model").to_pylist():
            self._bodies[row["prompt_id"], row["sample_index"], row["mode"]] = self._shown({"body": row["body"]})
        answers = read_matching(self.path / "generations", GENERATIONS, "prompt_id", prompts)
        self.generations |= {(row["prompt_id"], row["sample_index"]): self._shown(row) for row in answers.to_pylist()}
        asked = {followup_id(*case) for case in cases}
        followups = read_matching(self.path / "followups", GENERATIONS, "prompt_id", asked)
        self.followups |= {row["prompt_id"]: self._shown(row) for row in followups.to_pylist()}

    @cached_property
    def units(self) -> Rows:
        """Units by prompt id, in the order of the run."""
        light = [name for name in UNITS.names if name not in TEXTS]
        table = read_table(self.path / "prompts.parquet", light)
        return Rows(table, ["prompt_id"], lambda key, row: self._shown(self._units.get(key, row)))

    @cached_property
    def _scores(self) -> Rows:
        columns = [name for name in SCORES.names if name != "body"]
        tables = [SCORES.empty_table().select(columns)]
        for part in part_paths(self.path / "scores"):
            tables.append(read_table(part, columns).replace_schema_metadata(None).filter(pc.field("source") == "model"))
        return Rows(pa.concat_tables(tables), ["prompt_id", "sample_index", "mode"], self._with_body)

    def _with_body(self, key: tuple[str, int, str], row: Row) -> Row:
        return {**self._shown(row), **self._bodies.get(key, {})}

    @cached_property
    def _verdicts(self) -> Rows:
        table = read_table(self.path / "verdicts.parquet").filter(pc.field("source") == "model")
        return Rows(table, ["prompt_id", "sample_index", "mode"], lambda _, row: self._shown(row))

    @cached_property
    def _numbers(self) -> pa.Table:
        return read_parts(self.path / "scores", SCORES, _NUMBERS, encoded=("source", "mode", "state"))

    def _shown(self, row: Row) -> Row:
        return _redacted(row) if self.redacted else row

    @cached_property
    def titles(self) -> dict[str, str]:
        """Title of each source of answers: the model first, then the controls."""
        controls = {
            f"control:{control['name']}": f"control: {control['title']}" for control in self.summary["controls"]
        }
        return {"model": self.model, **controls}

    def scored(self, *columns: str) -> list[Row]:
        """Columns of the answers of the model that could be scored, in the mode of the headline and order of the run.

        Texts among them are not redacted: count them, do not show them.
        """
        wanted = (pc.field("mode") == self.mode) & (pc.field("state") == "scored")
        return self._scores.table.filter(wanted).select(list(columns)).to_pylist()

    @cached_property
    def striking(self) -> set[Case]:
        """Answers of the model that are striking in either mode."""
        rows = self._scores.table.filter(pc.field("striking")).select(["prompt_id", "sample_index"]).to_pylist()
        return {(row["prompt_id"], row["sample_index"]) for row in rows}

    def values(self, source: str, measure: str) -> list[float]:
        """One measure of the answers of a source that could be scored, in the mode of the headline."""
        wanted = (pc.field("source") == source) & (pc.field("mode") == self.mode) & (pc.field("state") == "scored")
        return self._numbers.filter(wanted)[measure].drop_null().to_pylist()

    def score(self, case: Case, mode: str | None = None) -> Row:
        """Numbers about an answer of the model, by default in the mode of the headline."""
        return self._scores[*case, mode or self.mode]

    def striking_modes(self, case: Case) -> list[str]:
        """The modes in which an answer of the model is striking."""
        return [mode for mode in self.modes if self.score(case, mode)["striking"]]

    def similarity(self, case: Case) -> float:
        """In the mode of the headline, or in the other one where the answer is striking only there."""
        mode = next(iter(self.striking_modes(case)), self.mode)
        return self.score(case, mode)["similarity"] or 0.0

    def verdict(self, case: Case, mode: str | None = None) -> Row | None:
        """The verdict on an answer of the model in one mode, or in the first mode that has one."""
        modes = self.modes if mode is None else (mode,)
        return next((self._verdicts[*case, one] for one in modes if (*case, one) in self._verdicts), None)


def open_run(path: Path, *, redact: bool = False) -> Run:
    """Open the run in a folder; ``redact`` puts a hash in the place of each text of the corpus and of the model.

    Raises:
        InputError: it is not a LiCoEval run, or not scored.
    """
    record = RunFolder.open(path, "licoeval").record()
    return Run(path, record, read_json(path / "summary.json"), redacted=redact)


def _redacted(row: Row) -> Row:
    """The row with the hash of each text in its place; license names, origins and copyright lines stay."""
    changed: Row = {name: _hash_of(row[name]) for name in TEXTS & row.keys()}
    if "shared_comments" in row:
        changed["shared_comments"] = [_hash_of(comment) for comment in row["shared_comments"]]
    return {**row, **changed}


def _hash_of(text: str | None) -> str | None:
    if not text:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"[left out: {len(text):,} characters, sha256 {digest}]\n"
