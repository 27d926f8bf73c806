"""Licenses of single files by a machine-readable ``debian/copyright`` (DEP-5, copyright-format 1.0)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from cleartitle.corpus.declarations import Declaration
from cleartitle.files import canonical_json
from cleartitle.licenses import UnknownLicenseError, detect, normalize, parse_declaration

__all__ = ["CopyrightFile", "control_paragraphs", "parse_copyright"]

_FORMAT = re.compile(r"copyright-format|\bdep-?5\b|Machine-readable", re.IGNORECASE)
_PATTERNS = 20_000  # of one file
_CONJUNCTIONS = (r",\s+or\s+", r",\s+and\s+|,\s*(?!or\b|and\b)", r"\s+or\s+", r"\s+and\s+|\s*/\s*and\s+")
"""How names are joined, loosest first: a comma binds looser than the word without one."""


@dataclass(frozen=True)
class _Files:
    patterns: tuple[str, ...]
    stated: str
    expression: str | None


class CopyrightFile:
    """Which license a package states for which of its files."""

    def __init__(self, paragraphs: list[_Files]) -> None:
        self._paragraphs = paragraphs
        # The last paragraph that matches a file is the one that holds.
        self._matchers = [
            (pattern, _matcher(pattern), paragraph)
            for paragraph in reversed(paragraphs)
            for pattern in reversed(paragraph.patterns)
        ]

    def declaration(self, path: str) -> Declaration:
        """Expression and evidence for a path relative to the root of the source; None where nothing is stated.

        A name that is not understood makes the expression None, with the name in the evidence.
        """
        for pattern, matches, paragraph in self._matchers:
            if matches(path):
                evidence = {"from": "debian/copyright", "files": pattern[:200], "stated": paragraph.stated[:200]}
                scope = {} if pattern == "*" else {"scope": "file"}
                return paragraph.expression, canonical_json(evidence | scope)
        return None, None

    @property
    def whole(self) -> str | None:
        """The expression for ``Files: *``, if there is one."""
        found = [paragraph.expression for paragraph in self._paragraphs if "*" in paragraph.patterns]
        return found[-1] if found else None


def parse_copyright(text: str) -> CopyrightFile | None:
    """Read a ``debian/copyright``; None if it is free text, which states nothing about single files.

    A license of a ``Files`` paragraph is its short name, read as the package license names are; where that says
    nothing, the license text that the file gives for the name is read instead.
    """
    paragraphs = list(control_paragraphs(text))
    if not paragraphs or not any(_FORMAT.search(field.get("format", "")) for field in paragraphs[:3]):
        return None
    texts = {
        first.lower(): rest
        for field in paragraphs
        for first, rest in [_first_line(field.get("license", ""))]
        if first and rest
    }
    found: list[_Files] = []
    patterns = 0
    for field in paragraphs:
        if "files" in field:
            stated, own = _first_line(field.get("license", ""))
            names = tuple(name.rstrip(",").removeprefix("./") or name for name in field["files"].split())
            patterns += len(names)
            if patterns > _PATTERNS:
                break
            found.append(_Files(names, stated, _expression(stated, own, texts)))
    return CopyrightFile(found)


def control_paragraphs(text: str) -> Iterator[dict[str, str]]:
    """Paragraphs of a Debian control file: lower-case field names, values with their lines as they stand."""
    fields: dict[str, list[str]] = {}
    last = ""
    for line in [*text.replace("\r\n", "\n").split("\n"), ""]:
        if not line.strip():
            if fields:
                yield {name: "\n".join(lines) for name, lines in fields.items()}
            fields, last = {}, ""
        elif line.startswith("#"):
            continue
        elif line[0] in " \t":
            if last:
                fields[last].append(line.strip())
        else:
            name, colon, value = line.partition(":")
            last = name.strip().lower() if colon else ""
            if last:
                fields[last] = [value.strip()]


def _first_line(value: str) -> tuple[str, str]:
    first, _, rest = value.partition("\n")
    return " ".join(first.split()), rest


def _expression(stated: str, own: str, texts: dict[str, str]) -> str | None:
    if not stated:
        return _by_text(own)
    return _joined(stated[:500], texts, 0) or _by_text(own)


def _joined(text: str, texts: dict[str, str], level: int) -> str | None:
    """Split at the loosest word that joins names; None if one part is not understood."""
    if text.lower() in texts and (found := _atom(text, texts)):
        return found  # a name may hold "and"
    if level == len(_CONJUNCTIONS):
        return _atom(text, texts)
    parts = [part.strip() for part in re.split(_CONJUNCTIONS[level], text) if part.strip()]
    found = [_joined(part, texts, level + 1) for part in parts]
    known = [expression for expression in found if expression]
    if not parts or len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    word = " OR " if level in (0, 2) else " AND "
    return normalize(word.join(f"({expression})" for expression in dict.fromkeys(known)))


@lru_cache(maxsize=4096)
def _named(name: str) -> tuple[str | None, bool]:
    """Expression of one short name, and whether it is exact."""
    try:
        expression = normalize(name)
    except UnknownLicenseError:
        pass
    else:
        found = parse_declaration(name)
        return expression, found.status == "ok"
    found = parse_declaration(name)
    return found.expression, found.status == "ok"


def _atom(name: str, texts: dict[str, str]) -> str | None:
    expression, exact = _named(name)
    if exact:
        return expression
    return _by_text(texts.get(name.lower(), "")) or expression


@lru_cache(maxsize=1024)
def _by_text(text: str) -> str | None:
    if not text.strip():
        return None
    lines = ["" if line == "." else line for line in text.split("\n")]
    found = detect("\n".join(lines), "LICENSE")
    return found.expression if found.status == "ok" else None


def _matcher(pattern: str) -> Callable[[str], bool]:
    """A test for paths: ``*`` is any text, also over ``/``, ``?`` any one sign. Linear in the path."""
    first, *rest = _segments(pattern)
    if not rest:
        return lambda path: first.fullmatch(path) is not None
    *middle, last = rest
    tail = re.compile(f"(?:{last.pattern})\\Z", re.DOTALL)
    length = len(re.sub(r"\\(.)", r"\1", last.pattern, flags=re.DOTALL))

    def matches(path: str) -> bool:
        found = first.match(path)
        for segment in middle:
            if found is None:
                return False
            # The leftmost place is as good as any: what follows has the most room.
            found = segment.search(path, found.end())
        if found is None:
            return False
        start = len(path) - length
        return start >= found.end() and tail.match(path, start) is not None

    return matches


def _segments(pattern: str) -> list[re.Pattern[str]]:
    """What stands between the stars; each piece matches texts of one length."""
    pieces = [""]
    escaped = False
    for sign in pattern:
        if sign == "*" and not escaped:
            pieces.append("")
        elif sign == "?" and not escaped:
            pieces[-1] += "."
        elif sign == "\\" and not escaped:
            escaped = True
            continue
        else:
            pieces[-1] += re.escape(sign)
        escaped = False
    return [re.compile(piece, re.DOTALL) for piece in pieces]
