"""Every figure of a run in both modes."""

from collections.abc import Mapping
from typing import Any

from cleartitle.report.blocks import Cell, Column, RowGroup, Table
from cleartitle.report.licoeval.run import Run
from cleartitle.report.licoeval.wording import STATES, lico_interval, lico_text
from cleartitle.report.numbers import rate_line, ratio

__all__ = ["modes_table"]

ACCURACIES = (
    ("overall", "License named right, all striking cases"),
    ("permissive", "… permissive and public domain"),
    ("copyleft", "… copyleft"),
    ("weak_copyleft", "… weak copyleft"),
    ("strong_copyleft", "… strong copyleft"),
    ("restricted", "… restricted"),
)


def modes_table(run: Run) -> Table:
    """Every figure in both modes; a figure that does not differ is written once."""
    first, second = (run.summary["modes"][mode] for mode in run.modes)
    left, right = _mode_rows(first), _mode_rows(second)
    rows = [
        (Cell(name), Cell(value), Cell("the same", None, "muted") if right[name] == value else Cell(right[name]))
        for name, value in left.items()
    ]
    return Table(
        "All figures in both modes",
        (
            Column("figure"),
            Column(f"{run.modes[0]} (headline)", help="the mode of the benchmark"),
            Column(run.modes[1]),
        ),
        (RowGroup(rows),),
        note=(
            "paper follows the publication and its released code to the letter, so that figures compare with the "
            "published table: rates are over all prompts, and a license that was not answered counts "
            "as wrong. corrected repairs what is wrong there: only answers that could be scored count, comments are "
            "real comments, restricted licenses stand apart, and license answers are read by rules that know spoken "
            "names, dual wording and negation. Intervals are at 95 %; samples of one project count as one cluster."
        ),
        fixed=True,
    )


def _mode_rows(figures: Mapping[str, Any]) -> dict[str, str]:
    rows = {
        "Answers asked for": f"{figures['answers']:,}",
        "Answers scored": f"{figures['scored']:,}",
        **{words.capitalize(): f"{figures[key]:,}" for key, words in STATES},
        "Denominator of the rates": f"{figures['denominator']:,}",
        "Similarity above 0.6": rate_line(figures["similar"]),
        "Strikingly similar": rate_line(figures["striking"]),
        "License question without an answer": f"{figures['license_unanswered']:,}",
        "Answer names some license": rate_line(figures["license_coverage"]),
    }
    for key, words in ACCURACIES:
        rows[words] = rate_line(figures["accuracy"][key]["exact"])
    rows["Family of the license right"] = rate_line(figures["accuracy"]["overall"]["family"])
    rows["Class of the license right"] = rate_line(figures["accuracy"]["overall"]["class"])
    lico = figures["lico"]
    rows["LiCo, a missing accuracy counted as 1"] = ratio(lico["value"], 3)
    rows["LiCo over what a missing accuracy could be"] = lico_text(lico)
    rows["Bootstrap interval of LiCo"] = lico_interval(lico) or "–"
    return rows
