"""Words for figures that several parts of the report and the terminal share."""

from collections.abc import Mapping
from typing import Any

from cleartitle.report.numbers import ratio

__all__ = ["STATES", "lico_interval", "lico_text", "unranked_reason"]

STATES = (
    ("errors", "failed"),
    ("empty", "empty"),
    ("refusals", "refused"),
    ("too_short", "too short to judge"),
    ("truncated", "cut off"),
)
"""Keys of what became of answers, with the words for them; those cut off may also be scored."""


def lico_text(lico: Mapping[str, Any]) -> str:
    """LiCo as a number, or as its range where an accuracy was imputed; a dash where nothing was scored."""
    if lico["value"] is None:
        return "–"
    if lico["imputed"]:
        return f"{ratio(lico['low'], 3)} to {ratio(lico['high'], 3)}"
    return ratio(lico["value"], 3)


def unranked_reason(lico: Mapping[str, Any]) -> str:
    """Why a row is not ranked, in a few words; empty where it is."""
    if lico["value"] is None:
        return "nothing was scored"
    return "" if lico["ranked"] else "no copyleft case"


def lico_interval(lico: Mapping[str, Any]) -> str:
    """The bootstrap interval in words; empty where there is none or where it has no width."""
    interval = lico["interval"]
    if interval is None:
        return ""
    if interval["low"] == interval["high"]:  # no case in any draw: no spread, which is no certainty
        return ""
    value = f" of {ratio(lico['value'], 3)}" if lico["imputed"] else ""
    return f"bootstrap{value}: {ratio(interval['low'], 3)} to {ratio(interval['high'], 3)}"
