"""Tables for the terminal, with rich; legible from 80 columns on."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from cleartitle.evals.licoeval import STATISTICS, published
from cleartitle.licenses import CLASSES
from cleartitle.report.against import against_lines
from cleartitle.report.licoeval.benchmark import STATISTIC_TITLES, left_out_rows
from cleartitle.report.licoeval.comparison import OTHER_BENCHMARK, Line, lines_of, published_lines
from cleartitle.report.licoeval.headline import answer_sentence
from cleartitle.report.licoeval.run import CLASS_TITLES
from cleartitle.report.licoeval.wording import STATES, humaneval_text, lico_text
from cleartitle.report.numbers import count, rate_line, ratio, share
from cleartitle.report.terminal_parts import add_count, bullets, count_table, dim_line, new_table, safe, sparkline

__all__ = ["benchmark_table", "licoeval_table", "published_table"]

_HOW_TO_READ = (
    "Acc: license named right, and of how many striking cases; p permissive, c copyleft. LiCo as a range: over what an "
    "accuracy without a case could be; such rows are not ranked where that is the copyleft one."
)
WIDE = 106
"""Columns from which the table shows all accuracies together, and weak and strong copyleft apart."""


def licoeval_table(summary: Mapping[str, Any], *, with_published: bool = True) -> list[RenderableType]:
    """The outcome of a run: a sentence, the LiCoEval table of model, controls and published models, and notes."""
    mode = summary["headline_mode"]
    figures = summary["modes"][mode]
    parts: list[RenderableType] = [
        Text(answer_sentence(figures), style="bold"),
        dim_line(", ".join([f"{figures['scored']:,} of {figures['answers']:,} answers scored", *_states(figures)])),
        "",
        _LicoevalTable(summary, with_published),
        "",
    ]
    notes = [_HOW_TO_READ, *_differences(summary), *summary["notes"]]
    if with_published:
        notes.insert(1, OTHER_BENCHMARK)
    return [*parts, *bullets([*against_lines(summary), *notes])]


def published_table(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The published rows (of `check_published`): the printed LiCo beside the one computed from their counts.

    ``low`` is LiCo with each accuracy that has no case counted as 0; rows without a copyleft case are dim.
    """
    table = new_table("LiCo of the 14 published models, from their counts")
    for title in ("model", "striking", "Acc p", "Acc c", "paper", "ours", "low", "same"):
        table.add_column(title, justify="left" if title == "model" else "right", no_wrap=title != "model")
    size = published()["benchmark_size"]
    for row in rows:
        table.add_row(
            safe(row["model"]),
            f"{row['striking']} {share(row['striking'], size).replace(' %', '%'):>5}",
            _accuracy((row["correct_permissive"] or 0, row["permissive"])),
            _accuracy((row["correct_copyleft"] or 0, row["copyleft"])),
            f"{row['lico']:.3f}",
            f"{row['computed']:.3f}",
            "" if row["low"] == row["high"] else f"{row['low']:.3f}",
            Text("yes", style="green") if row["agrees"] else Text("NO", style="bold red"),
            style="" if row["ranked"] else "dim",
        )
    return table


def benchmark_table(record: Mapping[str, Any]) -> list[RenderableType]:
    """A benchmark: its sizes beside Table III of the paper, its licenses, and what was left out."""
    paper = published()
    head = Text(
        f"{record['units']:,} functions from {record['projects']:,} projects, of {record['functions']:,} looked at",
        style="bold",
    )
    sizes = new_table("Sizes, beside Table III of the paper")
    sizes.add_column("statistic")
    for title in ("min", "median", "mean", "max"):
        sizes.add_column(title, justify="right", no_wrap=True)
        sizes.add_column("paper", justify="right", style="dim", no_wrap=True)
    sizes.add_column("log scale", no_wrap=True)
    for key in STATISTICS:
        own, other = record["statistics"][key], paper["table_iii"][key]
        numbers = [
            text
            for part in ("min", "median", "mean", "max")
            for text in ("–" if own is None else count(round(own[part], 1)), count(other[part]))
        ]
        sizes.add_row(STATISTIC_TITLES[key], *numbers, "" if own is None else sparkline(own["counts"]))
    classes = count_table("License classes", "paper")
    for name in CLASSES:
        add_count(
            classes, CLASS_TITLES[name], record["classes"].get(name, 0), record["units"], _paper_share(paper, name)
        )
    licenses = count_table("Licenses")
    for name, number in record["licenses"].items():
        add_count(licenses, name, number, record["units"])
    funnel = count_table("Left out")
    for reason, number in left_out_rows(record):
        add_count(funnel, reason, number, record["functions"])
    sources = ", ".join(f"{number:,} from the {name}" for name, number in record["license_sources"].items())
    tables = [sizes, classes, licenses, *([funnel] if funnel.rows else [])]
    shown: list[RenderableType] = [head, dim_line(f"Licenses read: {sources}.")]
    for table in tables:
        shown.extend(("", table))
    return shown


