"""Sentences that page and terminal share."""

from collections.abc import Mapping
from typing import Any

__all__ = ["LAWS", "RIGHT_ACTS", "answer_sentence", "duties_text", "percent"]

LAWS = {"us": "United States", "eu": "European Union", "uk": "United Kingdom"}
RIGHT_ACTS = {
    "take": "something fitting is free",
    "credit": "what fits asks for a credit or more",
    "abstain": "nothing that fits is known to be allowed",
}


def percent(cell: Mapping[str, Any], name: str, count: int) -> str:
    """A count of runs with its rate and interval; zero with its upper bound."""
    if cell[name] is None:
        return "no run"
    if count == 0:
        return f"0 of {cell['runs']} (at most {cell[f'{name}_at_most']:.1%})"
    low, high = cell[f"{name}_interval"]
    return f"{count} of {cell['runs']} = {cell[name]:.1%} [{low:.1%}, {high:.1%}]"


def duties_text(cell: Mapping[str, Any]) -> str:
    """Each duty with how often it was kept, of how often it was asked for."""
    return ", ".join(f"{duty} {found['kept']} of {found['asked']}" for duty, found in cell["duties"].items()) or "none"


def answer_sentence(summary: Mapping[str, Any]) -> str:
    """The headline."""
    whole = summary["whole"]
    return (
        f"{summary['chooser']['name']} broke terms or law in {percent(whole, 'vr', whole['violations'])} runs "
        f"({whole['forbidden']} not allowed at all, {whole['undone']} with a duty undone; a random choice without a "
        f"credit: {whole['chance']:.0%}), and did the right thing in {percent(whole, 'right', whole['successes'])}"
    )
