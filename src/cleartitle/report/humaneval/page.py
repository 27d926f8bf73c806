"""The page of a HumanEval run."""

import hashlib
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from cleartitle.errors import InputError
from cleartitle.evals.humaneval import RESULTS
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import read_json
from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Group,
    KeyFigure,
    KeyFigures,
    MarkedText,
    Notes,
    Paragraph,
    RowGroup,
    Section,
    Table,
    TextBox,
    Tone,
)
from cleartitle.report.humaneval.wording import (
    OUTCOME_TITLES,
    answer_sentence,
    controls_sentence,
    pass_text,
    sandbox_sentence,
)
from cleartitle.report.numbers import percent, share
from cleartitle.report.page import render
from cleartitle.tables import read_parts

__all__ = ["humaneval_page"]

MOST_TEXTS = 400
"""Answers whose texts the page shows."""


def humaneval_page(path: Path, *, redact: bool = False) -> str:
    """The page of the run in a folder; ``redact`` leaves the texts of the model out.

    Raises:
        InputError: it is not a finished HumanEval run.
    """
    record, summary = RunFolder.open(path).record(), read_json(path / "summary.json")
    if record.get("capability") != "humaneval":
        raise InputError(f"{path}: a run of {record.get('capability')!r}, not of humaneval")
    sections = (
        Section("answer", "", _headline(summary)),
        Section("problems", "Problem by problem", _answers(path, redact)),
        _made(record, summary),
    )
    title = f"Does {summary['model']['name']} write functions that pass their tests?"
    subtitle = (
        f"HumanEval: {summary['problems']:,} of {summary['dataset']['problems']:,} problems, "
        f"{summary['options']['samples']} answer{'s' if summary['options']['samples'] > 1 else ''} each."
    )
    meta = {"Run": record["key"], "Model": summary["model"]["name"], "Started": record["started"]}
    return render(title, sections, subtitle, meta)


def _headline(summary: Mapping[str, Any]) -> list[Block]:
    figures = [
        KeyFigure(f"pass@{figure['k']}", percent(figure["value"]), pass_text(figure)) for figure in summary["pass_at"]
    ]
    outcomes = [
        (Cell(name), Cell(words), Cell.number(summary["outcomes"][name]), _share(summary, name))
        for name, words in OUTCOME_TITLES.items()
    ]
    columns = (Column("outcome"), Column("meaning"), Column("answers", "number"), Column("share", "number"))
    return [
        Paragraph(answer_sentence(summary), lead=True),
        KeyFigures(figures),
        Notes("What this does not establish", summary["notes"], "warn"),
        Table("What came of the answers", columns, [RowGroup(outcomes)], fixed=True),
        Paragraph(f"{controls_sentence(summary)} {sandbox_sentence(summary)}"),
    ]


def _share(summary: Mapping[str, Any], name: str) -> Cell:
    return Cell(share(summary["outcomes"][name], summary["answers"]))


def _answers(path: Path, redact: bool) -> list[Block]:
    results = read_parts(path / "results", RESULTS).filter(pc.field("source") == "model").to_pylist()
    texts = {
        (row["prompt_id"], row["sample_index"]): row["text"]
        for row in read_parts(path / "generations", GENERATIONS).to_pylist()
    }
    columns = (
        Column("problem"),
        Column("sample", "number"),
        Column("outcome", choose=True),
        Column("program from", choose=True),
        Column("detail"),
    )
    rows = [
        (
            Cell(row["prompt_id"], index),
            Cell.number(row["sample_index"]),
            Cell(row["outcome"], tone=_tone(row["outcome"])),
            Cell(row["how"]),
            Cell("" if redact else row["detail"]),
        )
        for index, row in enumerate(results)
    ]
    groups: list[Block] = []
    for row in results[:MOST_TEXTS]:
        boxes = (
            _box("Answer", texts.get((row["prompt_id"], row["sample_index"]), ""), redact),
            _box("Program that ran", row["program"], redact),
        )
        title = f"{row['prompt_id']} · sample {row['sample_index']}"
        groups.append(Group(title, boxes, ((row["outcome"], _tone(row["outcome"])),)))
    left_out = len(results) - len(groups)
    note = f"Texts of the first {len(groups):,} answers stand below; {left_out:,} more in the tables of the run."
    return [Table("Answers", columns, [RowGroup(rows)], note=note if left_out else ""), *groups]


def _tone(outcome: str) -> Tone:
    return "good" if outcome == "passed" else "muted" if outcome == "no answer" else "bad"


def _box(title: str, text: str, redact: bool) -> TextBox:
    if redact and text:
        digest = hashlib.sha256(text.encode()).hexdigest()
        text = f"[left out: {len(text):,} characters, sha256 {digest}]\n"
    return TextBox(MarkedText(title, text), collapsed=False)


def _made(record: Mapping[str, Any], summary: Mapping[str, Any]) -> Section:
    model = {**summary["model"], **record.get("model_after", {})}

    def facts(values: Mapping[str, Any]) -> Facts:
        return Facts([Fact(name, ["–" if value is None else str(value)]) for name, value in values.items()])

    return Section(
        "made",
        "How this was made",
        (
            TextBox(MarkedText("Command", shlex.join(record["command"])), collapsed=False),
            facts({"Started": record["started"], "Ended": record["finished"], "Key": record["key"]}),
            Group("Model", (facts(model),), open=True),
            Group("Problems", (facts(summary["dataset"]),)),
            Group("Options", (facts(record["options"]),)),
            Group("Versions and host", (facts({**record["versions"], **record["host"]}),)),
        ),
    )
