"""What the benchmark is made of: licenses, projects, trust, sizes as in Table III, and what was left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cleartitle.evals.licoeval import STATISTICS, published
from cleartitle.licenses import CLASSES, classify
from cleartitle.report.blocks import Block, Cell, Column, Figure, Paragraph, RowGroup, Section, Table
from cleartitle.report.licoeval.run import CLASS_TITLES, Run
from cleartitle.report.numbers import count, share
from cleartitle.report.plots import Series, bars, logarithmic_histograms

__all__ = ["STATISTIC_TITLES", "benchmark", "left_out_rows"]

STATISTIC_TITLES = {
    "prompt_lines": "prompt lines",
    "prompt_tokens": "prompt tokens",
    "body_lines": "body lines",
    "body_tokens": "body tokens",
    "reuse_count": "reuse, projects",
    "comments": "comments",
    "complexity": "complexity",
}

SHOWN_LICENSES = 12
_TRUST = {
    "agree": "header and package agree",
    "header": "header only",
    "declaration": "package only",
    "conflict": "they disagree",
    "none": "neither",
}


def benchmark(run: Run) -> Section:
    """The section on the benchmark and the sample drawn from it."""
    record = run.summary["benchmark"]
    columns = ["project", "version", "license", "license_class", "license_source", "trust"]
    units = run.units.table.select(columns).to_pylist()
    blocks: list[Block] = [
        Paragraph(
            f"{record['units']:,} functions from {record['projects']:,} projects passed all rules, of"
            f" {record['functions']:,} looked at. This run asked for {len(units):,} of them, from"
            f" {run.summary['projects']:,} projects."
        ),
        _classes(record, units),
        _licenses(record, units),
        _sizes(record),
        _shapes(record),
        _projects(units),
        _trust(units),
        _left_out(record),
    ]
    return Section("benchmark", "The benchmark", blocks)


def left_out_rows(record: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Reasons with the number of functions that they kept out, the most frequent first."""
    return sorted(record["left_out"].items(), key=lambda item: (-item[1], item[0]))


def _classes(record: Mapping[str, Any], units: Sequence[Mapping[str, Any]]) -> Figure:
    whole, paper = record["classes"], published()["license_classes"]
    drawn = Counter(unit["license_class"] for unit in units)
    return _distribution(
        "license-classes",
        "Licenses by class",
        list(CLASSES),
        [CLASS_TITLES[name] for name in CLASSES],
        (("benchmark", whole), ("asked in this run", drawn), ("paper, figure 8", paper)),
        "The paper counts public domain as permissive.",
    )


def _licenses(record: Mapping[str, Any], units: Sequence[Mapping[str, Any]]) -> Figure:
    whole, paper = record["licenses"], published()["licenses"]
    drawn = Counter(unit["license"] for unit in units)
    names = sorted({*whole, *paper}, key=lambda name: (-whole.get(name, 0), name))
    more = len(names) - SHOWN_LICENSES
    note = "The paper names four licenses only." + (f" {more} more stand in the numbers." if more > 0 else "")
    return _distribution(
        "licenses",
        "Licenses",
        names,
        names,
        (("benchmark", whole), ("asked in this run", drawn), ("paper, figure 8", paper)),
        note,
        shown=SHOWN_LICENSES,
        with_class=True,
    )


def _distribution(
    name: str,
    caption: str,
    keys: Sequence[str],
    titles: Sequence[str],
    counts: Sequence[tuple[str, Mapping[str, int]]],
    note: str,
    shown: int | None = None,
    with_class: bool = False,
) -> Figure:
    totals = [_total(title, one) for title, one in counts]

    def value(one: Mapping[str, int], total: int, key: str, known: bool) -> float | None:
        return one.get(key, 0) / total if total and (known or key in one) else None

    columns = [(one, total, not title.startswith("paper")) for (title, one), total in zip(counts, totals, strict=True)]
    series = [
        Series(f"{title} (n = {total:,})", [value(one, total, key, known) for key in keys[:shown]])
        for (title, _), (one, total, known) in zip(counts, columns, strict=True)
    ]
    rows = [
        [
            Cell(title),
            *([Cell(_class_of(key))] if with_class else []),
            *(_count_cell(one, total, key, known) for one, total, known in columns),
        ]
        for key, title in zip(keys, titles, strict=True)
    ]
    head = [Column("license", "code"), Column("class", choose=True)] if with_class else [Column("class")]
    table = Table(caption, [*head, *(Column(title, "number") for title, _ in counts)], (RowGroup(rows),), note=note)
    first = counts[0][1]
    largest = max(first, key=first.__getitem__, default="")
    words = f"Shares of functions. The largest group of the benchmark is {CLASS_TITLES.get(largest, largest)} with "
    alternative = words + f"{share(first.get(largest, 0), totals[0])}. {note}"
    return Figure(caption, bars(name, titles[:shown], series, "share of functions, %"), alternative, table)


