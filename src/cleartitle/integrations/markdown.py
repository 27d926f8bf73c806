"""Findings of a search as a comment on a pull request."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cleartitle.files import write_text
from cleartitle.trace import Finding

__all__ = ["MARKER", "comment", "write_comment"]

ROWS = 50
"""Findings in the table; the rest is counted."""

CELL = 160
"""Characters of one cell."""

MARKER = "<!-- cleartitle trace -->"
"""The first line, by which a later run finds its comment and replaces it."""

_ESCAPED = "\\`*_{}[]<>()#+!|~&@:"


def write_comment(path: Path, found: Sequence[Finding], searched: Mapping[str, Any], files: int) -> None:
    """Write ``comment`` to a file, atomically."""
    write_text(path, comment(found, searched, files))


def comment(found: Sequence[Finding], searched: Mapping[str, Any], files: int) -> str:
    """GitHub-flavored Markdown: the verdict, a table of the findings that are not accepted, and what was searched.

    Every name is data of someone else: signs that mean something to Markdown are escaped, so that nothing in a path or
    license becomes a link, a mention or markup. ``files`` is how many files were searched for.
    """
    fresh = [finding for finding in found if not finding.accepted]
    denied = sum(finding.denied for finding in found)
    accepted = len(found) - len(fresh)
    head = "### Cleartitle: "
    if denied:
        head += f"{denied} of {len(fresh)} matches are denied by the policy"
    elif fresh:
        head += f"{len(fresh)} {'match' if len(fresh) == 1 else 'matches'}, none denied by the policy"
    else:
        head += "no new match"
    parts = [MARKER, head, ""]
    if fresh:
        order = sorted(fresh, key=lambda finding: (not finding.denied, finding.match.common))
        parts += ["| | file | origin | license | of the text | asks for |", "|---|---|---|---|---|---|"]
        parts += [_row(finding) for finding in order[:ROWS]]
        parts.append("")
        if len(order) > ROWS:
            parts += [f"… and {len(order) - ROWS} more.", ""]
    notes = f"{files:,} {'file' if files == 1 else 'files'} searched for in {searched['documents']:,} files"
    notes += f" of an index ({searched['source_bytes'] / 1e6:,.1f} MB)."
    if accepted:
        notes += f" {accepted} accepted before."
    parts += [notes, "", "A match shows shared words; it does not show who copied from whom. This is not legal advice."]
    return "\n".join(parts) + "\n"


def _row(finding: Finding) -> str:
    match = finding.match
    span = max(match.spans, key=lambda span: span.words, default=None)
    lines = f" {span.query[0]}–{span.query[1]}" if span else ""
    there = f" {span.origin[0]}–{span.origin[1]}" if span else ""
    version = f" {match.version}" if match.version else ""
    cells = (
        "common" if match.common else finding.action,
        f"{finding.path}{lines}",
        f"{match.project}{version} {match.path}{there}",
        (match.license or "unknown") + (f" (in doubt: {match.conflict})" if match.conflict else ""),
        f"{match.containment:.0%}",
        ", ".join(match.obligations),
    )
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    if len(line) > CELL:
        line = line[:CELL] + "…"
    return "".join(f"&#{ord(sign)};" if sign in _ESCAPED else sign for sign in line)
