"""The page of a study of striking similarity."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Group,
    KeyFigure,
    KeyFigures,
    MarkedText,
    Notes,
    Paragraph,
    RowGroup,
    Section,
    Table,
    TextBox,
    Tone,
)
from cleartitle.report.numbers import interval_text, percent, rate_line
from cleartitle.report.page import render
from cleartitle.report.striking.cases import cases
from cleartitle.report.striking.figures import compared, doses, similarity, thresholds
from cleartitle.report.striking.material import open_material
from cleartitle.report.striking.wording import (
    FEATURE_TITLES,
    GROUP_TITLES,
    PAIR_TITLES,
    answer_sentence,
    cells_of,
    found_sentence,
    groups_sentence,
    left_out,
    standard_text,
)

__all__ = ["striking_page"]


def striking_page(path: Path, *, redact: bool = False) -> str:
    """The page of the study in a folder; ``redact`` leaves the texts of functions and answers out.

    Raises:
        InputError: it is not a finished study of striking similarity.
    """
    material = open_material(path, redact=redact)
    summary, record = material.summary, material.record
    sections = [
        Section("answer", "", _headline(summary)),
        Section("groups", "The groups", _groups(summary)),
        similarity(material),
        thresholds(summary),
        _validation(summary),
        *doses(summary),
        cases(material),
        _made(record, summary),
    ]
    names = ", ".join(subject["name"] for subject in summary["subjects"])
    subtitle = (
        f"The study of section III of LiCoEval: {summary['functions']:,} functions of {summary['projects']:,} "
        f"projects, put to {names}."
    )
    meta = {"Run": record["key"], "Models": names, "Started": record["started"]}
    return render("Where does the standard of striking similarity lie, and does it hold?", sections, subtitle, meta)


def _headline(summary: Mapping[str, Any]) -> list[Block]:
    figures: list[KeyFigure] = []
    for subject in summary["subjects"]:
        for group in GROUP_TITLES:
            cell = cells_of(summary, subject=subject["name"], pair="both", group=group)[0]
            rate = cell["striking"]["published"]
            right = group == "accessed" and subject["exposed"]
            tone: Tone = "plain" if rate["count"] == 0 or right else "warn"
            count = f"{rate['count']:,} of {rate['total']:,}"
            label = f"{subject['name']}: striking, {group}"
            figures.append(KeyFigure(label, percent(rate["value"]), interval_text(rate), count, tone=tone))
    return [
        Paragraph(answer_sentence(summary), lead=True),
        KeyFigures(figures),
        *([Paragraph(found_sentence(summary))] if summary["search"]["subject"] else []),
        Notes("What this does not establish", [*left_out(summary), *summary["notes"]], "warn"),
    ]


def _groups(summary: Mapping[str, Any]) -> list[Block]:
    columns = (
        Column("feature"),
        Column("group"),
        *(Column(name, "number") for name in ("n", "min", "median", "mean", "max")),
        Column("p", "number", "Mann-Whitney U test, two-sided"),
        Column("Cliff's δ", "number", "positive where accessed functions have the larger values"),
        Column("level", "text", "negligible below 0.147, small below 0.33, medium below 0.474 (Romano et al. 2006)"),
    )
    groups = [
        RowGroup([row for name, found in features.items() for row in _feature(name, found)], f"{pair} pair")
        for pair, features in summary["table_ii"].items()
    ]
    left_out = summary["groups"].get("left_out") or {}
    funnel = ", ".join(f"{number:,} {reason}" for reason, number in left_out.items() if number)
    return [
        Paragraph(groups_sentence(summary)),
        *([Paragraph(f"Left out while drawing: {funnel}.")] if funnel else []),
        Table(
            "Features of the functions (as Table II of the paper)",
            columns,
            groups,
            note="The effect size tells how far the groups differ; with small groups a large p tells nothing.",
            fixed=True,
        ),
    ]


def _feature(name: str, found: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    for number, group in enumerate(GROUP_TITLES):
        statistics = found[group]
        numbers = [Cell.number(statistics["n"], f"{statistics['n']:,}")]
        numbers += [Cell.number(statistics[key], f"{statistics[key]:g}") for key in ("min", "median")]
        numbers += [Cell.number(statistics["mean"], f"{statistics['mean']:.1f}")]
        numbers += [Cell.number(statistics["max"], f"{statistics['max']:g}")]
        if number:
            tests = (Cell(""), Cell(""), Cell(""))
        else:
            p = found["p_value"]
            tests = (
                Cell.number(p, f"{p:.2f}" if p >= 0.01 else "< 0.01"),
                Cell.number(found["cliffs_delta"], f"{found['cliffs_delta']:+.2f}"),
                Cell(found["level"]),
            )
        yield (Cell(FEATURE_TITLES[name] if not number else ""), Cell(GROUP_TITLES[group]), *numbers, *tests)


def _validation(summary: Mapping[str, Any]) -> Section:
    search = summary["search"]
    groups: list[RowGroup] = []
    for name, standard in summary["standards"].items():
        rows = [
            (
                Cell(row["subject"] + ("" if row["exposed"] else " (control)")),
                Cell(PAIR_TITLES[row["pair"]]),
                Cell("found here" if _is_search(row, search) and name == "found" else "check"),
                Cell.number(row["accessed"]["value"], rate_line(row["accessed"])),
                Cell.number(row["unseen"]["value"], rate_line(row["unseen"])),
                Cell.number(row["precision"]["value"], rate_line(row["precision"]), absent="no case"),
            )
            for row in summary["modes"][summary["headline_mode"]]["precision"]
            if row["standard"] == name
        ]
        groups.append(RowGroup(rows, f"{name}: {standard_text(standard)}"))
    columns = (
        Column("model"),
        Column("pair", choose=True),
        Column("role"),
        Column("striking, accessed", "number"),
        Column("striking, unseen", "number"),
        Column("precision", "number", "share of striking answers that are to accessed functions"),
    )
    other = next(mode for mode in summary["modes"] if mode != summary["headline_mode"])
    return Section(
        "validation",
        "Does it hold on other functions and models?",
        (
            Paragraph(
                "The paper found 24 striking answers among 10,000 accessed functions and none among 10,000 unseen ones "
                "(at most 0.037 %), and 33 and none on its second groups with two models: a precision of 33 of 33, "
                "whose exact lower bound is 89.4 %. A control was not trained on the accessed functions, so what is "
                "striking there is a false alarm whatever the group."
            ),
            Table("Striking answers by both standards", columns, groups, fixed=True),
            compared(summary),
            Paragraph(_modes_sentence(summary, other)),
        ),
    )


def _is_search(row: Mapping[str, Any], search: Mapping[str, Any]) -> bool:
    return (row["subject"], row["pair"]) == (search["subject"], search["pair"])


def _modes_sentence(summary: Mapping[str, Any], other: str) -> str:
    """What the other mode says of both groups."""

    def counts(mode: str) -> list[str]:
        return [
            f"{row['subject']}, {row['group']}: {rate_line(row['striking']['published'])}"
            for row in summary["modes"][mode]["groups"]
            if row["pair"] == "both"
        ]

    if counts(other) == counts(summary["headline_mode"]):
        return f"In {other} mode the published standard gives the same counts."
    return f"In {other} mode the published standard gives: {'; '.join(counts(other))}."


def _made(record: Mapping[str, Any], summary: Mapping[str, Any]) -> Section:
    specs = {subject["name"]: subject["spec"] for subject in record["inputs"]["subjects"]}
    models = [
        Group(subject["name"], (_facts({"opened as": specs[subject["name"]], **subject["model"]}),))
        for subject in summary["subjects"]
    ]
    training = [Group(f"Training of {name}", (_facts(found),)) for name, found in summary["training"].items()]
    return Section(
        "made",
        "How this was made",
        (
            TextBox(MarkedText("Command", shlex.join(record["command"])), collapsed=False),
            _facts({"Started": record["started"], "Ended": record["finished"], "Key": record["key"]}),
            *models,
            *training,
            Group("Groups", (_facts(summary["groups"]),)),
            Group("Options", (_facts({**record["options"], **(summary["teaching"] or {})}),)),
            Group("Versions and host", (_facts({**record["versions"], **record["host"]}),)),
        ),
    )


def _facts(values: Mapping[str, Any]) -> Facts:
    return Facts([Fact(name, [text]) for name, text in _flat(values)])


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", "–" if value is None else str(value)
