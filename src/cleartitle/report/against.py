"""What an index holds of the answers of a run, beside the figures against their own sources."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleartitle.evals.against import FILE_NAME
from cleartitle.report.blocks import Block, Cell, Column, Notes, Paragraph, RowGroup, Section, Table
from cleartitle.report.numbers import percent, rate_line
from cleartitle.tables import read_table

__all__ = ["against_lines", "against_section"]

ROWS = 200
"""Answers in the table of the page; the run holds all."""

BOUND = (
    "Against the index: shares of an answer's words that stand in runs which it shares with an indexed file, by trace. "
    "A match shows shared words, not that the model has seen that work."
)


def against_lines(summary: Mapping[str, Any]) -> list[str]:
    """Lines for the terminal; none for a run without ``--against``."""
    found = summary.get("against")
    if found is None:
        return []
    own = f"own project: {rate_line(found['own'])}"
    if found["own_indexed"] < found["searched_for"]:
        own += f", of answers whose source the index holds ({found['own_indexed']:,} of {found['searched_for']:,})"
    lines = [
        f"Against the index, answers that share words with their {own}; "
        f"with another work: {rate_line(found['other'])}.",
        f"Seen only against the index, not in the own project: {rate_line(found['only_other'])}"
        f"{_classes(found['only_other_by_class'])}.",
    ]
    if found["mean_best"] is not None:
        own_mean = "no case" if found["mean_own"] is None else percent(found["mean_own"])
        lines.append(f"Mean share of an answer in its own project: {own_mean}; in any indexed work: "
                     f"{percent(found['mean_best'])}.")  # fmt: skip
    if found["too_short"]:
        lines.append(f"{found['too_short']:,} answers are empty or too short to be searched for.")
    return [*lines, BOUND]


def against_section(run: Path, summary: Mapping[str, Any]) -> Section | None:
    """A section of the report; None for a run without ``--against``."""
    found = summary.get("against")
    if found is None:
        return None
    table = read_table(run / FILE_NAME)
    rows = sorted(
        (row for row in table.to_pylist() if row["other"] > 0),
        key=lambda row: (row["own"] > 0, -row["other"], row["prompt_id"], row["sample_index"]),
    )
    blocks: list[Block] = [Notes("Own project and whole index", against_lines(summary))]
    if rows:
        columns = (
            Column("answer", "code"),
            Column("own project"),
            Column("in it", "number", help="share of the answer's words that stand in its own project"),
            Column("other project"),
            Column("in it", "number", help="share of the answer's words that stand in the other work"),
            Column("file", "code"),
            Column("license", choose=True),
        )
        shown = [
            (
                Cell(f"{row['prompt_id']} #{row['sample_index']}"),
                Cell(row["project"]),
                Cell.number(row["own"], percent(row["own"])),
                Cell(row["other_project"]),
                Cell.number(row["other"], percent(row["other"])),
                Cell(row["other_path"]),
                Cell(row["other_license"] or "unknown"),
            )
            for row in rows[:ROWS]
        ]
        blocks.append(Table("Answers that share words with another work", columns, (RowGroup(shown),)))
        if len(rows) > ROWS:
            blocks.append(Paragraph(f"The first {ROWS} of {len(rows):,}; all stand in {FILE_NAME} of the run."))
    return Section("against", "Against the whole index", blocks)


def _classes(counts: Mapping[str, int]) -> str:
    named = [f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items()]
    return f" ({', '.join(named)})" if named else ""
