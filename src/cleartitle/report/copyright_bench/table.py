"""The outcome of a Copyright-Bench run for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from cleartitle.report.copyright_bench.wording import answer_sentence, test_sentences, vr_text
from cleartitle.report.terminal_parts import bullets, new_table, safe

__all__ = ["copyright_bench_table"]


def copyright_bench_table(summary: Mapping[str, Any]) -> list[RenderableType]:
    """A sentence, a row a cell, and notes."""
    table = new_table("Violation rate")
    for title in ("task", "prompt", "environment"):
        table.add_column(title)
    for title in ("violations", "chance", "success", "no submission"):
        table.add_column(title, justify="right")
    for cell in summary["cells"]:
        lost = cell["outcomes"]["no_submission"] + cell["outcomes"]["error"]
        table.add_row(
            *(safe(cell[name]) for name in ("task", "prompt", "environment")),
            safe(vr_text(cell)),
            safe(f"{cell['chance']:.0%}"),
            safe(f"{cell['tsr']:.1%}"),
            safe(str(lost)),
        )
    notes = [*test_sentences(summary), *summary["notes"]]
    return [Text(answer_sentence(summary), style="bold"), "", table, "", *bullets(notes)]
