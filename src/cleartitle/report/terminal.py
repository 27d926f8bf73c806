"""Tables for the terminal, with rich; legible from 80 columns on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cleartitle.evals.licoeval import STATISTICS, published
from cleartitle.licenses import CLASSES
from cleartitle.report.licoeval.benchmark import STATISTIC_TITLES, left_out_rows
from cleartitle.report.licoeval.comparison import OTHER_BENCHMARK, Line, lines_of, published_lines
from cleartitle.report.licoeval.headline import STATES, answer_sentence, lico_text
from cleartitle.report.licoeval.run import CLASS_TITLES
from cleartitle.report.numbers import count, rate_line, ratio, share
from cleartitle.report.text import plain

__all__ = ["benchmark_table", "corpus_table", "licoeval_table", "published_table"]

WIDE = 104
"""Columns from which the table shows weak and strong copyleft apart."""


def licoeval_table(summary: Mapping[str, Any], *, with_published: bool = True) -> list[RenderableType]:
    """The outcome of a run: a sentence, the LiCoEval table of model, controls and published models, and notes."""
    mode = summary["headline_mode"]
    figures = summary["modes"][mode]
    parts: list[RenderableType] = [
        Text(answer_sentence(figures), style="bold"),
        _line(", ".join([f"{figures['scored']:,} of {figures['answers']:,} answers scored", *_states(figures)])),
        _LicoevalTable(summary, with_published),
    ]
    notes = [*_differences(summary), *summary["notes"]]
    if with_published:
        notes.insert(0, OTHER_BENCHMARK)
    return [*parts, *_notes(notes)]


def published_table(rows: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The published rows (of `check_published`): the printed LiCo beside the one computed from their counts."""
    table = _table("LiCo of the 14 published models, from their counts")
    for title in ("model", "striking", "Acc p", "Acc c", "printed", "computed", "range", "agrees"):
        table.add_column(title, justify="left" if title == "model" else "right", no_wrap=title != "model")
    size = published()["benchmark_size"]
    for row in rows:
        span = "" if row["low"] == row["high"] else f"{row['low']:.3f} to {row['high']:.3f}"
        table.add_row(
            plain(row["model"]),
            f"{row['striking']} {share(row['striking'], size)}",
            _accuracy((row["correct_permissive"] or 0, row["permissive"])),
            _accuracy((row["correct_copyleft"] or 0, row["copyleft"])),
            f"{row['lico']:.3f}",
            f"{row['computed']:.3f}",
            span,
            Text("yes", style="green") if row["agrees"] else Text("NO", style="bold red"),
            style="" if row["ranked"] else "dim",
        )
    return table


def benchmark_table(record: Mapping[str, Any]) -> list[RenderableType]:
    """A benchmark: its sizes beside Table III of the paper, its licenses, and what was left out."""
    paper = published()
    head = Text(f"{record['units']:,} functions from {record['projects']:,} projects", style="bold")
    sizes = _table("Sizes, beside Table III of the paper (grey)")
    sizes.add_column("statistic")
    for title in ("min", "median", "mean", "max"):
        sizes.add_column(title, justify="right", no_wrap=True)
        sizes.add_column("paper", justify="right", style="dim", no_wrap=True)
    for key in STATISTICS:
        own, other = record["statistics"][key], paper["table_iii"][key]
        numbers = [
            text
            for part in ("min", "median", "mean", "max")
            for text in ("–" if own is None else count(round(own[part], 1)), count(other[part]))
        ]
        sizes.add_row(STATISTIC_TITLES[key], *numbers)
    classes = _counts("License classes, beside figure 8 of the paper (grey)", "paper")
    for name in CLASSES:
        _count_row(
            classes, CLASS_TITLES[name], record["classes"].get(name, 0), record["units"], _paper_share(paper, name)
        )
    licenses = _counts("Licenses", "")
    for name, number in record["licenses"].items():
        _count_row(licenses, name, number, record["units"], "")
    funnel = _counts(f"Left out, of {record['functions']:,} looked at", "")
    for reason, number in left_out_rows(record):
        _count_row(funnel, reason, number, record["functions"], "")
    sources = ", ".join(f"{number:,} from the {name}" for name, number in record["license_sources"].items())
    return [head, sizes, classes, licenses, _line(f"Licenses read: {sources}."), funnel]


