"""Grading an answer against the true license, as LiCoEval published it and in a corrected way."""

import re
from dataclasses import dataclass

from cleartitle.errors import InputError
from cleartitle.licenses.answer import Answer, parse_answer
from cleartitle.licenses.expressions import expression_ids, license_class, normalize
from cleartitle.licenses.vocabulary import UnknownLicenseError, Vocabulary, default_vocabulary

__all__ = ["MODES", "Grade", "grade", "license_group", "match_as_published"]

MODES = ("corrected", "paper")
"""``corrected`` is the default; ``paper`` follows the published evaluation."""


@dataclass(frozen=True)
class Grade:
    """Credit of one answer at three levels, each implied by the one before except where classes differ in a family.

    ``exact``: the same license, where a GNU license with a version but without "only" or "or later" fits either.
    ``family``: the same family without version or variant (BSD for BSD-3-Clause), or one of the offered choices.
    ``class_``: the same class; public domain counts as permissive. ``hedged`` flags credit for a doubtful answer.
    ``answered`` is False when no license was named; then all levels are False. ``matched`` is what was compared.
    """

    exact: bool
    family: bool
    class_: bool
    hedged: bool = False
    answered: bool = True
    matched: str | None = None


@dataclass(frozen=True)
class _PaperRule:
    """One row: the first of ``names`` that is in the answer, a version, substrings that must and must not be in."""

    id: str
    names: tuple[str, ...]
    version: str = ""
    must: tuple[str, ...] = ()
    no: tuple[str, ...] = ()


def _gnu_rules(prefix: str, names: tuple[str, ...], versions: tuple[str, ...], no: tuple[str, ...]) -> list[_PaperRule]:
    rules: list[_PaperRule] = []
    for version in versions:
        number = version if "." in version else f"{version}.0"
        rules.append(_PaperRule(f"{prefix}-{number}-or-later", names, version, ("later",), no))
        rules.append(_PaperRule(f"{prefix}-{number}-only", names, version, (), no))
    return rules


# Our own table, in the order that the published behaviour implies; see match_as_published.
_PAPER_RULES = [
    _PaperRule("apache-2.0", ("apache",)),
    *_gnu_rules("agpl", ("agpl", "affero general public license"), ("3",), ()),
    *_gnu_rules("lgpl", ("lgpl", "lesser general public license"), ("2.1", "3"), ()),
    *_gnu_rules("gpl", ("gpl", "general public license"), ("2", "3"), ("lesser", "affero")),
    _PaperRule("bsd-3-clause", ("bsd 3-clause",)),
    _PaperRule("bsd-2-clause", ("bsd 2-clause",)),
    _PaperRule("bsd-4-clause", ("bsd 4-clause",)),
    _PaperRule("0bsd", ("0bsd", "zero-clause bsd")),
    _PaperRule("mpl-2.0", ("mpl", "mozilla public license"), "2"),
    _PaperRule("mpl-1.1", ("mpl", "mozilla public license"), "1.1"),
    _PaperRule("epl-2.0", ("epl", "eclipse public license"), "2"),
    _PaperRule("epl-1.0", ("epl", "eclipse public license"), "1"),
    _PaperRule("cddl-1.0", ("cddl", "common development and distribution license"), "1"),
    _PaperRule("isc", ("isc",)),
    _PaperRule("mit", ("mit",), no=("0",)),
    _PaperRule("mit-0", ("mit no attribution",)),
    _PaperRule("cc0-1.0", ("cc0", "creative commons zero")),
    _PaperRule("cc-by-4.0", ("cc by", "creative commons attribution"), "4"),
    _PaperRule("unlicense", ("unlicense",)),
    _PaperRule("wtfpl", ("wtfpl",)),
    _PaperRule("zlib", ("zlib",)),
    _PaperRule("bsl-1.0", ("boost software license",)),
    _PaperRule("artistic-2.0", ("artistic license",), "2"),
    _PaperRule("ms-pl", ("ms-pl", "microsoft public license")),
]
_STRONG_IN_THE_PAPER = {"MS-PL"}


def match_as_published(text: str) -> str | None:
    """The lower-case SPDX id that LiCoEval's published procedure reads from an answer, or None.

    Rules are tried in order and the first hit wins. A name without a blank must be a word of the lower-cased answer
    between blanks; a name with a blank may stand anywhere in it; a version must follow "v", "-" or a blank and not be
    followed by a digit. The rule table is ours, written from that description and the known behaviour ("Apache-2.0",
    "MIT." and "GPLv3" match nothing; "MIT or Apache 2.0" is Apache). It is verified on the 47 recorded GPT-4o
    answers only, where all 47 matches are equal; on other answers the release may read something else.
    """
    lower = text.lower()
    words = set(lower.split())
    for rule in _PAPER_RULES:
        if not any(name in lower if " " in name else name in words for name in rule.names):
            continue
        if rule.version and not re.search(rf"(?<=[v\-\s]){re.escape(rule.version)}(?!\d)", lower):
            continue
        if all(part in lower for part in rule.must) and not any(part in lower for part in rule.no):
            return rule.id
    return None


