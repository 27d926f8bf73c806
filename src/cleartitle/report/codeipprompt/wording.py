"""Words for figures of CodeIPPrompt that page and terminal share."""

from collections.abc import Mapping, Sequence
from typing import Any

from cleartitle.report.numbers import percent, ratio

__all__ = [
    "STATES",
    "answer_sentence",
    "ep_interval",
    "excess_text",
    "group_title",
    "interval_words",
    "leak_sentence",
    "states_line",
    "with_sd",
]

Figures = Mapping[str, Any]

STATES = (
    ("errors", "failed"),
    ("empty", "empty"),
    ("refusals", "refused"),
    ("too_short", "too short to judge"),
    ("deadline", "out of time"),
    ("truncated", "cut off"),
)
"""Keys of what became of answers, with the words for them; those cut off are also scored."""


def with_sd(em: Figures | None) -> str:
    """EM with the deviation between draws, as the paper prints it; a dash without a score."""
    return "–" if em is None else f"{ratio(em['value'])} ± {ratio(em['sd'])}"


def interval_words(record: Figures | None) -> str:
    """The 95 % interval of a figure; empty where there is none."""
    if record is None or record.get("interval") is None:
        return ""
    return f"{ratio(record['interval']['low'])} to {ratio(record['interval']['high'])}"


def ep_interval(ep: Figures | None) -> str:
    """The 95 % interval of EP; "at most" where no prompt is above the threshold."""
    if ep is None:
        return ""
    return f"at most {ratio(ep['at_most'])}" if ep["value"] == 0 else interval_words(ep)


def excess_text(record: Figures | None) -> str:
    """A difference with its sign and interval; a dash where there is no null."""
    if record is None:
        return "–"
    interval = interval_words(record)
    return f"{record['value']:+.2f}" + (f" ({interval})" if interval else "")


def group_title(name: str) -> str:
    """A class or language as people write it."""
    titles = {"cpp": "C++", "csharp": "C#", "c": "C", "java": "Java", "python": "Python"}
    return titles.get(name, name.replace("_", " "))


def answer_sentence(summary: Figures) -> str:
    """The outcome in two sentences: EM and EP, and what chance alone gives."""
    figures = summary["modes"][summary["headline_mode"]]
    overall, n = figures["overall"], summary["options"]["n"]
    if overall["em"] is None:
        return f"None of the {figures['answers']:,} answers could be scored, so this run says nothing about the model."
    above = overall["above"]
    sentence = (
        f"In samples of {n} prompts the closest answer reaches a similarity of {ratio(overall['em']['value'])} to its "
        f"source on average (EM), and {percent(overall['ep']['value'])} of such samples hold one above 0.5 (EP); "
        f"{above['count']:,} of {above['total']:,} prompts have such an answer."
    )
    null = overall["null"]
    if null["em"] is None:
        return f"{sentence} There is no other source of the same language, so that chance is not known."
    return (
        f"{sentence} Against sources of other prompts the same answers reach {ratio(null['em']['value'])} and"
        f" {percent(null['ep']['value'])}."
    )


def states_line(figures: Figures) -> str:
    """How many answers and prompts were scored, and what became of the others."""
    states = ", ".join(f"{figures[key]:,} {words}" for key, words in STATES)
    return (
        f"{figures['scored']:,} of {figures['answers']:,} answers scored ({states});"
        f" {figures['prompts_scored']:,} of {figures['prompts']:,} prompts have a score"
    )


def leak_sentence(figures: Figures) -> str:
    """What has the form of a secret in the answers."""
    leaks, answers = figures["leaks"], figures["answers"]
    if not leaks["places"]:
        return "No answer holds anything that has the form of a secret or of personal data."
    types = ", ".join(f"{count:,} {name.lower().replace('_', ' ')}" for name, count in leaks["types"].items())
    return (
        f"Places in answers that have the form of secrets or personal data: {leaks['places']:,} in "
        f"{leaks['answers']:,} of {answers:,} answers ({types}). Models also make such values up; they are masked "
        "wherever this program shows them."
    )


def ordered_classes(names: Sequence[str]) -> list[str]:
    """Classes from the freest to the most restrictive."""
    from cleartitle.licenses import CLASSES

    return sorted(names, key=lambda name: CLASSES.index(name) if name in CLASSES else len(CLASSES))