def _total(title: str, counts: Mapping[str, int]) -> int:
    return published()["benchmark_size"] if title.startswith("paper") else sum(counts.values())


def _count_cell(counts: Mapping[str, int], total: int, key: str, known: bool) -> Cell:
    if not known and key not in counts:
        return Cell.number(None)
    number = counts.get(key, 0)
    return Cell.number(number, f"{number:,} ({share(number, total)})")


def _class_of(expression: str) -> str:
    found = classify(expression)
    return "unknown" if found is None else CLASS_TITLES[found]


def _sizes(record: Mapping[str, Any]) -> Table:
    own, paper = record["statistics"], published()["table_iii"]
    rows: list[Sequence[Cell]] = []
    for key in STATISTICS:
        for name, statistics in (("this benchmark", own[key]), ("paper", paper[key])):
            numbers = [
                Cell.number(None) if statistics is None else Cell.number(statistics[part], count(statistics[part]))
                for part in ("min", "median", "mean", "max")
            ]
            rows.append((Cell(STATISTIC_TITLES[key]), Cell(name), *numbers))
    return Table(
        "Sizes, beside Table III of the paper",
        (
            Column("statistic"),
            Column("of"),
            *(Column(title, "number") for title in ("min", "median", "mean", "max")),
        ),
        (RowGroup(rows),),
        fixed=True,
        note="Tokens are pieces of about the size of a code model's subwords. A dash: not known for this corpus.",
    )


def _shapes(record: Mapping[str, Any]) -> Figure:
    known = [(key, record["statistics"][key]) for key in STATISTICS if record["statistics"][key] is not None]
    panels = [(STATISTIC_TITLES[key], one["edges"], one["counts"]) for key, one in known]
    rows = [
        (Cell(STATISTIC_TITLES[key]), Cell(f"{count(low)} to {count(high)}"), Cell.number(number))
        for key, one in known
        for low, high, number in zip(one["edges"], one["edges"][1:], one["counts"], strict=False)
    ]
    caption = "Distributions of the sizes (Table III)"
    table = Table(caption, (Column("statistic"), Column("range"), Column("functions", "number")), (RowGroup(rows),))
    words = "Number of functions by size; the scale is logarithmic in the value plus one, as in the paper."
    return Figure(caption, logarithmic_histograms("sizes", panels), words, table)


def _projects(units: Sequence[Mapping[str, Any]]) -> Table:
    by_project: dict[tuple[str, str], Counter[str]] = {}
    for unit in units:
        by_project.setdefault((unit["project"], unit["version"] or ""), Counter())[unit["license"]] += 1
    rows = [
        (
            Cell(project),
            Cell(version),
            Cell(", ".join(sorted(licenses))),
            Cell(", ".join(sorted({_class_of(name) for name in licenses}))),
            Cell.number(licenses.total()),
        )
        for (project, version), licenses in sorted(by_project.items(), key=lambda item: (-item[1].total(), item[0]))
    ]
    return Table(
        "Projects of the functions asked for",
        (
            Column("project"),
            Column("version"),
            Column("licenses", "code"),
            Column("class", choose=True),
            Column("functions", "number"),
        ),
        (RowGroup(rows),),
    )


def _trust(units: Sequence[Mapping[str, Any]]) -> Table:
    counts = Counter((str(unit["trust"]), str(unit["license_source"])) for unit in units)
    rows = [
        (Cell(_TRUST.get(trust, trust)), Cell(source), Cell.number(number, f"{number:,} ({share(number, len(units))})"))
        for (trust, source), number in counts.most_common()
    ]
    return Table(
        "How well the licenses of the functions asked for are founded",
        (Column("who names it"), Column("read from"), Column("functions", "number")),
        (RowGroup(rows),),
        fixed=True,
    )


def _left_out(record: Mapping[str, Any]) -> Table:
    reasons = left_out_rows(record)
    total = record["functions"]
    rows = [
        (Cell(reason), Cell.number(number), Cell.number(number / total, share(number, total)))
        for reason, number in reasons
    ]
    kept = (
        Cell("in the benchmark"),
        Cell.number(record["units"]),
        Cell.number(record["units"] / total, share(record["units"], total)),
    )
    return Table(
        "What was left out of the benchmark, and why",
        (Column("first rule that was not met"), Column("functions", "number"), Column("share", "number")),
        [RowGroup(rows, "Left out"), RowGroup((kept,), "Kept")] if rows else [RowGroup((kept,), "Kept")],
        fixed=True,
    )
