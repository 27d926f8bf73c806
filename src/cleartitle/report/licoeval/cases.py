"""The evidence: each striking case with both texts beside each other, or the closest misses where there is none."""

from collections.abc import Sequence

from cleartitle.licenses import CLASSES
from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Facts,
    Group,
    Paragraph,
    RowGroup,
    Section,
    Table,
    Tone,
)
from cleartitle.report.licoeval.case_blocks import by_mode, criteria, facts, license_answer, sides, texts
from cleartitle.report.licoeval.run import CLASS_TITLES, Case, Run

__all__ = ["CASES_IN_FULL", "MISSES", "cases"]

CASES_IN_FULL = 100
"""Most cases with their texts in the page; the table lists all."""
MISSES = 5


def cases(run: Run) -> Section:
    """The section of cases that are striking in either mode, most restrictive class first."""
    if not run.striking:
        return _misses(run)
    order = sorted(run.striking, key=lambda case: (-_class_rank(run, case), -run.similarity(case), case))
    run.read_texts(order[:CASES_IN_FULL])
    blocks: list[Block] = [
        Paragraph(
            f"{len(order):,} answers meet the standard of striking similarity in at least one mode; those under the "
            "most restrictive licenses come first."
        )
    ]
    if len(order) > 1:
        blocks.append(_overview(run, order))
    if len(order) > CASES_IN_FULL:
        blocks.append(Paragraph(f"The first {CASES_IN_FULL} follow in full; all stand in verdicts.parquet of the run."))
    blocks.extend(
        _case(run, case, number, opened=number == 1) for number, case in enumerate(order[:CASES_IN_FULL], start=1)
    )
    return Section("cases", "Striking cases", blocks)


def _misses(run: Run) -> Section:
    rows = run.scored("prompt_id", "sample_index", "similarity")
    closest = sorted(rows, key=lambda row: (-row["similarity"], row["prompt_id"], row["sample_index"]))[:MISSES]
    if not closest:
        return Section("cases", "Closest answers", (Paragraph("No answer could be scored."),))
    run.read_texts([(row["prompt_id"], row["sample_index"]) for row in closest])
    lead = Paragraph(
        f"No answer meets the standard. These are the {len(closest)} most similar ones. They are below the standard: "
        "each says which criterion it does not meet. They are shown so that a reader can judge the standard, and are "
        "no findings."
    )
    groups = [
        _case(run, (row["prompt_id"], row["sample_index"]), number, opened=False)
        for number, row in enumerate(closest, start=1)
    ]
    return Section("cases", "Closest answers, all below the standard", (lead, *groups))


def _class_rank(run: Run, case: Case) -> int:
    name = run.units[case[0]]["license_class"]
    return -1 if name == "restricted" else CLASSES.index(name)


def _overview(run: Run, order: Sequence[Case]) -> Table:
    rows: list[Sequence[Cell]] = []
    for number, case in enumerate(order, start=1):
        unit, words = run.units[case[0]], _verdict_words(run, case)
        rows.append(
            (
                Cell(f"{number}. {unit['name']}", number),
                Cell(unit["project"]),
                Cell(unit["license"]),
                Cell(CLASS_TITLES[unit["license_class"]]),
                Cell.number(run.similarity(case)),
                Cell.number(len(run.score(case)["shared_comments"])),
                Cell(_answer_expression(run, case)),
                Cell(words[0], tone=words[1]),
                Cell(", ".join(run.striking_modes(case))),
            )
        )
    columns = (
        Column("case"),
        Column("project", choose=True),
        Column("license", "code", choose=True),
        Column("class", choose=True),
        Column("similarity", "number"),
        Column("shared comments", "number"),
        Column("answered", "code"),
        Column("verdict", choose=True),
        Column("striking in mode", choose=True),
    )
    return Table("All striking cases", columns, (RowGroup(rows),))


def _verdict_words(run: Run, case: Case) -> tuple[str, Tone]:
    row = run.verdict(case)
    if row is None:
        return "below the standard", "muted"
    if row["answer_status"] in ("not asked", "error"):
        return "license question unanswered", "warn"
    if row["correct"]:
        return "license named right", "good"
    if row["answer_status"] in ("none", "unknown", "refused"):
        return "no license named", "bad"
    return ("right class, other license", "warn") if row["class_correct"] else ("license named wrong", "bad")


def _answer_expression(run: Run, case: Case) -> str:
    row = run.verdict(case)
    return "–" if row is None else row["answer_expression"] or row["answer_status"]


def _case(run: Run, case: Case, number: int, *, opened: bool) -> Group:
    unit = run.units[case[0]]
    words, tone = _verdict_words(run, case)
    modes = run.striking_modes(case)
    badges: list[tuple[str, Tone]] = [
        (f"similarity {run.similarity(case):.2f}", "plain"),
        (f"{unit['license']}, {CLASS_TITLES[unit['license_class']]}", "plain"),
        (words, tone),
    ]
    if len(modes) == 1:
        badges.append((f"striking in {modes[0]} mode only", "warn"))
    sample = f", sample {case[1]}" if case[1] else ""
    return Group(
        f"{number}. {unit['name']} of {unit['project']}{sample}",
        (
            sides(run, case),
            criteria(run, case),
            Facts(facts(unit)),
            *license_answer(run, case),
            by_mode(run, case),
            *texts(run, case),
        ),
        badges,
        opened,
    )
