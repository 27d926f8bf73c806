"""The page of a Copyright-Bench run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.report import plots
from cleartitle.report.blocks import Block, Cell, Column, Figure, Notes, Paragraph, RowGroup, Section, Table, Tone
from cleartitle.report.copyright_bench.wording import answer_sentence, test_sentences, vr_text
from cleartitle.report.page import render

__all__ = ["copyright_bench_page"]

ENVIRONMENT_TITLES = {"std": "Std", "hier": "Hier", "vis": "Vis", "web": "Web"}


def copyright_bench_page(path: Path, *, redact: bool = False) -> str:
    """The page of the run in a folder; it holds no texts of others, so that ``redact`` changes nothing.

    Raises:
        InputError: it is not a finished Copyright-Bench run.
    """
    record, summary = RunFolder.open(path).record(), read_json(path / "summary.json")
    if record.get("capability") != "copyright-bench":
        raise InputError(f"{path}: a run of {record.get('capability')!r}, not of copyright-bench")
    sections = (
        Section("answer", "", [Paragraph(answer_sentence(summary), lead=True), *_heat(summary)]),
        Section("prompts", "What the prompt changes", _prompts(summary)),
        Section("cells", "Cell by cell", [_cells(summary)]),
        Section("published", "As published", [_published(summary)]),
        Section("made", "How this was made", [Notes("Bear in mind", [*summary["notes"], *_made(summary)])]),
    )
    policy = summary["cells"][0]["policy"]
    title = f"Does {policy} choose material that it may use?"
    subtitle = f"Copyright-Bench: {len(summary['cells'])} cells, {summary['cells'][0]['runs']} runs each."
    return render(title, sections, subtitle, {"Run": record["key"], "Policy": policy, "Started": record["started"]})


def _by_cell(summary: Mapping[str, Any]) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    return {(cell["task"], cell["prompt"], cell["environment"]): cell for cell in summary["cells"]}


def _names(summary: Mapping[str, Any], field: str) -> list[str]:
    return list(dict.fromkeys(cell[field] for cell in summary["cells"]))


def _tone(cell: Mapping[str, Any]) -> Tone:
    """Shades of the map: below chance is good, at chance is what luck gives, above is bad."""
    if cell["vr_interval"] is None:
        return "muted"
    low, high = cell["vr_interval"]
    if high < cell["chance"]:
        return "good"
    return "bad" if low > cell["chance"] else "warn"


def _heat(summary: Mapping[str, Any]) -> list[Block]:
    cells, environments = _by_cell(summary), _names(summary, "environment")
    tables: list[Block] = []
    for task in _names(summary, "task"):
        rows: list[Sequence[Cell]] = []
        for prompt in _names(summary, "prompt"):
            found = [cells.get((task, prompt, environment)) for environment in environments]
            rows.append(
                [
                    Cell(prompt),
                    *(
                        Cell.number(cell["vr"], f"{cell['vr']:.1%}", tone=_tone(cell)) if cell else Cell.number(None)
                        for cell in found
                    ),
                ]
            )
        columns = [Column("prompt"), *(Column(ENVIRONMENT_TITLES[name], "number") for name in environments)]
        note = "Green: below chance. Yellow: as luck would have it. Red: above chance. By the interval of each rate."
        tables.append(Table(f"Violation rate, {task}", columns, [RowGroup(rows)], note, fixed=True))
    return tables


def _prompts(summary: Mapping[str, Any]) -> list[Block]:
    cells, prompts = _by_cell(summary), _names(summary, "prompt")
    series: list[tuple[str, Sequence[tuple[float, float, float] | None]]] = []
    task = _names(summary, "task")[0]
    for environment in _names(summary, "environment"):
        values: list[tuple[float, float, float] | None] = []
        for prompt in prompts:
            cell = cells.get((task, prompt, environment))
            values.append((cell["vr"], *cell["vr_interval"]) if cell and cell["vr_interval"] else None)
        series.append((ENVIRONMENT_TITLES[environment], values))
    drawing = plots.intervals("prompts", prompts, series, "prompt", heights="violation rate, %")
    words = f"Violation rate of {task} by prompt, one line an environment, with intervals."
    found = test_sentences(summary) or ["No difference from the neutral prompt stands after correction for many tests."]
    return [Figure(words, drawing, words), Notes("Paired tests on equal offers", found)]


def _cells(summary: Mapping[str, Any]) -> Table:
    columns = (
        Column("task", choose=True),
        Column("prompt", choose=True),
        Column("environment", choose=True),
        Column("violations", "number"),
        Column("chance", "number", "Rate of a random choice among the images that fit"),
        Column("success", "number", "Valid action, format met, and a relevant image"),
        Column("unknown file", "number"),
        Column("no submission", "number"),
        Column("error", "number"),
        Column("rights read", "number", "Runs in which metadata was read at least once"),
        Column("calls", "number"),
    )
    rows = [
        (
            *(Cell(cell[name]) for name in ("task", "prompt", "environment")),
            Cell.number(cell["vr"], vr_text(cell), tone=_tone(cell)),
            Cell.number(cell["chance"], f"{cell['chance']:.0%}"),
            Cell.number(cell["tsr"], f"{cell['tsr']:.1%}"),
            *(Cell.number(cell["outcomes"][name]) for name in ("unknown_file", "no_submission", "error")),
            Cell.number(cell["rights_read"]),
            Cell.number(cell["calls_mean"], f"{cell['calls_mean']:.1f}"),
        )
        for cell in summary["cells"]
    ]
    return Table("Violations, success, and what became of the other runs", columns, [RowGroup(rows)])


def _published(summary: Mapping[str, Any]) -> Table:
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
    note = f"{published['source']}. Measured there, on other images; the intervals are ours, from the counts of 240."
    return Table("Published figures", columns, [RowGroup(rows), RowGroup(means, muted=True)], note)


def _made(summary: Mapping[str, Any]) -> list[str]:
    pool = summary["pool"]
    return [
        f"{pool['pairs']} pairs of look-alikes; roles: {pool['roles']}",
        f"look-alikes by {pool['image_backend']}; quality by {pool['quality_backend']}",
        "a run without a submission counts as no violation, as in the paper, and is counted beside it",
        "intervals are clustered by asset pair; prompts are compared on the same offers",
        "nothing here is legal advice",
    ]
