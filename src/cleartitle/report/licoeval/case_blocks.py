"""The blocks of one case: both texts, the criteria of the standard, origin and duties, the license answer, verdicts."""

from collections.abc import Mapping
from typing import Any

from cleartitle.code import comments
from cleartitle.evals.licoeval.prompts import code_prompt, followup_id
from cleartitle.licenses import OBLIGATIONS, UnknownLicenseError, obligations
from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Mark,
    MarkedText,
    Paragraph,
    RowGroup,
    SideBySide,
    Table,
    TextBox,
)
from cleartitle.report.licoeval.run import CLASS_TITLES, Case, Run
from cleartitle.report.text import SHOWN_CHARACTERS
from cleartitle.similarity import StrikingStandard, Verdict, shared_spans

__all__ = ["by_mode", "criteria", "facts", "license_answer", "sides", "texts"]

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


def sides(run: Run, case: Case) -> SideBySide:
    """Both bodies with what they share marked; the answer as it was compared in the mode where it is striking."""
    unit = run.units[case[0]]
    scores = [run.score(case, mode) for mode in run.modes]
    score = next((row for row in scores if row["striking"]), scores[0])
    reference, answer = unit["body"][:SHOWN_CHARACTERS], score["body"][:SHOWN_CHARACTERS]
    spans = [] if run.redacted else shared_spans(reference, answer)
    shared = set() if run.redacted else {_bare(text) for row in scores for text in row["shared_comments"]}
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
    unit, score = run.units[case[0]], run.score(case)
    return StrikingStandard().judge(
        body_lines=unit["body_lines"],
        complexity=unit["complexity"],
        similarity=score["similarity"] or 0.0,
        shared_comments=len(score["shared_comments"]),
    )


def criteria(run: Run, case: Case) -> Table:
    """Each condition of the standard with the value of the case, in the mode of the headline."""
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


def facts(unit: Mapping[str, Any]) -> list[Fact]:
    """License, duties and origin of a unit; copyright lines and reuse where its table has them."""
    try:
        duties = [OBLIGATIONS[key] for key in obligations(unit["license"])] or ["the table knows of none"]
    except UnknownLicenseError:
        duties = ["unknown: read the license"]
    found = [
        Fact("True license", [f"{unit['license']} ({CLASS_TITLES[unit['license_class']]})"]),
        Fact("Read from", [f"{unit['license_source']}; {_TRUST.get(unit['trust'], unit['trust'])}"]),
        Fact("What the license asks for", duties),
    ]
    if "copyright_lines" in unit:
        found.append(Fact("Copyright lines", list(unit["copyright_lines"] or []) or ["none found"]))
    found += [
        Fact("Project", [" ".join(part for part in (unit["project"], unit["version"]) if part)]),
        Fact("Path", [unit["path"]]),
        Fact("Address", [unit["url"] or "not known"]),
        Fact("Software Heritage id", [unit["prompt_id"]]),
    ]
    if "reuse_count" in unit:
        reuse = unit["reuse_count"]
        holders = "not known" if reuse is None else "1 project holds this file"
        found.append(Fact("Reuse", [f"{reuse:,} projects hold this file" if (reuse or 0) > 1 else holders]))
    return found


def license_answer(run: Run, case: Case) -> list[Block]:
    """The answer to the license question with what decided marked; nothing where none was asked."""
    row = run.verdict(case)
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


def by_mode(run: Run, case: Case) -> Table:
    """Numbers and verdict in both modes."""
    rows = [[Cell(name), *(Cell(value) for value in values)] for name, values in _mode_rows(run, case).items()]
    columns = (Column("figure"), *(Column(f"{mode} mode") for mode in run.modes))
    return Table("Numbers and verdict in each mode", columns, (RowGroup(rows),), fixed=True)


def _mode_rows(run: Run, case: Case) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {}
    for mode in run.modes:
        score, verdict = run.score(case, mode), run.verdict(case, mode)
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


def texts(run: Run, case: Case) -> list[Block]:
    """Prompt, raw answer and reasoning, folded."""
    raw = run.generations[case]
    texts = [
        ("Prompt: what the model saw of the file", code_prompt(run.units[case[0]]), "prompts.parquet of the run"),
        ("Raw answer", raw["text"], "the folder generations of the run"),
        ("Reasoning of the model", raw["reasoning"], "the folder generations of the run"),
    ]
    return [TextBox(MarkedText(title, text, (), whole)) for title, text, whole in texts if text]
