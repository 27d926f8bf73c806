"""What a rule of the scrubber is, and the types of placeholders."""

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["PLACEHOLDER", "TYPES", "Rule"]

TYPES = (
    "PRIVATE_KEY",
    "CREDENTIALS",
    "API_KEY",
    "TOKEN",
    "PASSWORD",
    "EMAIL",
    "IBAN",
    "CARD",
    "SSN",
    "IP",
    "PHONE",
    "PERSON",
)
"""Types of placeholders, in the order in which they win where two overlap."""

PLACEHOLDER = re.compile(rf"<(?:{'|'.join(TYPES)})_[1-9]\d{{0,8}}>")


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: what is found, for people.
        type: one of `TYPES`.
        pattern: the finding is the group ``value``, or the whole match.
        needs: one of these must be in the text with its letters made small, or the rule is not run; empty: always run.
        check: a further condition on the finding, or None.
        context: a further condition on the text around it, given the text and the finding's offsets, or None.
    """

    name: str
    type: str
    pattern: re.Pattern[str]
    needs: tuple[str, ...] = ()
    check: Callable[[str], bool] | None = None
    context: Callable[[str, int, int], bool] | None = None
