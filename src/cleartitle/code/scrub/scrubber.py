"""Replace secrets and personal data by typed placeholders, and put them back."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cleartitle.code.scrub.rule import PLACEHOLDER, TYPES, Rule
from cleartitle.code.scrub.rules import RULES
from cleartitle.errors import InputError

__all__ = ["ScrubOptions", "Scrubbed", "Span", "find", "restore", "scrub"]

PASSES = 16


@dataclass(frozen=True)
class ScrubOptions:
    """What `scrub` looks for."""

    types: tuple[str, ...] = TYPES
    """Types of findings that are replaced."""
    names: bool = False
    """Also look for names of persons in comments with Presidio and spaCy (extra ``privacy``); runs offline."""
    spacy_model: str = "en_core_web_sm"
    """Installed spaCy model that finds the names."""

    def __post_init__(self) -> None:
        """Refuse types that do not exist."""
        unknown = sorted(set(self.types) - set(TYPES))
        if unknown:
            raise InputError(f"no such type of secret: {', '.join(unknown)}; choose from: {', '.join(TYPES)}")


class Span(NamedTuple):
    """A finding in a text, by offsets; it does not hold the text itself."""

    start: int
    end: int
    type: str
    rule: str


@dataclass(frozen=True)
class Scrubbed:
    """A scrubbed text.

    Attributes:
        text: the text with placeholders such as ``<EMAIL_1>``; equal values have equal placeholders.
        counts: how many places of each type were replaced, types in the order of ``TYPES``.
        mapping: placeholder to original; never shown, for the owner's map file (`write_map`) and `restore`.
    """

    text: str
    counts: dict[str, int]
    mapping: dict[str, str] = field(repr=False)

    @property
    def replaced(self) -> int:
        """Number of places that were replaced."""
        return sum(self.counts.values())


def scrub(
    text: str,
    *,
    language: str | None = None,
    options: ScrubOptions = ScrubOptions(),  # noqa: B008
    known: Mapping[str, str] | None = None,
) -> Scrubbed:
    """Replace secrets and personal data in ``text``.

    ``known`` is the mapping of an earlier part of the same document: what it holds gets the same placeholder again,
    and it is part of the result's mapping. Placeholders that the text already has are left alone and their numbers
    not used again, so that scrubbing twice changes nothing more and `restore` gives back the exact text.

    Rules find what has a known format, a check digit or a telling word beside it. They miss secrets without one, and
    names in prose; with ``options.names`` Presidio finds part of the latter in the comments of ``language``. So a
    count of 0 does not establish that a text holds nothing private.

    Raises:
        MissingExtraError, InputError: ``options.names`` without the extra or the model.
    """
    document = _Document(text, known or {})
    names = _name_finder(options, language)
    text, changed = document.replace(text, find(text, options.types, names))
    if changed and names is not None:
        for _ in range(PASSES):
            text, changed = document.replace(text, find(text, options.types, names))
            if not changed:
                break
    elif changed:
        # Only a line that changed can hold anything new: all rules but that for key blocks stay within a line.
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if "_" in line and PLACEHOLDER.search(line):
                lines[number] = document.settle(line, options.types)
        text = "\n".join(lines)
    counts = document.counts
    return Scrubbed(text, {name: counts[name] for name in TYPES if counts[name]}, document.mapping)


class _Document:
    """The placeholders of one document."""

    def __init__(self, text: str, known: Mapping[str, str]) -> None:
        self.mapping = dict(known)
        self.counts: Counter[str] = Counter()
        self._placeholders = {(_type_of(name), original): name for name, original in known.items()}
        self._used = {*known, *PLACEHOLDER.findall(text)}
        self._numbers: Counter[str] = Counter()

    def replace(self, text: str, spans: Sequence[Span]) -> tuple[str, bool]:
        """The text with placeholders for its findings, and whether there was one."""
        pieces: list[str] = []
        position = 0
        for span in spans:
            self.counts[span.type] += 1
            pieces += (text[position : span.start], self._placeholder(span.type, text[span.start : span.end]))
            position = span.end
        return "".join([*pieces, text[position:]]), bool(spans)

    def settle(self, line: str, types: tuple[str, ...]) -> str:
        """The line after all that shows only once something beside it is gone."""
        for _ in range(PASSES):
            line, changed = self.replace(line, find(line, types))
            if not changed:
                break
        return line

    def _placeholder(self, kind: str, original: str) -> str:
        found = self._placeholders.get((kind, original))
        while found is None:
            self._numbers[kind] += 1
            name = f"<{kind}_{self._numbers[kind]}>"
            if name not in self._used:
                found = self._placeholders[kind, original] = name
                self.mapping[name] = original
        return found


def restore(text: str, mapping: Mapping[str, str]) -> str:
    """The text with the originals of ``mapping`` in place of their placeholders; others stay as they are."""
    return PLACEHOLDER.sub(lambda match: mapping.get(match[0], match[0]), text)


def find(text: str, types: tuple[str, ...] = TYPES, names: Callable[[str], Iterator[Span]] | None = None) -> list[Span]:
    """Findings of the given types in order, without overlap; what touches a placeholder is none.

    Where two overlap, the type that comes first in ``TYPES`` wins, then the one that begins first, then the longer.
    """
    small = text.lower()
    rules = (rule for rule in RULES if rule.type in types and _may_be_in(rule, small))
    found = [span for rule in rules for span in _apply(rule, text)]
    if names is not None and "PERSON" in types:
        found.extend(names(text))
    if not found:
        return []
    found.sort(key=lambda span: (TYPES.index(span.type), span.start, -span.end))
    taken = _Taken([(match.start(), match.end()) for match in PLACEHOLDER.finditer(text)])
    return sorted(span for span in found if taken.take(span.start, span.end))


class _Taken:
    """Disjoint intervals, kept sorted."""

    def __init__(self, intervals: list[tuple[int, int]]) -> None:
        self.starts = [start for start, _ in intervals]
        self.ends = [end for _, end in intervals]

    def take(self, start: int, end: int) -> bool:
        """Add an interval unless it overlaps one that is there."""
        place = bisect_left(self.starts, end)
        if start >= end or (place > 0 and self.ends[place - 1] > start):
            return False
        self.starts.insert(place, start)
        self.ends.insert(place, end)
        return True


def _may_be_in(rule: Rule, small: str) -> bool:
    return not rule.needs or any(literal in small for literal in rule.needs)


def _apply(rule: Rule, text: str) -> Iterator[Span]:
    group = "value" if "value" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(text):
        start, end = match.span(group)
        if rule.check is not None and not rule.check(text[start:end]):
            continue
        if rule.context is not None and not rule.context(text, start, end):
            continue
        yield Span(start, end, rule.type, rule.name)


def _name_finder(options: ScrubOptions, language: str | None) -> Callable[[str], Iterator[Span]] | None:
    if not options.names:
        return None
    from cleartitle.code.scrub.names import NameFinder

    return NameFinder.of(options.spacy_model).bound(language)


def _type_of(placeholder: str) -> str:
    return placeholder[1:-1].rpartition("_")[0]
