"""The license vocabulary: one row per SPDX id, families, aliases, and the user's overrides."""

import csv
import os
import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError

__all__ = [
    "CLASSES",
    "OBLIGATIONS",
    "License",
    "UnknownLicenseError",
    "Vocabulary",
    "default_vocabulary",
    "load_overrides",
    "lookup",
]

CLASSES = ("public_domain", "permissive", "weak_copyleft", "strong_copyleft", "restricted")
"""The five classes, least restrictive first."""

OBLIGATIONS = {
    "include-notice": "keep the copyright and attribution notices",
    "include-license-text": "pass on the text of the license",
    "state-changes": "say what was changed",
    "disclose-source": "offer the source of what the license covers",
    "same-license": "pass on the whole work under the same license",
    "same-license-files": "keep changed files under the same license",
    "same-license-library": "keep the changed library under the same license",
    "allow-relinking": "let users replace the library",
    "network-disclosure": "offer the source to users over a network",
    "no-endorsement": "do not advertise with the names of the authors",
    "advertising-acknowledgment": "name the authors in advertising",
    "patent-grant": "a patent license comes along and ends on a patent suit",
    "no-commercial": "no commercial use",
    "no-derivatives": "no changed versions",
    "use-restrictions": "some uses are forbidden or need another license",
    "read-terms": "the table does not know the terms: read them",
}
"""The fixed vocabulary of obligations with what each asks for, in short."""

ENVIRONMENT = "CLEARTITLE_LICENSES"
"""Environment variable with the path of an overrides file that the default vocabulary applies."""

_FAMILY_CLASSES = {
    "Apache": "permissive",
    "BSD": "permissive",
    "EUPL": "weak_copyleft",
    "GPL": "strong_copyleft",
    "GPL-2.0": "strong_copyleft",
    "GPL-3.0": "strong_copyleft",
    "HPND": "permissive",
    "MIT": "permissive",
}


class UnknownLicenseError(InputError):
    """A name is neither in the vocabulary nor an expression of names that are."""


@dataclass(frozen=True)
class License:
    """One row of the vocabulary.

    ``class_`` is one of ``CLASSES``; ``obligations`` are keys of ``OBLIGATIONS``; ``family`` is versioned for the GNU
    licenses (``GPL-3.0``); ``source`` says where the class comes from, or which override set it. ``is_family`` marks a
    name that stands for several ids: its class is that of its members, the most restrictive where they differ.
    """

    id: str
    name: str
    class_: str
    obligations: tuple[str, ...] = ()
    family: str = ""
    aliases: tuple[str, ...] = ()
    osi_approved: bool = False
    replaced_by: str = ""
    source: str = ""
    is_family: bool = False

    @property
    def root(self) -> str:
        """The family without its version: ``GPL`` for ``GPL-3.0-only``, ``BSD`` for ``BSD-3-Clause``."""
        return re.sub(r"-\d[\d.]*$", "", self.family)


@dataclass(frozen=True)
class Vocabulary:
    """All rows by id, and the exceptions of ``WITH``; ``overrides`` names what a user file changed."""

    licenses: dict[str, License]
    exceptions: dict[str, bool]
    overrides: tuple[str, ...] = ()
    _keys: dict[str, str] = field(default_factory=dict[str, str])

    def get(self, name: str) -> License | None:
        """The row of an id, a family, an alias or a full name, in any case; None when there is none."""
        key = self._keys.get(_fold(name))
        return self.licenses[key] if key else None

    def exception(self, name: str) -> tuple[str, bool] | None:
        """The id of an exception and whether it weakens copyleft; None when it is not known."""
        folded = _fold(name)
        return next(((key, weakens) for key, weakens in self.exceptions.items() if key.casefold() == folded), None)


def _fold(name: str) -> str:
    folded = re.sub(r"\s+", " ", name.strip()).casefold()
    return folded.removeprefix("the ")


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files("cleartitle.licenses").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def _license(row: dict[str, str]) -> License:
    return License(
        id=row["id"],
        name=row["name"],
        class_=row["class"],
        obligations=tuple(row["obligations"].split()),
        family=row["family"],
        aliases=tuple(filter(None, row["aliases"].split("|"))),
        osi_approved=row["osi_approved"] == "yes",
        replaced_by=row["replaced_by"],
        source=row["source"],
    )


def _family(name: str, members: list[License]) -> License:
    classes = {member.class_ for member in members}
    class_ = _FAMILY_CLASSES.get(name) or max(classes, key=CLASSES.index)
    asked = [set(member.obligations) for member in members if member.class_ == class_ and member.obligations]
    shared = set.intersection(*asked) if asked else set[str]()
    ordered = tuple(key for key in OBLIGATIONS if key in shared)
    source = "family: class and shared obligations of its members"
    return License(name, f"{name} family", class_, ordered, name, source=source, is_family=True)


