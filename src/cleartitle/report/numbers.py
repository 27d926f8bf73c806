"""Numbers as a person reads them: rates with n and interval, never a bare percentage."""

from collections.abc import Mapping
from typing import Any

__all__ = ["count", "interval_text", "percent", "rate_line", "rate_sentence", "ratio", "share"]

RateRecord = Mapping[str, Any]
"""A rate as `cleartitle.evals.statistics.Rate.as_json` writes it."""


def count(value: float) -> str:
    """A whole number with thousands separated, or one decimal where it is not whole."""
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.1f}"


def percent(value: float | None) -> str:
    """A share from 0 to 1 in percent: two decimals below 10 %, none at 0 and 1, else one; a dash without a value."""
    if value is None:
        return "–"
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    if 0 < value < 0.1:
        return f"{100 * value:.2f} %"
    return f"{100 * value:.1f} %"


def share(part: float, whole: float) -> str:
    """``part`` of ``whole`` in percent; a dash where there is no whole."""
    return percent(part / whole) if whole else "–"


def ratio(value: float | None, digits: int = 2) -> str:
    """A number from 0 to 1 with ``digits`` decimals; a dash without a value."""
    return "–" if value is None else f"{value:.{digits}f}"


def interval_text(rate: RateRecord) -> str:
    """The 95 % interval in percent; "at most" where nothing was counted; empty where there is no case."""
    if rate["value"] is None:
        return ""
    if rate["count"] == 0 and rate["at_most"] is not None:
        return f"at most {100 * rate['at_most']:.1f} %"
    return f"{100 * rate['interval']['low']:.1f} to {100 * rate['interval']['high']:.1f} %"


def rate_line(rate: RateRecord) -> str:
    """``3 of 60 = 5.00 % (1.7 to 13.7 %)``; ``0 of 60 (at most 6.0 %)``; ``no case``."""
    if rate["value"] is None:
        return "no case"
    head = f"{rate['count']:,} of {rate['total']:,}"
    if rate["count"] == 0:
        return f"{head} ({interval_text(rate)})"
    return f"{head} = {percent(rate['value'])} ({interval_text(rate)})"


def rate_sentence(rate: RateRecord, singular: str, plural: str) -> str:
    """``0 of 60 answers are …, at most 6.0 %``; ``1 of 60 answers is …``: the two phrases follow the count."""
    phrase = singular if rate["count"] == 1 else plural
    head = f"{rate['count']:,} of {rate['total']:,} {phrase}"
    if rate["count"] == 0:
        return f"{head}, {interval_text(rate)}"
    return f"{head}: {percent(rate['value'])}, 95 % interval {interval_text(rate)}"
