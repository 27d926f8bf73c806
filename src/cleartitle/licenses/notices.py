"""License texts and notices that are recognised by their own wording rather than by a name."""

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Notice", "find_notices", "flatten"]


@dataclass(frozen=True)
class Notice:
    """``text[start:end]`` of the flattened text is a notice; ``confidence`` is in percent."""

    rule: str
    start: int
    end: int
    expression: str
    family: bool = False
    confidence: int = 100


def flatten(text: str) -> str:
    """Lower case, one blank for any white space: the form in which notices are compared."""
    return re.sub(r"\s+", " ", text).strip().lower()


Resolver = Callable[[str, re.Match[str]], tuple[str, bool, int] | None]
_AFTER = 6_000
# A text rule reads on from its opening phrase; no permissive license text is longer than this many signs.


def _mit(text: str, match: re.Match[str]) -> tuple[str, bool, int]:
    rest = text[match.start() : match.start() + 3_000]
    if "shall be used for good, not evil" in rest:
        return "JSON", False, 100
    if "any person or organization" in match[0]:
        return "BSL-1.0", False, 100
    if "except as contained in this notice" in rest:
        return "X11", False, 98
    if "shall be included" not in rest and "be included in all" not in rest and 'provided "as is"' in rest:
        return "MIT-0", False, 98
    return "MIT", False, 100


def _bsd(text: str, match: re.Match[str]) -> tuple[str, bool, int]:
    rest = text[match.start() : match.start() + _AFTER]
    if "the end-user documentation included with the redistribution" in rest:
        return ("Apache-1.1", False, 98) if "apache" in rest else ("BSD", True, 80)
    if "all advertising materials" in rest:
        return "BSD-4-Clause", False, 100
    if "no express or implied licenses to any party's patent rights" in rest:
        return "BSD-3-Clause-Clear", False, 100
    if re.search(r"endorse or promote|neither the name", rest):
        return "BSD-3-Clause", False, 100
    if re.search(r"binary form must reproduce", rest):
        if "views and conclusions contained in" in rest:
            return "BSD-2-Clause-Views", False, 98
        closed = "as is" in rest or "disclaimer" in rest
        return ("BSD-2-Clause", False, 100) if closed else ("BSD", True, 80)
    if "retain the above copyright" in rest and "as is" in rest:
        return "BSD-1-Clause", False, 98
    return "BSD", True, 90


def _isc(text: str, match: re.Match[str]) -> tuple[str, bool, int]:
    rest = text[match.start() : match.start() + 2_500]
    if "its documentation" in match[0] and ("supporting documentation" in rest or "advertising or publicity" in rest):
        # What sets HPND apart from ISC: notices in supporting documentation, or no endorsement by name.
        return "HPND", True, 90
    if "appear in all copies" in rest or "appears in all copies" in rest:
        return "ISC", False, 100
    return ("0BSD", False, 98) if "as is" in rest else ("ISC", False, 90)


def _zlib(text: str, match: re.Match[str]) -> tuple[str, bool, int] | None:
    rest = text[match.start() : match.start() + 2_500]
    granted = "permission is granted to anyone to use this software for any purpose" in rest
    if not re.search(r"altered source (?:versions|distributions) must be plainly marked", rest):
        # The notice is cut off before its conditions.
        return ("Zlib", False, 92) if granted and len(rest) < 700 else None
    return (
        ("zlib-acknowledgement", False, 98) if "acknowledgment (see the following) in" in rest else ("Zlib", False, 100)
    )


def _fixed(expression: str, confidence: int = 100, family: bool = False) -> Resolver:
    return lambda text, match: (expression, family, confidence)


def _gnu_text(text: str, match: re.Match[str]) -> tuple[str, bool, int]:
    prefix = {"affero ": "AGPL", "lesser ": "LGPL", "library ": "LGPL", "": "GPL"}[match["kind"] or ""]
    version = match["v"] if "." in match["v"] else f"{match['v']}.0"
    return f"{prefix}-{version}", True, 95


def _style(text: str, match: re.Match[str]) -> tuple[str, bool, int]:
    return match["name"].upper(), True, 90


