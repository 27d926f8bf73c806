"""From a licensed file to prompts: every function and class with the reason that keeps it out, or none.

Candidates hold places, not texts: what a file keeps secret is not copied before it is scrubbed.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cleartitle.code import Definition, definitions, is_worded, names_license, normal_line_ends
from cleartitle.code.streams import DeadlineError, deadline
from cleartitle.evals.codeipprompt.paper_rule import CommentFilter, TwoLines, is_clean_path, passes, two_lines
from cleartitle.evals.codeipprompt.prompts import Mode
from cleartitle.licenses import classify, is_dual
from cleartitle.tables import table_of

__all__ = ["CANDIDATES", "Rules", "find_candidates", "prompt_text"]

SECONDS = 30.0
"""Time to parse one file."""

CANDIDATES = pa.schema(
    [
        ("prompt_id", pa.string()),
        ("content_id", pa.string()),
        ("project", pa.string()),
        ("language", pa.string()),
        ("license", pa.string()),
        ("license_class", pa.string()),
        ("license_source", pa.string()),
        ("kind", pa.string()),
        ("name", pa.string()),
        ("prompt_first_line", pa.int32()),
        ("prompt_last_line", pa.int32()),
        # Characters of the last line that belong to the prompt.
        ("prompt_end", pa.int32()),
        ("unit_first_line", pa.int32()),
        ("unit_last_line", pa.int32()),
        # Of the prompt with white space made even, to find equal ones.
        ("digest", pa.string()),
        # The first rule that it fails; null where it is eligible.
        ("reason", pa.string()),
    ]
)

_COMMENT_SIGNS = re.compile(r"^[\s/*#!<>\"'rbuRBU-]+")
_LAYOUT = {ord(character): " " for character in "\n\t\f"}
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")


@dataclass(frozen=True)
class Rules:
    """What a function or class must have to become a prompt (section 4.1).

    ``paper`` takes the license that the project declares, and two lines by the release's rule. ``corrected`` takes
    the license of the file (header, else declaration; none where they disagree), comments and signatures over several
    lines, and wants a body that is long enough to be compared.
    """

    mode: Mode = "corrected"
    kinds: tuple[str, ...] = ("function", "class")
    body_lines_min: int = 3
    prompt_lines_max: int = 60
    comment_filter: CommentFilter = "intended"


def find_candidates(works: pa.Table, *, rules: Rules) -> pa.Table:
    """All functions and classes of ``works`` (rows of a corpus) as `CANDIDATES`; pure, so that `jobs` can map it.

    A file whose license cannot be used gives one row with the reason.
    """
    rows: list[dict[str, Any]] = []
    for work in works.to_pylist():
        expression, source, reason = _license(work, rules)
        if reason is None and rules.mode == "paper" and not is_clean_path(work["path"]):
            reason = "special characters in the path"
        if reason is not None:
            rows.append(_dropped(work, reason))
            continue
        found = _paper(work, rules) if rules.mode == "paper" else _corrected(work, rules)
        shared = {"license": expression, "license_class": classify(expression), "license_source": source}
        rows.extend({**row, **shared} if row["reason"] is None else row for row in found)
    return table_of(rows, CANDIDATES)


def prompt_text(text: str, first_line: int, last_line: int, end: int) -> str:
    r"""The prompt at a place of a text with normal line ends: its lines at the left margin, without a last ``\n``.

    ``end`` counts the characters of the last line that belong to it. Lines stay where they are when one of them, as
    in a string over several lines, begins further left than the first.
    """
    lines = text.split("\n")[first_line - 1 : last_line]
    lines[-1] = lines[-1][:end]
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    if margin and all(line.startswith(margin) or not line.strip() for line in lines):
        lines = [line.removeprefix(margin) for line in lines]
    return "\n".join(lines)


def _license(work: Mapping[str, Any], rules: Rules) -> tuple[str, str, str | None]:
    """The license that a file has in this mode, what it was read from, and why it cannot be used, if it cannot."""
    if rules.mode == "paper":
        expression, source, missing = work["declared_license"], "declaration", "no license declared"
    else:
        expression, missing = work["license"], "no license"
        source = "header" if work["header_status"] == "ok" else "declaration"
    if expression is None:
        return "", source, missing
    if rules.mode == "corrected" and work["trust"] == "conflict":
        return expression, source, "header and package disagree"
    if is_dual(expression):
        return expression, source, "dual license"
    kind = classify(expression, None)
    if kind is None:
        return expression, source, "license of no class"
    if kind == "restricted" and rules.mode == "paper":
        return expression, source, "license of no class of the paper"
    return expression, source, None


def _paper(work: Mapping[str, Any], rules: Rules) -> Iterator[dict[str, Any]]:
    lines = normal_line_ends(work["text"]).split("\n")
    found = two_lines(lines, work["language"])
    if found is None:
        yield _dropped(work, "no line of code beside a comment")
    elif found.kind not in rules.kinds:
        yield _dropped(work, f"a {found.kind}")
    elif not passes(found.comment, rules.comment_filter):
        yield _dropped(work, "empty or special comment")
    else:
        last = found.first_line + 1
        text = "\n".join(lines[found.first_line - 1 : last])
        first_unit, last_unit = _unit_at(work, found)
        yield _row(
            work, found.kind, found.name, (found.first_line, last, len(lines[last - 1])), (first_unit, last_unit), text
        )


def _unit_at(work: Mapping[str, Any], found: TwoLines) -> tuple[int | None, int | None]:
    """Lines of the definition whose header begins in the prompt, if the parser sees one there."""
    try:
        with deadline(SECONDS):
            all_of_file = definitions(work["text"], work["language"])
    except DeadlineError:
        return None, None
    for item in all_of_file:
        if found.first_line <= item.header_line <= found.first_line + 1:
            return min(item.first_line, found.first_line), item.last_line
    return None, None


def _corrected(work: Mapping[str, Any], rules: Rules) -> Iterator[dict[str, Any]]:
    try:
        with deadline(SECONDS):
            found = definitions(work["text"], work["language"])
    except DeadlineError:
        yield _dropped(work, "no time to parse its file")
        return
    for item in found:
        reason = _reason(item, rules, work["language"])
        if reason is not None:
            yield _dropped(work, reason)
            continue
        text = item.comment + item.header + item.docstring
        end = len(text) - (text.rfind("\n") + 1)
        place = (item.first_line, item.prompt_last_line, end)
        yield _row(work, item.kind, item.name, place, (item.first_line, item.last_line), text)


def _reason(item: Definition, rules: Rules, language: str) -> str | None:
    comment = item.comment + item.docstring
    if item.kind not in rules.kinds:
        return f"a {item.kind}"
    if not _says_something(comment):
        return "no comment"
    if names_license(comment):
        return "comment names a license"
    if item.body_lines < rules.body_lines_min:
        return "short body"
    if item.prompt_last_line - item.first_line + 1 > rules.prompt_lines_max:
        return "long prompt"
    if _has_special(comment + item.header):
        return "special characters"
    return None


def _says_something(comment: str) -> bool:
    """Whether a line of the comment has a word, and is no note to a tool."""
    return any(is_worded(_COMMENT_SIGNS.sub("", line)) for line in comment.split("\n"))


def _has_special(text: str) -> bool:
    """Whether there are control characters, replaced or private ones, or such that turn the direction of writing.

    Letters of any script are none: the release drops comments in other languages, or meant to.
    """
    if text.isascii() and text.isprintable():
        return False
    return any(
        character in _BIDI
        or (character not in "\n\t\f" and unicodedata.category(character) in {"Cc", "Co", "Cn", "Cs"})
        for character in text
    ) or ("\ufffd" in text)


def _row(
    work: Mapping[str, Any],
    kind: str,
    name: str,
    place: tuple[int, int, int],
    unit: tuple[int | None, int | None],
    text: str,
) -> dict[str, Any]:
    first, last, end = place
    return {
        "prompt_id": f"{work['swhid']};lines={first}-{last}",
        "content_id": work["swhid"],
        "project": work["project"],
        "language": work["language"],
        "license": None,
        "license_class": None,
        "license_source": None,
        "kind": kind,
        "name": name,
        "prompt_first_line": first,
        "prompt_last_line": last,
        "prompt_end": end,
        "unit_first_line": unit[0],
        "unit_last_line": unit[1],
        "digest": hashlib.sha256(" ".join(text.split()).encode("utf-8", errors="replace")).hexdigest()[:16],
        "reason": None,
    }


def _dropped(work: Mapping[str, Any], reason: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(CANDIDATES.names)
    return {**row, "project": work["project"], "language": work["language"], "reason": reason}
