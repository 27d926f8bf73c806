"""Words for figures that several parts of the report and the terminal share."""

from collections.abc import Mapping
from typing import Any

from cleartitle.report.numbers import ratio

__all__ = ["STATES", "humaneval_text", "lico_interval", "lico_text", "unranked_reason"]

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
    reasons = ["no copyleft case"] if "copyleft" in lico["imputed"] else []
    reasons += ["HumanEval not above 0.5"] if lico.get("capable") is False else []
    return "" if lico["ranked"] else "; ".join(reasons)


def humaneval_text(figure: Mapping[str, Any] | None, *, interval: bool = False) -> str:
    """pass@1 on HumanEval in percent, with its interval where asked for."""
    if figure is None or figure["value"] is None:
        return "not measured"
    text = f"{100 * figure['value']:.1f} %"
    if not interval or figure["interval"] is None:
        return text
    low, high = figure["interval"]["low"], figure["interval"]["high"]
    return f"{text} ({100 * low:.1f} to {100 * high:.1f} %, {figure['total']:,} of {figure['of']:,} problems)"


def lico_interval(lico: Mapping[str, Any]) -> str:
    """The bootstrap interval in words; empty where there is none or where it has no width."""
    interval = lico["interval"]
    if interval is None:
        return ""
    if interval["low"] == interval["high"]:  # no case in any draw: no spread, which is no certainty
        return ""
    value = f" of {ratio(lico['value'], 3)}" if lico["imputed"] else ""
    return f"bootstrap{value}: {ratio(interval['low'], 3)} to {ratio(interval['high'], 3)}"
