"""Whether an attribution keeps the duties of a license: each duty by itself, by rules that can be read."""

import re
from collections.abc import Callable

from cleartitle.evals.license_choice.law import Rights, Verdict
from cleartitle.licenses import UnknownLicenseError, expression_ids, normalize, parse_answer

__all__ = ["DUTIES", "duties_kept"]

LONGEST = 4_096
CHANGED = re.compile(r"\b(?:chang|modif|adapt|alter|crop|edit|recolou?r|derived|based on|remix|resiz|scaled)", re.I)

DUTIES = {
    "credit": "the attribution names the author",
    "name-license": "the attribution names the license, by its name, id or address",
    "say-changed": "the attribution says that the work was changed",
    "share-alike": "the result is put under the same license",
}
"""What each duty is judged by. An attribution that keeps them may still be too little for a court."""


def duties_kept(verdict: Verdict, rights: Rights, attribution: str, result_license: str) -> dict[str, bool]:
    """Each duty of a verdict, and whether what was submitted keeps it."""
    shown = attribution[:LONGEST]
    judges: dict[str, Callable[[], bool]] = {
        "credit": lambda: bool(rights.creator) and _folded(rights.creator or "") in _folded(shown),
        "name-license": lambda: _names(shown, rights.license),
        "say-changed": lambda: CHANGED.search(shown) is not None,
        "share-alike": lambda: _same(result_license, rights.license),
    }
    return {duty: judges[duty]() for duty in verdict.duties}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _names(text: str, license: str | None) -> bool:
    said = parse_answer(text).expression
    return said is not None and license is not None and bool(_ids(said) & _ids(license))


def _same(text: str, license: str | None) -> bool:
    """The same license, or a later version where the license allows it; what is no expression is read as an answer."""
    try:
        said: str | None = normalize(text.strip()) if text.strip() else None
    except UnknownLicenseError:
        said = parse_answer(text[:LONGEST]).expression
    return said is not None and license is not None and bool(_families(said) & _families(license))


def _ids(expression: str) -> set[str]:
    try:
        return set(expression_ids(expression))
    except UnknownLicenseError:
        return set()


def _families(expression: str) -> set[str]:
    return {re.sub(r"(?:-\d[\d.]*)?(?:-only|-or-later)?$", "", one) for one in _ids(expression)}
