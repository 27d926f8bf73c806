"""Drawings: EM and EP over n (figure 4), by language (figure 5), scores, lengths, thresholds (figure 3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cleartitle.evals.codeipprompt import THRESHOLD, published
from cleartitle.report.blocks import Block, Cell, Column, Figure, Paragraph, RowGroup, Section, Table
from cleartitle.report.codeipprompt.run import Run
from cleartitle.report.codeipprompt.wording import group_title
from cleartitle.report.numbers import percent, rate_line, ratio, share
from cleartitle.report.plots import Band, Panel, Series, bands, bubbles, ecdf, intervals

__all__ = ["drawings", "thresholds"]

Figures = Mapping[str, Any]


def drawings(run: Run) -> Section:
    """The section of drawings, in the mode of the headline."""
    if run.figures["overall"]["em"] is None:
        return Section("drawings", "Over n, by language, by prompt", (Paragraph("No answer could be scored."),))
    blocks: list[Block] = [_scores(run)]
    if run.figures["sweep"]:
        blocks.append(_sweep(run))
    blocks += [*_languages(run), _lengths(run)]
    return Section("drawings", "Scores, draws, languages, lengths", blocks)


def _scores(run: Run) -> Figure:
    sources = {"model": run.model, "null": "null: other sources"}
    sources |= {f"control:{control['name']}": f"control: {control['title']}" for control in run.summary["controls"]}
    series = [Series(title, run.best(name)) for name, title in sources.items() if run.best(name)]
    own = run.best("model")
    above = sum(value > THRESHOLD for value in own)
    rows = [_quantiles(one) for one in series]
    columns = (Column("source"), *(Column(title, "number") for title in ("n", "median", "90 %", "max", "above 0.5")))
    return Figure(
        "Best score of each prompt: share of prompts at or below each value",
        ecdf("best-scores", series, "similarity of the closest answer", THRESHOLD, "prompts"),
        f"The closest answers to {above:,} of {len(own):,} prompts lie above 0.5; the median is "
        f"{ratio(float(np.median(own)))}.",
        Table("Best scores by source", columns, [RowGroup(rows)], fixed=True),
    )


def _quantiles(one: Series) -> Sequence[Cell]:
    values = np.array(one.values, dtype=float)
    above = int(np.sum(values > THRESHOLD))
    return (
        Cell(one.title),
        Cell.number(len(values)),
        *(Cell.number(float(np.quantile(values, q))) for q in (0.5, 0.9, 1)),
        Cell.number(above, f"{above:,} ({share(above, len(values))})"),
    )


def _sweep(run: Run) -> Figure:
    rows, n = run.figures["sweep"], run.summary["options"]["n"]
    places = [row["n"] for row in rows]
    em = [_shaded(title, [row[key] for row in rows]) for key, title in (("own", run.model), ("null", "null"))]
    ep = [Band(title, [row[key]["ep"] for row in rows]) for key, title in (("own", run.model), ("null", "null"))]
    names = ("EM", "sd", "EP", "null EM", "null sd", "null EP")
    cells = [
        (
            Cell.number(row["n"]),
            *(Cell.number(row[key][name]) for key in ("own", "null") for name in ("em", "em_sd", "ep")),
        )
        for row in rows
    ]
    chosen = min(rows, key=lambda row: abs(row["n"] - n))
    return Figure(
        "EM and EP over the number of draws (as in figure 4 of the paper)",
        bands("sweep", places, (("expected maximum", em), ("empirical probability", ep)), "draws n", n, log=True),
        f"At n = {chosen['n']} EM is {ratio(chosen['own']['em'])}, null {ratio(chosen['null']['em'])}; EP "
        f"{ratio(chosen['own']['ep'])}, null {ratio(chosen['null']['ep'])}. The shade is the deviation between draws.",
        Table(
            "Over n",
            (Column("n", "number"), *(Column(name, "number") for name in names)),
            [RowGroup(cells)],
            fixed=True,
        ),
    )


def _shaded(title: str, rows: Sequence[Figures]) -> Band:
    values = [row["em"] for row in rows]
    low = [max(0.0, row["em"] - row["em_sd"]) for row in rows]
    high = [min(1.0, row["em"] + row["em_sd"]) for row in rows]
    return Band(title, values, low, high)


def _languages(run: Run) -> list[Block]:
    found = {name: one for name, one in run.figures["by_language"].items() if one["em"] is not None}
    labels = [f"{group_title(name)}, {one['prompts']:,} prompts" for name, one in found.items()]
    drawn: list[Block] = []
    for key, title in (("em", "Expected maximum"), ("ep", "Empirical probability")):
        series = [
            (name, [_span(one[key] if name == "own" else one["null"][key]) for one in found.values()])
            for name in ("own", "null")
        ]
        words = "; ".join(
            f"{group_title(name)} {ratio(one[key]['value'])}, null {_value(one['null'][key])}"
            for name, one in found.items()
        )
        caption = f"{title} by language (as in figure 5 of the paper), %"
        drawing = intervals(f"languages-{key}", labels, series, "", heights=f"{title.lower()}, %", linked=False)
        drawn.append(Figure(caption, drawing, f"{words}."))
    return drawn


def _value(record: Figures | None) -> str:
    return ratio(None if record is None else record["value"])


def _span(record: Figures | None) -> tuple[float, float, float] | None:
    if record is None:
        return None
    interval = record["interval"] or {"low": record["value"], "high": record["value"]}
    return record["value"], interval["low"], interval["high"]


def _lengths(run: Run) -> Figure:
    best = run.reduced[("model", run.mode)].best
    chosen = np.flatnonzero(~np.isnan(best) & ~run.apart).tolist()
    panels = (
        Panel("tokens of the prompt", [max(1, run.prompts[row]["prompt_tokens"]) for row in chosen], logarithmic=True),
        Panel("tokens of the source", [max(1, run.prompts[row]["source_tokens"]) for row in chosen], logarithmic=True),
    )
    heights = [float(best[row]) for row in chosen]
    rows = [
        (
            Cell(title),
            Cell(test.capitalize()),
            Cell.number(found[test]["r"]),
            Cell.number(found[test]["p"]),
            Cell.number(found["n"]),
        )
        for title, found in (
            ("prompt", run.figures["length"]["prompt_tokens"]),
            ("source", run.figures["length"]["source_tokens"]),
        )
        for test in ("pearson", "spearman", "kendall")
    ]
    rows += [
        (
            Cell("prompt, published"),
            Cell(test.capitalize()),
            Cell.number(one["r"]),
            Cell.number(one["p"]),
            Cell.number(None),
        )
        for test, one in published()["length_correlation"].items()
    ]
    columns = (Column("length of"), Column("test"), *(Column(name, "number") for name in ("r", "p", "prompts")))
    pearson = run.figures["length"]["prompt_tokens"]["pearson"]
    return Figure(
        "Best score against the length of prompt and source",
        bubbles("lengths", panels, heights, [height > THRESHOLD for height in heights], THRESHOLD),
        f"Pearson's r of prompt length and best score is {ratio(pearson['r'])} (p = {ratio(pearson['p'])}).",
        Table(
            "Correlation of length and score",
            columns,
            [RowGroup(rows)],
            note="p-values take prompts for independent; those of one project are not, so they are too small.",
            fixed=True,
        ),
    )


def thresholds(run: Run) -> Section | None:
    """Figure 3: human labels against scores; None where no study stands in the run."""
    study = run.study
    if study is None:
        return None
    rows = study["thresholds"]
    lines = [Band(name, [row[name]["value"] for row in rows]) for name in ("precision", "recall")]
    at = next(row for row in rows if row["threshold"] == THRESHOLD)
    pearson = study["pearson"]
    interval = (
        f" ({ratio(pearson['interval']['low'])} to {ratio(pearson['interval']['high'])})" if pearson["interval"] else ""
    )
    cells = [
        (
            Cell.number(row["threshold"], f"{row['threshold']:.2f}"),
            *(Cell.number(row[name]) for name in ("tp", "fp", "tn", "fn")),
            *(Cell(rate_line(row[name]), row[name]["value"]) for name in ("precision", "recall")),
            Cell.number(row["f1"]),
        )
        for row in rows
    ]
    columns = tuple(
        Column(name, "number")
        for name in ("score above", "true pos.", "false pos.", "true neg.", "false neg.", "precision", "recall", "F1")
    )
    paper = published()["human_study"]
    return Section(
        "thresholds",
        "Scores against human judgment",
        (
            Paragraph(
                f"{study['raters']:,} raters judged {study['pairs']:,} pairs; {study['similar']:,} are similar to most "
                f"of them, {study['ties']:,} are ties. Pearson's r of score and share of raters who call a pair "
                f"similar is {ratio(pearson['r'])}{interval}; the paper found {paper['pearson']} with "
                f"{paper['participants']} raters and {paper['pairs']} pairs. At 0.5 precision is "
                f"{percent(at['precision']['value'])} and recall {percent(at['recall']['value'])}; F1 is highest at "
                f"{study['best']:g}. Pairs that were not drawn at random give precision and recall of that draw alone."
            ),
            Figure(
                "Precision and recall by threshold (as in figure 3 of the paper)",
                bands(
                    "thresholds", [row["threshold"] for row in rows], (("", lines),), "threshold", THRESHOLD, log=False
                ),
                f"At 0.5: {rate_line(at['precision'])} precision, {rate_line(at['recall'])} recall.",
                Table("By threshold", columns, [RowGroup(cells)], fixed=True),
            ),
        ),
    )
