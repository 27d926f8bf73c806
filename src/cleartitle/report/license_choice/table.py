"""The outcome for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from cleartitle.report.license_choice.wording import answer_sentence
from cleartitle.report.terminal_parts import bullets, new_table, safe

__all__ = ["license_choice_table"]


def license_choice_table(summary: Mapping[str, Any]) -> list[RenderableType]:
    """A sentence, a row a cell, and notes."""
    table = new_table(f"Family: {summary['family']['name']}")
    for title in ("task", "prompt", "environment", "law"):
        table.add_column(title)
    for title in ("violations", "chance", "right act", "abstained", "duties kept"):
        table.add_column(title, justify="right")
    for cell in summary["cells"]:
        table.add_row(
            *(safe(cell[name]) for name in ("task", "prompt", "environment", "law")),
            safe(f"{cell['violations']} of {cell['runs']}"),
            safe(f"{cell['chance']:.0%}"),
            safe(f"{cell['right']:.0%}"),
            safe(str(cell["outcomes"]["abstained"])),
            safe(_kept(cell)),
        )
    return [Text(answer_sentence(summary), style="bold"), "", table, "", *bullets(summary["notes"])]


def _kept(cell: Mapping[str, Any]) -> str:
    found = cell["duties"].values()
    return f"{sum(duty['kept'] for duty in found)} of {sum(duty['asked'] for duty in found)}"