def _mozilla_three(text: str, match: re.Match[str]) -> tuple[str, bool, int]:
    return "MPL-1.1 OR GPL-2.0-or-later OR LGPL-2.1-or-later", False, 98


_RULES: list[tuple[str, str, str, Resolver]] = [
    (
        "mit-text",
        "permission is hereby granted",
        r"permission is hereby granted, free of charge,? to any person(?: or organization)? obtaining",
        _mit,
    ),
    ("bsd-text", "redistribution and use", r"redistribution and use in source and binary forms", _bsd),
    (
        "isc-text",
        "permission to use, copy",
        r"permission to use, copy, modify,? (?:and/or|and|or) distribute this software(?: and its documentation)?",
        _isc,
    ),
    (
        "zlib-text",
        "as-is",
        r"this software is provided ['\"]?as-is['\"]?, without any express or implied warranty",
        _zlib,
    ),
    (
        "unlicense-text",
        "unencumbered",
        r"free and unencumbered software released into the public domain",
        _fixed("Unlicense"),
    ),
    (
        "cc0-text",
        "waived all copyright",
        r"to the extent possible under law,? .{0,200}?waived all copyright",
        _fixed("CC0-1.0", 98),
    ),
    ("cc0-url", "publicdomain/zero", r"creativecommons\.org/publicdomain/zero/1\.0", _fixed("CC0-1.0", 98)),
    ("wtfpl-text", "you want to public license", r"do what the f\S{2,4} you want to public license", _fixed("WTFPL")),
    ("apache-2.0-text", "january 2004", r"apache license,? version 2\.0,? january 2004", _fixed("Apache-2.0")),
    ("apache-2.0-url", "apache.org/licenses/license-2.0", r"apache\.org/licenses/license-2\.0", _fixed("Apache-2.0")),
    (
        "gnu-text",
        "public license version",
        r"gnu (?P<kind>affero |lesser |library )?general public license version (?P<v>[123](?:\.1)?), "
        r"\d{0,2} ?(?:june|february|november) \d{4}",
        _gnu_text,
    ),
    (
        "mpl-2.0-text",
        "mozilla public license version 2.0",
        r"mozilla public license version 2\.0(?= 1\. definitions| =+)",
        _fixed("MPL-2.0"),
    ),
    ("mpl-tri-license", "mpl 1.1/gpl 2.0/lgpl 2.1", r"mpl 1\.1/gpl 2\.0/lgpl 2\.1", _mozilla_three),
    ("bsl-text", "boost software license - version 1.0", r"boost software license - version 1\.0", _fixed("BSL-1.0")),
    ("epl-2.0-text", "eclipse public license - v", r"eclipse public license - v ?2\.0", _fixed("EPL-2.0")),
    ("epl-1.0-text", "eclipse public license - v", r"eclipse public license - v ?1\.0", _fixed("EPL-1.0")),
    ("psf-contributor", "licensed to psf", r"licensed to psf under a contributor agreement", _fixed("PSF-2.0", 95)),
    ("style-reference", "-style license", r"governed by an? (?P<name>bsd|mit)-style license", _style),
    (
        "proprietary-notice",
        "confidential",
        r"(?:proprietary and confidential|confidential and proprietary)",
        _fixed("LicenseRef-proprietary", 95),
    ),
    ("license-url", "opensource.org/licenses/mit", r"opensource\.org/licenses/mit\b", _fixed("MIT", 98)),
    ("license-url", "mozilla.org/mpl/2.0", r"mozilla\.org/mpl/2\.0", _fixed("MPL-2.0", 98)),
]
_COMPILED = [(rule, needle, re.compile(pattern), resolve) for rule, needle, pattern, resolve in _RULES]


def find_notices(flat: str) -> list[Notice]:
    """The notices of a flattened text, in order; equal expressions of overlapping rules are both given."""
    found: list[Notice] = []
    for rule, needle, pattern, resolve in _COMPILED:
        if needle not in flat:
            continue
        for match in pattern.finditer(flat):
            resolved = resolve(flat, match)
            if resolved is not None:
                expression, family, confidence = resolved
                found.append(Notice(rule, match.start(), match.end(), expression, family, confidence))
    found.sort(key=lambda notice: notice.start)
    return found
