"""Matches of a search as SPDX 2.3 JSON: each shared run as a snippet of the file that it stands in."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from cleartitle import __version__
from cleartitle.files import canonical_json, write_json
from cleartitle.licenses import UnknownLicenseError, lookup, normalize
from cleartitle.trace import Finding, Match, Span, line_starts, text_bytes

__all__ = ["spdx_document", "write_spdx"]

NO_ASSERTION = "NOASSERTION"
NAMESPACE = "https://spdx.org/spdxdocs/cleartitle-trace-"
OPERATORS = {"AND", "OR", "WITH"}
REFERENCE = "LicenseRef-"


def write_spdx(path: Path, found: Sequence[Finding], files: Mapping[str, bytes]) -> None:
    """Write ``spdx_document`` to a file, atomically."""
    write_json(path, spdx_document(found, files))


def spdx_document(
    found: Sequence[Finding], files: Mapping[str, bytes], created: datetime | None = None
) -> dict[str, Any]:
    """An SPDX 2.3 document with the files that hold findings, the works found, and one snippet per span.

    ``files`` holds the bytes of each file as they stand on disk, by the path of the finding. A snippet has its range
    by line and by byte, both from 1, of whole lines, the last one included; of a UTF-16 file the bytes are all of it.
    Its license is that of the matched work; where header and declaration of the work disagree, nothing is concluded,
    and the conflict stands in a comment. Equal arguments give an equal document; ``created`` is now or, if set,
    ``SOURCE_DATE_EPOCH``.

    A snippet says that these words also stand in that work. It does not say that they were taken from there.

    Raises:
        KeyError: a finding of a file whose bytes are not given.
    """
    names = list(dict.fromkeys(finding.path for finding in found))
    works = list(dict.fromkeys((finding.match.project, finding.match.version) for finding in found))
    references = _References()
    snippets: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = [_relation("SPDXRef-DOCUMENT", "DESCRIBES", _file_id(path)) for path in names]
    for finding in found:
        for number, span in enumerate(finding.match.spans, 1):
            snippet = _snippet(finding, span, number, files[finding.path], references)
            snippets.append(snippet)
            work = works.index((finding.match.project, finding.match.version))
            relation = _relation(snippet["SPDXID"], "OTHER", f"SPDXRef-Work-{work + 1}")
            relations.append({**relation, "comment": "shares words with"})
    by_work = {(finding.match.project, finding.match.version): finding.match for finding in reversed(found)}
    body: dict[str, Any] = {
        "files": [_file(path, files[path]) for path in names],
        "packages": [_package(number, by_work[work]) for number, work in enumerate(works, 1)],
        "snippets": snippets,
        "relationships": relations,
    }
    if references.held:
        body["hasExtractedLicensingInfos"] = references.rows()
    digest = hashlib.sha256(canonical_json(body).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "cleartitle-trace",
        "documentNamespace": f"{NAMESPACE}{digest[:32]}",
        "creationInfo": {
            "created": (created or _now()).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: cleartitle-{__version__}"],
        },
        "comment": "Each snippet also stands in the work that it is related to. Shared words do not show who copied "
        "from whom. This is not legal advice.",
        **body,
    }


class _References:
    """Licenses that the SPDX list does not hold, under names of their own."""

    def __init__(self) -> None:
        self.held: dict[str, str] = {}

    def expression(self, license: str | None) -> str:
        """A license expression that SPDX knows, or one of references; NOASSERTION for none."""
        if not license:
            return NO_ASSERTION
        try:
            found = normalize(license)
        except UnknownLicenseError:
            return self._reference(license)
        words = re.findall(r"[()]|[^\s()]+", found)
        shown = [self._known(word, words[place - 1] if place else "") for place, word in enumerate(words)]
        return " ".join(shown).replace("( ", "(").replace(" )", ")")

    def rows(self) -> list[dict[str, Any]]:
        """What an SPDX document says of them."""
        text = "The index holds no text of this license under a name of the SPDX list."
        return [{"licenseId": name, "name": plain, "extractedText": text} for name, plain in sorted(self.held.items())]

    def _known(self, word: str, before: str) -> str:
        if word in OPERATORS or word in "()" or before == "WITH" or _is_listed(word):
            return word
        return self._reference(word)

    def _reference(self, license: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9.-]+", "-", license.removeprefix(REFERENCE)).strip("-.") or "unnamed"
        name = f"{REFERENCE}{plain[:80]}"
        self.held[name] = license
        return name


def _is_listed(word: str) -> bool:
    try:
        row = lookup(word.removesuffix("+"))
    except UnknownLicenseError:
        return False
    return row.id == word.removesuffix("+") and not row.id.startswith(REFERENCE) and not row.is_family


def _file_id(path: str) -> str:
    name = path.encode("utf-8", "surrogateescape")
    return f"SPDXRef-File-{hashlib.sha256(name).hexdigest()[:16]}"


def _relation(one: str, kind: str, other: str) -> dict[str, Any]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def _file(path: str, data: bytes) -> dict[str, Any]:
    shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return {
        "SPDXID": _file_id(path),
        "fileName": shown if shown.startswith("/") else f"./{shown}",
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(data, usedforsecurity=False).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()},
        ],
        "licenseConcluded": NO_ASSERTION,
        "licenseInfoInFiles": [NO_ASSERTION],
        "copyrightText": NO_ASSERTION,
    }


def _package(number: int, match: Match) -> dict[str, Any]:
    package: dict[str, Any] = {
        "SPDXID": f"SPDXRef-Work-{number}",
        "name": match.project,
        "downloadLocation": quote(match.url, safe=":/?#[]@!$&'()*+,;=%~") if match.url else NO_ASSERTION,
        "filesAnalyzed": False,
        "licenseConcluded": NO_ASSERTION,
        "licenseDeclared": NO_ASSERTION,
        "copyrightText": NO_ASSERTION,
    }
    return {**package, "versionInfo": match.version} if match.version else package


def _snippet(finding: Finding, span: Span, number: int, data: bytes, references: _References) -> dict[str, Any]:
    match = finding.match
    expression = references.expression(match.license)
    kind = "equal words" if span.kind == "exact" else "words that are equal but for names and numbers"
    comment = (
        f"{span.words} {kind}; in {match.project} {match.version or ''} {match.path} lines {span.origin[0]} to "
        f"{span.origin[1]} ({match.swhid})"
    )
    snippet: dict[str, Any] = {
        "SPDXID": f"SPDXRef-Snippet-{finding.id}-{number}",
        "name": f"{match.project} {match.path}",
        "snippetFromFile": _file_id(finding.path),
        "ranges": _ranges(_file_id(finding.path), span.query, data),
        "licenseConcluded": NO_ASSERTION if match.conflict else expression,
        "licenseInfoInSnippets": _ids(expression),
        "copyrightText": "\n".join(match.copyright_lines) or NO_ASSERTION,
        "comment": comment,
    }
    if match.conflict:
        snippet["licenseComments"] = f"header and declaration of the work disagree: {match.conflict}"
    return snippet


def _ids(expression: str) -> list[str]:
    if expression == NO_ASSERTION:
        return [NO_ASSERTION]
    found = re.findall(r"[^\s()]+(?: WITH [^\s()]+)?", re.sub(r"\b(AND|OR)\b", " ", expression))
    return list(dict.fromkeys(found))


def _ranges(reference: str, lines: tuple[int, int], data: bytes) -> list[dict[str, Any]]:
    by_line = {
        "startPointer": {"reference": reference, "lineNumber": lines[0]},
        "endPointer": {"reference": reference, "lineNumber": lines[1]},
    }
    text = text_bytes(data)
    shift = len(data) - len(text)
    if not data.endswith(text):
        # UTF-16: the bytes of the file are not those that were searched for; SPDX asks for a range all the same.
        first, last = 1, max(1, len(data))
    else:
        starts = np.concatenate([[0], line_starts(text), [len(text)]])
        first = int(starts[min(lines[0] - 1, len(starts) - 1)]) + shift + 1
        last = max(first, int(starts[min(lines[1], len(starts) - 1)]) + shift)
    by_byte = {
        "startPointer": {"reference": reference, "offset": first},
        "endPointer": {"reference": reference, "offset": last},
    }
    return [by_byte, by_line]


def _now() -> datetime:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
