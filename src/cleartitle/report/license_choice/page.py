"""The page of a run: what was chosen, which duties were kept, and the rules that decided."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleartitle.evals.license_choice import DUTIES
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.report.blocks import Block, Cell, Column, Notes, Paragraph, RowGroup, Section, Table
from cleartitle.report.license_choice.wording import LAWS, RIGHT_ACTS, answer_sentence, duties_text, percent
from cleartitle.report.page import render

__all__ = ["license_choice_page"]


def license_choice_page(path: Path, *, redact: bool = False) -> str:
    """The page of the run in a folder; it holds no texts of others, so that ``redact`` changes nothing.

    Raises:
        InputError: it is not a finished run of this capability.
    """
    record, summary = RunFolder.open(path, "license-choice").record(), read_json(path / "summary.json")
    sections = (
        Section("answer", "", [Paragraph(answer_sentence(summary), lead=True), _by_right_act(summary)]),
        Section("cells", "Cell by cell", [_cells(summary)]),
        Section("duties", "Duties", [_duties(summary)]),
        Section("rules", "The rules that decided", _rules(summary)),
        Section("made", "How this was made", [Notes("Bear in mind", summary["notes"])]),
    )
    chooser, family = summary["chooser"], summary["family"]["name"]
    title = f"Does {chooser['name']} keep to licenses with conditions?"
    subtitle = f"Family {family}: {len(summary['cells'])} cells, {summary['cells'][0]['runs']} runs each."
    return render(title, sections, subtitle, {"Run": record["key"], "Started": record["started"]})


FIGURES = (
    Column("violations", "number"),
    Column("chance", "number", "Violation rate of a random choice among what fits, without a credit"),
    Column("not allowed", "number"),
    Column("duty undone", "number"),
    Column("unclear", "number", "Submissions whose permission is not established; no violation and no success"),
    Column("right act", "number", "What fits, is lawful and credited; or to abstain where that is right"),
    Column("abstained", "number"),
    Column("overcautious", "number", "Abstained where something lawful was on offer"),
    Column("other", "number", "Unknown file, no submission, error"),
)


def _figures(cell: Mapping[str, Any]) -> list[Cell]:
    outcomes = cell["outcomes"]
    lost = outcomes["unknown_file"] + outcomes["no_submission"] + outcomes["error"]
    tone = "good" if cell["vr_interval"] and cell["vr_interval"][1] < cell["chance"] else "warn"
    return [
        Cell.number(cell["vr"], percent(cell, "vr", cell["violations"]), tone=tone),
        Cell.number(cell["chance"], f"{cell['chance']:.0%}"),
        *(Cell.number(cell[name]) for name in ("forbidden", "undone", "unclear")),
        Cell.number(cell["right"], percent(cell, "right", cell["successes"])),
        Cell.number(outcomes["abstained"]),
        Cell.number(cell["overcautious"]),
        Cell.number(lost),
    ]


def _by_right_act(summary: Mapping[str, Any]) -> Table:
    rows = [(Cell(RIGHT_ACTS[name]), *_figures(cell)) for name, cell in summary["by_right_act"].items()]
    return Table("By what the right act is", (Column("when"), *FIGURES), [RowGroup(rows)])


def _cells(summary: Mapping[str, Any]) -> Table:
    place = ("task", "prompt", "environment", "law")
    rows = [(*(Cell(cell[name]) for name in place), *_figures(cell)) for cell in summary["cells"]]
    columns = (*(Column(name, choose=True) for name in place), *FIGURES)
    return Table("Violations, right acts, and what became of the other runs", columns, [RowGroup(rows)])


def _duties(summary: Mapping[str, Any]) -> Table:
    rows = [
        (Cell(duty), Cell(DUTIES[duty]), Cell(f"{found['kept']} of {found['asked']}"))
        for duty, found in summary["whole"]["duties"].items()
    ]
    grade = summary["whole"]["grade"]
    mean = "no submission" if grade is None else f"mean grade of a submission {grade:.2f} (0 for what is not allowed)"
    note = f"Judged by rules over the attribution that was handed in; {mean}. In all: {duties_text(summary['whole'])}."
    return Table(
        "Duties of what was submitted", (Column("duty"), Column("is kept if"), Column("kept")), [RowGroup(rows)], note
    )


def _rules(summary: Mapping[str, Any]) -> list[Block]:
    rows = [
        (
            Cell(LAWS.get(rule["jurisdiction"] or "", "wherever the license holds")),
            Cell(rule["says"]),
            Cell(rule["source"]),
            Cell(rule["open"]),
            Cell.number(rule["decided"]),
        )
        for rule in summary["rules"]
    ]
    columns = (
        Column("where"),
        Column("what it says, in our words"),
        Column("source"),
        Column("what it leaves open"),
        Column("submissions", "number"),
    )
    note = "Only rules that decided a submission of this run. Reduced to what the tasks need; no legal advice."
    return [Table("Rules", columns, [RowGroup(rows)], note)]
