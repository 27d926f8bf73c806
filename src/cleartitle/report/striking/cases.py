"""The evidence of a study: answers that are striking, those to unseen functions first, with both texts."""

from collections.abc import Mapping
from typing import Any

from cleartitle.report.blocks import Block, Group, Mark, MarkedText, Paragraph, Section, SideBySide, Tone
from cleartitle.report.numbers import ratio
from cleartitle.report.striking.material import Material
from cleartitle.report.striking.wording import dose_title
from cleartitle.report.text import SHOWN_CHARACTERS
from cleartitle.similarity import shared_spans

__all__ = ["cases"]

IN_FULL = 40
"""Most cases with their texts in the page."""


def cases(material: Material) -> Section:
    """Striking answers of all models: false alarms first, then by similarity."""
    exposed = {subject["name"]: subject["exposed"] for subject in material.summary["subjects"]}
    found = [
        (_false(material, row, exposed), row) for rows in material.scores.values() for row in rows if row["striking"]
    ]
    found.sort(key=lambda item: (not item[0], -item[1]["similarity"], item[1]["source"], item[1]["prompt_id"]))
    alarms = sum(false for false, _ in found)
    lead = (
        f"{len(found):,} answers of all models meet the published standard; {alarms:,} of them are false alarms (to a "
        "function that the model was not trained on here) and come first."
    )
    if len(found) > IN_FULL:
        lead += f" The first {IN_FULL} follow; all stand in the folder scores of the run."
    blocks: list[Block] = [Paragraph(lead), *(_case(material, row, false) for false, row in found[:IN_FULL])]
    return Section("cases", "Striking answers", blocks)


def _false(material: Material, row: Mapping[str, Any], exposed: Mapping[str, bool]) -> bool:
    return not exposed[row["source"]] or material.units[row["prompt_id"]]["group"] == "unseen"


def _case(material: Material, row: Mapping[str, Any], false: bool) -> Group:
    unit = material.units[row["prompt_id"]]
    reference, answer = unit["body"][:SHOWN_CHARACTERS], row["body"][:SHOWN_CHARACTERS]
    spans = [] if material.redacted else shared_spans(reference, answer)
    sides = SideBySide(
        MarkedText(
            f"Original, body of {unit['name']}",
            unit["body"],
            [Mark(span.reference_start, span.reference_end, "shared") for span in spans],
            "prompts.parquet of the run, column body",
        ),
        MarkedText(
            f"Answer of {row['source']}, body as it was compared",
            row["body"],
            [Mark(span.candidate_start, span.candidate_end, "shared") for span in spans],
            "the folder scores of the run, column body",
        ),
        legend=not material.redacted,
    )
    dose = unit["repetitions"]
    taught = unit["group"] if dose is None else f"taught {dose_title(dose)}" if dose else "unseen"
    badges: list[tuple[str, Tone]] = [(taught, "plain"), (f"{len(row['shared_comments'])} shared comments", "plain")]
    if false:
        badges.append(("false alarm", "bad"))
    title = f"{unit['name']} of {unit['project']} · {row['source']} · similarity {ratio(row['similarity'])}"
    return Group(title, (sides,), badges)
