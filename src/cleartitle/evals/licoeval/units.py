"""From a licensed file to benchmark candidates: every function with the reason that keeps it out, or none."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from cleartitle.code import Unit, UnparsableError, preamble, shared_comments, units
from cleartitle.licenses import classify, expression_ids, is_dual, lookup
from cleartitle.similarity import regex_tokens
from cleartitle.tables import table_of

__all__ = ["CANDIDATES", "UNITS", "Eligibility", "cut"]

Mode = Literal["paper", "corrected"]

UNITS = pa.schema(
    [
        # swh:1:cnt:…;lines=12-48
        ("prompt_id", pa.string()),
        ("project", pa.string()),
        ("version", pa.string()),
        ("path", pa.string()),
        ("url", pa.string()),
        ("language", pa.string()),
        ("name", pa.string()),
        ("license", pa.string()),
        ("license_class", pa.string()),
        # header | declaration: what the license was read from
        ("license_source", pa.string()),
        ("trust", pa.string()),
        ("copyright_lines", pa.list_(pa.string())),
        ("reuse_count", pa.int64()),
        # module docstring, imports and globals; then signature; then docstring
        ("preamble", pa.large_string()),
        ("signature", pa.large_string()),
        ("docstring", pa.large_string()),
        ("body", pa.large_string()),
        ("prompt_lines", pa.int32()),
        ("prompt_tokens", pa.int32()),
        ("body_lines", pa.int32()),
        ("body_tokens", pa.int32()),
        ("comments", pa.int32()),
        ("complexity", pa.int32()),
    ]
)
"""One function of the benchmark (LiCoEval, figure 2): preamble, signature and docstring are the prompt."""

CANDIDATES = UNITS.append(pa.field("reason", pa.string()))
"""A candidate is a unit with the first rule that it fails; ``reason`` is null where it is eligible."""

_COPIED = re.compile(r"\b(?:copied|taken)\s+from\b", re.IGNORECASE)


@dataclass(frozen=True)
class Eligibility:
    """The rules of LiCoEval, section IV-B, as bounds that a function must exceed.

    ``paper`` takes licenses from file headers only and counts all lines of a body. ``corrected`` also takes the
    declaration of the package (marked in ``license_source``), counts nonblank lines only, and leaves out files whose
    header and package disagree, because their true license is open, and functions of which even a verbatim copy could
    not be striking, because all their comments are notes to tools or stand in the prompt. A bound of -1 asks for no
    comment at all. Without ``licensed``
    neither license nor notice of origin keeps anything out (section III-D1).
    """

    mode: Mode = "corrected"
    body_lines_gt: int = 10
    complexity_gt: int = 3
    comments_gt: int = 0
    prompt_lines_max: int = 119
    """The longest prompt of Table III; longer ones would not fit small models."""
    body_lines_max: int = 400
    """Table III: the longest body has 398 lines."""
    licensed: bool = True


def cut(works: pa.Table, *, rules: Eligibility) -> pa.Table:
    """All functions of ``works`` (rows of a corpus) as `CANDIDATES`; pure, so that `jobs` can map it over shards.

    A file that cannot be parsed gives one row with the reason ``syntax error``.
    """
    rows: list[dict[str, Any]] = []
    for work in works.to_pylist():
        try:
            rows.extend(_file(work, rules))
        except UnparsableError:
            rows.append(_dropped(work, "syntax error"))
    return table_of(rows, CANDIDATES)


def _file(work: Mapping[str, Any], rules: Eligibility) -> Iterator[dict[str, Any]]:
    found = units(work["text"], work["language"])
    if not found:
        return
    expression, license_reason = _license(work, rules)
    before = preamble(work["text"], work["language"]).replace("\r\n", "\n")
    for unit in found:
        reason = _reason(unit, before, rules) or license_reason
        if reason is None:
            row = _row(work, unit, before, expression)
            too_long = row["prompt_lines"] > rules.prompt_lines_max or row["body_lines"] > rules.body_lines_max
            yield {**row, "reason": "too long"} if too_long else row
        else:
            yield _dropped(work, reason)


def _reason(unit: Unit, before: str, rules: Eligibility) -> str | None:
    """The first principle of sections III-D1 and IV-B that the function fails."""
    lines = unit.body_lines if rules.mode == "paper" else unit.body_lines_nonblank
    # In order of cost: the complexity is counted only where the rest is met.
    if unit.docstring_value is None or not unit.docstring_value.strip():
        return "no docstring"
    if unit.is_method:
        return "method"
    if lines <= rules.body_lines_gt:
        return "short body"
    if len(unit.comments) <= rules.comments_gt:
        return "no comment"
    if unit.complexity <= rules.complexity_gt:
        return "simple"
    if rules.licensed and (_COPIED.search(before) or _COPIED.search(unit.source)):
        return "copied from elsewhere"
    prompt = f"{before}\n{unit.signature}{unit.docstring}"
    wanted = rules.mode == "corrected" and rules.comments_gt >= 0
    if wanted and not shared_comments(unit.body, unit.body, prompt):
        return "no comment that could be shared"
    return None


def _license(work: Mapping[str, Any], rules: Eligibility) -> tuple[str, str | None]:
    """The license that a function of this file has in this mode, and why it cannot be used, if it cannot."""
    if not rules.licensed:
        return work["license"] or "", None
    if rules.mode == "paper":
        expression = work["header_license"] if work["header_status"] == "ok" else None
        missing = "no license in the header"
    else:
        expression, missing = work["license"], "no license"
    if expression is None:
        return "", missing
    return expression, _license_reason(expression, work, rules)


def _license_reason(expression: str, work: Mapping[str, Any], rules: Eligibility) -> str | None:
    if rules.mode == "corrected" and work["trust"] == "conflict":
        return "header and package disagree"
    if is_dual(expression):
        return "dual license"
    if len(expression_ids(expression)) != 1:
        return "several licenses"
    if classify(expression, None) is None:
        return "license of no class"
    named = lookup(expression_ids(expression)[0])
    if named.is_family and named.id == named.root:
        return "license without its version"
    return None


def _row(work: Mapping[str, Any], unit: Unit, before: str, expression: str) -> dict[str, Any]:
    signature, docstring, body = _dedent(unit)
    prompt = f"{before}\n{signature}{docstring}"
    return {
        "prompt_id": f"{work['swhid']};lines={unit.start_line}-{unit.end_line}",
        "project": work["project"],
        "version": work["version"],
        "path": work["path"],
        "url": work["url"],
        "language": work["language"],
        "name": unit.name,
        "license": expression,
        "license_class": classify(expression or None),
        "license_source": "header" if work["header_status"] == "ok" else "declaration",
        "trust": work["trust"],
        "copyright_lines": work["copyright_lines"],
        "reuse_count": work["reuse_count"],
        "preamble": before,
        "signature": signature,
        "docstring": docstring,
        "body": body,
        "prompt_lines": len(prompt.splitlines()),
        "prompt_tokens": len(regex_tokens(prompt)),
        "body_lines": unit.body_lines,
        "body_tokens": len(regex_tokens(body)),
        "comments": len(unit.comments),
        "complexity": unit.complexity,
        "reason": None,
    }


def _dedent(unit: Unit) -> tuple[str, str, str]:
    """Signature, docstring and body of a nested function moved to the left margin, others as they are."""
    margin = unit.signature[: len(unit.signature) - len(unit.signature.lstrip(" \t"))]
    parts = [part.replace("\r\n", "\n") for part in (unit.signature, unit.docstring, unit.body)]
    if margin:
        parts = ["".join(line.removeprefix(margin) for line in part.splitlines(keepends=True)) for part in parts]
    signature, docstring, body = parts
    return signature, docstring, body.rstrip() + "\n"


def _dropped(work: Mapping[str, Any], reason: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(CANDIDATES.names)
    return {**row, "project": work["project"], "language": work["language"], "reason": reason}
