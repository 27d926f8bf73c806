"""The outcome of a study of striking similarity for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from cleartitle.report.numbers import interval_text, percent
from cleartitle.report.striking.wording import (
    FEATURE_TITLES,
    GROUP_TITLES,
    PAIR_TITLES,
    answer_sentence,
    dose_remarks,
    dose_title,
    found_sentence,
    groups_sentence,
    left_out,
    thresholds_rows,
)
from cleartitle.report.terminal_parts import bullets, dim_line, new_table, safe

__all__ = ["striking_table"]


_HOW_TO_READ = (
    "Similar: similarity above 0.6; comment: shares a comment that the prompt does not hold. A model that was not "
    "trained on the accessed functions is a control: what is striking there is a false alarm."
)


def striking_table(summary: Mapping[str, Any]) -> list[RenderableType]:
    """Sentences, rates by model and group, rates by repetitions, thresholds, Table II, and notes."""
    figures = summary["modes"][summary["headline_mode"]]
    parts: list[RenderableType] = [
        Text(answer_sentence(summary), style="bold"),
        *([safe(found_sentence(summary))] if summary["search"]["subject"] else []),
        dim_line(groups_sentence(summary)),
        "",
        _groups(summary, figures),
        "",
    ]
    if figures["doses"]:
        parts += [_doses(summary, figures), ""]
    if summary["search"]["found"]:
        parts += [_thresholds(summary), ""]
    remarks = [dose_remarks(summary)] if figures["doses"] else []
    notes = [_HOW_TO_READ, *remarks, *left_out(summary), *summary["notes"]]
    return [*parts, _table_ii(summary), "", *bullets(notes)]


def _groups(summary: Mapping[str, Any], figures: Mapping[str, Any]) -> Table:
    table = new_table(f"Answers to accessed and unseen functions ({summary['headline_mode']} mode)")
    for title in ("model", "pair", "group"):
        table.add_column(title)
    for title in ("scored", "similar", "comment", "striking"):
        table.add_column(title, justify="right")
    if _found_differs(summary):
        table.add_column("striking, found", justify="right")
    for subject in summary["subjects"]:
        table.add_section()
        for row in figures["groups"]:
            if row["subject"] != subject["name"]:
                continue
            both = row["pair"] == "both"
            cells = [
                safe(subject["name"]),
                PAIR_TITLES[row["pair"]],
                GROUP_TITLES[row["group"]],
                f"{row['scored']:,}/{row['answers']:,}",
                f"{row['similar']['count']:,}",
                f"{row['same_comment']['count']:,}",
                _rate(row["striking"]["published"], both),
            ]
            if _found_differs(summary):
                cells.append(_rate(row["striking"]["found"], both))
            table.add_row(*cells, style="bold" if both else "")
    return table


def _rate(rate: Mapping[str, Any], with_interval: bool) -> str:
    if rate["value"] is None:
        return "–"
    return f"{rate['count']:,} ({interval_text(rate)})" if with_interval else f"{rate['count']:,}"


def _found_differs(summary: Mapping[str, Any]) -> bool:
    standards = summary["standards"]
    return "found" in standards and standards["found"] != standards["published"]


def _doses(summary: Mapping[str, Any], figures: Mapping[str, Any]) -> Table:
    table = new_table("Striking answers by how often a function was taught, both pairs")
    table.add_column("model")
    known = sorted({row["repetitions"] for row in figures["doses"]})
    for dose in known:
        table.add_column(dose_title(dose), justify="right")
    for subject in summary["subjects"]:
        rates = {
            row["repetitions"]: row["striking"]["published"]
            for row in figures["doses"]
            if row["subject"] == subject["name"]
        }
        table.add_row(safe(subject["name"]), *(_dose(rates.get(dose)) for dose in known))
        table.add_row("", *(Text(interval_text(rates[dose]) if dose in rates else "", style="dim") for dose in known))
    return table


def _dose(rate: Mapping[str, Any] | None) -> str:
    return "" if rate is None else f"{rate['count']}/{rate['total']} {percent(rate['value'])}"


def _thresholds(summary: Mapping[str, Any]) -> Table:
    table = new_table("Thresholds (an answer has to exceed all four)")
    for title in ("criterion", "published", "found", "the same counts from … to"):
        table.add_column(title, justify="left" if title == "criterion" else "right")
    for row in thresholds_rows(summary):
        table.add_row(*row)
    return table


def _table_ii(summary: Mapping[str, Any]) -> Table:
    table = new_table("Do the groups differ before any answer? Medians, as in Table II of the paper")
    table.add_column("pair")
    table.add_column("feature")
    for title in ("accessed", "unseen", "p", "Cliff's δ"):
        table.add_column(title, justify="right")
    table.add_column("level")
    for pair, features in summary["table_ii"].items():
        for name, found in features.items():
            table.add_row(
                pair,
                FEATURE_TITLES[name],
                f"{found['accessed']['median']:g}",
                f"{found['unseen']['median']:g}",
                f"{found['p_value']:.2f}" if found["p_value"] >= 0.01 else "< 0.01",
                f"{found['cliffs_delta']:+.2f}",
                found["level"],
            )
    return table
