"""What a package or a data set declares as its license, and the license files that it carries."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from email.parser import HeaderParser
from pathlib import PurePosixPath
from typing import Any, cast

from cleartitle.corpus.documents import LicenseText
from cleartitle.corpus.resolve import compatible
from cleartitle.corpus.text import decode, language_of
from cleartitle.files import canonical_json
from cleartitle.licenses import UnknownLicenseError, detect, detect_declaration, normalize, parse_declaration

__all__ = [
    "METADATA_FILES",
    "Declaration",
    "declaration_of",
    "declaration_of_values",
    "is_license_file",
    "license_text",
    "names_the_file",
    "project_metadata",
    "wheel_metadata",
]

Declaration = tuple[str | None, str | None]
"""SPDX expression or None, and the evidence as JSON or None."""

METADATA_FILES = ("pyproject.toml", "PKG-INFO", "setup.cfg", "package.json")
"""Files in the root of a project that declare its license, first one first. ``setup.py`` is never run."""

_LICENSE_NAME = re.compile(
    r"(un)?licen[sc]e([-_.].*)?|copying([-_.].*)?|notice([-_.].*)?|copyright([-_.].*)?|mit-license([-_.].*)?", re.I
)
_SILENT = {"", "other", "unknown", "none", "no_license", "noassertion", "proprietary-unknown", "null"}


def is_license_file(path: str) -> bool:
    """Whether a path is a LICENSE, COPYING, NOTICE or COPYRIGHT file, or stands in a ``LICENSES`` folder."""
    pure = PurePosixPath(path)
    if language_of(path) is not None or pure.suffix.lower() in (".html", ".json", ".pyc", ".so", ".js", ".h"):
        return False
    in_folder = len(pure.parts) > 1 and pure.parts[-2].lower() in ("licenses", "licences")
    return in_folder or _LICENSE_NAME.fullmatch(pure.name) is not None


def license_text(project: str, version: str | None, path: str, data: bytes) -> LicenseText:
    """A license file with the expression of its text.

    Raises:
        UnreadableTextError: the file is not text.
    """
    text, _ = decode(data, "")
    found = detect(text, path)
    return LicenseText(project, path, text, version, found.expression if found.status == "ok" else None)


def names_the_file(evidence: str | None) -> bool:
    """Whether a declaration was made for this very file or its folder, and not for the package around it."""
    return evidence is not None and '"scope":"file"' in evidence


def declaration_of(metadata: Mapping[str, Any], texts: Iterable[LicenseText]) -> Declaration:
    """The license that a project declares: its metadata, or, where these are silent or vague, its license files.

    License files count only in the root of the project or in the ``licenses`` folder of a wheel, and only if all that
    are recognized agree: which of several files applies to which part is not guessed.
    """
    found = detect_declaration(metadata)
    texts = [text for text in texts if text.expression is not None and _speaks_for_all(text.path)]
    expressions = sorted({text.expression for text in texts if text.expression is not None})
    if found.expression is not None:
        evidence = {"from": "metadata", "status": found.status, "stated": list(found.evidence)}
        if found.status == "ok" or len(expressions) != 1 or not compatible(expressions[0], found.expression):
            return found.expression, canonical_json(evidence)
        # "BSD License" in the metadata, and the text of one BSD license beside it.
        paths = [text.path for text in texts]
        return expressions[0], canonical_json({**evidence, "from": "metadata and license file", "paths": paths})
    if len(expressions) == 1:
        return expressions[0], canonical_json({"from": "license file", "paths": [text.path for text in texts]})
    if expressions:
        return None, canonical_json({"from": "license files", "expressions": expressions, "status": "ambiguous"})
    return None, None


def declaration_of_values(values: Sequence[str]) -> Declaration:
    """The license that a data set states for a row: SPDX ids, lower-case keys or free text, one or several.

    Several are joined with AND: a data set lists what was found in the repository, and does not say that there is a
    choice. Values that say nothing ("other", "no_license") are dropped; a value that is not understood makes the whole
    unknown, with the value in the evidence.
    """
    stated = [value.strip() for value in values if value.strip().lower() not in _SILENT]
    if not stated:
        return None, None
    expressions = [_expression(value) for value in stated]
    evidence = canonical_json({"from": "data set", "stated": [value[:200] for value in stated[:20]]})
    if None in expressions:
        return None, evidence
    parts = sorted({expression for expression in expressions if expression})
    if len(parts) == 1:
        return parts[0], evidence
    return " AND ".join(f"({part})" if " OR " in part else part for part in parts), evidence


def wheel_metadata(text: str) -> dict[str, Any]:
    """Name, version and license fields of a METADATA or PKG-INFO file."""
    message = HeaderParser().parsestr(text)
    fields: dict[str, Any] = {
        name: message[name] for name in ("Name", "Version", "License-Expression", "License") if message[name]
    }
    fields["Classifier"] = [str(value) for value in message.get_all("Classifier", [])]
    return {name: value if isinstance(value, list) else str(value) for name, value in fields.items()}


def project_metadata(name: str, data: bytes) -> dict[str, Any]:
    """Name, version and license fields of one of ``METADATA_FILES``; empty when it cannot be read or says nothing."""
    try:
        text = data.decode("utf-8-sig")
        if name == "PKG-INFO":
            return wheel_metadata(text)
        if name == "setup.cfg":
            return _setup_cfg(text)
        parsed = tomllib.loads(text) if name == "pyproject.toml" else json.loads(text)
        section = _mapping(parsed).get("project") if name == "pyproject.toml" else parsed
        return _fields_of(_mapping(section))
    except (ValueError, ConfigError, RecursionError):
        return {}


def _setup_cfg(text: str) -> dict[str, Any]:
    parser = ConfigParser(interpolation=None)
    parser.read_string(text)
    section = dict(parser["metadata"]) if parser.has_section("metadata") else {}
    classifiers = section.get("classifiers", "").splitlines()
    return _fields_of({**section, "classifiers": [line.strip() for line in classifiers if line.strip()]})


def _fields_of(section: Mapping[str, Any]) -> dict[str, Any]:
    license_ = section.get("license")
    if isinstance(license_, Mapping):  # PEP 621 before PEP 639: {text = "..."}; npm: {type: "..."}
        table = _mapping(cast(object, license_))
        license_ = table.get("text") or table.get("type")
    fields: dict[str, Any] = {}
    if isinstance(license_, str):
        fields["License"] = license_
    elif isinstance(listed := section.get("licenses"), list):  # npm before 2015: [{type: "..."}, ...]
        types = [_mapping(item).get("type", item) for item in cast(list[object], listed)]
        fields["License"] = [value for value in types if isinstance(value, str)]
    if isinstance(classifiers := section.get("classifiers"), list) and classifiers:
        fields["Classifier"] = [str(value) for value in cast(list[object], classifiers)]
    for key, name in (("name", "Name"), ("version", "Version")):
        if isinstance(section.get(key), str):
            fields[name] = section[key]
    return fields


def _expression(value: str) -> str | None:
    try:
        return normalize(value)
    except UnknownLicenseError:
        found = parse_declaration(value)
        return found.expression if found.status == "ok" else None


def _speaks_for_all(path: str) -> bool:
    parts = PurePosixPath(path).parts
    name = parts[-1].lower()
    if name.startswith(("notice", "copyright")):
        return False
    return len(parts) == 1 or parts[0].endswith(".dist-info")


def _mapping(value: object) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}
