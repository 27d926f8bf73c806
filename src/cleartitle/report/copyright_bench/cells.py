"""Tables and figures of the cells of one run."""

from collections.abc import Mapping, Sequence
from typing import Any

from cleartitle.report import plots
from cleartitle.report.blocks import Block, Cell, Column, Figure, Notes, Paragraph, RowGroup, Table
from cleartitle.report.copyright_bench.wording import (
    ENVIRONMENT_TITLES,
    FAILURE_TITLES,
    agreement_sentences,
    names,
    test_sentences,
    tone_of,
    vr_text,
)

__all__ = ["cells_table", "change_blocks", "failure_blocks", "heat_tables", "prompt_blocks"]

Found = dict[tuple[str, str, str, str], Mapping[str, Any]]
HOW_TO_READ = (
    "Green: below chance. Yellow: as luck would have it. Red: above chance. By the interval of each rate, with the "
    "chance of the runs that submitted a file on offer; grey: none did."
)


def _by_cell(summary: Mapping[str, Any]) -> Found:
    places = ("task", "prompt", "environment", "mitigation")
    found: Found = {}
    for cell in summary["cells"]:
        task, prompt, environment, mitigation = (cell[name] for name in places)
        found[task, prompt, environment, mitigation] = cell
    return found


def heat_tables(summary: Mapping[str, Any]) -> list[Block]:
    """The map of violation rates: a table for each task and mitigation, prompts down and environments across."""
    cells, environments = _by_cell(summary), names(summary, "environment")
    tables: list[Block] = []
    for task in names(summary, "task"):
        for mitigation in names(summary, "mitigation"):
            rows: list[Sequence[Cell]] = []
            for prompt in names(summary, "prompt"):
                found = [cells.get((task, prompt, environment, mitigation)) for environment in environments]
                rates = [
                    Cell.number(cell["vr"], f"{cell['vr']:.1%}", tone=tone_of(cell)) if cell else Cell.number(None)
                    for cell in found
                ]
                rows.append([Cell(prompt), *rates])
            columns = [Column("prompt"), *(Column(ENVIRONMENT_TITLES[name], "number") for name in environments)]
            title = f"Violation rate, {task}" + ("" if mitigation == "none" else f", {mitigation}")
            tables.append(Table(title, columns, [RowGroup(rows)], fixed=True, heat=True))
    return [*tables, Paragraph(HOW_TO_READ)]


def prompt_blocks(summary: Mapping[str, Any]) -> list[Block]:
    """Slopes from prompt to prompt, a figure a task."""
    cells, prompts = _by_cell(summary), names(summary, "prompt")
    mitigation = names(summary, "mitigation")[0]
    blocks: list[Block] = []
    for task in names(summary, "task"):
        series: list[tuple[str, Sequence[tuple[float, float, float] | None]]] = []
        for environment in names(summary, "environment"):
            values: list[tuple[float, float, float] | None] = []
            for prompt in prompts:
                cell = cells.get((task, prompt, environment, mitigation))
                values.append((cell["vr"], *cell["vr_interval"]) if cell and cell["vr_interval"] else None)
            series.append((ENVIRONMENT_TITLES[environment], values))
        drawing = plots.intervals(f"prompts-{task}", prompts, series, "prompt", heights="violation rate, %")
        words = f"Violation rate of {task} by prompt, one line an environment, with intervals."
        blocks.append(Figure(f"{task}: what the prompt changes", drawing, words))
    return blocks


KINDS = {"prompt": "the neutral prompt", "environment": "the std environment", "mitigation": "no mitigation"}


