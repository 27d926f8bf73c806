"""Whether a use is allowed, by rules that are data: the terms of a license, or the statutes of a jurisdiction."""

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal, get_args

from cleartitle.errors import InputError
from cleartitle.licenses import classify, obligations

__all__ = ["JURISDICTIONS", "Ground", "Jurisdiction", "Rights", "Rule", "Status", "Use", "Verdict", "decide", "rules"]

Jurisdiction = Literal["us", "eu", "uk"]
JURISDICTIONS: tuple[Jurisdiction, ...] = get_args(Jurisdiction)
Ground = Literal["license", "dedication", "reserved", "us-government", "term", "no-author"]
"""What the rights in a work rest on: a license, a waiver, all rights reserved, or one of three statutes."""
Status = Literal["free", "conditional", "unclear", "forbidden"]


@dataclass(frozen=True)
class Rule:
    """One rule, in our own words.

    Attributes:
        id: its name.
        jurisdiction: where it holds; None for a term of a license, which holds wherever the license does.
        effect: ``free``, ``protected``, ``unclear``, ``duty`` or ``bar``; None for a term of years.
        source: statute and section, judgement, or license and section.
        says: what it asks for.
        open: what it does not establish.
    """

    id: str
    jurisdiction: Jurisdiction | None
    ground: Ground
    effect: str | None
    source: str
    says: str
    open: str
    event: Literal["published", "died"] | None = None
    years: int = 0


@dataclass(frozen=True)
class Use:
    """What is to be done with a work.

    Attributes:
        commercial: for commercial advantage.
        adapted: it is changed, and the changed version is passed on.
        kind: ``image``, ``link`` (a dependency of software) or ``copy`` (code that is copied in).
        product: of software: passed on ``closed``, run as a closed ``service``, or passed on under ``MIT`` or
            ``GPL-3.0-or-later``.
    """

    commercial: bool
    adapted: bool = False
    kind: Literal["image", "link", "copy"] = "image"
    product: Literal["closed", "service", "MIT", "GPL-3.0-or-later"] = "closed"


@dataclass(frozen=True)
class Rights:
    """What holds for a work: its ground, and what that needs; ``license`` is an SPDX expression or None."""

    ground: Ground
    license: str | None = None
    creator: str | None = None
    died: int | None = None
    published: int | None = None


@dataclass(frozen=True)
class Verdict:
    """What the rules say of a use.

    ``free`` asks for nothing; ``conditional`` allows it with ``duties`` (see `credit`); ``unclear`` does not establish
    a permission; ``forbidden`` needs one. ``rules`` are those that decided. It is what these rules come to for the
    facts as stated: whether the facts are true, what an exception or a contract allows, and rights of persons shown
    are not looked at. It is no legal advice.
    """

    status: Status
    duties: tuple[str, ...]
    rules: tuple[Rule, ...]

    @property
    def is_lawful(self) -> bool:
        """Whether the use is allowed, if the duties are kept."""
        return self.status in ("free", "conditional")


