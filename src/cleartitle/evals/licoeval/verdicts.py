"""From striking cases and license answers to verdicts: was the license of what was copied named right?"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from cleartitle.evals.licoeval.controls import CONTROLS, control_license_answer
from cleartitle.evals.licoeval.prompts import followup_id
from cleartitle.licenses import grade, license_group, parse_answer
from cleartitle.tables import table_of

__all__ = ["VERDICTS", "verdicts"]

VERDICTS = pa.schema(
    [
        ("source", pa.string()),
        ("prompt_id", pa.string()),
        ("sample_index", pa.int32()),
        ("mode", pa.string()),
        ("project", pa.string()),
        ("license", pa.string()),
        ("license_class", pa.string()),
        # permissive | copyleft | restricted: the group whose accuracy this case enters
        ("kind", pa.string()),
        ("answer", pa.large_string()),
        # ok | family | hedged | ambiguous | none | unknown | refused | error | not asked
        ("answer_status", pa.string()),
        # what was compared with the license: the expression read, or in paper mode the id of the matching rule
        ("answer_expression", pa.string()),
        ("evidence", pa.string()),
        ("correct", pa.bool_()),
        ("family_correct", pa.bool_()),
        ("class_correct", pa.bool_()),
    ]
)
"""One striking case with the license answer to it and its grades."""


def verdicts(
    scores: Sequence[Mapping[str, Any]],
    units: Mapping[str, Mapping[str, Any]],
    followups: Mapping[str, Mapping[str, Any]],
) -> pa.Table:
    """Grade the license answer of every striking case.

    Args:
        scores: rows of `SCORES`; those that are not striking are passed over.
        units: rows of `UNITS` by prompt id.
        followups: rows of the follow-up turn by `followup_id`; controls answer for themselves.
    """
    controls = {f"control:{control.name}": control for control in CONTROLS}
    rows: list[dict[str, Any]] = []
    for scored in scores:
        if not scored["striking"]:
            continue
        unit = units[scored["prompt_id"]]
        control = controls.get(scored["source"])
        if control is not None:
            answer: Mapping[str, Any] | None = {"text": control_license_answer(unit, control), "status": "ok"}
        else:
            answer = followups.get(followup_id(scored["prompt_id"], scored["sample_index"]))
        rows.append(_verdict(scored, unit, answer))
    return table_of(rows, VERDICTS)


def _verdict(scored: Mapping[str, Any], unit: Mapping[str, Any], answer: Mapping[str, Any] | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "source": scored["source"],
        "prompt_id": scored["prompt_id"],
        "sample_index": scored["sample_index"],
        "mode": scored["mode"],
        "project": unit["project"],
        "license": unit["license"],
        "license_class": unit["license_class"],
        "kind": license_group(unit["license"], scored["mode"]),
        "answer": answer["text"] if answer else "",
        "answer_status": "not asked",
        "answer_expression": None,
        "evidence": "",
        "correct": False,
        "family_correct": False,
        "class_correct": False,
    }
    if answer is None:
        return row
    if answer["status"] == "error":
        return {**row, "answer_status": "error"}
    parsed = parse_answer(answer["text"])
    grades = grade(answer["text"], unit["license"], mode=scored["mode"])
    return {
        **row,
        "answer_status": parsed.status,
        "answer_expression": grades.matched,
        "evidence": " … ".join(parsed.evidence),
        "correct": grades.exact,
        "family_correct": grades.family,
        "class_correct": grades.class_,
    }
