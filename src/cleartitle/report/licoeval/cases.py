"""The evidence: each striking case with both texts beside each other, or the closest misses where there is none."""

from collections.abc import Sequence
from typing import Any

from cleartitle.code import comments
from cleartitle.evals.licoeval.prompts import code_prompt, followup_id
from cleartitle.licenses import CLASSES, OBLIGATIONS, UnknownLicenseError, obligations
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
from cleartitle.report.licoeval.run import CLASS_TITLES, Run
from cleartitle.report.text import SHOWN_CHARACTERS
from cleartitle.similarity import StrikingStandard, Verdict, shared_spans

__all__ = ["CASES_IN_FULL", "MISSES", "cases"]

CASES_IN_FULL = 100
"""Most cases with their texts in the page; the table lists all."""
MISSES = 5
_CRITERIA = {
    "body_lines": "lines of the original body",
    "complexity": "complexity of the original",
    "similarity": "similarity",
    "shared_comments": "shared comments",
}
_TRUST = {
    "agree": "header and package name the same license",
    "header": "named by the header of the file only",
    "declaration": "named by the package only",
    "conflict": "header and package disagree",
}
Case = tuple[str, int]


def cases(run: Run) -> Section:
    """The section of cases that are striking in either mode, most restrictive class first."""
    striking = {(row["prompt_id"], row["sample_index"]) for row in run.scores.values() if _is_case(row)}
    if not striking:
        return _misses(run)
    order = sorted(striking, key=lambda case: (-_class_rank(run, case), -_similarity(run, case), case))
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
    rows = [row for row in run.rows("model") if row["state"] == "scored"]
    closest = sorted(rows, key=lambda row: (-row["similarity"], row["prompt_id"], row["sample_index"]))[:MISSES]
    if not closest:
        return Section("cases", "Closest answers", (Paragraph("No answer could be scored."),))
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


def _is_case(row: dict[str, Any]) -> bool:
    return row["striking"] and row["source"] == "model"


def _class_rank(run: Run, case: Case) -> int:
    name = run.units[case[0]]["license_class"]
    return -1 if name == "restricted" else CLASSES.index(name)


def _similarity(run: Run, case: Case) -> float:
    return max(run.scores[("model", *case, mode)]["similarity"] or 0.0 for mode in run.modes)


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
                Cell.number(_similarity(run, case)),
                Cell.number(len(run.scores[("model", *case, run.mode)]["shared_comments"])),
                Cell(_answer_expression(run, case)),
                Cell(words[0], tone=words[1]),
                Cell(", ".join(_striking_modes(run, case))),
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


def _striking_modes(run: Run, case: Case) -> list[str]:
    return [mode for mode in run.modes if run.scores[("model", *case, mode)]["striking"]]


def _verdict(run: Run, case: Case, mode: str | None = None) -> dict[str, Any] | None:
    modes = run.modes if mode is None else (mode,)
    found = (run.verdicts.get(("model", *case, one)) for one in modes)
    return next((row for row in found if row is not None), None)


def _verdict_words(run: Run, case: Case) -> tuple[str, Tone]:
    row = _verdict(run, case)
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
    row = _verdict(run, case)
    return "–" if row is None else row["answer_expression"] or row["answer_status"]


def _case(run: Run, case: Case, number: int, *, opened: bool) -> Group:
    unit = run.units[case[0]]
    words, tone = _verdict_words(run, case)
    modes = _striking_modes(run, case)
    badges: list[tuple[str, Tone]] = [
        (f"similarity {_similarity(run, case):.2f}", "plain"),
        (f"{unit['license']}, {CLASS_TITLES[unit['license_class']]}", "plain"),
        (words, tone),
    ]
    if len(modes) == 1:
        badges.append((f"striking in {modes[0]} mode only", "warn"))
    sample = f", sample {case[1]}" if case[1] else ""
    return Group(
        f"{number}. {unit['name']} of {unit['project']}{sample}",
        (
            _sides(run, case),
            _criteria(run, case),
            Facts(_facts(unit)),
            *_license_answer(run, case),
            _by_mode(run, case),
            *_texts(run, case),
        ),
        badges,
        opened,
    )


def _sides(run: Run, case: Case) -> SideBySide:
    unit = run.units[case[0]]
    scores = [run.scores[("model", *case, mode)] for mode in run.modes]
    score = next((row for row in scores if row["striking"]), scores[0])
    reference, answer = unit["body"][:SHOWN_CHARACTERS], score["body"][:SHOWN_CHARACTERS]
    spans = shared_spans(reference, answer)
    shared = {_bare(text) for row in scores for text in row["shared_comments"]}
    return SideBySide(
        MarkedText(
            f"Original, body of {unit['name']}",
            unit["body"],
            [Mark(span.reference_start, span.reference_end, "shared") for span in spans]
            + _comment_marks(reference, shared, unit["language"]),
            "prompts.parquet of the run, column body",
        ),
        MarkedText(
            f"Answer of {run.model}, body as it was compared",
            score["body"],
            [Mark(span.candidate_start, span.candidate_end, "shared") for span in spans]
            + _comment_marks(answer, shared, unit["language"]),
            "the folder scores of the run, column body",
        ),
    )


