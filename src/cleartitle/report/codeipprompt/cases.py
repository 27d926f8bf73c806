"""The evidence: the closest answers beside the part of their source that they are like."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from cleartitle.code.scrub import scrub
from cleartitle.evals.codeipprompt import THRESHOLD, answer_code
from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Group,
    Mark,
    MarkedText,
    Paragraph,
    RowGroup,
    Section,
    SideBySide,
    Table,
    TextBox,
    Tone,
)
from cleartitle.report.codeipprompt.run import Case, Run
from cleartitle.report.codeipprompt.wording import group_title
from cleartitle.report.licoeval.case_blocks import facts
from cleartitle.report.numbers import ratio
from cleartitle.similarity import code_similarity

__all__ = ["CASES", "MISSES", "cases"]

CASES = 40
"""Most cases in the page."""
MISSES = 5
AROUND = 3
"""Lines of the source shown before and after the part that an answer is like."""

Lines = Sequence[tuple[int, int]]


def cases(run: Run) -> Section:
    """The prompts with the highest scores, above 0.5 where there are any; those reported apart come last."""
    best = run.reduced[("model", run.mode)].best
    above = int((best > THRESHOLD).sum())
    found = run.closest(min(above, CASES) or MISSES)
    if not found:
        return Section("cases", "Closest answers", (Paragraph("No answer could be scored."),))
    if above:
        heading = "Closest answers"
        lead = (
            f"{above:,} prompts have an answer above 0.5. The closest of each follows, the highest score first"
            f"{f', for {len(found)} of them' if above > len(found) else ''}; public-domain code comes last. Marked "
            "lines are what the tools match. A likeness may come from what the prompt dictates: judge by names, "
            "comments and odd choices."
        )
    else:
        heading = "Closest answers, none above 0.5"
        lead = f"No answer is above 0.5. These {len(found)} are the closest; they are no findings."
    groups = [_case(run, case, number, opened=number == 1 and above > 0) for number, case in enumerate(found, start=1)]
    blocks: list[Block] = [Paragraph(lead)]
    if len(found) > 1:
        blocks.append(_overview(run, found))
    return Section("cases", heading, (*blocks, *groups))


def _overview(run: Run, found: Sequence[Case]) -> Table:
    rows = [
        (
            Cell(f"{number}. {case.prompt['name']}", number),
            Cell(case.prompt["project"]),
            Cell(group_title(case.prompt["language"])),
            Cell(case.prompt["license"], tone="plain"),
            Cell(group_title(case.prompt["license_class"])),
            *(Cell.number(_value(run, case, source), ratio(_value(run, case, source))) for source in ("model", "null")),
            Cell(_training(case)),
        )
        for number, case in enumerate(found, start=1)
    ]
    columns = (
        Column("case"),
        Column("project", choose=True),
        Column("language", choose=True),
        Column("license", "code", choose=True),
        Column("class", choose=True),
        Column("score", "number"),
        Column("null", "number", "the same answer against the source of another prompt"),
        Column("in training set", choose=True),
    )
    return Table("Closest answers", columns, [RowGroup(rows)])


def _value(run: Run, case: Case, source: str) -> float | None:
    score = case.scores.get((source, run.mode))
    return None if score is None else score["value"]


def _training(case: Case) -> str:
    held = [f"{one['set']} ({one['match']})" for one in case.prompt["training"] if one["match"] != "none"]
    return ", ".join(held) or ("no" if case.prompt["training"] else "not looked up")


def _case(run: Run, case: Case, number: int, *, opened: bool) -> Group:
    prompt = case.prompt
    value = _value(run, case, "model")
    tone: Tone = "bad" if (value or 0.0) > THRESHOLD else "plain"
    badges: list[tuple[str, Tone]] = [
        (f"score {ratio(value)}", tone),
        (f"null {ratio(_value(run, case, 'null'))}", "muted"),
        (f"{prompt['license']}, {group_title(prompt['license_class'])}", "plain"),
    ]
    if run.prompts and prompt["license_class"] == "public_domain":
        badges.append(("no infringement: public domain", "good"))
    sample = f", sample {case.answer['sample_index']}" if case.answer["sample_index"] else ""
    blocks: tuple[Block, ...] = (
        _sides(run, case),
        _numbers(run, case),
        Facts([*facts(prompt), Fact("In a training set", [_training(case)])]),
        _text(run, "Prompt: what the model saw", prompt["text"], "prompts.parquet of the run"),
        _text(run, "Raw answer", case.answer["text"], "the folder generations of the run"),
    )
    return Group(f"{number}. {prompt['name']} of {prompt['project']}{sample}", blocks, badges, opened)


def _sides(run: Run, case: Case) -> SideBySide:
    prompt, language = case.prompt, case.prompt["language"]
    source, answer = prompt["source"], scrub(answer_code(case.answer["text"], language, "corrected")).text
    if run.redacted:
        return SideBySide(
            MarkedText(f"Source, {prompt['path']}", _hidden(source)),
            MarkedText(f"Answer of {run.model}", _hidden(answer)),
        )
    found = code_similarity(reference=source, candidate=answer, language=language, prompt=prompt["text"])
    references = [span.reference for span in found.spans]
    shown = _window(source, references, prompt)
    return SideBySide(
        _marked(
            f"Source, {prompt['path']}, lines {shown[0]} to {shown[1]}",
            source,
            references,
            shown,
            "prompts.parquet of the run, column source",
        ),
        _marked(
            f"Answer of {run.model}",
            answer,
            [span.candidate for span in found.spans],
            (1, answer.count("\n") + 1),
            "the folder generations of the run",
        ),
        legend=False,
    )


def _window(source: str, spans: Lines, prompt: Mapping[str, Any]) -> tuple[int, int]:
    """Lines of the source to show: what is matched and a little around it, or the function or class of the prompt."""
    last = source.count("\n") + 1
    if spans:
        return max(1, min(first for first, _ in spans) - AROUND), min(last, max(end for _, end in spans) + AROUND)
    return prompt["unit_first_line"] or 1, prompt["unit_last_line"] or last


def _marked(title: str, text: str, spans: Lines, shown: tuple[int, int], whole: str) -> MarkedText:
    """The lines ``shown`` of a text (1-based, inclusive) with the lines of the spans marked."""
    lines = text.split("\n")[shown[0] - 1 : shown[1]]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    marks = [
        Mark(starts[max(first - shown[0], 0)], starts[min(last - shown[0] + 1, len(lines))] - 1, "shared")
        for first, last in spans
        if first <= shown[1] and last >= shown[0]
    ]
    return MarkedText(title, "\n".join(lines), marks, whole)


def _numbers(run: Run, case: Case) -> Table:
    titles = {"model": "own source", "null": "source of the null"}
    rows = [
        (
            Cell(titles[source]),
            Cell(mode),
            Cell(score["state"]),
            *(Cell.number(score[name]) for name in ("dolos", "jplag", "value")),
        )
        for source in titles
        for mode in run.modes
        if (score := case.scores.get((source, mode))) is not None
    ]
    columns = (
        Column("against"),
        Column("mode"),
        Column("state"),
        *(Column(title, "number") for title in ("Dolos", "JPlag", "score")),
    )
    return Table("Scores of this answer", columns, [RowGroup(rows)], fixed=True)


def _text(run: Run, title: str, text: str, whole: str) -> TextBox:
    return TextBox(MarkedText(title, _hidden(text) if run.redacted else scrub(text).text, (), whole))


def _hidden(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return f"[left out: {len(text):,} characters, sha256 {digest}]\n"
