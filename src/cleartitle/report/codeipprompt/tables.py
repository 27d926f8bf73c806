"""EM and EP by class and language with the null beside them, in both modes, and beside the published tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from cleartitle.evals.codeipprompt import PAPER_CLASSES, check_published, published
from cleartitle.report.blocks import Block, Cell, Column, Notes, Paragraph, RowGroup, Section, Table
from cleartitle.report.codeipprompt.run import Run
from cleartitle.report.codeipprompt.wording import (
    ep_interval,
    excess_text,
    group_title,
    interval_words,
    ordered_classes,
    states_line,
    with_sd,
)
from cleartitle.report.numbers import percent, rate_line, ratio

__all__ = ["OTHER_PROMPTS", "comparison", "figures", "training"]

Figures = Mapping[str, Any]

OTHER_PROMPTS = (
    "The published rows are on other prompts (179,100 from GitHub, which cannot be redistributed) and count in paper "
    "mode; no null was published. They stand here for orientation; the rows of this run do not extend that table."
)
_COLUMNS = (
    Column("group"),
    Column("prompts", "number", "prompts with a score"),
    Column("above 0.5", "number", "those of them whose closest answer is above 0.5"),
    Column("EM", "number", "expected maximum of n draws ± its deviation between draws"),
    Column("EM, 95 %", "number", "interval over resamples of projects"),
    Column("null EM", "number", "EM of the same answers against sources of other prompts"),
    Column("EM less null", "number", "over the prompts that have a null"),
    Column("EP", "number", "share of draws of n that hold a score above 0.5"),
    Column("EP, 95 %", "number", "from the interval of the share of prompts"),
    Column("null EP", "number", "EP of the same answers against sources of other prompts"),
    Column("EP less null", "number"),
)


def figures(run: Run) -> Section:
    """The section of all figures, the mode of the headline first."""
    blocks: list[Block] = [Paragraph(f"In {run.mode} mode: {states_line(run.figures)}.")]
    blocks += [_table(run, mode) for mode in run.modes]
    blocks += [_singles(run), _controls(run)]
    return Section("figures", "All figures", blocks)


def _table(run: Run, mode: str) -> Table:
    found = run.summary["modes"][mode]
    cells = found["by_language_and_class"]
    groups = [
        RowGroup([_row("all", found["overall"])], "Together", note="without public-domain code"),
        RowGroup([_row(group_title(name), found["by_class"][name]) for name in ordered_classes(found["by_class"])]),
        RowGroup([_row(group_title(name), one) for name, one in found["by_language"].items()]),
        RowGroup(
            [
                _row(f"{group_title(language)}, {group_title(name)}", cells[language][name])
                for language in cells
                for name in ordered_classes(cells[language])
            ]
        ),
        RowGroup(
            [_row(group_title(name), one) for name, one in found["apart"].items()],
            "Apart",
            muted=True,
            note="copying public-domain code is no infringement; it is in no figure above",
        ),
    ]
    titles = ("", "License class", "Language", "Language and class", "")
    named = [
        RowGroup(group.rows, group.title or title, group.muted, group.note)
        for group, title in zip(groups, titles, strict=True)
    ]
    return Table(
        f"EM and EP, {mode} mode{' (headline)' if mode == run.mode else ''}",
        _COLUMNS,
        [group for group in named if group.rows],
        note=_NOTES[mode],
    )


_NOTES = {
    "paper": (
        "paper: the answer as it is, fragments of the source joined as the release does, too short or empty answers "
        "count as 0, all together over the three classes of the paper."
    ),
    "corrected": (
        "corrected: the code of the answer, the best part of the source, too short or empty answers have no score, all "
        "together over every class but public-domain code."
    ),
}


def _row(title: str, group: Figures) -> Sequence[Cell]:
    em, ep, null, excess = group["em"], group["ep"], group["null"], group["excess"] or {}
    return (
        Cell(title),
        Cell.number(group["prompts"]),
        Cell.number(group["above"]["value"], f"{group['above']['count']:,} ({percent(group['above']['value'])})"),
        Cell.number(_value(em), with_sd(em)),
        Cell(interval_words(em) or "–", em["interval"]["low"] if em and em["interval"] else None),
        Cell.number(_value(null["em"]), with_sd(null["em"])),
        Cell(excess_text(excess.get("em")), _value(excess.get("em"))),
        Cell.number(_value(ep), ratio(_value(ep))),
        Cell(ep_interval(ep) or "–", ep["interval"]["low"] if ep else None),
        Cell.number(_value(null["ep"]), ratio(_value(null["ep"]))),
        Cell(excess_text(excess.get("ep")), _value(excess.get("ep"))),
    )


def _value(record: Figures | None) -> float | None:
    return None if record is None else record["value"]


def _singles(run: Run) -> Table:
    rows: list[Sequence[Cell]] = []
    for mode in run.modes:
        for source, title in (("own", "own source"), ("null", "null")):
            one = run.summary["modes"][mode]["single_answers"][source]
            if one is not None:
                rows.append(
                    (
                        Cell(f"{title}, {mode} mode"),
                        Cell.number(one["answers"]),
                        Cell.number(one["share"], percent(one["share"])),
                        Cell.number(one["em"], f"{ratio(one['em'])} ± {ratio(one['em_sd'])}"),
                        Cell.number(one["ep"], ratio(one["ep"])),
                    )
                )
    columns = (Column("answers against"), *(Column(name, "number") for name in ("answers", "above 0.5", "EM", "EP")))
    n = run.figures["single_answers"]["n"]
    note = (
        "All classes together. The release draws best answers of prompts, the text of the paper speaks of generations."
    )
    return Table(f"Where a draw is one answer, n = {n}", columns, [RowGroup(rows)], note=note, fixed=True)


def _controls(run: Run) -> Table:
    rows = [
        (
            Cell(control["title"]),
            Cell(mode),
            Cell.number(one["overall"]["prompts"]),
            Cell.number(one["too_short"]),
            Cell(rate_line(one["overall"]["above"]), one["overall"]["above"]["value"]),
            Cell.number(_value(one["overall"]["em"]), with_sd(one["overall"]["em"])),
        )
        for control in run.summary["controls"]
        for mode, one in ((mode, control["modes"][mode]) for mode in run.modes)
    ]
    columns = (
        Column("control"),
        Column("mode", choose=True),
        Column("prompts", "number"),
        Column("too short", "number"),
        Column("above 0.5", "number"),
        Column("EM", "number"),
    )
    note = (
        "Built-in answers to the same prompts, one each: what the score sees. All prompts, public-domain ones as well."
    )
    return Table("Controls", columns, [RowGroup(rows)], note=note)


def comparison(run: Run) -> Section:
    """This run beside Table 3 of the paper."""
    own = [
        _line(f"{run.model}, {mode} mode", run.summary["modes"][mode], run.summary["options"]["n"])
        for mode in run.modes
    ]
    null = _line("null of this run, same answers", run.figures, run.summary["options"]["n"], part="null")
    record = published()
    lines = [
        (
            Cell(row["model"]),
            Cell.number(record["n"]),
            *(cell for name in (*PAPER_CLASSES, "overall") for cell in _published(row["groups"][name])),
            Cell.number(row["share_per_prompt"], percent(row["share_per_prompt"])),
        )
        for row in check_published()
    ]
    titles = (*(group_title(name) for name in PAPER_CLASSES), "all")
    columns = (
        Column("model"),
        Column("n", "number"),
        *(Column(f"{title} {name}", "number") for title in titles for name in ("EM", "EP")),
        Column("share of prompts", "number", "the share of prompts above 0.5 that EP of all stands for"),
    )
    groups = (
        RowGroup([*own, null], "This run"),
        RowGroup(lines, "Published", note="other prompts; 50 draws from best-of-10 answers"),
    )
    return Section(
        "comparison",
        "Beside the published models",
        (
            Notes("Other prompts", (OTHER_PROMPTS,), "warn"),
            Table("Table 3 of the paper", columns, groups, note="EM ± deviation between draws, and EP."),
        ),
    )


def _line(title: str, found: Figures, n: int, part: str = "") -> Sequence[Cell]:
    groups = [found["by_class"].get(name) for name in PAPER_CLASSES] + [found["overall"]]
    shown = [group[part] if part and group else group for group in groups]
    cells = [cell for group in shown for cell in _pair(group)]
    above = shown[-1]["above"]["value"]
    return (Cell(title), Cell.number(n), *cells, Cell.number(above, percent(above)))


def _pair(group: Figures | None) -> tuple[Cell, Cell]:
    if group is None or group["em"] is None:
        return Cell.number(None), Cell.number(None)
    em, ep = group["em"], group["ep"]
    return Cell.number(em["value"], with_sd(em)), Cell.number(ep["value"], ratio(ep["value"]))


def _published(group: Figures) -> tuple[Cell, Cell]:
    em = Cell.number(group["em"], f"{ratio(group['em'])} ± {ratio(group['em_sd'])}")
    return em, Cell.number(group["ep"], ratio(group["ep"]))


def training(run: Run) -> Section | None:
    """Table 5: prompts that stand in training sets; None where no set was given."""
    rows = run.figures["training"]
    if not rows:
        return None
    n = run.summary["options"]["training_n"]
    words = {"in": "in the set", "only_here": "in this set only", "out": "in none of the sets"}
    groups = [
        RowGroup(
            [_row(title, one[name]) for name, title in words.items()],
            one["set"],
            note=", ".join(f"{count:,} {match}" for match, count in one["matches"].items()),
        )
        for one in rows
    ]
    sentences = [
        Paragraph(
            f"Prompts that stand in {one['set']} less prompts that stand in none of the sets: EM "
            f"{excess_text(one['difference']['em'])}, EP {excess_text(one['difference']['ep'])}."
        )
        for one in rows
        if one["difference"] is not None
    ]
    note = (
        "exact: the function or class of the prompt is in the set but for white space; near: the MinHash similarity of "
        "its word 5-grams with one of the set is 0.8 or more. Public-domain prompts count here."
    )
    return Section(
        "training",
        "Prompts from training sets",
        (*sentences, Table(f"EM and EP, n = {n}, {run.mode} mode", _COLUMNS, groups, note=note), _published_training()),
    )


def _published_training() -> Table:
    sets = published()["table5"][0]["sets"]
    columns = (
        Column("model"),
        Column("trained on"),
        *(
            Column(f"{one['set']}{', no overlap' if one['overlap'] == 'without' else ''} {name}", "number")
            for one in sets
            for name in ("EM", "EP")
        ),
    )
    rows = [
        (
            Cell(row["model"]),
            Cell(row["trained_on"]),
            *(cell for one in row["sets"] for cell in _published(one)),
        )
        for row in published()["table5"]
    ]
    note = "n = 5. The training set of a model gives it higher figures than the others, once shared code is left out."
    return Table("Table 5 of the paper", columns, [RowGroup(rows)], note=note)
