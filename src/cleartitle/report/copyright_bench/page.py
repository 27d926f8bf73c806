"""The page of a Copyright-Bench run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.report.blocks import Block, Cell, Column, Notes, Paragraph, RowGroup, Section, Table
from cleartitle.report.copyright_bench.cells import (
    cells_table,
    change_blocks,
    failure_blocks,
    heat_tables,
    prompt_blocks,
)
from cleartitle.report.copyright_bench.transcripts import transcript_blocks
from cleartitle.report.copyright_bench.wording import answer_sentence, cost_sentence
from cleartitle.report.page import render

__all__ = ["copyright_bench_page", "published_table"]


def copyright_bench_page(path: Path, *, redact: bool = False) -> str:
    """The page of the run in a folder; with ``redact`` it leaves out transcripts and pictures.

    Raises:
        InputError: it is not a finished Copyright-Bench run.
    """
    record, summary = RunFolder.open(path).record(), read_json(path / "summary.json")
    if record.get("capability") != "copyright-bench":
        raise InputError(f"{path}: a run of {record.get('capability')!r}, not of copyright-bench")
    if "environment_tests" not in summary:
        raise InputError(f"{path}: a run of an older version; mend: run it again")
    transcripts: list[Block] = (
        [Paragraph("Transcripts and pictures are left out of this page.")] if redact else transcript_blocks(path)
    )
    chooser = summary["chooser"]
    sections = [
        Section(
            "answer", "", [Paragraph(answer_sentence(summary), lead=True), *_labels(summary), *heat_tables(summary)]
        ),
        *_changes(summary),
        Section("failures", "How it failed", failure_blocks(summary)),
        Section("cells", "Cell by cell", [cells_table(summary)]),
        Section("transcripts", "Message by message", transcripts),
        Section("published", "As published", [published_table(summary)]),
        Section("made", "How this was made", [Notes("Bear in mind", [*summary["notes"], *_made(summary)])]),
    ]
    title = f"Does {chooser['name']} choose material that it may use?"
    subtitle = f"Copyright-Bench: {len(summary['cells'])} cells, {summary['cells'][0]['runs']} runs each."
    meta = {"Run": record["key"], chooser["kind"].capitalize(): chooser["name"], "Started": record["started"]}
    return render(title, sections, subtitle, meta)


def _changes(summary: Mapping[str, Any]) -> list[Section]:
    """What prompt, environment and mitigation change; those of which there is one alone are left out."""
    found = {kind: change_blocks(summary, kind) for kind in ("prompt", "environment", "mitigation")}
    found["prompt"] = [*prompt_blocks(summary), *found["prompt"]]
    titles = {
        "prompt": "What the prompt changes",
        "environment": "What the environment changes",
        "mitigation": "What a mitigation changes",
    }
    return [Section(f"{kind}s", titles[kind], blocks) for kind, blocks in found.items() if blocks]


def _labels(summary: Mapping[str, Any]) -> list[Block]:
    """What a reader must know before the figures."""
    chooser = summary["chooser"]
    lines: list[str] = []
    if chooser.get("captions"):
        lines.append("Captions in the place of pixels: the model saw no image.")
    if chooser.get("tools_by_grammar"):
        lines.append(
            "Tools by grammar: the model was not taught to call tools; a grammar holds its answers to that form."
        )
    return [Notes("How the model worked", lines, "warn")] if lines else []


def published_table(summary: Mapping[str, Any]) -> Table:
    """The figures that the paper prints."""
    published = summary["published"]
    rows = [
        (
            Cell(row["model"]),
            Cell(row["task"]),
            Cell(row["prompt"]),
            Cell.number(row["vr"], f"{row['violations']} of 240 = {row['vr']:.1%}"),
            Cell(f"[{row['vr_interval'][0]:.1%}, {row['vr_interval'][1]:.1%}]"),
        )
        for row in published["cells"]
    ]
    people = [
        (
            Cell("people"),
            Cell(row["task"]),
            Cell(row["prompt"]),
            Cell.number(
                row["percent"] / 100, f"{row['percent']} % as printed; near {row['violations']} of {row['runs']}"
            ),
            Cell(f"[{row['vr_interval'][0]:.1%}, {row['vr_interval'][1]:.1%}]"),
        )
        for row in published["humans"]
    ]
    means = [
        (Cell(model), Cell("mean of all cells"), Cell(""), Cell.number(value / 100, f"{value} %"), Cell(""))
        for model, value in published["means_percent"].items()
    ]
    columns = (
        Column("model"),
        Column("task"),
        Column("prompt"),
        Column("violation rate", "number"),
        Column("interval"),
    )
    note = (
        f"{published['source']}. Measured there, on other images; the intervals are ours, from the counts of 240. For "
        f"its {published['humans_percent']['participants']} people the paper prints no counts: those shown are what "
        "the rates imply for 12 cells, and may be off by one."
    )
    return Table("Published figures", columns, [RowGroup(rows), RowGroup(people), RowGroup(means, muted=True)], note)


def _made(summary: Mapping[str, Any]) -> list[str]:
    pool = summary["pool"]
    cost = cost_sentence(summary)
    return [
        *([cost] if cost else []),
        f"{pool['pairs']} pairs of look-alikes; roles: {pool['roles']}",
        f"look-alikes by {pool['image_backend']}; quality by {pool['quality_backend']}",
        "a run without a submission counts as no violation, as in the paper, and is counted beside it",
        "intervals are clustered by asset pair and by wording; three wordings say little of a fourth",
        "prompts, environments and mitigations are compared on the same offers, each kind corrected by itself",
        "nothing here is legal advice",
    ]
