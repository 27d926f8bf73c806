"""The outcome of a HumanEval run for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from cleartitle.report.humaneval.wording import (
    OUTCOME_TITLES,
    answer_sentence,
    controls_sentence,
    pass_text,
    sandbox_sentence,
)
from cleartitle.report.terminal_parts import add_count, bullets, count_table, safe

__all__ = ["humaneval_table"]


def humaneval_table(summary: Mapping[str, Any]) -> list[RenderableType]:
    """A sentence, what came of the answers, and notes."""
    table = count_table("Answers")
    for name, words in OUTCOME_TITLES.items():
        if summary["outcomes"][name]:
            add_count(table, f"{name}: {words}", summary["outcomes"][name], summary["answers"])
    more = [safe(f"pass@{figure['k']}: {pass_text(figure)}") for figure in summary["pass_at"][1:]]
    notes = [controls_sentence(summary), sandbox_sentence(summary), *summary["notes"]]
    return [Text(answer_sentence(summary), style="bold"), *more, "", table, "", *bullets(notes)]
