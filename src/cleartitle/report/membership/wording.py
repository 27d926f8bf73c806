"""What page and terminal say of a membership study in the same words."""

from collections.abc import Mapping
from typing import Any

__all__ = ["CURVES", "answer_sentence", "auc_line", "shown_attacks", "warnings"]

CURVES = (
    "perplexity",
    "Min-K %++ (k = 20)",
    "CodeMI paper",
    "CodeMI corrected",
    "ranks with references (CodeMI-C)",
    "fused",
)
"""Attacks that are drawn as curves; the tables hold all."""


def shown_attacks(summary: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The attacks whose figures may be shown; none where the run is INVALID."""
    return {} if summary["validity"] == "INVALID" else summary["attacks"]


def auc_line(attack: Mapping[str, Any]) -> str:
    """An AUC with its interval."""
    if attack["auc"] is None:
        return "–"
    if attack["auc_interval"] is None:
        return f"{attack['auc']:.3f}"
    low, high = attack["auc_interval"]
    return f"{attack['auc']:.3f} [{low:.3f}, {high:.3f}]"


def answer_sentence(summary: Mapping[str, Any]) -> str:
    """The result in one sentence."""
    texts = summary["texts"]
    of = f"{texts['members']:,} members and {texts['non_members']:,} non-members"
    if summary["headline"] is None:
        return (
            f"INVALID: the {of} of this run can be told apart without the model, so that no figure of an attack is "
            "evidence of membership, and none is shown."
        )
    headline = summary["headline"]
    return (
        f"{summary['validity']}: on {of} the attack {headline['attack']!r}, which was named before, has an AUC of "
        f"{auc_line(headline)}."
    )


def warnings(summary: Mapping[str, Any]) -> list[str]:
    """What the figures do not establish."""
    texts = summary["texts"]
    if "scale" not in summary:
        return [
            "Which file was trained on is the word of who ran this; no figure here can tell whether it is true.",
            "For a text whose membership is not known a score is at best consistent with membership, and never proves "
            "it. Rates hold for files like these: other projects, times and languages have others.",
            f"{texts['not_scored']:,} files were not scored, {texts['in_both_sets']:,} stood in both sets and are in "
            f"none; files of {texts['projects']:,} projects.",
        ]
    return [
        summary["scale"],
        "Members and non-members of this study were drawn by us, so the answer is known. For a model whose training "
        "set is not known a score is at best consistent with membership, and never proves it.",
        "With few files many tokens of a non-member stand in no training file at all, and every attack on ranks finds "
        "them: see the curve over common tokens, and take no single point of it for a replication of the paper.",
        f"{texts['left_out']['near_duplicates']:,} near-duplicates were left out of the draw; files of "
        f"{texts['projects']:,} projects.",
    ]
