"""What can be told of a text without any model: length, age of its syntax, comments, licenses, years."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cleartitle.code import comments, names_license
from cleartitle.similarity import words

__all__ = ["FEATURES", "Surface", "surface"]

# Bounded repeats and no line ends inside: each pattern is linear on any text.
_COUNTED = {
    "f-strings": re.compile(r"\b(?:[fF][rR]?|[rR][fF])[\"']"),
    "walrus": re.compile(r":="),
    "return annotations": re.compile(r"\)[ \t]{0,8}->"),
    "annotated names": re.compile(r"^[ \t]*[A-Za-z_]\w{0,80}: ?[A-Za-z_]\w{0,80}(?:\[|[ \t]*=|[ \t]*$)", re.MULTILINE),
    "match statements": re.compile(r"^[ \t]*(?:match|case)[ \t][^\n]{1,200}:[ \t]*$", re.MULTILINE),
    "print statements": re.compile(r"^[ \t]*print[ \t]+[\"'\w]", re.MULTILINE),
    "percent formats": re.compile(r"[\"'][ \t]?%[ \t]?[\w(]"),
    "async": re.compile(r"\b(?:async|await)\b"),
    "future imports": re.compile(r"^from __future__ import", re.MULTILINE),
    "union types": re.compile(r"\w \| (?:None|int|str|list|dict)\b"),
    "object bases": re.compile(r"^class[ \t]+\w{1,80}\(object\):", re.MULTILINE),
    "docstring quotes": re.compile(r"\"\"\"|'''"),
}
_YEAR = re.compile(r"\b(?:19[89]\d|20[0-4]\d)\b")
_HEADER = 3000

FEATURES = (
    "characters",
    "lines",
    "words",
    "characters a line",
    "distinct words",
    "indentation",
    "comment share",
    "license header",
    "years named",
    "newest year",
    "non-ASCII share",
    "capital share",
    *_COUNTED,
    "unknown words",
)
"""Names of the numbers of `Surface.features`, in order. Counts are per 100 lines, shares from 0 to 1."""


@dataclass(frozen=True)
class Surface:
    """One text as a blind classifier sees it: its words, and one number for each of `FEATURES`."""

    words: Sequence[str]
    features: npt.NDArray[np.float64]


def surface(text: str, language: str = "python", vocabulary: Container[str] | None = None) -> Surface:
    """Cut and measure one text.

    Args:
        text: any text.
        language: its programming language.
        vocabulary: the words that the target knows, where its vocabulary is one of words; the share of others is then
            a feature. Without it that feature is 0.

    Raises:
        InputError: unknown language.
    """
    found = words(text, language)
    lines = text.count("\n") + 1
    years = [int(year) for year in _YEAR.findall(text)]
    size = max(len(text), 1)
    unknown = 0 if vocabulary is None else sum(word not in vocabulary for word in found)
    numbers = [
        len(text),
        lines,
        len(found),
        len(text) / lines,
        len(set(found)) / max(len(found), 1),
        sum(len(line) - len(line.lstrip(" \t")) for line in text.split("\n")) / lines,
        _comment_share(text, language),
        float(names_license(text[:_HEADER])),
        100 * len(years) / lines,
        max(years, default=0),
        sum(map(_is_wide, text)) / size,
        sum(map(str.isupper, text)) / size,
        *(100 * len(pattern.findall(text)) / lines for pattern in _COUNTED.values()),
        unknown / max(len(found), 1),
    ]
    return Surface(found, np.array(numbers, np.float64))


def _comment_share(text: str, language: str) -> float:
    marks = sum(len(comment.text) for comment in comments(text, language))
    return marks / max(len(text), 1)


def _is_wide(letter: str) -> bool:
    return ord(letter) > 127
