"""The first screen: what was asked, EM and EP with interval, n and null, and what they do not establish."""

from collections.abc import Mapping
from typing import Any

from cleartitle.evals.codeipprompt import share_per_prompt
from cleartitle.report.blocks import Block, KeyFigure, KeyFigures, Notes, Paragraph
from cleartitle.report.codeipprompt.run import Run
from cleartitle.report.codeipprompt.wording import (
    STATES,
    answer_sentence,
    ep_interval,
    excess_text,
    interval_words,
    leak_sentence,
    with_sd,
)
from cleartitle.report.numbers import interval_text, percent, ratio

__all__ = ["headline", "subtitle", "title"]

Figures = Mapping[str, Any]


def title(run: Run) -> str:
    """The question of the run."""
    return f"How close does {run.model} come to licensed code?"


def subtitle(run: Run) -> str:
    """What was asked of the model."""
    summary = run.summary
    held = summary["prompt_set"]["prompts"]
    drawn = f", drawn from {held:,}" if summary["prompts"] < held else ""
    samples = summary["options"]["samples"]
    return (
        f"CodeIPPrompt: {summary['prompts']:,} comments with signatures from {summary['projects']:,} licensed projects"
        f"{drawn}. The model went on {samples} time{'s' if samples > 1 else ''} from each; the closest answer to the "
        "source counts."
    )


def headline(run: Run) -> list[Block]:
    """The answer in sentences, the tiles, the limits of it, and a reading in plain words."""
    figures, overall = run.figures, run.figures["overall"]
    if overall["em"] is None:
        return [Paragraph(answer_sentence(run.summary), lead=True), Notes("Notes", run.summary["notes"])]
    return [
        Paragraph(answer_sentence(run.summary), lead=True),
        KeyFigures((_em(overall), _ep(overall), _above(overall), _answers(figures))),
        Notes("What this does not establish", _limits(run), "warn"),
        Paragraph(_reading(overall, run.summary["options"])),
        Paragraph(leak_sentence(figures)),
    ]


def _em(overall: Figures) -> KeyFigure:
    return KeyFigure(
        f"Expected maximum, n = {overall['n']}",
        with_sd(overall["em"]),
        interval_words(overall["em"]),
        f"{overall['prompts']:,} prompts",
        _beside(overall, "em"),
        _tone(overall, "em"),
    )


def _ep(overall: Figures) -> KeyFigure:
    return KeyFigure(
        f"Empirical probability, n = {overall['n']}",
        percent(overall["ep"]["value"]),
        ep_interval(overall["ep"]),
        f"{overall['prompts']:,} prompts",
        _beside(overall, "ep"),
        _tone(overall, "ep"),
    )


def _beside(overall: Figures, name: str) -> str:
    null = overall["null"][name]
    if null is None or overall["excess"] is None:
        return "no null"
    return f"null {ratio(null['value'])}; own less null {excess_text(overall['excess'][name])}"


def _tone(overall: Figures, name: str) -> Any:
    excess = overall["excess"]
    interval = excess[name]["interval"] if excess is not None else None
    return "bad" if interval is not None and interval["low"] > 0 else "plain"


def _above(overall: Figures) -> KeyFigure:
    above, null = overall["above"], overall["null"]["above"]
    return KeyFigure(
        "Prompts with an answer above 0.5",
        percent(above["value"]),
        interval_text(above),
        f"{above['count']:,} of {above['total']:,} prompts",
        "" if null["value"] is None else f"null: {null['count']:,} of {null['total']:,}",
    )


def _answers(figures: Figures) -> KeyFigure:
    whole = figures["scored"] == figures["answers"]
    return KeyFigure(
        "Answers scored",
        f"{figures['scored']:,} of {figures['answers']:,}",
        note=", ".join(f"{figures[key]:,} {words}" for key, words in STATES),
        tone="plain" if whole else "warn",
    )


def _limits(run: Run) -> list[str]:
    overall, summary = run.figures["overall"], run.summary
    limits: list[str] = []
    if overall["above"]["count"] == 0:
        limits.append(
            f"That the model copies nothing: up to {percent(overall['above']['at_most'])} of prompts above 0.5, and an "
            f"EP of up to {ratio(overall['ep']['at_most'])}, would still agree with this run."
        )
    excess = overall["excess"]
    interval = excess["em"]["interval"] if excess is not None else None
    if interval is None or interval["low"] <= 0:
        limits.append(
            "That the answers owe anything to their sources: the interval of EM less its null holds 0 or is not known."
        )
    limits.append(
        "Copying: an answer above 0.5 may be what anyone would write for that comment and signature. Read the cases."
    )
    limits.append("That other works were not copied: an answer is compared with the source of its prompt alone.")
    limits.append("Copying, infringement or a derived work in law; nor, the other way round, independent creation.")
    if summary["prompts"] < summary["options"]["n"]:
        limits.append(f"Much about other prompts: {summary['prompts']:,} of them were asked for.")
    return limits


def _reading(overall: Figures, options: Figures) -> str:
    n = overall["n"]
    return (
        f"How to read it: EP grows with the share s of prompts above 0.5 as 1 − (1 − s)^{n}. GPT-4's published 0.61 at "
        f"n = 50 stands for {percent(share_per_prompt(0.61, 50))} of prompts, 0.99 for "
        f"{percent(share_per_prompt(0.99, 50))}. Here s is {percent(overall['above']['value'])}, of the best of "
        f"{options['samples']} answers each. What the null reaches is no sign of copying."
    )
