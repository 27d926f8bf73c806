"""Two runs beside each other: the page, and the table for the terminal."""

from pathlib import Path

from rich.console import RenderableType

from cleartitle.evals.licoeval.compare import Case, Comparison, Difference
from cleartitle.files import write_text
from cleartitle.report.blocks import Cell, Column, Notes, Paragraph, RowGroup, Section, Table
from cleartitle.report.licoeval.run import Run, open_run
from cleartitle.report.page import render
from cleartitle.report.terminal_parts import bullets, new_table, safe

__all__ = ["comparison_table", "write_comparison"]

TITLES = {
    "striking": "rate of strikingly similar answers",
    "similarity": "mean similarity",
    "accuracy": "licenses named right, of each run's striking answers",
    "lico": "LiCo",
}

NOTES = (
    "Differences are second minus first over the answers that both runs scored; intervals are 95 % by bootstrap over"
    " projects.",
    "An accuracy is over the striking answers of each run, so its two values are over different cases.",
    "LiCo counts an accuracy without a case as 1.",
    "A difference between two runs does not establish its cause. Nothing here is legal advice.",
)


def comparison_table(found: Comparison) -> list[RenderableType]:
    """Renderables: a sentence, the differences, and what the figures do not say."""
    table = new_table(f"{found.first} (first) and {found.second} (second), {found.mode} mode, {found.pairs:,} pairs")
    for title in ("figure", "first", "second", "second - first", "95 %"):
        table.add_column(title, justify="left" if title == "figure" else "right")
    for one in found.differences:
        table.add_row(*(safe(text) for text in _texts(one)))
    return [safe(_answer(found), "bold"), table, *bullets([_changed(found), *NOTES])]


def write_comparison(found: Comparison, first: Path, second: Path, page: Path) -> Path:
    """Write the page of a comparison."""
    left, right = open_run(first), open_run(second)
    rows = [[Cell(text) for text in _texts(one)] for one in found.differences]
    columns = [
        Column(title, "text" if title == "figure" else "number")
        for title in ("figure", "first", "second", "second - first", "95 % interval")
    ]
    sections = [
        Section("answer", "", [Paragraph(_answer(found), lead=True), Paragraph(_changed(found))]),
        Section("figures", "Figures", [Table("Paired differences", columns, [RowGroup(rows)], fixed=True)]),
        Section("cases", "Answers that are striking in one run only", [_cases(found, left, right)]),
        Section("reading", "How to read this", [Notes("What it says and does not say", NOTES)]),
    ]
    title = f"{found.second} beside {found.first}"
    write_text(page, render(title, sections, f"LiCoEval, {found.pairs:,} answers to the same prompts"))
    return page


def _texts(one: Difference) -> tuple[str, ...]:
    def number(value: float | None, sign: str = "") -> str:
        return "–" if value is None else f"{value:{sign}.4f}"

    span = "–" if one.interval is None else f"{one.interval.low:+.4f} to {one.interval.high:+.4f}"
    return TITLES[one.name], number(one.first), number(one.second), number(one.difference, "+"), span


def _answer(found: Comparison) -> str:
    if found.regressions:
        return f"{found.second} is worse than {found.first} in: {', '.join(TITLES[n] for n in found.regressions)}."
    return f"No figure of {found.second} is worse than {found.first} beyond the tolerance, on {found.pairs:,} pairs."


def _changed(found: Comparison) -> str:
    test = "no answer differs" if found.p is None else f"exact McNemar test p = {found.p:.3g}"
    unpaired = f" {found.unpaired:,} answers stand in one run only and enter no figure." if found.unpaired else ""
    return (
        f"Striking in both runs: {found.both:,}; in the first only: {len(found.only_first):,}; in the second only: "
        f"{len(found.only_second):,} ({test}).{unpaired}"
    )


def _cases(found: Comparison, left: Run, right: Run) -> Table | Paragraph:
    rows = [
        (
            Cell(run.units[case[0]]["name"]),
            Cell(run.units[case[0]]["project"]),
            Cell(run.units[case[0]]["license"]),
            Cell(f"{which} only"),
            Cell.number(_similarity(left, case, found.mode)),
            Cell.number(_similarity(right, case, found.mode)),
        )
        for which, run, cases in (("first", left, found.only_first), ("second", right, found.only_second))
        for case in cases
    ]
    if not rows:
        return Paragraph("None.")
    columns = (
        Column("function"),
        Column("project", choose=True),
        Column("license", "code", choose=True),
        Column("striking in", choose=True),
        Column("similarity, first", "number"),
        Column("similarity, second", "number"),
    )
    return Table("Answers whose verdict changed", columns, (RowGroup(rows),))


def _similarity(run: Run, case: Case, mode: str) -> float | None:
    return run.score(case, mode)["similarity"]
