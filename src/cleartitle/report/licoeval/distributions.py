"""How similar the answers are to the originals: the model beside the controls, and against size and comments."""

from collections.abc import Sequence

import numpy as np

from cleartitle.report.blocks import Block, Cell, Column, Figure, Paragraph, RowGroup, Section, Table
from cleartitle.report.licoeval.run import Run
from cleartitle.report.numbers import ratio, share
from cleartitle.report.plots import Panel, Series, bubbles, ecdf, histograms
from cleartitle.similarity import StrikingStandard

__all__ = ["distributions"]

MEASURES = (("bleu4", "BLEU-4"), ("minhash_jaccard", "MinHash Jaccard"), ("edit_similarity", "edit similarity"))
BASELINE = "control:other-function"
# Controls that answer alike differ only in the license they name.
TWINS = ("control:verbatim-wrong", "control:verbatim-silent")
_LICENSE_PART = ", license named right"


def distributions(run: Run) -> Section:
    """The section on similarity, over answers that could be scored."""
    if not run.values("model", "similarity"):
        return Section("similarity", "Similarity of the answers", (Paragraph("No answer could be scored."),))
    blocks: list[Block] = [
        Paragraph(
            "Similarity is the largest of BLEU-4, MinHash Jaccard and edit similarity of the two function bodies. The "
            "line at 0.6 is the threshold of the standard; above it, a shared comment decides. The body of another "
            "function shows what likeness comes from the language alone."
        ),
        _largest(run),
        _measures(run),
        _against(run),
    ]
    return Section("similarity", "Similarity of the answers", blocks)


def _threshold() -> float:
    return StrikingStandard().similarity_gt


def _largest(run: Run) -> Figure:
    sources = [source for source in run.titles if source not in TWINS]
    series = [Series(_short(run, source), run.values(source, "similarity")) for source in sources]
    above = sum(value > _threshold() for value in run.values("model", "similarity"))
    alternative = (
        f"Of {len(run.values('model', 'similarity')):,} answers of {run.model} {above:,} lie above {_threshold():g}; "
        f"their median is {ratio(_quantile(run.values('model', 'similarity'), 0.5))}."
    )
    rows = [_quantiles(one.title, [value for value in one.values if value is not None]) for one in series if one.values]
    return Figure(
        "Similarity of the answers: share at or below each value",
        ecdf("similarity-ecdf", series, "similarity (largest of the three measures)", _threshold()),
        alternative,
        _quantile_table("Similarity by source of the answers", rows),
    )


def _measures(run: Run) -> Figure:
    sources = [source for source in ("model", BASELINE) if run.values(source, "similarity")]
    panels = [
        (title, [Series(_short(run, source), run.values(source, measure)) for source in sources])
        for measure, title in MEASURES
    ]
    rows = [
        _quantiles(f"{title}, {one.title}", [value for value in one.values if value is not None])
        for title, series in panels
        for one in series
    ]
    medians = ", ".join(f"{title} {ratio(_quantile(run.values('model', key), 0.5))}" for key, title in MEASURES)
    return Figure(
        "The three measures apart",
        histograms("measures", panels, _threshold()),
        f"Medians of {run.model}: {medians}.",
        _quantile_table("The three measures", rows),
    )


def _against(run: Run) -> Figure:
    rows = run.scored("prompt_id", "similarity", "striking", "shared_comments")
    lines, complexity = run.units.column("body_lines"), run.units.column("complexity")
    shared = [len(row["shared_comments"]) for row in rows]
    panels = (
        Panel("lines of the original body", [lines[row["prompt_id"]] for row in rows], logarithmic=True),
        Panel("complexity of the original", [complexity[row["prompt_id"]] for row in rows], logarithmic=True),
        Panel("shared comments", shared),
    )
    heights = [row["similarity"] for row in rows]
    drawing = bubbles("similarity-against", panels, heights, [row["striking"] for row in rows], _threshold())
    with_comment = sum(number > 0 for number in shared)
    alternative = (
        f"Circles are answers, diamonds striking ones. {with_comment:,} of {len(rows):,} answers share a comment with "
        f"the original that the prompt does not hold, {sum(row['striking'] for row in rows):,} are striking."
    )
    return Figure(
        "Similarity against length, complexity and shared comments (as in figure 5 of the paper)",
        drawing,
        alternative,
        _bins(heights, panels),
    )


def _bins(heights: Sequence[float], panels: Sequence[Panel]) -> Table:
    edges = {0: (0, 20, 40, 80, 10**9), 1: (0, 5, 10, 20, 10**9), 2: (-1, 0, 1, 3, 10**9)}
    rows: list[Sequence[Cell]] = []
    for number, panel in enumerate(panels):
        for low, high in zip(edges[number], edges[number][1:], strict=False):
            chosen = [height for height, value in zip(heights, panel.values, strict=True) if low < value <= high]
            if chosen:
                above = sum(height > _threshold() for height in chosen)
                title = f"above {low}" if high == 10**9 else f"{low + 1} to {high}" if high > low + 1 else f"{high}"
                rows.append(
                    (
                        Cell(panel.title),
                        Cell(title),
                        Cell.number(len(chosen)),
                        Cell.number(_quantile(chosen, 0.5)),
                        Cell.number(max(chosen)),
                        Cell.number(above, f"{above:,} ({share(above, len(chosen))})"),
                    )
                )
    columns = (
        Column("of"),
        Column("range"),
        *(Column(title, "number") for title in ("n", "median", "max", "above 0.6")),
    )
    return Table("Similarity by size", columns, (RowGroup(rows),), fixed=True)


def _quantile_table(caption: str, rows: Sequence[Sequence[Cell]]) -> Table:
    titles = ("n", "median", "90 %", "max", "above 0.6")
    return Table(
        caption, (Column("source"), *(Column(title, "number") for title in titles)), (RowGroup(rows),), fixed=True
    )


def _quantiles(title: str, values: Sequence[float]) -> Sequence[Cell]:
    above = sum(value > _threshold() for value in values)
    return (
        Cell(title),
        Cell.number(len(values)),
        Cell.number(_quantile(values, 0.5)),
        Cell.number(_quantile(values, 0.9)),
        Cell.number(max(values, default=None)),
        Cell.number(above, f"{above:,} ({share(above, len(values))})"),
    )


def _quantile(values: Sequence[float], q: float) -> float | None:
    return float(np.quantile(values, q)) if values else None


def _short(run: Run, source: str) -> str:
    return run.titles[source].removesuffix(_LICENSE_PART)
