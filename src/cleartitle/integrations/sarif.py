"""Findings of a search as SARIF 2.1.0, for code scanning and editors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cleartitle import __version__
from cleartitle.files import write_json
from cleartitle.licenses import CLASSES
from cleartitle.trace import Finding, Span

__all__ = ["sarif_log", "write_sarif"]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "cleartitleFinding/v1"
LICENSE_LIST = "https://spdx.org/licenses/"

LEVELS = {"deny": "error", "warn": "warning", "allow": "note"}

_TITLES = {
    "public_domain": ("PublicDomain", "Text that also stands in a work in the public domain"),
    "permissive": ("Permissive", "Text that also stands in a work under a permissive license"),
    "weak_copyleft": ("WeakCopyleft", "Text that also stands in a work under a weak copyleft license"),
    "strong_copyleft": ("StrongCopyleft", "Text that also stands in a work under a strong copyleft license"),
    "restricted": ("Restricted", "Text that also stands in a work under a license that restricts its use"),
    "unknown": ("UnknownLicense", "Text that also stands in a work whose license is not known"),
}
RULES = (*CLASSES, "unknown")
HELP = (
    "The file shares words with a work of another origin. Look at both places. If the text was taken over, keep to the "
    "license of the work: `cleartitle notice` writes the notice that it asks for. If it was not, or if the use is in "
    "order, accept the finding with `cleartitle trace search --write-baseline FILE`. Shared words do not show who "
    "copied from whom; this is not legal advice."
)


def write_sarif(path: Path, found: Sequence[Finding], *, baseline: Path | None = None, status: int = 0) -> None:
    """Write ``sarif_log`` to a file, atomically."""
    write_json(path, sarif_log(found, baseline=baseline, status=status))


def sarif_log(found: Sequence[Finding], *, baseline: Path | None = None, status: int = 0) -> dict[str, Any]:
    """One run with a rule per license class and a result per finding.

    The level is the policy's (deny: error, warn: warning, allow: note). ``partialFingerprints`` holds the id of the
    finding, which edits elsewhere in the file do not change. With a ``baseline`` accepted findings are ``unchanged``
    and suppressed, the others ``new``. ``status`` is the exit status of the search. Paths are relative to the folder
    of the search, from which code scanning expects them to be relative to the root of the repository.
    """
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Cleartitle",
                        "semanticVersion": __version__,
                        "version": __version__,
                        "rules": [_rule(name) for name in RULES],
                    }
                },
                "automationDetails": {"id": "cleartitle/trace/"},
                "columnKind": "utf16CodeUnits",
                "invocations": [{"executionSuccessful": True, "exitCode": status}],
                "results": [_result(finding, baseline) for finding in found],
            }
        ],
    }


def rule_id(license_class: str | None) -> str:
    """The rule of a license class, such as ``trace-strong-copyleft``."""
    return f"trace-{(license_class or 'unknown').replace('_', '-')}"


def _rule(name: str) -> dict[str, Any]:
    title, text = _TITLES[name]
    return {
        "id": rule_id(name),
        "name": title,
        "shortDescription": {"text": f"{text}."},
        "fullDescription": {"text": f"{text}. The words, not the idea: at least the run that an index always finds."},
        "help": {"text": HELP.replace("`", ""), "markdown": HELP},
        "helpUri": LICENSE_LIST,
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["license", "provenance"], "precision": "high"},
    }


def _result(finding: Finding, baseline: Path | None) -> dict[str, Any]:
    match = finding.match
    first, *others = sorted(match.spans, key=lambda span: -span.words) or [Span((1, 1), (1, 1), 0, "exact")]
    related = [_origin(number, finding, span) for number, span in enumerate([first, *others])]
    related += [
        {"id": len(others) + number, "message": {"text": _shared(span)}, **_place(finding.path, span.query)}
        for number, span in enumerate(others, 1)
    ]
    name = match.license_class or "unknown"
    return {
        "ruleId": rule_id(name),
        "ruleIndex": RULES.index(name),
        "level": LEVELS[finding.action],
        "message": {"text": _message(finding)},
        "locations": [_place(finding.path, first.query)],
        "relatedLocations": related,
        "partialFingerprints": {FINGERPRINT: finding.id},
        **_state(finding, baseline),
        "properties": {
            "license": match.license,
            "licenseClass": match.license_class,
            "trust": match.trust,
            "obligations": list(match.obligations),
            "project": match.project,
            "version": match.version,
            "originPath": match.path,
            "content": match.swhid,
            "containment": match.containment,
            "exact": match.exact,
            "common": match.common,
        },
    }


def _state(finding: Finding, baseline: Path | None) -> dict[str, Any]:
    if baseline is None:
        return {}
    if not finding.accepted:
        return {"baselineState": "new"}
    reason = f"accepted in {baseline.name}"
    return {
        "baselineState": "unchanged",
        "suppressions": [{"kind": "external", "status": "accepted", "justification": reason}],
    }


def _message(finding: Finding) -> str:
    match = finding.match
    version = f" {match.version}" if match.version else ""
    common = f" Common: {match.projects} projects hold these words." if match.common else ""
    owed = f" It asks for: {', '.join(match.obligations)}." if match.obligations else ""
    doubt = f" The license is in doubt: {match.conflict}." if match.conflict else ""
    text = (
        f"{match.containment:.0%} of the words of this text stand in {match.project}{version}, {match.path}, "
        f"license {match.license or 'unknown'}.{common}{owed}{doubt}"
    )
    return _plain(text)


def _origin(number: int, finding: Finding, span: Span) -> dict[str, Any]:
    match = finding.match
    lines = f"lines {span.origin[0]}-{span.origin[1]}"
    location: dict[str, Any] = {
        "id": number,
        "message": {"text": _plain(f"{match.project} {match.version or ''} {match.path}, {lines}: {_shared(span)}")},
        "logicalLocations": [{"fullyQualifiedName": _plain(f"{match.project}/{match.path}"), "kind": "resource"}],
    }
    if match.permalink:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": quote(match.permalink, safe=SAFE_IN_URI)},
            "region": {"startLine": span.origin[0], "endLine": span.origin[1]},
        }
    return location


SAFE_IN_URI = ":/?#[]@!$&'()*+,;=%~"


def _shared(span: Span) -> str:
    return f"{span.words} words{'' if span.kind == 'exact' else ', some under other names'}"


def _place(path: str, lines: tuple[int, int]) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(path),
            "region": {"startLine": lines[0], "endLine": lines[1]},
        }
    }


def _artifact(path: str) -> dict[str, str]:
    name = path.encode("utf-8", "surrogateescape")
    if path.startswith("/"):
        return {"uri": "file://" + quote(name)}
    # A colon in the first part would read as the scheme of an address; quote turns it into %3A.
    return {"uri": quote(name), "uriBaseId": "%SRCROOT%"}


def _plain(text: str) -> str:
    """One line without control signs; brackets escaped, since messages of SARIF hold links in brackets."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
