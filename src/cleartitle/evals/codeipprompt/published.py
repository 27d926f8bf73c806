"""The published figures of CodeIPPrompt, and what their EP says about single prompts."""

import json
from importlib.resources import files
from typing import Any

from cleartitle.evals.codeipprompt.metrics import THRESHOLD, share_per_prompt

__all__ = ["check_published", "published"]

ROUNDING = 0.005 + 1e-9
"""Half a unit of the last printed place."""


def published() -> dict[str, Any]:
    """Tables 3 and 5, the length correlations and the settings, as printed in the paper."""
    return json.loads((files("cleartitle.evals.codeipprompt") / "data" / "published.json").read_text(encoding="utf-8"))


def check_published() -> list[dict[str, Any]]:
    """One row per model of Table 3 with the share of prompts above 0.5 that its EP of all groups stands for.

    ``consistent``: every printed pair of EM and EP is possible at all, since draws without a score above 0.5 have a
    largest one from 0 to 0.5, and the others one from 0.5 to 1. "All" is a sample of its own in the paper, not the
    three groups together, and may lie outside them.
    """
    record = published()
    rows: list[dict[str, Any]] = []
    for row in record["table3"]:
        pairs = [(group["em"], group["ep"]) for group in row["groups"].values()]
        classes = [group["ep"] for name, group in row["groups"].items() if name != "overall"]
        ep = row["groups"]["overall"]["ep"]
        rows.append(
            {
                **row,
                "share_per_prompt": share_per_prompt(ep, record["n"]),
                "consistent": all(_possible(em, chance) for em, chance in pairs),
                "overall_within_groups": min(classes) - ROUNDING <= ep <= max(classes) + ROUNDING,
            }
        )
    return rows


def _possible(em: float, ep: float) -> bool:
    least, most = THRESHOLD * (ep - ROUNDING), THRESHOLD * (1 - ep) + ep
    return least - ROUNDING <= em <= most + ROUNDING
