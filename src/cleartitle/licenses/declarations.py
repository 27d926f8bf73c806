"""Licenses as packages declare them: PEP 639 expressions, free ``License`` fields, trove classifiers, npm, GitHub."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cleartitle.licenses.combine import combine
from cleartitle.licenses.expressions import expression_ids, normalize
from cleartitle.licenses.names import Mention, clean_text, find_names
from cleartitle.licenses.notices import find_notices, flatten
from cleartitle.licenses.vocabulary import UnknownLicenseError, default_vocabulary

__all__ = ["Declaration", "detect_declaration", "parse_declaration"]

TROVE = {
    "Academic Free License (AFL)": "AFL",
    "Apache Software License": "Apache",
    "Artistic License": "Artistic",
    "Attribution Assurance License": "AAL",
    "BSD License": "BSD",
    "Blue Oak Model License (BlueOak-1.0.0)": "BlueOak-1.0.0",
    "Boost Software License 1.0 (BSL-1.0)": "BSL-1.0",
    "CEA CNRS Inria Logiciel Libre License, version 2.1 (CeCILL-2.1)": "CECILL-2.1",
    "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
    "CMU License (MIT-CMU)": "MIT-CMU",
    "CeCILL-B Free Software License Agreement (CECILL-B)": "CECILL-B",
    "CeCILL-C Free Software License Agreement (CECILL-C)": "CECILL-C",
    "Common Development and Distribution License 1.0 (CDDL-1.0)": "CDDL-1.0",
    "Common Public License": "CPL-1.0",
    "Eclipse Public License 1.0 (EPL-1.0)": "EPL-1.0",
    "Eclipse Public License 2.0 (EPL-2.0)": "EPL-2.0",
    "Educational Community License, Version 2.0 (ECL-2.0)": "ECL-2.0",
    "Eiffel Forum License": "EFL",
    "European Union Public Licence 1.0 (EUPL 1.0)": "EUPL-1.0",
    "European Union Public Licence 1.1 (EUPL 1.1)": "EUPL-1.1",
    "European Union Public Licence 1.2 (EUPL 1.2)": "EUPL-1.2",
    "GNU Affero General Public License v3": "AGPL-3.0",
    "GNU Affero General Public License v3 or later (AGPLv3+)": "AGPL-3.0-or-later",
    "GNU Free Documentation License (FDL)": "GFDL",
    "GNU General Public License (GPL)": "GPL",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "GNU Lesser General Public License v2 (LGPLv2)": "LGPL-2.0",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.0-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "IBM Public License": "IPL-1.0",
    "ISC License (ISCL)": "ISC",
    "Intel Open Source License": "Intel",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "MirOS License (MirOS)": "MirOS",
    "Mozilla Public License 1.0 (MPL)": "MPL-1.0",
    "Mozilla Public License 1.1 (MPL 1.1)": "MPL-1.1",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Mulan Permissive Software License v2 (MulanPSL-2.0)": "MulanPSL-2.0",
    "NASA Open Source Agreement v1.3 (NASA-1.3)": "NASA-1.3",
    "Nethack General Public License": "NGPL",
    "Nokia Open Source License": "Nokia",
    "Open Group Test Suite License": "OGTSL",
    "Open Software License 3.0 (OSL-3.0)": "OSL-3.0",
    "PostgreSQL License": "PostgreSQL",
    "Public Domain": "LicenseRef-public-domain",
    "Python License (CNRI Python License)": "CNRI-Python",
    "Python Software Foundation License": "PSF-2.0",
    "Qt Public License (QPL)": "QPL-1.0",
    "Ricoh Source Code Public License": "RSCPL",
    "SIL Open Font License 1.1 (OFL-1.1)": "OFL-1.1",
    "Sleepycat License": "Sleepycat",
    "Sun Industry Standards Source License (SISSL)": "SISSL",
    "Sun Public License": "SPL-1.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Universal Permissive License (UPL)": "UPL-1.0",
    "University of Illinois/NCSA Open Source License": "NCSA",
    "Vovida Software License 1.0": "VSL-1.0",
    "W3C License": "W3C",
    "X.Net License": "Xnet",
    "Zero-Clause BSD (0BSD)": "0BSD",
    "Zope Public License": "ZPL",
    "zlib/libpng License": "Zlib",
    "Other/Proprietary License": "LicenseRef-proprietary",
}
"""Trove classifiers (the part after the last ``::``) and the expression or family that each names."""

_SEPARATE = re.compile(
    r"^\s*\(?\s*SEE LICEN[CS]E IN\b|^\s*(?:see|read)\b.{0,60}licen[cs]e|^\s*license\.?(?:txt|md)?\s*$", re.IGNORECASE
)
_SAYS_NOTHING = {
    "",
    "other",
    "unknown",
    "none",
    "noassertion",
    "dual license",
    "custom",
    "free",
    "open source",
    "osi approved",
}


@dataclass(frozen=True)
class Declaration:
    """What a package declares.

    ``status`` is ``ok`` (exact ids, or a versioned GNU family), ``uncertain`` (a bare family such as ``BSD``, names
    that contradict each other, a reference to a file, text that names nothing known) or ``none`` (nothing declared).
    ``evidence`` holds one "source: value -> expression" a declaration that was read, the deciding one first.
    """

    expression: str | None
    status: str
    evidence: tuple[str, ...] = ()


def parse_declaration(text: str | None) -> Declaration:
    """One declared value: SPDX expression, npm string, GitHub key, spoken name, or a pasted license text.

    Examples: ``MIT``, ``(MIT OR Apache-2.0)``, ``gpl-3.0``, ``BSD 3-Clause``, ``GPLv2+``, ``SEE LICENSE IN x``.
    """
    value = clean_text(text or "").strip()
    if value.lower() in _SAYS_NOTHING:
        return Declaration(None, "uncertain" if value else "none", (value,) if value else ())
    if value == "UNLICENSED":
        return Declaration("LicenseRef-proprietary", "ok", (value,))
    shown = " ".join(value.split())[:160]
    try:
        return _judged(normalize(value), shown)
    except UnknownLicenseError:
        pass
    if _SEPARATE.match(value):
        return Declaration(None, "uncertain", (shown,))
    flat = flatten(value[:60_000])
    mentions = [Mention(item.start, item.end, item.expression, item.family) for item in find_notices(flat)]
    read = flat
    if not mentions:
        read = value[:600]
        mentions = find_names(read)
    combined = combine(read, mentions)
    if combined is None:
        return Declaration(None, "uncertain", (shown,))
    if not combined.related and not re.search(r"\band\b|&|\+|;", read, re.IGNORECASE):
        return Declaration(combined.expression, "uncertain", (shown,))
    return _judged(combined.expression, shown)


def _judged(expression: str, shown: str) -> Declaration:
    table = default_vocabulary()
    vague = [
        key
        for key in expression_ids(expression)
        if (row := table.get(key.rstrip("+"))) is not None and row.is_family and not re.search(r"\d", key)
    ]
    return Declaration(expression, "uncertain" if vague else "ok", (f"{shown} -> {expression}",))


def _values(metadata: Mapping[str, object], name: str) -> list[str]:
    for key, value in metadata.items():
        if key.lower().replace("_", "-") == name:
            if isinstance(value, str):
                return [value] if value.strip() else []
            if isinstance(value, Mapping):
                inner = value.get("type") or value.get("text") or value.get("name")
                return [inner] if isinstance(inner, str) else []
            if isinstance(value, Iterable):
                return [str(item) for item in value]
    return []


def _classifiers(values: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for value in values:
        if not value.startswith("License ::"):
            continue
        name = value.split("::")[-1].strip()
        expression = TROVE.get(name)
        if expression is None and name not in {"OSI Approved", "License"}:
            expression = parse_declaration(name).expression
        if expression and expression not in [known for _, known in found]:
            found.append((value, expression))
    return found


def _from_classifiers(values: list[str]) -> Declaration | None:
    found = _classifiers(values)
    if not found:
        return None
    mentions = [
        Mention(index, index, expression, default_vocabulary().licenses[expression].is_family)
        for index, (_, expression) in enumerate(found)
    ]
    combined = combine("", mentions)
    assert combined is not None
    evidence = tuple(f"Classifier: {value} -> {expression}" for value, expression in found)
    judged = _judged(combined.expression, "")
    # Several classifiers do not say whether all of them hold or one may be chosen.
    return Declaration(combined.expression, judged.status if combined.related else "uncertain", evidence)


def detect_declaration(metadata: Mapping[str, object]) -> Declaration:
    """The license that package metadata declares.

    Reads ``License-Expression`` (PEP 639) first and alone; else ``License`` and the ``Classifier`` values together:
    the more specific of two that agree wins (``BSD`` and ``BSD-3-Clause``); two that contradict each other give the
    free field with ``uncertain``. Keys are compared without case; npm's ``license`` and ``licenses`` are understood.
    """
    for value in _values(metadata, "license-expression"):
        declared = parse_declaration(value)
        return replace(declared, evidence=tuple(f"License-Expression: {item}" for item in declared.evidence))
    free = _free(metadata)
    listed = _from_classifiers(_values(metadata, "classifier") or _values(metadata, "classifiers"))
    if listed is None or listed.expression is None:
        return free
    if free.expression is None:
        return replace(listed, evidence=(*listed.evidence, *free.evidence))
    return _agreed(free, listed)


def _free(metadata: Mapping[str, object]) -> Declaration:
    values = _values(metadata, "license") or _values(metadata, "licenses")
    if not values:
        return Declaration(None, "none")
    if len(values) > 1:
        parts = [parse_declaration(value) for value in values]
        known = [part.expression for part in parts if part.expression]
        evidence = tuple(f"License: {item}" for part in parts for item in part.evidence)
        joined = normalize(" OR ".join(f"({item})" for item in known)) if known else None
        return Declaration(joined, "uncertain", evidence)
    declared = parse_declaration(values[0])
    return replace(declared, evidence=tuple(f"License: {item}" for item in declared.evidence))


def _agreed(free: Declaration, listed: Declaration) -> Declaration:
    """One declaration from a free field and classifiers that both name a license."""
    evidence = (*free.evidence, *listed.evidence)
    if free.expression == listed.expression:
        return Declaration(free.expression, "ok" if "ok" in {free.status, listed.status} else free.status, evidence)
    mentions = [Mention(0, 0, str(item.expression), item.status != "ok") for item in (free, listed)]
    combined = combine("", mentions)
    if combined is not None and combined.related:
        specific = free if combined.expression == free.expression else listed
        return Declaration(combined.expression, specific.status, evidence)
    if set(expression_ids(free.expression or "")) == set(expression_ids(listed.expression or "")):
        return Declaration(free.expression, free.status, evidence)
    return Declaration(free.expression, "uncertain", evidence)