class _LicoevalTable:
    """The LiCoEval table, with as many columns as the terminal has room for."""

    def __init__(self, summary: Mapping[str, Any], with_published: bool) -> None:
        self._summary = summary
        self._published = with_published

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        mode = self._summary["headline_mode"]
        table = new_table(f"LiCoEval ({mode} mode)")
        table.add_column("model", overflow="fold", min_width=23)
        table.add_column("HumanEval", justify="right", no_wrap=True)
        accuracies = ("Acc", "Acc p", "Acc c", "weak", "strong") if wide else ("Acc p", "Acc c")
        for title in ("striking", *accuracies, "LiCo"):
            table.add_column(title, justify="right", no_wrap=True)
        model, controls = lines_of(self._summary, mode)
        table.add_row(*_row(model, wide), style="bold")
        self._group(table, controls, "controls", wide)
        if self._published:
            lines = published_lines()
            self._group(table, [line for line in lines if not line.unranked], "published, ranked", wide)
            self._group(table, [line for line in lines if line.unranked], "published, not ranked", wide, style="dim")
        yield table

    @staticmethod
    def _group(table: Table, lines: Sequence[Line], title: str, wide: bool, style: str = "") -> None:
        if not lines:
            return
        table.add_section()
        table.add_row(Text(title, style="italic dim"))
        for line in lines:
            table.add_row(*_row(line, wide), style=style)


def _row(line: Line, wide: bool) -> list[RenderableType]:
    accuracies = (line.permissive, line.copyleft)
    if wide:
        accuracies = (line.overall, *accuracies, line.weak, line.strong)
    span = {"value": line.lico, "low": line.low, "high": line.high, "imputed": line.low != line.high}
    return [
        safe(line.name),
        humaneval_text(line.humaneval).replace(" %", "%").replace(" ", "\n") if line.model else "–",
        f"{line.striking:,}/{line.total} {share(line.striking, line.total).replace(' %', '%'):>5}",
        *(_accuracy(pair) for pair in accuracies),
        lico_text(span).replace(" to ", "–"),
    ]


def _accuracy(pair: tuple[int, int] | None) -> str:
    if pair is None or pair[1] == 0:
        return "–"
    return f"{ratio(pair[0] / pair[1])}/{pair[1]}"


def _differences(summary: Mapping[str, Any]) -> list[str]:
    """What the other mode says where it differs."""
    headline = summary["headline_mode"]
    other = next(mode for mode in summary["modes"] if mode != headline)
    first, second = summary["modes"][headline], summary["modes"][other]
    pairs = (
        ("striking", rate_line(first["striking"]), rate_line(second["striking"])),
        ("license right", *(rate_line(one["accuracy"]["overall"]["exact"]) for one in (first, second))),
        ("LiCo", lico_text(first["lico"]), lico_text(second["lico"])),
    )
    differ = [f"{name} {value}" for name, headline_value, value in pairs if value != headline_value]
    return [f"In {other} mode: {'; '.join(differ)}."] if differ else [f"In {other} mode the figures are the same."]


def _states(figures: Mapping[str, Any]) -> list[str]:
    return [f"{figures[key]:,} {words}" for key, words in STATES]


def _paper_share(paper: Mapping[str, Any], name: str) -> str:
    number = paper["license_classes"].get(name)
    return "" if number is None else f"{number:,} {share(number, paper['benchmark_size'])}"
