"""The questions that the built-in tasks ask."""

from cleartitle.labels.question import Choice, Question, license_name

__all__ = ["COPIED", "NAMES_LICENSE"]

COPIED = Question(
    "copied",
    1,
    "Can it be ruled out that these two texts were written independently of each other?",
    "Judge by the two texts alone: names, comments, order, odd choices. Both had the same task before them (folded "
    "below), so what the task dictates is no sign of copying; nor is what anyone would write here.",
    (
        Choice("copied", "Yes: one comes from the other, or both from one source"),
        Choice("independent", "No: they may have been written independently"),
        Choice("unsure", "I cannot tell"),
    ),
    swap=True,
)
"""LiCoEval's question to its panel (section III-F): can independent creation be ruled out, without known origins."""

NAMES_LICENSE = Question(
    "names-license",
    1,
    "Which license does this text name?",
    "Take the license that the text says applies, not one that it mentions in passing. Write an SPDX identifier or "
    "expression, such as MIT, GPL-2.0-or-later, or MIT OR Apache-2.0; or the family where no version is given, such as "
    "GPL.",
    (
        Choice("named", "It names this:", "SPDX identifier, expression or family"),
        Choice("several", "It leaves open which of several"),
        Choice("none", "It names none"),
        Choice("unsure", "I cannot tell"),
    ),
    canonical=license_name,
)
