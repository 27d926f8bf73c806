"""A search as one self-contained page: matches, and for each both texts beside each other."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cleartitle import __version__
from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Group,
    KeyFigure,
    KeyFigures,
    Mark,
    MarkedText,
    MarkKind,
    Notes,
    Paragraph,
    RowGroup,
    Section,
    SideBySide,
    Table,
    Tone,
)
from cleartitle.report.page import render
from cleartitle.report.titles import CLASS_TITLES
from cleartitle.trace import Finding, Match, Result, Span, text_bytes

__all__ = ["trace_page", "trace_sections"]

IN_FULL = 100
"""Most matches with their texts in the page; the table lists all."""

AROUND = 3
"""Lines shown before and after a span."""

LEGEND = (("shared", "equal words"), ("evidence", "equal but for names and numbers"))
MARKS: dict[str, MarkKind] = {"exact": "shared", "renamed": "evidence"}
TONES: dict[str, Tone] = {"deny": "bad", "warn": "warn", "allow": "muted", "accepted": "muted"}
STATES = {"common": "only words that many projects share", "too_short": "too short to be searched for"}

Texts = Callable[[str], str | None]
"""The stored text of a content by its id; None where an index holds none."""


def trace_page(
    results: Sequence[Result],
    found: Sequence[Finding],
    searched: Mapping[str, Any],
    files: Mapping[str, bytes],
    texts: Texts,
) -> str:
    """A whole HTML page for a search; equal arguments give an equal page.

    Args:
        results: one per file that was searched for.
        found: their findings.
        searched: what was looked through (``Index.searched``).
        files: the bytes of each file with findings as they stand on disk, by its path.
        texts: stored texts of the corpus.
    """
    count = f"{len(results):,} {'file' if len(results) == 1 else 'files'}"
    subtitle = f"{count} searched for in {searched['documents']:,} files of an index"
    return render(
        "Where does this text come from?",
        trace_sections(results, found, searched, files, texts),
        f"{subtitle}, {searched['source_bytes'] / 1e6:,.1f} MB.",
        {"Made by": f"Cleartitle {__version__}"},
    )


def trace_sections(
    results: Sequence[Result],
    found: Sequence[Finding],
    searched: Mapping[str, Any],
    files: Mapping[str, bytes],
    texts: Texts,
) -> list[Section]:
    """The sections of ``trace_page``, for a page that holds more than a search."""
    sections = [Section("sum", "", (_figures(results, found),))]
    if found:
        sections.append(Section("matches", "Matches", (_table(found),)))
        blocks: list[Block] = [
            _group(number, finding, files[finding.path], texts(finding.match.swhid))
            for number, finding in enumerate(found[:IN_FULL], 1)
        ]
        if len(found) > IN_FULL:
            blocks.insert(0, Paragraph(f"The first {IN_FULL} of {len(found):,} matches; the table lists all."))
        sections.append(Section("texts", "Both texts", blocks))
    sections.append(Section("rest", "Without a match", _rest(results)))
    sections.append(Section("bounds", "What this does not show", (_bounds(searched),)))
    return sections


def _figures(results: Sequence[Result], found: Sequence[Finding]) -> KeyFigures:
    denied = sum(finding.denied for finding in found)
    accepted = sum(finding.accepted for finding in found)
    matched = sum(any(not match.common for match in result.matches) for result in results)
    common = sum(finding.match.common for finding in found)
    tone: Tone = "bad" if denied else "plain"
    return KeyFigures(
        (
            KeyFigure("Files with a match", f"{matched:,}", n=f"of {len(results):,} searched for"),
            KeyFigure("Denied by the policy", f"{denied:,}", n=f"of {len(found):,} matches", tone=tone),
            KeyFigure("Accepted before", f"{accepted:,}", note="held by the baseline"),
            KeyFigure("Common", f"{common:,}", note="words that many projects share; never denied"),
        )
    )


def _table(found: Sequence[Finding]) -> Table:
    columns = (
        Column("file", "code"),
        Column("lines"),
        Column("origin", "code"),
        Column("license", choose=True),
        Column("class", choose=True),
        Column("of the text", "number", help="share of the words of the file that stand in the spans"),
        Column("exact", "number", help="share that stands in spans of equal words"),
        Column("policy", choose=True),
    )
    rows = [
        (
            Cell(finding.path),
            Cell(_ranges(finding.match.spans)),
            Cell(_origin(finding.match)),
            Cell(finding.match.license or "unknown"),
            Cell(_class(finding.match)),
            Cell.number(finding.match.containment, f"{finding.match.containment:.0%}"),
            Cell.number(finding.match.exact, f"{finding.match.exact:.0%}"),
            Cell(_verdict(finding), tone=TONES.get(_verdict(finding), "muted")),
        )
        for finding in found
    ]
    return Table("All matches", columns, (RowGroup(rows),))


def _group(number: int, finding: Finding, text: bytes, origin: str | None) -> Group:
    match = finding.match
    here = text_bytes(text).decode("utf-8", "replace")
    facts = Facts(
        (
            Fact("origin", (_origin(match),)),
            Fact("license", (match.license or "unknown",)),
            Fact("founded on", (_trust(match),), "warn" if match.conflict else "plain"),
            Fact("asks for", match.obligations or ("nothing that is known",)),
            Fact("copyright", match.copyright_lines or ("no line in the file",)),
            Fact("address", (match.permalink or "none",)),
            Fact("content", (match.swhid,)),
            Fact("also", (f"{match.also:,} further places; the shared words stand in {_projects(match)}",)),
        )
    )
    left = _excerpt(finding.path, here, [(span.query, span.kind) for span in match.spans])
    if origin is None:
        blocks: list[Block] = [facts, Paragraph("The index holds no texts; only the place of the origin is known.")]
    else:
        right = _excerpt(_origin(match), origin, [(span.origin, span.kind) for span in match.spans])
        blocks = [facts, SideBySide(left, right, LEGEND)]
    badges: list[tuple[str, Tone]] = [
        (_verdict(finding), TONES.get(_verdict(finding), "muted")),
        (_class(match), "plain"),
    ]
    return Group(f"{number}. {finding.path} and {match.project}", blocks, badges, open=number == 1)


def _excerpt(title: str, text: str, spans: Sequence[tuple[tuple[int, int], str]]) -> MarkedText:
    """The lines of the spans with some around them, numbered, and the spans marked."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kinds: dict[int, str] = {}
    for (first, last), kind in spans:
        for line in range(max(1, first), min(last, len(lines)) + 1):
            # Where a line holds both, what differs is the smaller claim.
            kinds[line] = kind if kinds.get(line, kind) == kind else "renamed"
    shown = sorted({near for line in kinds for near in range(line - AROUND, line + AROUND + 1)} & {*_numbers(lines)})
    width = len(str(shown[-1])) if shown else 1
    parts: list[str] = []
    marks: list[Mark] = []
    position = 0
    for place, line in enumerate(shown):
        if place and line != shown[place - 1] + 1:
            parts.append("⋯\n")
            position += 2
        head = f"{line:>{width}}  "
        body = lines[line - 1]
        if line in kinds and body.strip():
            start = position + len(head) + len(body) - len(body.lstrip())
            marks.append(Mark(start, position + len(head) + len(body.rstrip()), MARKS[kinds[line]]))
        parts.append(f"{head}{body}\n")
        position += len(head) + len(body) + 1
    return MarkedText(title, "".join(parts), marks)


