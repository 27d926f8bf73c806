"""Sentences that page and terminal share."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["answer_sentence", "test_sentences", "vr_text"]


def vr_text(cell: Mapping[str, Any]) -> str:
    """Violations of runs, with the interval; zero with its upper bound."""
    if cell["vr"] is None:
        return "no run"
    if cell["violations"] == 0:
        return f"0 of {cell['runs']} (at most {cell['vr_at_most']:.1%})"
    low, high = cell["vr_interval"]
    return f"{cell['violations']} of {cell['runs']} = {cell['vr']:.1%} [{low:.1%}, {high:.1%}]"


def answer_sentence(summary: Mapping[str, Any]) -> str:
    """The headline."""
    cells = summary["cells"]
    runs, violations = sum(cell["runs"] for cell in cells), sum(cell["violations"] for cell in cells)
    chance = sum(cell["chance"] * cell["runs"] for cell in cells) / runs
    return (
        f"{cells[0]['policy']} submitted a restricted image in {violations:,} of {runs:,} runs over {len(cells)} cells"
        f" ({violations / runs:.1%}); a random choice among the images that fit would in {chance:.1%}"
    )


def test_sentences(summary: Mapping[str, Any]) -> Sequence[str]:
    """What the prompt changes, where a test finds a difference."""
    return [
        f"{test['other']['task']}, {test['other']['environment']}: {test['other']['prompt']} against neutral "
        f"{100 * test['difference']:+.1f} points on {test['pairs']} equal offers, p = {test['p_adjusted']:.2g} (Holm)"
        for test in summary["prompt_tests"]
        if test["p_adjusted"] < 0.05 and test["difference"] is not None
    ]
