"""The outcome of a Copyright-Bench run for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from cleartitle.report.copyright_bench.wording import (
    FAILURE_TITLES,
    answer_sentence,
    cost_sentence,
    names,
    test_sentences,
    vr_text,
)
from cleartitle.report.terminal_parts import bullets, new_table, safe

__all__ = ["copyright_bench_table"]


def copyright_bench_table(summary: Mapping[str, Any]) -> list[RenderableType]:
    """A sentence, a row a cell, and notes."""
    table = new_table("Violation rate")
    fields = ["task", "prompt", "environment"]
    if names(summary, "mitigation") != ["none"]:
        fields.append("mitigation")
    for title in fields:
        table.add_column(title)
    for title in ("violations", "chance", "success", "no file"):
        table.add_column(title, justify="right")
    for cell in summary["cells"]:
        table.add_row(
            *(safe(cell[name]) for name in fields),
            safe(vr_text(cell)),
            safe(f"{cell['chance']:.0%}"),
            safe(f"{cell['tsr']:.1%}"),
            safe(" + ".join(str(cell["outcomes"][name]) for name in ("unknown_file", "no_submission", "error"))),
        )
    failures = [f"{FAILURE_TITLES[name]}: {count:,}" for name, count in summary["failures"].items()]
    cost = cost_sentence(summary)
    notes = [
        "no file: unknown files + no submission + errors",
        *test_sentences(summary),
        *test_sentences(summary, "environment"),
        *test_sentences(summary, "mitigation"),
        *([f"failures: {', '.join(failures)}"] if failures else []),
        *([cost] if cost else []),
        *summary["notes"],
    ]
    return [Text(answer_sentence(summary), style="bold"), "", table, "", *bullets(notes)]
