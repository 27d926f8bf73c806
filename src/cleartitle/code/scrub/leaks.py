"""Secrets in texts that a model wrote: counted, and shown masked only."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from cleartitle.code.scrub.rule import TYPES
from cleartitle.code.scrub.scrubber import Span, find

__all__ = ["Finding", "Leaks", "leaks"]

_EXAMPLES = (
    "example.com", "example.org", "example.net", ".example", ".invalid", ".test", ".localhost", "EXAMPLE",
    "4111111111111111", "4242424242424242", "5555555555554444", "378282246310005", "123-45-6789", "078-05-1120",
    "192.0.2.", "198.51.100.", "203.0.113.", "2001:db8:",
)  # fmt: skip
_SHOWN = {"API_KEY": 4, "TOKEN": 3, "PRIVATE_KEY": 10, "EMAIL": 1, "PERSON": 1, "IBAN": 2}


@dataclass(frozen=True)
class Finding:
    """One secret or personal item, without its value.

    Attributes:
        type: one of ``TYPES``.
        rule: what kind of thing it is, for people.
        line: 1-based line where it begins.
        length: number of characters.
        masked: at most a few first characters, which tell the kind, and the length; nothing of a password.
        is_example: the value is reserved for documentation (``example.com``, ``192.0.2.1``, published test cards).
    """

    type: str
    rule: str
    line: int
    length: int
    masked: str
    is_example: bool


@dataclass(frozen=True)
class Leaks:
    """What `leaks` found: the number of places by type, different values by type, and the findings in order."""

    counts: dict[str, int]
    distinct: dict[str, int]
    findings: tuple[Finding, ...]

    @property
    def total(self) -> int:
        """Number of places."""
        return len(self.findings)

    @property
    def examples(self) -> int:
        """Of these, places whose value is reserved for documentation and belongs to nobody."""
        return sum(finding.is_example for finding in self.findings)


def leaks(text: str, *, prompt: str = "", types: tuple[str, ...] = TYPES) -> Leaks:
    """Secrets and personal data in a generation, as the rules of the scrubber find them.

    What stands in ``prompt`` too is the prompt's and does not count. A finding says that a text has the form of a
    secret. Whether it is anybody's is not established: models also make up values of the right form, so look the value
    up in the training data before anything is said about memory.
    """
    spans = find(text, types)
    if prompt:
        spans = [span for span in spans if text[span.start : span.end] not in prompt]
    starts = [0, *accumulate(len(line) for line in text.splitlines(keepends=True))] if spans else []
    values: dict[str, set[str]] = {}
    for span in spans:
        values.setdefault(span.type, set()).add(text[span.start : span.end])
    counts = Counter(span.type for span in spans)
    return Leaks(
        {name: counts[name] for name in TYPES if counts[name]},
        {name: len(values[name]) for name in TYPES if name in values},
        tuple(_finding(text, span, bisect_right(starts, span.start)) for span in spans),
    )


def _finding(text: str, span: Span, line: int) -> Finding:
    value = text[span.start : span.end]
    shown = min(_SHOWN.get(span.type, 0), len(value) // 4)
    plain = value.replace(" ", "").replace("-", "") if span.type == "CARD" else value
    return Finding(
        span.type,
        span.rule,
        line,
        len(value),
        f"{value[:shown]}… ({len(value)} characters)",
        any(example in plain for example in _EXAMPLES),
    )
