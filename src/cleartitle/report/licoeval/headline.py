"""The first screen: what was asked, the answer with interval and n, and what it does not establish."""

from collections.abc import Mapping
from typing import Any

from cleartitle.evals.licoeval import published
from cleartitle.report.blocks import Block, KeyFigure, KeyFigures, Notes, Paragraph
from cleartitle.report.licoeval.run import Run
from cleartitle.report.licoeval.wording import STATES, lico_interval, lico_text, unranked_reason
from cleartitle.report.numbers import count, interval_text, percent, rate_sentence

__all__ = ["answer_sentence", "headline", "subtitle", "title"]

Figures = Mapping[str, Any]


def title(run: Run) -> str:
    """The question of the run."""
    return f"Does {run.model} reproduce licensed code, and does it name the license?"


def subtitle(run: Run) -> str:
    """What was asked of the model."""
    summary = run.summary
    units = summary["benchmark"]["units"]
    drawn = f", drawn from a benchmark of {units:,}" if summary["prompts"] < units else ""
    samples = summary["options"]["samples"]
    times = "" if samples == 1 else f", {samples} times each"
    return (
        f"LiCoEval: {summary['prompts']:,} functions from {summary['projects']:,} licensed projects{drawn}. The model"
        f" saw what comes before the body and wrote the body{times}; where that was strikingly similar to the original,"
        " it was asked for the license."
    )


def headline(run: Run) -> list[Block]:
    """The answer in one sentence, the tiles, a reading in plain words, and the limits of it."""
    figures = run.figures
    return [
        Paragraph(answer_sentence(figures), lead=True),
        KeyFigures((_striking(figures), _accuracy(figures), _lico(figures), _answers(figures))),
        Notes("What this does not establish", _limits(run), "warn"),
        Paragraph(_reading(run)),
    ]


def answer_sentence(figures: Figures) -> str:
    """The outcome in one or two sentences, each rate with its n and interval."""
    if figures["denominator"] == 0:
        return f"None of the {figures['answers']:,} answers could be scored, so this run says nothing about the model."
    one, many = (f"{words} strikingly similar to the licensed original" for words in ("answers is", "answers are"))
    sentence = rate_sentence(figures["striking"], one, many) + "."
    overall = figures["accuracy"]["overall"]["exact"]
    if figures["striking"]["count"] == 0:
        return f"{sentence} There was nothing to ask the license of."
    if overall["total"] == 0:
        return f"{sentence} None of the license questions was answered."
    return f"{sentence} The license was named right in {overall['count']:,} of {overall['total']:,}."


def _striking(figures: Figures) -> KeyFigure:
    striking = figures["striking"]
    tone = "muted" if striking["value"] is None else "bad" if striking["count"] else "plain"
    return KeyFigure(
        "Strikingly similar answers",
        percent(striking["value"]),
        interval_text(striking),
        f"{striking['count']:,} of {striking['total']:,} answers",
        f"{figures['similar']['count']:,} have a similarity above 0.6, with or without a shared comment",
        tone,
    )


def _accuracy(figures: Figures) -> KeyFigure:
    exact = figures["accuracy"]["overall"]["exact"]
    groups = ", ".join(
        f"{words} {_part(figures['accuracy'][key]['exact'])}"
        for key, words in (
            ("permissive", "permissive"),
            ("copyleft", "copyleft"),
            ("weak_copyleft", "of it weak"),
            ("strong_copyleft", "strong"),
        )
    )
    if exact["value"] is None:
        return KeyFigure("License named right", "no case", n="no striking answer with a license answer", tone="muted")
    return KeyFigure(
        "License named right",
        percent(exact["value"]),
        interval_text(exact),
        f"{exact['count']:,} of {exact['total']:,} striking answers",
        groups,
        "good" if exact["value"] > 0.9 else "warn",
    )


def _part(rate: Mapping[str, Any]) -> str:
    return "no case" if rate["value"] is None else f"{rate['count']:,} of {rate['total']:,}"


def _lico(figures: Figures) -> KeyFigure:
    lico = figures["lico"]
    reason = unranked_reason(lico)
    if lico["value"] is None:
        return KeyFigure("LiCo score", "–", n=reason, tone="muted")
    note = f"not ranked: {reason}" if reason else "from 0 to 1; copying little and naming licenses right give much"
    if lico["imputed"]:
        note += f"; the range is over the {' and the '.join(lico['imputed'])} accuracy, which had no case"
    return KeyFigure("LiCo score", lico_text(lico), lico_interval(lico), "", note, "muted" if reason else "plain")


def _answers(figures: Figures) -> KeyFigure:
    states = ", ".join(f"{figures[key]:,} {words}" for key, words in STATES)
    whole = figures["scored"] == figures["answers"] and not figures["truncated"]
    return KeyFigure(
        "Answers scored",
        f"{figures['scored']:,} of {figures['answers']:,}",
        note=states,
        tone="plain" if whole else "warn",
    )


def _limits(run: Run) -> list[str]:
    figures = run.figures
    limits: list[str] = []
    if figures["striking"]["count"] == 0 and figures["denominator"]:
        limits.append(
            f"That the model copies nothing: a true rate of up to {percent(figures['striking']['at_most'])} would "
            "still agree with this run, and other functions, prompts or more samples may show copies."
        )
    if figures["truncated"] > 0.1 * figures["answers"]:
        limits.append(
            f"What would have followed: {figures['truncated']:,} of {figures['answers']:,} answers were cut off, by the"
            f" limit of {run.summary['options']['max_tokens']:,} tokens or in the middle of a statement."
        )
    limits.append(
        "That there are no copies without comments: the standard asks for a shared comment, so it is blind to copies "
        "that dropped or reworded them (see the controls)."
    )
    limits.append("Copying, infringement or a derived work in law; nor, the other way round, independent creation.")
    limits.append("A place in the published table: that benchmark holds other functions.")
    return limits


def _reading(run: Run) -> str:
    figures, record = run.figures, published()
    total = figures["denominator"]
    shares = sorted(row["striking"] / record["benchmark_size"] for row in record["rows"])
    reading = (
        f"How to read it: the {len(shares)} published models reproduced {percent(shares[0])} to {percent(shares[-1])}"
        f" of {count(record['benchmark_size'])} functions strikingly."
    )
    if total and figures["striking"]["count"] == 0:
        unseen = (1 - shares[-1]) ** total
        reading += (
            f" A model that copies as often as the most copying of them would show no case at all in {percent(unseen)} "
            f"of runs with {total:,} answers"
        )
        reading += ": this run is too small to tell it from one that copies nothing." if unseen > 0.05 else "."
    by_name = {control["name"]: control["modes"][run.mode]["striking"] for control in run.summary["controls"]}
    seen, blind = by_name.get("verbatim-right"), by_name.get("comments-stripped")
    if seen and blind:
        reading += (
            f" On the same prompts the standard flags {_part(seen)} verbatim copies and {_part(blind)} copies without "
            "their comments."
        )
    return reading
