"""What a study of striking similarity comes to, in sentences that page and terminal share."""

from collections.abc import Mapping
from typing import Any

from cleartitle.report.numbers import rate_line

__all__ = [
    "CRITERION_TITLES",
    "FEATURE_TITLES",
    "GROUP_TITLES",
    "MEASURE_TITLES",
    "PAIR_TITLES",
    "answer_sentence",
    "cells_of",
    "dose_remarks",
    "dose_title",
    "found_sentence",
    "groups_sentence",
    "left_out",
    "standard_text",
    "thresholds_rows",
]

CRITERION_TITLES = {
    "body_lines_gt": "lines of the original body",
    "complexity_gt": "complexity of the original",
    "similarity_gt": "similarity",
    "shared_comments_gt": "shared comments",
}
FEATURE_TITLES = {
    "prompt_lines": "prompt lines",
    "body_lines": "body lines",
    "complexity": "complexity",
    "comments": "comments",
}
MEASURE_TITLES = {
    "bleu4": "BLEU-4",
    "minhash_jaccard": "MinHash Jaccard",
    "edit_similarity": "edit similarity",
    "similarity": "largest of the three",
    "shared_comments": "shared comments",
}
GROUP_TITLES = {"accessed": "accessed", "unseen": "unseen"}
PAIR_TITLES = {"first": "first", "second": "second", "both": "both"}


def cells_of(summary: Mapping[str, Any], **wanted: str) -> list[Mapping[str, Any]]:
    """Rates by model, pair and group of the headline mode that have these values."""
    rows = summary["modes"][summary["headline_mode"]]["groups"]
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def answer_sentence(summary: Mapping[str, Any]) -> str:
    """What the published standard says of both groups, for the first model that was trained on the accessed one."""
    name = summary["search"]["subject"]
    if name is None:
        return "No model of this study was trained on the accessed functions: all its figures are those of controls."
    accessed, unseen = (cells_of(summary, subject=name, pair="both", group=group)[0] for group in GROUP_TITLES)
    return (
        f"Of the answers of {name} to accessed functions {rate_line(accessed['striking']['published'])} are striking "
        f"by the published standard; of those to unseen functions {rate_line(unseen['striking']['published'])}."
    )


def dose_remarks(summary: Mapping[str, Any]) -> str:
    """How rates by repetitions are to be read."""
    names = {subject["name"] for subject in summary["subjects"]}
    text = "Intervals of rates by repetitions are Wilson's, or a bootstrap over projects."
    if "taught" in names and summary["training"]:
        text += (
            " The learning rate falls to almost 0 by the last epoch, and the epochs of a function are drawn: of those "
            "taught once or twice some are met late only, where they teach little."
        )
    return text + (" To the untouched model no function was taught." if "untouched" in names else "")


def found_sentence(summary: Mapping[str, Any]) -> str:
    """The thresholds that the first pair favors, and whether they leave the published ones."""
    search = summary["search"]
    found = search["found"]
    if found is None:
        return "The answers give no thresholds: no combination finds an accessed answer."
    same = found["standard"] == summary["standards"]["published"]
    head = "The published thresholds are among" if same else f"{standard_text(found['standard'])} is nearest among"
    return (
        f"{head} the {found['equivalent']:,} combinations that do best on the first pair with {search['subject']}: "
        f"{found['accessed']} of {search['accessed']} accessed answers, {found['unseen']} of {search['unseen']} unseen "
        "ones."
    )


def left_out(summary: Mapping[str, Any]) -> list[str]:
    """Which answers of each model could not be scored, and why; nothing where all could."""
    lines: list[str] = []
    for subject in summary["subjects"]:
        cells = cells_of(summary, subject=subject["name"], pair="both")
        states = {words: sum(cell[key] for cell in cells) for key, words in _STATES.items()}
        asked = sum(cell["answers"] for cell in cells)
        listed = ", ".join(f"{number:,} {words}" for words, number in states.items() if number)
        if listed:
            lines.append(f"Of {asked:,} answers of {subject['name']} could not be scored: {listed}.")
    return lines


_STATES = {"errors": "failed calls", "empty": "empty", "refusals": "refusals", "too_short": "under five words"}


def standard_text(standard: Mapping[str, float]) -> str:
    """``body lines > 10, …``; a threshold of -1 is no criterion."""
    titles = {
        "body_lines_gt": "lines",
        "complexity_gt": "complexity",
        "similarity_gt": "similarity",
        "shared_comments_gt": "shared comments",
    }
    return ", ".join(f"{title} > {standard[name]:g}" for name, title in titles.items() if standard[name] >= 0)


def groups_sentence(summary: Mapping[str, Any]) -> str:
    """How the groups were made and what was kept out of the unseen ones."""
    groups, exclusion = summary["groups"], summary["groups"]["exclusion"]
    left = (
        f"{exclusion['excluded']:,} of {exclusion['candidates']:,} candidates for the unseen groups were left out, "
        f"because a function of the training data has a Jaccard estimate of {exclusion['threshold']:g} or more with "
        f"them ({exclusion['measure']}; {exclusion['training_functions']:,} functions)."
    )
    if groups["design"] == "taught":
        return (
            f"Chance decided which of {2 * groups['taught']:,} functions of a benchmark were taught, and how often: "
            f"{groups['taught']:,} were, as many were not. {left}"
        )
    uncut = exclusion["training_files_not_cut"]
    missed = f" {uncut:,} files of it could not be cut and excluded nothing." if uncut else ""
    return (
        f"{groups['training']['eligible']:,} of {groups['training']['functions']:,} functions of the training data and "
        f"{groups['unseen']['eligible']:,} of {groups['unseen']['functions']:,} others could take part "
        f"({groups['rules']}). {left}{missed}"
    )


def thresholds_rows(summary: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Title, published threshold, threshold found, and the range over which the counts stay the same."""
    found = summary["search"]["found"]
    rows: list[tuple[str, str, str, str]] = []
    for name, title in CRITERION_TITLES.items():
        published = f"> {summary['standards']['published'][name]:g}"
        if found is None:
            rows.append((title, published, "–", "–"))
            continue
        low, high = found["plateau"][name]
        span = f"{_end(low)} to {_end(high)}" if low != high else _end(low)
        rows.append((title, published, _threshold(found["standard"][name]), span))
    return rows


def dose_title(dose: int) -> str:
    """How often a function was taught."""
    return {0: "unseen", 1: "once", 2: "twice"}.get(dose, f"{dose} times")


def _threshold(value: float) -> str:
    return f"> {value:g}" if value >= 0 else "none"


def _end(value: float) -> str:
    return f"{value:g}" if value >= 0 else "none"