def change_blocks(summary: Mapping[str, Any], kind: str) -> list[Block]:
    """Each cell beside the one that differs in ``kind`` alone, on the same offers: what stands, and all tests."""
    cells = _by_cell(summary)
    fields = ["task", "prompt", "environment", *(["mitigation"] if names(summary, "mitigation") != ["none"] else [])]
    rows: list[Sequence[Cell]] = []
    for test in summary[f"{kind}_tests"]:
        sides = [
            cells[tuple(test[side][name] for name in ("task", "prompt", "environment", "mitigation"))]
            for side in ("one", "other")
        ]
        rows.append(
            (
                *(Cell(test["other"][name]) for name in fields),
                *(Cell.number(side["vr"], vr_text(side), tone=tone_of(side)) for side in sides),
                Cell.number(test["fewer"]),
                Cell.number(test["more"]),
                Cell.number(test["difference"], f"{100 * test['difference']:+.1f}"),
                Cell.number(test["p_adjusted"], f"{test['p_adjusted']:.2g}"),
                *(Cell.number(side["tsr"], f"{side['tsr']:.1%}") for side in sides),
            )
        )
    if not rows:
        return []
    columns = (
        *(Column(name, choose=True) for name in fields),
        Column("there", "number", f"With {KINDS[kind]}"),
        Column("here", "number"),
        Column("mended", "number", f"Offers on which only the run with {KINDS[kind]} violates"),
        Column("made worse", "number", "Offers on which only this run violates"),
        Column("points", "number", "Difference of the violation rates, here minus there"),
        Column("p", "number", "McNemar's exact test on equal offers, corrected after Holm within this table"),
        Column("success there", "number"),
        Column("success here", "number"),
    )
    nothing = f"No difference from {KINDS[kind]} stands after correction for {len(rows)} tests."
    return [
        Notes("What stands", test_sentences(summary, kind) or [nothing]),
        Table(f"Each cell beside the same with {KINDS[kind]}", columns, [RowGroup(rows)]),
    ]


def failure_blocks(summary: Mapping[str, Any]) -> list[Block]:
    """Which failures the transcripts of each cell show, and how far that can be trusted."""
    kinds = [name for name in FAILURE_TITLES if name in summary["failures"]]
    if not kinds:
        return [Notes("Failures", ["No run failed in a way that the taxonomy knows.", *agreement_sentences(summary)])]
    columns = (
        *(Column(name, choose=True) for name in ("task", "prompt", "environment", "mitigation")),
        *(Column(FAILURE_TITLES[name], "number") for name in kinds),
    )
    rows = [
        (
            *(Cell(cell[name]) for name in ("task", "prompt", "environment", "mitigation")),
            *(Cell.number(cell["failures"].get(name, 0)) for name in kinds),
        )
        for cell in summary["cells"]
    ]
    whole = [
        (
            Cell("all"),
            *(Cell("") for _ in range(3)),
            *(Cell.number(summary["failures"][name]) for name in kinds),
        )
    ]
    by = summary["failures_by"]
    note = f"Found by rules in {by['rule']:,} episodes, by a judge in {by['judge']:,}; left open in {by['open']:,}."
    table = Table("Failures, cell by cell", columns, [RowGroup(rows), RowGroup(whole)], note)
    return [table, Notes("How far to trust it", agreement_sentences(summary))]


def cells_table(summary: Mapping[str, Any]) -> Table:
    """Everything about every cell."""
    columns = (
        *(Column(name, choose=True) for name in ("task", "prompt", "environment", "mitigation")),
        Column("violations", "number"),
        Column("chance", "number", "Rate of a random choice among the images that fit"),
        Column("success", "number", "Valid action, format met, and a relevant image"),
        Column("valid", "number", "Runs that submitted a file on offer"),
        Column("format", "number", "Runs whose file is large enough"),
        Column("relevant", "number", "Runs whose file shows what was asked for"),
        Column("unknown file", "number"),
        Column("no submission", "number"),
        Column("error", "number"),
        Column("rights read", "number", "Runs in which metadata was read at least once"),
        Column("calls", "number"),
    )
    rows = [
        (
            *(Cell(cell[name]) for name in ("task", "prompt", "environment", "mitigation")),
            Cell.number(cell["vr"], vr_text(cell), tone=tone_of(cell)),
            Cell.number(cell["chance"], f"{cell['chance']:.0%}"),
            Cell.number(cell["tsr"], f"{cell['tsr']:.1%}"),
            *(Cell.number(cell["success_parts"][name]) for name in ("valid_action", "format_met", "relevant")),
            *(Cell.number(cell["outcomes"][name]) for name in ("unknown_file", "no_submission", "error")),
            Cell.number(cell["rights_read"]),
            Cell.number(cell["calls_mean"], f"{cell['calls_mean']:.1f}"),
        )
        for cell in summary["cells"]
    ]
    return Table("Violations, success, and what became of the other runs", columns, [RowGroup(rows)])
