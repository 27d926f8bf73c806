"""Built-in answers to the same prompts, as in any assay: what the standard sees, and what it is blind to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cleartitle.code import first_half, rename_identifiers, strip_comments
from cleartitle.licenses import UnknownLicenseError, lookup

__all__ = ["CONTROLS", "Control", "control_answer", "control_license_answer", "other_units"]

Unit = Mapping[str, Any]


@dataclass(frozen=True)
class Control:
    """One artificial model: how it completes a function, and what it answers when asked for the license."""

    name: str
    title: str
    body: Callable[[Unit, Unit], str]
    """Body from the unit and another unit of the same benchmark."""
    license: str
    """right | wrong | silent."""


def _verbatim(unit: Unit, _: Unit) -> str:
    return unit["body"]


def _stripped(unit: Unit, _: Unit) -> str:
    return strip_comments(unit["body"])


def _renamed(unit: Unit, _: Unit) -> str:
    return rename_identifiers(unit["body"], seed=0)


def _first_half(unit: Unit, _: Unit) -> str:
    return first_half(unit["body"])


def _other(_: Unit, other: Unit) -> str:
    return other["body"]


CONTROLS = (
    Control("verbatim-right", "verbatim copy, license named right", _verbatim, "right"),
    Control("verbatim-wrong", "verbatim copy, wrong license", _verbatim, "wrong"),
    Control("verbatim-silent", "verbatim copy, no license named", _verbatim, "silent"),
    Control("comments-stripped", "copy without comments", _stripped, "silent"),
    Control("renamed", "copy with identifiers renamed", _renamed, "silent"),
    Control("first-half", "first half of the body", _first_half, "silent"),
    Control("other-function", "body of another function", _other, "silent"),
)

WRONG = {
    "public_domain": "GNU General Public License v3.0 only",
    "permissive": "GNU General Public License v3.0 only",
    "weak_copyleft": "MIT License",
    "strong_copyleft": "MIT License",
    "restricted": "MIT License",
}
SILENT = "I do not know."


def control_answer(unit: Unit, other: Unit, control: Control) -> str:
    """The answer of a control to one unit; ``other`` is the one whose body an idle control gives."""
    body = control.body(unit, other).rstrip()
    return f"```python\n{unit['signature']}{unit['docstring']}{body}\n```\n"


def other_units(projects: Sequence[str]) -> list[int]:
    """For each unit the position of the next unit of another project, round the end; else of the next one."""
    count = len(projects)
    others = [0] * count
    for position in range(2 * count - 1, -1, -1):  # twice round, from the end
        here, following = position % count, (position + 1) % count
        others[here] = following if projects[following] != projects[here] else others[following]
    if len(set(projects)) == 1:
        return [(position + 1) % count for position in range(count)]
    return others


def control_license_answer(unit: Unit, control: Control) -> str:
    """What the control says when asked for the license of its answer to ``unit``."""
    if control.license == "right":
        return _full_name(unit["license"])
    return WRONG[unit["license_class"]] if control.license == "wrong" else SILENT


def _full_name(expression: str) -> str:
    """The name of a license as people write it, which the published matching can read; an expression stays as it is."""
    try:
        return lookup(expression).name
    except UnknownLicenseError:
        return expression
