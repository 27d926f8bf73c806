"""This model and the controls beside the published models, and the same numbers for the terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cleartitle.evals.licoeval import check_published, published
from cleartitle.report.blocks import Cell, Column, Notes, RowGroup, Section, Table
from cleartitle.report.licoeval.run import Run
from cleartitle.report.licoeval.wording import humaneval_text, unranked_reason
from cleartitle.report.numbers import percent, ratio

__all__ = ["OTHER_BENCHMARK", "Line", "comparison", "lines_of", "published_lines"]

OTHER_BENCHMARK = (
    "The published rows are on another benchmark (4,187 Python functions that cannot be redistributed) and count in "
    "paper mode. They stand here for orientation; the rows of this run do not extend that table."
)


@dataclass(frozen=True)
class Line:
    """One row of the LiCoEval table. Accuracies are ``(right, cases)``; None where the source does not say."""

    name: str
    kind: str
    striking: int
    total: int
    overall: tuple[int, int]
    permissive: tuple[int, int]
    copyleft: tuple[int, int]
    weak: tuple[int, int] | None
    strong: tuple[int, int] | None
    lico: float | None
    low: float | None
    high: float | None
    unranked: str
    humaneval: Mapping[str, Any] | None = None
    """pass@1 on HumanEval with ``value``, ``interval``, ``total`` and ``of``; None where it was not measured."""
    model: bool = True
    """Whether there is a model behind the row: controls have no pass@1."""


def lines_of(summary: Mapping[str, Any], mode: str) -> tuple[Line, list[Line]]:
    """The row of the model and the rows of the controls in one mode."""
    model = replace(
        _line(summary["model"]["name"], "this run", summary["modes"][mode]), humaneval=summary.get("humaneval")
    )
    controls = [_line(control["title"], "control", control["modes"][mode]) for control in summary["controls"]]
    return model, [replace(line, model=False) for line in controls]


def published_lines() -> list[Line]:
    """The rows of Table IV, ranked ones by LiCo first, then those without a copyleft case by name."""
    size = published()["benchmark_size"]
    lines = [
        Line(
            row["model"],
            f"{row['kind']}, {'open' if row['weights_public'] else 'closed'}",
            row["striking"],
            size,
            ((row["correct_permissive"] or 0) + (row["correct_copyleft"] or 0), row["permissive"] + row["copyleft"]),
            (row["correct_permissive"] or 0, row["permissive"]),
            (row["correct_copyleft"] or 0, row["copyleft"]),
            None,
            None,
            row["computed"],
            row["low"],
            row["high"],
            "" if row["ranked"] else "no copyleft case",
            {"value": row["humaneval"] / 100, "interval": None},
        )
        for row in check_published()
    ]
    return sorted(
        lines, key=lambda line: (bool(line.unranked), -(line.lico or 0) if not line.unranked else 0, line.name)
    )


def comparison(run: Run) -> Section:
    """The table of this run and of the paper."""
    mode, other = run.modes
    model, controls = lines_of(run.summary, mode)
    in_paper, _ = lines_of(run.summary, other)
    own = [_cells(model, f"{mode} mode")]
    if _cells(in_paper, "")[2:] != _cells(model, "")[2:]:
        own.append(_cells(in_paper, f"{other} mode"))
    ranked = [line for line in published_lines() if not line.unranked]
    unranked = [line for line in published_lines() if line.unranked]
    groups = [
        RowGroup(own, "This run"),
        RowGroup(
            [_cells(line) for line in controls], "Controls of this run", note="built-in answers to the same prompts"
        ),
        RowGroup(
            [_cells(line) for line in ranked], "Published, ranked by LiCo", note="another benchmark, 4,187 answers each"
        ),
        RowGroup(
            [_cells(line) for line in unranked],
            "Published, not ranked",
            muted=True,
            note="another benchmark, 4,187 answers each; no copyleft case, so that 0.571 of LiCo is given away",
        ),
    ]
    return Section(
        "comparison",
        "Beside the controls and the published models",
        (
            Notes("Another benchmark", (OTHER_BENCHMARK,), "warn"),
            Table("LiCoEval table", _COLUMNS, [group for group in groups if group.rows], note=_NOTE),
        ),
    )


_COLUMNS = (
    Column("name"),
    Column("kind", choose=True, help="of published models: general or for code, weights open or closed"),
    Column("HumanEval", "number", "pass@1; a model that is not above 50 % is not ranked"),
    Column("striking", "number", "answers strikingly similar to the original, and their share"),
    Column("Acc", "number", "license named right, of all striking cases"),
    Column("# perm.", "number", "striking cases under permissive licenses and in the public domain"),
    Column("Acc p", "number", "license named right, of the permissive cases"),
    Column("# copyleft", "number", "striking cases under copyleft licenses"),
    Column("Acc c", "number", "license named right, of the copyleft cases"),
    Column("weak", "number", "license named right, of the weak copyleft cases"),
    Column("strong", "number", "license named right, of the strong copyleft cases"),
    Column("LiCo", "number", "(1(1 - N) + 2 Acc p + 4 Acc c) / 7, a missing accuracy counted as 1"),
    Column("LiCo range", "number", "with each missing accuracy counted as 0 and as 1"),
    Column("ranked", choose=True, help="not ranked: rows without a copyleft case, models not above 50 % on HumanEval"),
)
_NOTE = (
    "Acc: license named exactly right; a dash: no case. Weak and strong copyleft are not told apart in the paper. "
    "Columns sort within each group of rows."
)


def _line(name: str, kind: str, figures: Mapping[str, Any]) -> Line:
    accuracy, lico = figures["accuracy"], figures["lico"]

    def pair(key: str) -> tuple[int, int]:
        return accuracy[key]["exact"]["count"], accuracy[key]["exact"]["total"]

    return Line(
        name,
        kind,
        figures["striking"]["count"],
        figures["striking"]["total"],
        pair("overall"),
        pair("permissive"),
        pair("copyleft"),
        pair("weak_copyleft"),
        pair("strong_copyleft"),
        lico["value"],
        lico["low"],
        lico["high"],
        unranked_reason(lico),
    )


def _cells(line: Line, kind: str | None = None) -> Sequence[Cell]:
    striking = line.striking / line.total if line.total else None
    of_total = "" if line.weak is None else f" of {line.total:,}"
    span = "–" if line.low is None or line.low == line.high else f"{ratio(line.low, 3)}–{ratio(line.high, 3)}"
    return (
        Cell(line.name),
        Cell(line.kind if kind is None else kind),
        _humaneval(line),
        Cell.number(striking, f"{line.striking:,}{of_total} ({percent(striking)})"),
        _accuracy(line.overall),
        Cell.number(line.permissive[1]),
        _accuracy(line.permissive),
        Cell.number(line.copyleft[1]),
        _accuracy(line.copyleft),
        _accuracy(line.weak, with_cases=True),
        _accuracy(line.strong, with_cases=True),
        Cell.number(line.lico, tone="muted" if line.unranked else "plain"),
        Cell(span, line.low, "plain" if line.low != line.high else "muted"),
        Cell(line.unranked or "yes"),
    )


def _humaneval(line: Line) -> Cell:
    if not line.model:
        return Cell.number(None)
    value = line.humaneval["value"] if line.humaneval else None
    return Cell.number(value, humaneval_text(line.humaneval, interval=True), absent="not measured")


def _accuracy(pair: tuple[int, int] | None, *, with_cases: bool = False) -> Cell:
    if pair is None or pair[1] == 0:
        return Cell.number(None)
    value = pair[0] / pair[1]
    return Cell.number(value, f"{ratio(value)} ({pair[0]:,}/{pair[1]:,})" if with_cases else ratio(value))
