"""The outcome of a CodeIPPrompt run for the terminal, and the published table."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from cleartitle.report.against import against_lines
from cleartitle.report.codeipprompt.wording import (
    answer_sentence,
    ep_interval,
    excess_text,
    group_title,
    interval_words,
    leak_sentence,
    ordered_classes,
    states_line,
    with_sd,
)
from cleartitle.report.numbers import percent, rate_line, ratio
from cleartitle.report.terminal_parts import bullets, dim_line, new_table, safe

__all__ = ["codeipprompt_table", "published_codeipprompt_table", "thresholds_table"]

Figures = Mapping[str, Any]


def codeipprompt_table(summary: Figures) -> list[RenderableType]:
    """Sentences, EM and EP by class and language with their null, training sets, controls, and notes."""
    mode = summary["headline_mode"]
    found = summary["modes"][mode]
    parts: list[RenderableType] = [
        Text(answer_sentence(summary), style="bold"),
        dim_line(states_line(found)),
        "",
        _groups(found, mode, summary["options"]["n"]),
        "",
    ]
    if found["training"]:
        parts += [_training(found["training"], summary["options"]["training_n"]), ""]
    if summary["controls"]:
        parts += [_controls(summary["controls"], mode), ""]
    notes = [_other_mode(summary), leak_sentence(found), *against_lines(summary), *summary["notes"]]
    return [*parts, *bullets(notes)]


def _groups(found: Figures, mode: str, n: int) -> Table:
    table = _em_ep_table(f"CodeIPPrompt ({mode} mode, n = {n})", "group")
    _add(table, "all", found["overall"], style="bold")
    table.add_section()
    for name in ordered_classes(found["by_class"]):
        _add(table, group_title(name), found["by_class"][name])
    table.add_section()
    for name, group in found["by_language"].items():
        _add(table, group_title(name), group)
    for name, group in found["apart"].items():
        table.add_section()
        _add(table, f"{group_title(name)} (apart)", group, style="dim")
    return table


def _em_ep_table(title: str, first: str) -> Table:
    table = new_table(title)
    table.add_column(first, overflow="fold", min_width=14)
    for name in ("prompts", "> 0.5", "EM", "95 %", "null", "EM − null", "EP", "95 %", "null"):
        table.add_column(name, justify="right", overflow="fold", no_wrap=name in ("> 0.5", "EP", "null"))
    return table


def _add(table: Table, title: str, group: Figures, style: str = "") -> None:
    null, excess = group["null"], group["excess"] or {}
    table.add_row(
        safe(title),
        f"{group['prompts']:,}",
        "–" if group["above"]["value"] is None else f"{group['above']['count']:,}",
        with_sd(group["em"]),
        interval_words(group["em"]).replace(" to ", "–") or "–",
        _ratio(null["em"]),
        excess_text(excess.get("em")).replace(" (", "\n("),
        _ratio(group["ep"]),
        ep_interval(group["ep"]).replace(" to ", "–").replace("at most", "≤") or "–",
        _ratio(null["ep"]),
        style=style,
    )


def _ratio(record: Figures | None) -> str:
    return ratio(None if record is None else record["value"])


def _training(rows: Sequence[Figures], n: int) -> Table:
    table = _em_ep_table(f"Prompts in training sets, n = {n}", "prompts")
    for one in rows:
        table.add_section()
        for name, words in (("in", f"in {one['set']}"), ("only_here", f"only in {one['set']}"), ("out", "in no set")):
            _add(table, words, one[name])
    return table


def _controls(controls: Sequence[Figures], mode: str) -> Table:
    table = new_table("Controls, one answer a prompt")
    table.add_column("answer", overflow="fold")
    for name in ("prompts", "> 0.5", "EM"):
        table.add_column(name, justify="right")
    for control in controls:
        group = control["modes"][mode]["overall"]
        above = group["above"]
        words = "–" if above["value"] is None else f"{above['count']:,} = {percent(above['value'])}"
        table.add_row(safe(control["title"]), f"{group['prompts']:,}", words, with_sd(group["em"]))
    return table


def _other_mode(summary: Figures) -> str:
    other = next(mode for mode in summary["modes"] if mode != summary["headline_mode"])
    overall = summary["modes"][other]["overall"]
    return (
        f"In {other} mode: EM {with_sd(overall['em'])}, EP {_ratio(overall['ep'])}; "
        f"null {_ratio(overall['null']['em'])} and {_ratio(overall['null']['ep'])}."
    )


def published_codeipprompt_table(rows: Sequence[Figures]) -> Table:
    """Table 3 of the paper, with the share of prompts above 0.5 that each EP stands for."""
    table = new_table("Table 3 of CodeIPPrompt: EM ± deviation and EP at n = 50")
    table.add_column("model", no_wrap=True)
    for name in ("permissive", "weak copyleft", "strong copyleft", "all", "> 0.5", "ok"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        pairs = [
            f"{ratio(group['em'])}±{ratio(group['em_sd'])} {ratio(group['ep'])}" for group in row["groups"].values()
        ]
        share = percent(row["share_per_prompt"]).replace(" ", "")
        table.add_row(row["model"], *pairs, share, "yes" if row["consistent"] else "no")
    return table


def thresholds_table(study: Figures) -> list[RenderableType]:
    """Precision and recall of each threshold against human labels, and the correlation with them."""
    pearson = study["pearson"]
    interval = "" if pearson["interval"] is None else f" ({interval_words(pearson)})"
    table = new_table("Score against what most raters say")
    for name in ("score above", "precision", "recall", "F1"):
        table.add_column(name, justify="right")
    for row in study["thresholds"]:
        table.add_row(
            f"{row['threshold']:.2f}", rate_line(row["precision"]), rate_line(row["recall"]), ratio(row["f1"])
        )
    head = (
        f"{study['pairs']:,} pairs, {study['raters']:,} raters: Pearson's r of score and share of raters is "
        f"{ratio(pearson['r'])}{interval}; F1 is highest at {study['best']:g}"
    )
    notes = [
        f"{study['ties']:,} ties and {study['undecided']:,} undecided answers are not in the table; "
        f"{study['unknown']:,} labels are of other pairs.",
        "A threshold that was chosen on these pairs looks better on them than it is.",
    ]
    return [Text(head, style="bold"), "", table, "", *bullets(notes)]