@cache
def _data() -> dict[str, Any]:
    file = resources.files("cleartitle.evals.license_choice").joinpath("data/law.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def rules() -> dict[str, Rule]:
    """All rules by name."""
    found: dict[str, Rule] = {}
    for row in _data()["rule"]:
        found[row["id"]] = Rule(
            id=row["id"],
            jurisdiction=row.get("jurisdiction"),
            ground=row["ground"],
            effect=row.get("effect"),
            source=row["source"],
            says=row["says"],
            open=row["open"],
            event=row.get("from"),
            years=row.get("years", 0),
        )
    return found


def place(jurisdiction: Jurisdiction) -> str:
    """The jurisdiction in words.

    Raises:
        InputError: no such jurisdiction.
    """
    if jurisdiction not in JURISDICTIONS:
        raise InputError(f"--law {jurisdiction}: must be one of {', '.join(JURISDICTIONS)}")
    return str(_data()["jurisdictions"][jurisdiction])


def version() -> int:
    """Of the rules."""
    return int(_data()["version"])


@lru_cache(maxsize=1 << 14)
def decide(rights: Rights, use: Use, jurisdiction: Jurisdiction, year: int | None = None) -> Verdict:
    """What the rules say of a use in a place in a year (by default the one that the rules were written for)."""
    if rights.ground == "license":
        return _software(rights.license, use) if use.kind != "image" else _image(rights.license, use)
    if rights.ground == "dedication":
        return Verdict("free", (), (rules()["dedication"],))
    rule = next(rule for rule in rules().values() if (rule.ground, rule.jurisdiction) == (rights.ground, jurisdiction))
    if rule.event is not None:
        event = rights.published if rule.event == "published" else rights.died
        if event is None:
            return Verdict("unclear", (), (rule,))
        # A term runs to the end of its last year.
        over = (year or int(_data()["as_of"])) > event + rule.years
        return Verdict("free" if over else "forbidden", (), (rule,))
    status: dict[str | None, Status] = {"free": "free", "protected": "forbidden", "unclear": "unclear"}
    return Verdict(status[rule.effect], (), (rule,))


def _verdict(status: Status, duties: tuple[str, ...], *names: str) -> Verdict:
    return Verdict(status, duties, tuple(rules()[name] for name in names))


def _image(expression: str | None, use: Use) -> Verdict:
    class_ = classify(expression)
    if expression is None or class_ is None:
        return _verdict("unclear", (), "unknown-terms")
    asked = obligations(expression)
    if class_ == "public_domain":
        return _verdict("free", (), "dedication")
    bars = [name for name, hit in (("no-commercial", use.commercial), ("no-derivatives", use.adapted)) if hit]
    bars = [name for name in bars if name in asked]
    if bars:
        return _verdict("forbidden", (), *bars)
    if "read-terms" in asked or "use-restrictions" in asked:
        return _verdict("forbidden", (), "no-license-bought")
    told = [name for name in ("include-notice", "state-changes", "same-license") if name in asked]
    told = [name for name in told if use.adapted or name == "include-notice"]
    words = {"include-notice": ("credit", "name-license"), "state-changes": ("say-changed",)}
    words["same-license"] = ("share-alike",)
    return _verdict("conditional", tuple(duty for name in told for duty in words[name]), *told)


NOTICE = ("credit", "name-license")
ORDER: tuple[Status, ...] = ("free", "conditional", "unclear", "forbidden")


def _software(expression: str | None, use: Use) -> Verdict:
    """``OR`` gives the best of its terms, ``AND`` the worst."""
    class_ = classify(expression)
    if expression is None or class_ is None:
        return _verdict("unclear", (), "unknown-terms")
    if "(" not in expression and " OR " in expression:
        return min((_software(part, use) for part in expression.split(" OR ")), key=lambda one: ORDER.index(one.status))
    if "(" not in expression and " AND " in expression:
        parts = [_software(part, use) for part in expression.split(" AND ")]
        return max(parts, key=lambda one: ORDER.index(one.status))
    if class_ == "public_domain":
        return _verdict("free", (), "dedication")
    if class_ == "restricted":
        return _verdict("forbidden", (), "no-license-bought")
    if use.product == "service":
        over_network = "network-disclosure" in obligations(expression)
        return _verdict("forbidden", (), "network-disclosure") if over_network else _verdict("free", (), "not-conveyed")
    if class_ == "permissive":
        return _verdict("conditional", NOTICE, "include-notice")
    if class_ == "weak_copyleft":
        return _weak(use)
    return _strong(expression, use)


def _weak(use: Use) -> Verdict:
    if use.kind == "link":
        return _verdict("conditional", NOTICE, "include-notice", "weak-copyleft-linked")
    if use.product == "GPL-3.0-or-later":
        return _verdict("conditional", NOTICE, "include-notice")
    return _verdict("forbidden", (), "weak-copyleft-copied")


def _strong(expression: str, use: Use) -> Verdict:
    if use.product != "GPL-3.0-or-later":
        return _verdict("forbidden", (), "strong-copyleft")
    if expression in ("GPL-2.0-only", "GPL-1.0-only"):
        return _verdict("forbidden", (), "gpl-versions")
    if expression in ("GPL-2.0", "GPL-1.0"):
        # The metadata does not say whether later versions are meant.
        return _verdict("unclear", (), "gpl-versions")
    return _verdict("conditional", (*NOTICE, "share-alike"), "include-notice", "same-license")