def _with_families(licenses: dict[str, License]) -> dict[str, License]:
    members: dict[str, list[License]] = {}
    for row in licenses.values():
        for name in {row.family, row.root}:
            members.setdefault(name, []).append(row)
    taken = {_fold(key) for key in licenses}
    for name, rows in members.items():
        known = licenses.get(name)
        if known is None and len(rows) == 1:
            licenses[rows[0].id] = replace(rows[0], aliases=(*rows[0].aliases, name))
        elif known is None and _fold(name) not in taken:
            licenses[name] = _family(name, rows)
        elif known is not None and re.fullmatch(r"(A|L)?GPL-\d\.\d|GFDL-\d\.\d", name):
            licenses[name] = replace(known, is_family=True, name=re.sub(r" only$", "", known.name))
    creative = [row for row in licenses.values() if row.id.startswith("CC-BY")]
    licenses["CC"] = replace(_family("CC", creative), name="Creative Commons, variant not named")
    return licenses


def _keys_of(licenses: dict[str, License]) -> dict[str, str]:
    keys: dict[str, str] = {}
    for row in licenses.values():
        keys[_fold(row.id)] = row.id
    for row in licenses.values():
        for name in (row.name, *row.aliases):
            keys.setdefault(_fold(name), row.id)
    return keys


def _build(licenses: dict[str, License], overrides: tuple[str, ...] = ()) -> Vocabulary:
    exceptions = {row["id"]: row["effect"] == "weakens" for row in _rows("exceptions.tsv")}
    return Vocabulary(licenses, exceptions, overrides, _keys_of(licenses))


@lru_cache(maxsize=1)
def _shipped() -> Vocabulary:
    return _build(_with_families({row["id"]: _license(row) for row in _rows("licenses.tsv")}))


def load_overrides(path: str | Path) -> Vocabulary:
    """The shipped vocabulary with a user's file applied.

    The file is TOML: ``[classes]`` maps an id or a family to one of ``CLASSES``, ``[obligations]`` to a list of keys
    of ``OBLIGATIONS``. An id that the vocabulary does not hold (``LicenseRef-acme``) is added and needs a class. What
    was changed is in ``Vocabulary.overrides`` and in the ``source`` of the row.

    Raises:
        InputError: unreadable file, unknown class or obligation, unknown table, new id without a class.
    """
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; mend: give the path of a TOML file with [classes]") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: not a readable TOML file ({error})") from None
    if unknown := sorted(set(data) - {"classes", "obligations"}):
        raise InputError(f"{path}: unknown table [{unknown[0]}]; mend: use [classes] and [obligations]")
    licenses = dict(_shipped().licenses)
    changes: list[str] = []
    for name, value in _table(data, "classes", path).items():
        _set_class(licenses, name, value, path, changes)
    for name, value in _table(data, "obligations", path).items():
        _set_obligations(licenses, name, value, path, changes)
    return _build(licenses, tuple(changes))


def _table(data: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{path}: {name} is not a table; mend: write [{name}] and one id per line")
    return table


def _set_class(licenses: dict[str, License], name: str, value: object, path: Path, changes: list[str]) -> None:
    if not isinstance(value, str) or value not in CLASSES:
        raise InputError(f"{path}: {name} has the class {value!r}; mend: use one of {', '.join(CLASSES)}")
    known = _shipped().get(name)
    row = known or License(name, name, value, family=name)
    old = row.class_ if known else "absent"
    note = f"override {path.name}: class {old} -> {value}"
    licenses[row.id] = replace(row, class_=value, source=note)
    changes.append(f"{row.id}: {note}")


def _set_obligations(licenses: dict[str, License], name: str, value: object, path: Path, changes: list[str]) -> None:
    if not isinstance(value, list) or not all(item in OBLIGATIONS for item in value):
        raise InputError(f"{path}: {name} has obligations {value!r}; mend: a list of {', '.join(OBLIGATIONS)}")
    known = _shipped().get(name)
    row = licenses.get(known.id if known else name)
    if row is None:
        raise InputError(f"{path}: {name} has obligations but no class; mend: add it under [classes]")
    note = f"override {path.name}: obligations"
    source = f"{row.source}; {note}" if row.source.startswith("override ") else note
    licenses[row.id] = replace(row, obligations=tuple(str(item) for item in value), source=source)
    changes.append(f"{row.id}: {note}")


@lru_cache(maxsize=8)
def _from_environment(path: str) -> Vocabulary:
    return load_overrides(path)


def default_vocabulary() -> Vocabulary:
    """The shipped vocabulary, with the file that ``CLEARTITLE_LICENSES`` names applied if it is set."""
    path = os.environ.get(ENVIRONMENT)
    return _from_environment(path) if path else _shipped()


def lookup(name: str, vocabulary: Vocabulary | None = None) -> License:
    """The row of an SPDX id, a family (``GPL``, ``GPL-3.0``, ``BSD``), an alias or a full name, in any case.

    Raises:
        UnknownLicenseError: the vocabulary holds no such name.
    """
    row = (vocabulary or default_vocabulary()).get(name)
    if row is None:
        shown = name if len(name) <= 80 else name[:77] + "..."
        raise UnknownLicenseError(
            f"unknown license {shown!r}; mend: use an SPDX id, or add it under [classes] in the file that "
            f"{ENVIRONMENT} names"
        )
    return row