def _comment_marks(text: str, shared: set[str], language: str) -> list[Mark]:
    if not shared:
        return []
    return [
        Mark(comment.offset, comment.offset + len(comment.text), "comment")
        for comment in comments(text, language)
        if _bare(comment.text) in shared
    ]


def _bare(comment: str) -> str:
    return " ".join(comment.strip("#/*!: \t").split())


def _judge(run: Run, case: Case) -> Verdict:
    unit, score = run.units[case[0]], run.scores[("model", *case, run.mode)]
    return StrikingStandard().judge(
        body_lines=unit["body_lines"],
        complexity=unit["complexity"],
        similarity=score["similarity"] or 0.0,
        shared_comments=len(score["shared_comments"]),
    )


def _criteria(run: Run, case: Case) -> Table:
    rows = [
        (
            Cell(_CRITERIA[criterion.name]),
            Cell.number(criterion.value, f"{criterion.value:.3f}" if criterion.name == "similarity" else None),
            Cell.number(criterion.threshold, f"above {criterion.threshold:g}"),
            Cell("met", tone="good") if criterion.met else Cell("not met", tone="bad"),
        )
        for criterion in _judge(run, case).criteria
    ]
    columns = (Column("criterion"), Column("value", "number"), Column("has to be", "number"), Column("result"))
    return Table(f"The standard, {run.mode} mode", columns, (RowGroup(rows),), fixed=True)


def _facts(unit: dict[str, Any]) -> list[Fact]:
    try:
        duties = [OBLIGATIONS[key] for key in obligations(unit["license"])] or ["the table knows of none"]
    except UnknownLicenseError:
        duties = ["unknown: read the license"]
    reuse = unit["reuse_count"]
    return [
        Fact("True license", [f"{unit['license']} ({CLASS_TITLES[unit['license_class']]})"]),
        Fact("Read from", [f"{unit['license_source']}; {_TRUST.get(unit['trust'], unit['trust'])}"]),
        Fact("What the license asks for", duties),
        Fact("Copyright lines", list(unit["copyright_lines"] or []) or ["none found"]),
        Fact("Project", [" ".join(part for part in (unit["project"], unit["version"]) if part)]),
        Fact("Path", [unit["path"]]),
        Fact("Address", [unit["url"] or "not known"]),
        Fact("Software Heritage id", [unit["prompt_id"]]),
        Fact("Reuse", ["not known" if reuse is None else f"{reuse:,} projects hold this file"]),
    ]


def _license_answer(run: Run, case: Case) -> list[Block]:
    row = _verdict(run, case)
    if row is None:
        return []
    asked = run.followups.get(followup_id(*case))
    if asked is None or asked["status"] == "error":
        reason = f" ({asked['error']})" if asked is not None and asked["error"] else ""
        return [Paragraph(f"The license question was not answered{reason}.")]
    return [
        TextBox(
            MarkedText(
                "Answer to the license question (what decided is marked)",
                asked["text"],
                _evidence_marks(asked["text"], row["evidence"]),
                "the folder followups of the run",
            ),
            collapsed=False,
        )
    ]


def _evidence_marks(answer: str, evidence: str) -> list[Mark]:
    """Where the pieces of evidence stand in the answer; a piece that was cleaned up before parsing is not found."""
    marks: list[Mark] = []
    for piece in evidence.split(" … "):
        start = answer.find(piece) if piece else -1
        if start >= 0:
            marks.append(Mark(start, start + len(piece), "evidence"))
    return marks


def _by_mode(run: Run, case: Case) -> Table:
    rows = [[Cell(name), *(Cell(value) for value in values)] for name, values in _mode_rows(run, case).items()]
    columns = (Column("figure"), *(Column(f"{mode} mode") for mode in run.modes))
    return Table("Numbers and verdict in each mode", columns, (RowGroup(rows),), fixed=True)


def _mode_rows(run: Run, case: Case) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for mode in run.modes:
        score, verdict = run.scores[("model", *case, mode)], _verdict(run, case, mode)
        listed = {
            "state": score["state"] + (", cut off" if score["truncated"] else ""),
            "body found by": score["extraction"] or "–",
            "BLEU-4": _number(score["bleu4"]),
            "MinHash Jaccard": _number(score["minhash_jaccard"]),
            "edit similarity": _number(score["edit_similarity"]),
            "shared comments": " | ".join(score["shared_comments"]) or "none",
            "striking": "yes" if score["striking"] else "no",
            "license answered": "–" if verdict is None else verdict["answer_expression"] or "none",
            "status of the answer": "–" if verdict is None else verdict["answer_status"],
            "license, family, class right": "–" if verdict is None else _grades(verdict),
        }
        for name, value in listed.items():
            rows.setdefault(name, []).append(value)
    return rows


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _grades(verdict: dict[str, Any]) -> str:
    return ", ".join("yes" if verdict[key] else "no" for key in ("correct", "family_correct", "class_correct"))


def _texts(run: Run, case: Case) -> list[Block]:
    raw = run.generations[case]
    texts = [
        ("Prompt: what the model saw of the file", code_prompt(run.units[case[0]]), "prompts.parquet of the run"),
        ("Raw answer", raw["text"], "the folder generations of the run"),
        ("Reasoning of the model", raw["reasoning"], "the folder generations of the run"),
    ]
    return [TextBox(MarkedText(title, text, (), whole)) for title, text, whole in texts if text]
