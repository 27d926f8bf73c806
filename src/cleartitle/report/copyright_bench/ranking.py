"""Several runs beside each other: ranking with intervals, open against closed weights, cost of an episode."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from cleartitle.errors import InputError
from cleartitle.files import write_text
from cleartitle.report import plots
from cleartitle.report.blocks import Cell, Column, Figure, Notes, Paragraph, RowGroup, Section, Table
from cleartitle.report.copyright_bench.page import published_table
from cleartitle.report.copyright_bench.wording import vr_text
from cleartitle.report.page import render
from cleartitle.report.terminal_parts import bullets, new_table, safe

__all__ = ["ranking_table", "write_ranking"]

COLUMNS = ("rank", "chooser", "weights", "violations", "success", "no file", "tokens", "price")
NOTES = (
    "Violations over the cells that all runs share, with equal numbers of runs per cell; the interval is clustered by "
    "asset pair and by wording.",
    "Ranks whose intervals overlap are not established.",
    "Open or closed is what the user of each run said.",
    "Published means are over other images and all cells of the paper; they are no rank of this table.",
)


def ranking_table(found: Mapping[str, Any]) -> list[RenderableType]:
    """Renderables of `compare_runs`."""
    table = new_table(f"{found['cells']} shared cells")
    for title in COLUMNS:
        table.add_column(title, justify="left" if title in ("chooser", "weights") else "right")
    for row in found["ranking"]:
        table.add_row(*(safe(text) for text in _texts(row)))
    return [table, *bullets([*_sentences(found), *NOTES])]


def write_ranking(found: Mapping[str, Any], path: Path) -> None:
    """Write the page of `compare_runs`.

    Raises:
        InputError: the file cannot be written to that place.
    """
    if path.is_dir():
        raise InputError(f"{path}: is a folder; mend: name a file")
    rows = [
        tuple(
            Cell.number(row["vr"], text) if title == "violations" else Cell(text)
            for title, text in zip(COLUMNS, _texts(row), strict=True)
        )
        for row in found["ranking"]
    ]
    columns = [Column(title, "text" if title in ("chooser", "weights") else "number") for title in COLUMNS]
    labels = [row["name"] for row in found["ranking"]]
    values = [(row["vr"], *row["vr_interval"]) if row["vr_interval"] else None for row in found["ranking"]]
    drawing = plots.intervals(
        "ranking", labels, [("violation rate", values)], "chooser", heights="violation rate, %", linked=False
    )
    words = "Violation rate of each run over the shared cells, with intervals; the best to the left."
    sections = [
        Section(
            "answer", "", [Paragraph(_sentences(found)[0], lead=True), Table("Ranking", columns, [RowGroup(rows)])]
        ),
        Section("figure", "Ranks and their intervals", [Figure(words, drawing, words)]),
        Section("groups", "Open and closed weights", [Notes("Groups", _sentences(found))]),
        Section("published", "As published", [published_table(found)]),
        Section("made", "How this was made", [Notes("Bear in mind", [*NOTES, "nothing here is legal advice"])]),
    ]
    title = "Which agent chooses material that it may use?"
    write_text(path, render(title, sections, f"Copyright-Bench: {len(labels)} runs, {found['cells']} shared cells."))


def _texts(row: Mapping[str, Any]) -> Sequence[str]:
    cost = row["cost"]
    return (
        str(row["rank"]),
        row["name"],
        row["weights"] or "–",
        vr_text(row),
        f"{row['tsr']:.1%}",
        f"{row['runs'] - row['outcomes']['submitted']:,}",
        "–" if cost is None else f"{cost['prompt_per_episode'] + cost['completion_per_episode']:,.0f}",
        "–" if cost is None or cost["price_per_episode"] is None else f"{cost['price_per_episode']:.4g}",
    )


def _sentences(found: Mapping[str, Any]) -> list[str]:
    best = found["ranking"][0]
    lines = [f"{best['name']} violates least: {vr_text(best)} over {found['cells']} shared cells"]
    for group in found["weights"]:
        lines.append(f"{group['weights']} weights ({', '.join(group['names'])}): {vr_text(group)}")
    for test in found["pairs"]:
        lines.append(
            f"{test['other']} against {test['one']}: {100 * test['difference']:+.1f} points on {test['pairs']:,} equal "
            f"episodes, p = {test['p_adjusted']:.2g} (Holm)"
        )
    return lines
