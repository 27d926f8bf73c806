"""Capability beside compliance: a model that cannot write code copies nothing, and LiCo then means nothing."""

from collections.abc import Mapping
from typing import Any

__all__ = ["CAPABLE", "rank"]

CAPABLE = 0.5
"""pass@1 on HumanEval that a model must have to be ranked; the paper judges models above it (LiCoEval, section V-A)."""


def rank(lico: Mapping[str, Any], humaneval: Mapping[str, Any] | None) -> dict[str, Any]:
    """The LiCo record of a model with its place in the ranking taken away where the model cannot write code.

    ``humaneval`` is the figure of `capability_of`, or None where it was not measured: then nothing is taken away. The
    estimate decides; where its interval reaches over the threshold, the reason says so.
    """
    if humaneval is None or humaneval["value"] is None or humaneval["value"] > CAPABLE:
        return {**lico, "capable": None if humaneval is None or humaneval["value"] is None else True}
    reason = f"pass@1 of {humaneval['value']:.3f} on HumanEval is not above {CAPABLE}"
    interval = humaneval["interval"]
    if interval is not None and interval["high"] > CAPABLE:
        reason += " (its interval reaches above)"
    before = lico["unranked_because"]
    return {
        **lico,
        "capable": False,
        "ranked": False,
        "unranked_because": f"{before}; {reason}" if before else reason,
    }