def corpus_table(info: Mapping[str, Any]) -> list[RenderableType]:
    """A corpus: counts by class, license, language and trust; duplicates, conflicts and what was left out.

    Args:
        info: ``CorpusInfo`` as plain JSON values.
    """
    head = Text(
        f"{info['contents']:,} files in {info['occurrences']:,} places of {info['projects']:,} projects,"
        f" {info['bytes'] / 2**20:,.1f} MiB",
        style="bold",
    )
    parts: list[RenderableType] = [
        head,
        _line(f"{info['duplicates']:,} places repeat a file that stands elsewhere; {info['vendored']:,} are vendored."),
    ]
    for title, key in (
        ("classes", "classes"),
        ("licenses", "licenses"),
        ("languages", "languages"),
        ("trust", "trust"),
    ):
        table = _counts(title.capitalize(), "")
        total = sum(info[key].values())
        for name, number in sorted(info[key].items(), key=lambda item: (-item[1], item[0])):
            _count_row(table, CLASS_TITLES.get(name, name), number, total, "")
        parts.append(table)
    if info["conflicts"]:
        conflicts = _table("Conflicts of header and package")
        for title in ("conflict", "files", "example"):
            conflicts.add_column(title, justify="right" if title == "files" else "left", overflow="fold")
        for row in info["conflicts"]:
            conflicts.add_row(plain(row["conflict"]), f"{row['files']:,}", plain(row["example"]))
        parts.append(conflicts)
    parts.extend(_notes([f"left out, {reason}: {_skipped(found)}" for reason, found in info["skipped"].items()]))
    return parts


class _LicoevalTable:
    """The LiCoEval table, with as many columns as the terminal has room for."""

    def __init__(self, summary: Mapping[str, Any], with_published: bool) -> None:
        self._summary = summary
        self._published = with_published

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        mode = self._summary["headline_mode"]
        table = _table(f"LiCoEval ({mode} mode)")
        table.add_column("model", overflow="fold", min_width=20, ratio=1)
        for title in ("striking", "Acc", "Acc p", "Acc c", *(("weak", "strong") if wide else ()), "LiCo"):
            table.add_column(title, justify="right", no_wrap=True)
        model, controls = lines_of(self._summary, mode)
        table.add_row(*_row(model, wide), style="bold")
        self._group(table, controls, "controls, on the same prompts", wide)
        if self._published:
            lines = published_lines()
            self._group(table, [line for line in lines if not line.unranked], "published, on another benchmark", wide)
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


def _row(line: Line, wide: bool) -> list[str]:
    accuracies = (line.overall, line.permissive, line.copyleft, *((line.weak, line.strong) if wide else ()))
    span = {"value": line.lico, "low": line.low, "high": line.high, "imputed": line.low != line.high}
    return [
        plain(line.name).replace("[", r"\["),
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


def _skipped(found: Any) -> str:
    if not isinstance(found, Mapping):
        return str(found)
    examples = found.get("lines") or []
    return f"{found.get('count', len(examples)):,}" + (f", e.g. {examples[0]}" if examples else "")


def _table(title: str) -> Table:
    return Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False
    )


def _counts(title: str, other: str) -> Table:
    table = _table(title)
    table.add_column("", overflow="fold")
    table.add_column("n", justify="right")
    table.add_column("share", justify="right", no_wrap=True)
    if other == "paper":
        table.add_column(other, justify="right", style="dim", no_wrap=True)
    return table


def _count_row(table: Table, name: str, number: int, total: int, other: str) -> None:
    cells = [Text(plain(name)), f"{number:,}", share(number, total)]
    table.add_row(*cells, *([other] if len(table.columns) == 4 else []))


def _line(text: str) -> Text:
    return Text(plain(text), style="dim")


def _notes(notes: Iterable[str]) -> list[RenderableType]:
    return [Padding(Text(f"• {plain(note)}", style="dim"), (0, 0, 0, 1)) for note in notes]
