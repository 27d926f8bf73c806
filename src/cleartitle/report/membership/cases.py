"""Figure 10: the surest member and the surest non-member, with the tokens that the model was surest of."""

from collections.abc import Mapping
from typing import Any

from cleartitle.report.blocks import Mark, MarkedText, Paragraph, Section, SideBySide
from cleartitle.report.text import SHOWN_CHARACTERS

__all__ = ["cases", "ranked_text"]

LEGEND = (("shared", "rank 1: the model's own first choice"), ("evidence", "rank above 100"))
FAR = 100


def cases(summary: Mapping[str, Any], *, redact: bool) -> Section:
    """Two texts with the ranks of their tokens."""
    found = summary["case"]
    if len(found) < 2 or redact:
        return Section("cases", "Two texts", (Paragraph("The texts are left out."),))
    left, right = (
        ranked_text(
            f"{'Member' if case['member'] else 'Non-member'}, of {case['project']}", case["text"], case["tokens"]
        )
        for case in found
    )
    return Section("cases", "The surest member and the surest non-member", (SideBySide(left, right, legend=LEGEND),))


def ranked_text(title: str, text: str, tokens: list[list[int]]) -> MarkedText:
    """A text whose tokens of rank 1, and those far down, are marked; ``tokens`` are start, end and rank."""
    marks = [
        Mark(start, end, "shared" if rank == 1 else "evidence")
        for start, end, rank in tokens
        if (rank == 1 or rank > FAR or rank == 0) and start < end <= SHOWN_CHARACTERS
    ]
    return MarkedText(title, text, marks, "texts.parquet of the run")
