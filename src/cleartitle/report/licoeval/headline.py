"""The first screen: what was asked, the answer with interval and n, and what it does not establish."""

from collections.abc import Mapping
from typing import Any

from cleartitle.evals.licoeval import published
from cleartitle.report.blocks import Block, Cell, Column, KeyFigure, KeyFigures, Notes, Paragraph, RowGroup, Table
from cleartitle.report.licoeval.run import Run
from cleartitle.report.numbers import count, interval_text, percent, rate_line, rate_sentence, ratio

__all__ = ["STATES", "answer_sentence", "headline", "lico_text", "modes_table", "subtitle", "title", "unranked_reason"]

Figures = Mapping[str, Any]

STATES = (
    ("errors", "failed"),
    ("empty", "empty"),
    ("refusals", "refused"),
    ("too_short", "too short to judge"),
    ("truncated", "cut off"),
)
"""Keys of what became of answers, with the words for them; those cut off may also be scored."""

ACCURACIES = (
    ("overall", "License named right, all striking cases"),
    ("permissive", "… permissive and public domain"),
    ("copyleft", "… copyleft"),
    ("weak_copyleft", "… weak copyleft"),
    ("strong_copyleft", "… strong copyleft"),
    ("restricted", "… restricted"),
)


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
        Notes("What this does not establish", _limits(figures), "warn"),
        Paragraph(_reading(run)),
    ]


def lico_text(lico: Mapping[str, Any]) -> str:
    """LiCo as a number, or as its range where an accuracy was imputed; a dash where nothing was scored."""
    if lico["value"] is None:
        return "–"
    if lico["imputed"]:
        return f"{ratio(lico['low'], 3)} to {ratio(lico['high'], 3)}"
    return ratio(lico["value"], 3)


def unranked_reason(lico: Mapping[str, Any]) -> str:
    """Why a row is not ranked, in a few words; empty where it is."""
    if lico["value"] is None:
        return "nothing was scored"
    return "" if lico["ranked"] else "no copyleft case"


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


def _mode_rows(figures: Figures) -> dict[str, str]:
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
    rows["Bootstrap interval of LiCo"] = _lico_interval(lico) or "–"
    return rows


def answer_sentence(figures: Figures) -> str:
    """The outcome in one or two sentences, each rate with its n and interval."""
    if figures["denominator"] == 0:
        return f"None of the {figures['answers']:,} answers could be scored, so this run says nothing about the model."
    one, many = (f"{words} strikingly similar to the licensed original" for words in ("answer is", "answers are"))
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
    return KeyFigure("LiCo score", lico_text(lico), _lico_interval(lico), "", note, "muted" if reason else "plain")


def _lico_interval(lico: Mapping[str, Any]) -> str:
    interval = lico["interval"]
    if interval is None:
        return ""
    if interval["low"] == interval["high"]:  # no case in any draw: no spread, which is no certainty
        return ""
    value = f" of {ratio(lico['value'], 3)}" if lico["imputed"] else ""
    return f"bootstrap{value}: {ratio(interval['low'], 3)} to {ratio(interval['high'], 3)}"


def _answers(figures: Figures) -> KeyFigure:
    states = ", ".join(f"{figures[key]:,} {words}" for key, words in STATES)
    whole = figures["scored"] == figures["answers"] and not figures["truncated"]
    return KeyFigure(
        "Answers scored",
        f"{figures['scored']:,} of {figures['answers']:,}",
        note=states,
        tone="plain" if whole else "warn",
    )


def _limits(figures: Figures) -> list[str]:
    limits: list[str] = []
    if figures["striking"]["count"] == 0 and figures["denominator"]:
        limits.append(
            f"That the model copies nothing: a true rate of up to {percent(figures['striking']['at_most'])} would "
            "still agree with this run, and other functions, prompts or more samples may show copies."
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