def _numbers(lines: Sequence[str]) -> range:
    return range(1, len(lines) + 1)


def _rest(results: Sequence[Result]) -> list[Block]:
    without = [result for result in results if not result.matches]
    if not without:
        return [Paragraph("Each file has a match.")]
    rows = [
        (
            Cell(result.path or "text"),
            Cell(STATES.get(result.state, "no match"), tone="muted"),
            Cell.number(result.words),
        )
        for result in without
    ]
    columns = (Column("file", "code"), Column("found", choose=True), Column("words", "number"))
    return [Table("Files without a match", columns, (RowGroup(rows),))]


def _bounds(searched: Mapping[str, Any]) -> Notes:
    found = searched["guaranteed_words"]
    return Notes(
        "Bear in mind",
        (
            "A match shows shared words. It does not show who copied from whom, that the words are protected, or that "
            "the license of the corpus is right. This is not legal advice.",
            f"Nothing found means nothing found in this index: {searched['documents']:,} files in "
            f"{searched['origins']:,} places.",
            f"A run of {found['exact']} equal words is always found, or of {found['renamed']} words under other names, "
            "unless all of it is common.",
        ),
    )


def _verdict(finding: Finding) -> str:
    if finding.match.common:
        return "common"
    return "accepted" if finding.accepted else finding.action


def _projects(match: Match) -> str:
    return "1 project" if match.projects == 1 else f"{match.projects:,} projects"


def _class(match: Match) -> str:
    return CLASS_TITLES.get(match.license_class or "", "class unknown")


def _trust(match: Match) -> str:
    grades = {
        "agree": "header and declaration agree",
        "header": "the header of the file",
        "declaration": "the declaration of the package",
        "none": "nothing",
    }
    return f"conflict: {match.conflict}" if match.conflict else grades.get(match.trust, match.trust)


def _origin(match: Match) -> str:
    version = f" {match.version}" if match.version else ""
    return f"{match.project}{version}: {match.path}"


def _ranges(spans: Sequence[Span]) -> str:
    ranges = [span.query for span in spans]
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)
