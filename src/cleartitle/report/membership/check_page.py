"""The page of a membership check, for a reader of law: what was tested, what was found, what it does not prove."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table as TerminalTable

from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.report.blocks import (
    Cell,
    Column,
    Fact,
    Facts,
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
from cleartitle.report.membership.cases import ranked_text
from cleartitle.report.membership.page import validity_section
from cleartitle.report.membership.wording import auc_line
from cleartitle.report.page import render

__all__ = ["membership_check_page", "membership_check_table"]

SHOWN_SPECS = 5
LIMITS = (
    "No score proves that a file was trained on, and none proves that it was not. The strongest thing this page can "
    "say is that what the model does is consistent with training on these files.",
    "The test compares the author's files with held-out ones. It holds only if these are of the same kind: same author "
    "or community, same language, same time. A difference in age or topic looks like training.",
    "Code that others copied from the author, or that the author copied, may have been trained on under another name.",
    "A score of one file is the weakest evidence here: p is the share of held-out files that score as high, before any "
    "correction for having looked at many files.",
)


def membership_check_page(path: Path, *, redact: bool = False) -> str:
    """The page of the check in a folder; ``redact`` leaves texts and tokens of the author out.

    Raises:
        InputError: it is not a finished check.
    """
    record = RunFolder.open(path, "membership-check").record()
    summary = read_json(path / "summary.json")
    sections = [
        Section("answer", "", (Paragraph(summary["conclusion"], lead=True), _figures(summary), _limits())),
        _tested(summary, record),
        *([validity_section(summary)] if summary["validity_report"] is not None else []),
        _evidence(summary),
        _files(summary),
        *([] if redact else [_surest(summary), _texts(summary)]),
    ]
    meta = {"Run": record["key"], "Started": record["started"]}
    return render("Were these files trained on?", sections, f"Asked of {summary['model']['name']}.", meta)


def membership_check_table(summary: Mapping[str, Any]) -> Sequence[RenderableType]:
    """The conclusion, what it rests on, and the author's files that score highest."""
    found: list[RenderableType] = [summary["conclusion"]]
    if summary["validity_report"] is not None:
        found += [f"- {reason}" for reason in summary["validity_report"]["reasons"]]
    if power := _power(summary):
        found.append(power)
    table = TerminalTable("file", "tokens", "score", "p", "put first", box=box.SIMPLE)
    for row in summary["files"][:10]:
        numbers = (row["score"], row["p"], row["first"])
        table.add_row(row["path"], str(row["tokens"]), *("–" if one is None else f"{one:.3f}" for one in numbers))
    found += [f"{summary['attack'] or 'no attack'}, by file:", table]
    found += [f"- {line}" for line in LIMITS[:2]]
    return found


def _limits() -> Notes:
    return Notes("What this does not prove", LIMITS, "warn")


def _figures(summary: Mapping[str, Any]) -> KeyFigures:
    tones: dict[str | None, Tone] = {"VALID": "good", "CAUTION": "warn", "INVALID": "bad", None: "warn"}
    texts, test = summary["texts"], summary["dataset_test"]
    figures = [
        KeyFigure("files of the author", f"{texts['suspects']:,}", n=f"{texts['not_scored']:,} could not be scored"),
        KeyFigure("held-out files", f"{texts['held_out']:,}"),
        KeyFigure("may they be compared?", summary["validity"] or "not asked", tone=tones[summary["validity"]]),
    ]
    if test is not None and test["permutation_p"] is not None:
        p = max(test["permutation_p"], test["welch_p"])
        figures.append(
            KeyFigure("p of the whole set", f"{p:.2g}", n=f"{test['suspects']} + {test['held_out']} {test['unit']}s")
        )
    return KeyFigures(figures)


def _tested(summary: Mapping[str, Any], record: Mapping[str, Any]) -> Section:
    described = [(name, value) for name, value in summary["model"].items() if isinstance(value, str | int)]
    facts = [
        Fact("model" if name == "name" else name, [str(value)[:200]]) for name, value in described if name != "model"
    ]
    facts += [Fact("reference, said to have seen none of it", [one["name"]]) for one in summary["references"]]
    for name, counts in record["inputs"]["texts"].items():
        more = len(counts["specs"]) - SHOWN_SPECS
        values = [*counts["specs"][:SHOWN_SPECS], *([f"and {more:,} more"] if more > 0 else [])]
        values = [*values, f"{counts['read']:,} files read, {counts['asked']:,} asked about"]
        facts.append(Fact(name, [*values, f"{counts['in_both_sets']:,} left out: they stand in both sets"]))
    calls = ", ".join(f"{name} {count:,}" for name, count in summary["calls"].items())
    facts += [
        Fact("questions", [calls]),
        Fact("started", [record["started"]]),
        Fact("ended", [record["finished"] or "–"]),
    ]
    facts.append(Fact("versions", [", ".join(f"{name} {version}" for name, version in record["versions"].items())]))
    options = ", ".join(f"{name} = {value}" for name, value in summary["options"].items())
    command = TextBox(MarkedText("Command", shlex.join(record["command"])))
    return Section("tested", "What was tested", (Facts(facts), Paragraph(f"Fixed before looking: {options}."), command))


