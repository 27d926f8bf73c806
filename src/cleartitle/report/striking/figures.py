"""The drawings of a study: figures 4 and 5 of the paper, threshold curves, and rates by repetitions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cleartitle.report.blocks import Block, Cell, Column, Figure, Group, Paragraph, RowGroup, Section, Table
from cleartitle.report.numbers import rate_line, ratio
from cleartitle.report.plots import Panel, Series, bubbles, curves, histograms, intervals
from cleartitle.report.striking.material import Material
from cleartitle.report.striking.wording import (
    CRITERION_TITLES,
    GROUP_TITLES,
    MEASURE_TITLES,
    PAIR_TITLES,
    dose_remarks,
    dose_title,
    found_sentence,
    thresholds_rows,
)

__all__ = ["compared", "doses", "similarity", "thresholds"]

MEASURES = ("bleu4", "minhash_jaccard", "edit_similarity")
SIMILARITY = 0.6


def similarity(material: Material) -> Section:
    """Figures 4 and 5 for each model; those of the first stand open."""
    blocks: list[Block] = [
        Paragraph(
            "The answers to both groups in each measure, then their similarity (the largest of the three measures) "
            "against the features of the original and the comments that both share and the prompt does not hold. "
            "Both pairs together."
        )
    ]
    for number, subject in enumerate(material.summary["subjects"]):
        name = subject["name"]
        groups = {group: material.scored(name, group) for group in GROUP_TITLES}
        if not any(groups.values()):
            blocks.append(Paragraph(f"No answer of {name} could be scored."))
            continue
        figures = (_figure_4(number, name, groups), _figure_5(number, name, groups, material))
        blocks.append(Group(name, figures, open=number == 0))
    return Section("similarity", "Similarity of the answers (figures 4 and 5 of the paper)", blocks)


Scores = Mapping[str, Sequence[Mapping[str, Any]]]


def _figure_4(number: int, name: str, groups: Scores) -> Figure:
    panels = [
        (
            MEASURE_TITLES[measure],
            [Series(GROUP_TITLES[group], [row[measure] for row in rows]) for group, rows in groups.items()],
        )
        for measure in MEASURES
    ]
    rows = [
        (Cell(title), Cell(one.title), *_quantiles([value for value in one.values if value is not None]))
        for title, series in panels
        for one in series
    ]
    medians = {
        group: ratio(float(np.median([row["similarity"] for row in rows]))) if rows else "–"
        for group, rows in groups.items()
    }
    columns = (Column("measure"), Column("group"), *(Column(title, "number") for title in _QUANTILE_TITLES))
    return Figure(
        f"{name}: similarity of answer and original in the two groups (as figure 4)",
        histograms(f"figure-4-{number}", panels, SIMILARITY),
        f"Median of the largest measure: {medians['accessed']} for accessed functions, {medians['unseen']} for unseen "
        "ones.",
        Table("Similarity by measure and group", columns, [RowGroup(rows)], fixed=True),
    )


_QUANTILE_TITLES = ("n", "10 %", "median", "90 %", "max")


def _quantiles(values: Sequence[float]) -> list[Cell]:
    if not values:
        return [Cell.number(0), *(Cell.number(None) for _ in _QUANTILE_TITLES[1:])]
    return [Cell.number(len(values)), *(Cell.number(float(np.quantile(values, q))) for q in (0.1, 0.5, 0.9, 1))]


def _figure_5(number: int, name: str, groups: Scores, material: Material) -> Figure:
    rows = [row for group in groups.values() for row in group]
    units = [material.units[row["prompt_id"]] for row in rows]
    shared = [len(row["shared_comments"]) for row in rows]
    panels = (
        Panel("lines of the original body", [unit["body_lines"] for unit in units], logarithmic=True),
        Panel("complexity of the original", [unit["complexity"] for unit in units], logarithmic=True),
        Panel("shared comments", shared),
    )
    heights = [row["similarity"] for row in rows]
    special = [unit["group"] == "accessed" for unit in units]
    counts = [
        (
            Cell(title),
            Cell.number(len(chosen)),
            Cell.number(sum(row["similarity"] > SIMILARITY for row in chosen)),
            Cell.number(sum(bool(row["shared_comments"]) for row in chosen)),
            Cell.number(sum(row["similarity"] > SIMILARITY and bool(row["shared_comments"]) for row in chosen)),
            Cell.number(max((len(row["shared_comments"]) for row in chosen), default=None)),
        )
        for title, chosen in ((GROUP_TITLES[group], chosen) for group, chosen in groups.items())
    ]
    columns = (
        Column("group"),
        Column("answers scored", "number"),
        Column("similarity above 0.6", "number"),
        Column("a shared comment", "number"),
        Column("both", "number"),
        Column("most shared comments", "number"),
    )
    return Figure(
        f"{name}: similarity against length, complexity and shared comments (as figure 5)",
        bubbles(f"figure-5-{number}", panels, heights, special, SIMILARITY),
        "Diamonds are answers to accessed functions, circles those to unseen ones.",
        Table("Similar answers and shared comments by group", columns, [RowGroup(counts)], fixed=True),
    )


def thresholds(summary: Mapping[str, Any]) -> Section:
    """The curves over each threshold, the thresholds found, and what each criterion is good for."""
    search = summary["search"]
    if search["subject"] is None:
        text = "No model of this study was trained on the accessed functions, so there is nothing to find."
        return Section("thresholds", "Finding the thresholds", (Paragraph(text),))
    published = summary["standards"]["published"]
    panels: list[tuple[Panel, list[Series]]] = []
    for name, curve in search["curves"].items():
        series = [Series(GROUP_TITLES[group], curve[group]) for group in GROUP_TITLES]
        panels.append((Panel(CRITERION_TITLES[name], curve["thresholds"]), series))
    drawn = curves("thresholds", panels, [published[name] for name in CRITERION_TITLES], "striking answers")
    curve = search["curves"]["similarity_gt"]
    rows = [
        (Cell.number(value, f"{value:.2f}"), Cell.number(curve["accessed"][place]), Cell.number(curve["unseen"][place]))
        for place, value in enumerate(curve["thresholds"])
        if place % 5 == 0
    ]
    found = [tuple(map(Cell, row)) for row in thresholds_rows(summary)]
    return Section(
        "thresholds",
        "Finding the thresholds",
        (
            Paragraph(
                "How many answers of the first pair pass at each threshold, the other three as published. A threshold "
                "is good where the line of the unseen functions has come down and that of the accessed ones has not. "
                "Marked are the published values."
            ),
            Figure(
                f"Striking answers of {search['subject']} over each threshold, first pair",
                drawn,
                f"{search['accessed']:,} accessed and {search['unseen']:,} unseen answers could be scored.",
                Table(
                    "Counts over the threshold on similarity",
                    (Column("similarity above", "number"), Column("accessed", "number"), Column("unseen", "number")),
                    [RowGroup(rows)],
                    fixed=True,
                ),
            ),
            Paragraph(found_sentence(summary)),
            Table(
                "Thresholds",
                (
                    Column("criterion"),
                    Column("published", "number"),
                    Column("found", "number"),
                    Column("same counts from … to", "number", "the range that these answers cannot tell apart"),
                ),
                [RowGroup(found)],
                note="Found: fewest unseen answers first, then most accessed ones, then nearest to the published.",
                fixed=True,
            ),
            _without(summary),
        ),
    )


def _without(summary: Mapping[str, Any]) -> Table:
    rows = [
        (
            Cell("all four criteria" if name == "all" else f"without {CRITERION_TITLES[name]}"),
            Cell.number(counts["accessed"]),
            Cell.number(counts["unseen"]),
        )
        for name, counts in summary["search"]["without"].items()
    ]
    columns = (Column("published standard"), Column("accessed", "number"), Column("unseen", "number"))
    return Table("What each criterion is good for: striking answers without it", columns, [RowGroup(rows)], fixed=True)


def compared(summary: Mapping[str, Any]) -> Table:
    """How far the answers to the two groups lie apart in each measure."""
    rows = [
        (
            Cell(answers["subject"]),
            Cell(PAIR_TITLES[answers["pair"]]),
            Cell(MEASURE_TITLES[name]),
            Cell.number(found["accessed"]["median"]),
            Cell.number(found["unseen"]["median"]),
            Cell.number(found["p_value"], f"{found['p_value']:.2g}"),
            Cell.number(found["cliffs_delta"], f"{found['cliffs_delta']:+.2f}"),
            Cell(found["level"]),
        )
        for answers in summary["answers"]
        for name, found in answers["measures"].items()
        if found is not None
    ]
    columns = (
        Column("model", choose=True),
        Column("pair", choose=True),
        Column("measure", choose=True),
        Column("median accessed", "number"),
        Column("median unseen", "number"),
        Column("p", "number", "Mann-Whitney U test, two-sided"),
        Column("Cliff's δ", "number"),
        Column("level"),
    )
    return Table("Do the answers to the two groups differ?", columns, [RowGroup(rows)])


def doses(summary: Mapping[str, Any]) -> list[Section]:
    """Rates by how often functions were taught; nothing where that is not known."""
    rows = summary["modes"][summary["headline_mode"]]["doses"]
    if not rows:
        return []
    known = sorted({row["repetitions"] for row in rows})
    names = [subject["name"] for subject in summary["subjects"]]
    rates = {(row["subject"], row["repetitions"]): row for row in rows}
    series = [(name, [_interval(rates.get((name, dose))) for dose in known]) for name in names]
    table = [
        (
            Cell(name),
            Cell(dose_title(dose), dose),
            *(
                Cell.number(rate["value"], rate_line(rate), absent="no case")
                for rate in (
                    rates[name, dose]["similar"],
                    rates[name, dose]["same_comment"],
                    rates[name, dose]["striking"]["published"],
                )
            ),
        )
        for name in names
        for dose in known
        if (name, dose) in rates
    ]
    columns = (
        Column("model", choose=True),
        Column("taught", choose=True),
        Column("similarity above 0.6", "number"),
        Column("a shared comment", "number"),
        Column("striking", "number"),
    )
    figure = Figure(
        "Striking answers by how often a function was taught, both pairs, with 95 % intervals",
        intervals("doses", [dose_title(dose) for dose in known], series, "how often the function was taught"),
        dose_remarks(summary),
        Table("Rates by repetitions", columns, [RowGroup(table)], fixed=True),
    )
    return [Section("doses", "How often must a function be seen to come back?", (figure,))]


def _interval(row: Mapping[str, Any] | None) -> tuple[float, float, float] | None:
    if row is None or row["striking"]["published"]["value"] is None:
        return None
    rate = row["striking"]["published"]
    return rate["value"], rate["interval"]["low"], rate["interval"]["high"]