def license_group(expression: str, mode: str = "corrected", vocabulary: Vocabulary | None = None) -> str:
    """The group in which accuracies are counted: ``permissive``, ``copyleft`` or, in ``corrected``, ``restricted``.

    Public domain counts as permissive. ``paper`` asks only whether a license is permissive, so restricted licenses
    count as copyleft there, and so does MS-PL.

    Raises:
        UnknownLicenseError: a name that the vocabulary does not hold.
        InputError: unknown mode.
    """
    _check(mode)
    class_ = license_class(expression, vocabulary)
    if mode == "paper" and normalize(expression, vocabulary) in _STRONG_IN_THE_PAPER:
        return "copyleft"
    if class_ in {"public_domain", "permissive"}:
        return "permissive"
    return "restricted" if class_ == "restricted" and mode == "corrected" else "copyleft"


def grade(answer: Answer | str, truth: str, mode: str = "corrected", vocabulary: Vocabulary | None = None) -> Grade:
    """Credit for an answer (text, or text already parsed) against the true license, an SPDX expression or family.

    ``corrected`` grades what ``parse_answer`` reads. ``paper`` needs the text, matches it by ``match_as_published``
    and gives ``exact`` only for equal ids; ``family`` and ``class_`` are ours there too.

    Raises:
        InputError: unknown mode, or ``paper`` without the text.
        UnknownLicenseError: ``truth`` is not in the vocabulary.
    """
    _check(mode)
    words = vocabulary or default_vocabulary()
    true = normalize(truth, words)
    if mode == "paper":
        if not isinstance(answer, str):
            raise InputError("paper mode reads the words of the answer; mend: pass its text instead of a parsed answer")
        matched = match_as_published(answer)
        if matched is None:
            return Grade(False, False, False, answered=False)
        exact = matched == truth.strip().lower()
        return Grade(exact, _same_family(matched, true, words), _same_class(matched, true, words), matched=matched)
    parsed = parse_answer(answer) if isinstance(answer, str) else answer
    if parsed.expression is None:
        return Grade(False, False, False, answered=False)
    named = parsed.expression
    exact = _same(named, true, words)
    family = exact or _same_family(named, true, words)
    return Grade(exact, family, _same_class(named, true, words), parsed.status == "hedged", matched=named)


def _check(mode: str) -> None:
    if mode not in MODES:
        raise InputError(f"unknown mode {mode!r}; mend: use one of {', '.join(MODES)}")


def _terms(expression: str) -> frozenset[str]:
    return frozenset(part.strip("() ") for part in re.split(r" (?:OR|AND) ", expression))


def _operators(expression: str) -> frozenset[str]:
    return frozenset(re.findall(r" (OR|AND) ", expression))


_EITHER = re.compile(r"((?:A|L)?GPL-\d\.\d)(?:-only|-or-later)?( WITH .+)?$")


def _same_term(left: str, right: str) -> bool:
    if left == right:
        return True
    one, two = _EITHER.fullmatch(left), _EITHER.fullmatch(right)
    return bool(one and two and one.groups() == two.groups() and (left == _bare(one) or right == _bare(two)))


def _bare(match: re.Match[str]) -> str:
    return match[1] + (match[2] or "")


def _same(named: str, true: str, words: Vocabulary) -> bool:
    left, right = _terms(normalize(named, words)), _terms(true)
    if len(left) != len(right) or _operators(named) != _operators(true):
        return False
    return all(any(_same_term(term, other) for other in right) for term in left)


def _roots(expression: str, words: Vocabulary) -> frozenset[str]:
    rows = [words.get(key.rstrip("+")) for key in expression_ids(expression, words)]
    return frozenset(row.root for row in rows if row is not None)


def _same_family(named: str, true: str, words: Vocabulary) -> bool:
    try:
        left, right = _roots(named, words), _roots(true, words)
    except UnknownLicenseError:
        return False
    return left == right or (bool(left) and left <= right and "OR" in _operators(true))


def _same_class(named: str, true: str, words: Vocabulary) -> bool:
    try:
        classes = {license_class(named, words), license_class(true, words)}
    except UnknownLicenseError:
        return False
    return len(classes) == 1 or classes == {"public_domain", "permissive"}