def _evidence(summary: Mapping[str, Any]) -> Section:
    blocks: list[Any] = [
        Paragraph(
            f"The attack that speaks is {summary['attack']!r}: the first of a fixed list that the access to these "
            "models allows."
            if summary["attack"]
            else "No attack could run."
        )
    ]
    test = summary["dataset_test"]
    if test is not None:
        null = test["null"]
        calibrated = null["refused"] or (
            f"held-out against held-out: p < .05 in {null['rejected']['value']:.1%} of draws (should be 5 %)"
            if null["rejected"]
            else "not made"
        )
        blocks.append(
            Facts(
                [
                    Fact("all files together", [test["sentence"]]),
                    Fact("calibration where nothing is to be found", [calibrated]),
                    *([Fact("power", [power])] if (power := _power(summary)) else []),
                ]
            )
        )
    if summary["attacks"]:
        rows = [(Cell(name), Cell.number(one["auc"], auc_line(one))) for name, one in summary["attacks"].items()]
        blocks.append(
            Table(
                "How well each attack tells the author's files from the held-out ones",
                (Column("attack"), Column("AUC [95 %]", "number", "0.5 is chance")),
                [RowGroup(sorted(rows, key=lambda row: -(float(row[1].sort or 0))))],
                note="Only the attack that speaks was chosen before looking; of many attacks some are high by chance.",
            )
        )
    blocks.append(Notes("Could not run", list(summary["not_run"].values())))
    return Section("evidence", "Which evidence, and how strong", blocks)


def _power(summary: Mapping[str, Any]) -> str:
    test = summary["dataset_test"]
    if test is None or test["power"] is None:
        return ""
    power = test["power"]
    if power["needed"] is None:
        return "No number of files would show it at this size of effect, which is not above zero."
    high = "without end" if power["high"] is None else f"{power['high']:,}"
    return (
        f"To reach p < {power['alpha']} with probability {power['power']:.0%} at the effect seen: {power['needed']:,} "
        f"{test['unit']}s a side (95 %: {power['low'] or 1:,} to {high}), about {power['needed_texts']:,} files."
    )


def _files(summary: Mapping[str, Any]) -> Section:
    rows = [
        (
            Cell(row["path"]),
            Cell(row["project"]),
            Cell.number(row["tokens"]),
            Cell.number(row["score"]),
            Cell.number(row["p"]),
            Cell.number(row["first"], None if row["first"] is None else f"{row['first']:.1%}"),
            Cell.number(row["logprob"]),
        )
        for row in summary["files"]
    ]
    columns = (
        Column("file", "code"),
        Column("project", choose=True),
        Column("tokens", "number"),
        Column("score", "number", f"of {summary['attack']}: higher is more like training"),
        Column("p", "number", "share of held-out files that score as high; not corrected for many files"),
        Column("put first", "number", "share of tokens that the model itself would have written"),
        Column("mean log-probability", "number", "nats a token"),
    )
    note = "" if len(rows) == summary["texts"]["suspects"] else "The rest stands in files.parquet of the run."
    return Section("files", "File by file", (Table("Files of the author", columns, [RowGroup(rows)], note=note),))


def _surest(summary: Mapping[str, Any]) -> Section:
    rows = [
        (
            Cell(one["token"]),
            Cell(f"{one['path']}:{one['line']}"),
            Cell.number(one["probability"]),
            Cell.number(one["reference"], absent="no reference"),
        )
        for one in summary["surest"]
    ]
    columns = (
        Column("word", "code"),
        Column("place", "code"),
        Column("probability", "number", "that the model gave the first token of the word"),
        Column("by the references", "number"),
    )
    text = (
        "Words of names, strings and comments whose beginning the model put first. Common words are easy without "
        "having seen the file."
    )
    table = Table("Words the model was surest of", columns, [RowGroup(rows)], fixed=True)
    return Section("surest", "What the model was surest of", (Paragraph(text), table))


def _texts(summary: Mapping[str, Any]) -> Section:
    boxes = [
        TextBox(ranked_text(case["title"], case["text"], case["tokens"]), collapsed=place > 0)
        for place, case in enumerate(summary["case"])
    ]
    text = "Marked: tokens that the model itself would have written, and tokens that stand far down its list."
    return Section("texts", "The files that score highest", (Paragraph(text), *boxes))
