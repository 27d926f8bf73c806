"""The license of an occurrence from what its header and its package say, with a grade of trust.

====================  ==========================================================================================
``agree``             header and declaration name the same license, or compatible forms of it
``header``            only the file's own header names one
``declaration``       only the package's metadata names one
``conflict``          both name one and they differ; the header is kept as the license of the file
``none``              neither names one
====================  ==========================================================================================

Compatible are: the same expression; a header that names only licenses which the declaration contains (a file under
MIT in a package under ``MPL-2.0 AND MIT``); a header that offers a choice of which the declaration is one (``MPL-2.0
OR BSD-3-Clause`` in a package under MPL); ``-only``, ``-or-later`` and the bare version of one GNU license; a family
and its member (``BSD`` and ``BSD-3-Clause``), where the license is the more exact of the two. The declaration of a
package is not taken to speak for a vendored file.

A header that was read with doubt never gives the license of a file: alone it counts for nothing, beside a declaration
it makes the grade ``agree`` or ``conflict``, and the license is the declared one.
A grade tells how well the sources agree, not that the license was granted by the holder of the rights.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from cleartitle.licenses import UnknownLicenseError, classify, expression_ids, lookup, normalize

__all__ = ["Resolution", "compatible", "resolve"]


@dataclass(frozen=True)
class Resolution:
    """License, its class, the grade of trust, and the text of a conflict."""

    license: str | None
    license_class: str | None
    trust: str
    conflict: str | None = None


@lru_cache(maxsize=8192)
def resolve(header: str | None, declared: str | None, vendored: bool = False, doubtful: bool = False) -> Resolution:
    """The license of a file from its header and its package's declaration, both SPDX expressions or None.

    ``vendored`` tells that the file comes from elsewhere, ``doubtful`` that the header was read with doubt.
    """
    header, declared = header or None, None if vendored else declared or None
    if doubtful and declared is None:
        header = None
    if header is None and declared is None:
        return Resolution(None, None, "none")
    if header is None or declared is None:
        license_ = header or declared
        return Resolution(license_, classify(license_), "declaration" if header is None else "header")
    license_ = declared if doubtful or _is_vaguer(header, declared) else header
    if compatible(header, declared):
        return Resolution(license_, classify(license_), "agree")
    text = f"header {'seems to say' if doubtful else 'says'} {header}, package declares {declared}"
    return Resolution(license_, classify(license_), "conflict", text)


@lru_cache(maxsize=8192)
def compatible(header: str, declared: str) -> bool:
    """Whether a header and a declaration do not contradict each other (see the module's text)."""
    try:
        if normalize(header) == normalize(declared):
            return True
        own, other = expression_ids(header), expression_ids(declared)
        return _all_in(own, other) or (_is_choice(header) and _all_in(other, own))
    except UnknownLicenseError:
        return header == declared


def _all_in(ids: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return all(any(_same(one, other) for other in others) for one in ids)


def _is_choice(expression: str) -> bool:
    text = normalize(expression)
    return " OR " in text and " AND " not in text


def _is_vaguer(header: str, declared: str) -> bool:
    """Whether the header names only the family of the one license that is declared."""
    try:
        own, other = expression_ids(header), expression_ids(declared)
        if len(own) != 1 or len(other) != 1 or own == other or not _same(own[0], other[0]):
            return False
        return lookup(own[0]).is_family and not lookup(other[0].rstrip("+")).is_family
    except UnknownLicenseError:
        return False


def _same(one: str, other: str) -> bool:
    if _base(one) == _base(other):
        return True
    try:
        first, second = lookup(one.rstrip("+")), lookup(other.rstrip("+"))
    except UnknownLicenseError:
        return False
    return (first.is_family and first.id in (second.family, second.root)) or (
        second.is_family and second.id in (first.family, first.root)
    )


def _base(identifier: str) -> str:
    return re.sub(r"(-only|-or-later|\+)$", "", identifier)
