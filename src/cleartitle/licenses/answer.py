"""The license that a model's free-text answer names."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from cleartitle.licenses import answer_words as words
from cleartitle.licenses.answer_names import STATEMENTS, Named, collect_names, without_asides
from cleartitle.licenses.answer_text import FENCE, without_markup
from cleartitle.licenses.combine import (
    DUAL,
    Combined,
    combine,
    explicit_expression,
    merge_variants,
)
from cleartitle.licenses.expressions import normalize
from cleartitle.licenses.names import Mention, clean_text
from cleartitle.licenses.notices import find_notices, flatten
from cleartitle.licenses.vocabulary import UnknownLicenseError, default_vocabulary

__all__ = ["Answer", "parse_answer"]

_LONGEST = 20_000
# Signs of an answer that are read: longer ones repeat themselves.
_TAG = re.compile(r"SPDX-License-Identifier:\s*([A-Za-z0-9.+() -]{2,200})", re.IGNORECASE)
_KEYS = (
    *("license", "licence", "spdx", "spdx_id", "spdx_license", "spdx_identifier", "spdx-license-identifier"),
    *("license_id", "license_name", "license_identifier", "license_type", "licenses", "name", "id", "identifier"),
)
_FIELD = re.compile(
    r"^\W{0,6}(?:the\s+)?(?:SPDX\s+)?(?:licen[cs]e|lizenz|licencia|licença|licenza|许可证|ライセンス|лицензия)"
    r"(?:\s+(?:name|type|identifier|information|id|info))?\W{0,3}[:=：]\W{0,4}(?P<value>[^\n]{0,200})$",
    re.IGNORECASE | re.MULTILINE,
)
# One word that is also an id or a family of the vocabulary, but no answer to a question about a license.
_NOT_AN_ANSWER = {"python", "intel", "doc", "fair", "cube", "sl", "jam", "x", "hp", "other", "code"}
_CLOSING = " \n)]}\"'.*"


@dataclass(frozen=True)
class Answer:
    """What an answer says about the license.

    ``status`` is ``ok`` (one definite license or expression of exact ids), ``family`` (definite, but several ids fit:
    ``GPL-3.0``, ``BSD``), ``hedged`` (one license, with doubt), ``ambiguous`` (two or more, no word of choice),
    ``none`` (says that there is no license or that none is given), ``unknown`` (does not know, or names none) or
    ``refused``. ``expression`` is an SPDX expression or a family with the first three, else None. ``evidence`` holds
    the parts of the answer that decided.
    """

    status: str
    expression: str | None = None
    evidence: tuple[str, ...] = ()


def parse_answer(text: str) -> Answer:
    """The license that ``text``, a model's answer to a question about a license, names.

    Read in this order: JSON, the whole answer as an id or name, an SPDX tag or expression, a pasted license text,
    names in sentences. Names that are denied, compared with, advised or given as examples do not count. At most
    20,000 signs are read. The parse says what the answer claims; it does not say that the claim is true.
    """
    clean = clean_text(text[:_LONGEST])
    if not clean.strip():
        return Answer("unknown")
    found = _structured(clean)
    if found is not None:
        return found
    plain = without_markup(clean)
    return _whole(plain) or _tagged(plain) or _field(plain) or _prose(plain)


def _structured(text: str) -> Answer | None:
    body = FENCE.sub("", text).strip()
    match = re.search(r"\{[^{}]{0,4000}(?:\{[^{}]{0,2000}\}[^{}]{0,2000})?\}|^\[[^\[\]]{0,2000}\]$", body)
    if match is None or len(match[0]) * 2 < len(body):
        return None
    try:
        value = json.loads(match[0])
    except (ValueError, RecursionError):
        return None
    return _of_value(value, match[0])


def _of_value(value: Any, shown: str) -> Answer | None:
    if isinstance(value, dict):
        lowered = {str(key).lower().replace(" ", "_"): item for key, item in value.items()}
        for key in _KEYS:
            if key in lowered:
                return _of_value(lowered[key], shown)
        return None
    if isinstance(value, list):
        value = ", ".join(str(item) for item in value)
    if value is None or value == "":
        return Answer("none", None, (shown[:200],))
    if isinstance(value, str):
        answer = parse_answer(value) if value.strip() else Answer("none")
        return replace(answer, evidence=answer.evidence or (value[:200],))
    return None


def _whole(text: str) -> Answer | None:
    name = text.strip().strip("\"'.,;:!()[]{}<> \n")
    if not name or len(name) > 120 or name.lower() in _NOT_AN_ANSWER:
        return None
    if name.upper() == "NOASSERTION":
        return Answer("unknown", None, (name,))
    if name.upper() == "UNLICENSED":
        return Answer("none", None, (name,))
    if re.search(r"[a-z0-9)] and [a-z(]", name, re.IGNORECASE) and " AND " not in name:
        return None
    try:
        expression = normalize(name)
    except UnknownLicenseError:
        return None
    status = "family" if _has_family(expression) else "ok"
    return Answer("hedged" if text.rstrip(_CLOSING).endswith("?") else status, expression, (name,))


def _has_family(expression: str) -> bool:
    table = default_vocabulary()
    rows = [table.get(part.strip("()").rstrip("+")) for part in re.split(r" (?:AND|OR|WITH) ", expression)]
    return any(row is not None and row.is_family for row in rows)


def _tagged(text: str) -> Answer | None:
    match = _TAG.search(text)
    if match is None:
        return None
    value = match[1].strip()
    for candidate in (value, value.split("  ")[0], value.split()[0]):
        answer = _whole(candidate)
        if answer is not None:
            return replace(answer, evidence=(match[0].strip(),))
    return None


def _field(text: str) -> Answer | None:
    """A line "License: X" decides if it is short and X is one name or a word for none."""
    match = _FIELD.search(text)
    if match is None or text[: match.start()].count("\n") > 8 or len(text[: match.start()]) > 400:
        return None
    if _FIELD.search(text, match.end()):
        return None
    value = match["value"].strip()
    if not value or len(value.split()) > 14:
        return None
    answer = _whole(value)
    if answer is None and re.fullmatch(
        r"\W*(?:none|null|nil|not\s+\w+|no\s+license|n/a|unspecified|unlicensed)\W*", value, re.IGNORECASE
    ):
        answer = Answer("none")
    if answer is None and re.fullmatch(r"\W*(?:unknown|unclear|undetermined|other)\W*", value, re.IGNORECASE):
        answer = Answer("unknown")
    return replace(answer, evidence=(match[0].strip(),)) if answer else None


def _prose(text: str) -> Answer:
    noticed = _noticed(text)
    named, dropped = collect_names(text)
    if noticed is not None and not _contradicted(noticed, named):
        return noticed
    if named and all(item.mention.expression in STATEMENTS for item in named) and words.NO_LICENSE.search(text):
        named = []
    named = without_asides(text, named)
    if not named:
        named = [Named(mention, True, False, (0, 0)) for mention, reason in dropped if reason == "past"]
        named = named or [Named(mention, True, True, (0, 0)) for mention, reason in dropped if reason == "resembles"]
    if not named:
        return _nameless(text, dropped)
    chosen, combined = _choose(text, named)
    short = len(text.split()) <= 8 and words.HEDGE_ANYWHERE.search(text)
    doubt = bool(short) or any(item.hedged for item in chosen) or bool(words.DOUBT.search(text))
    doubt = doubt or (text.rstrip(_CLOSING).endswith("?") and len(text) < 60)
    evidence = tuple(text[item.mention.start : item.mention.end] for item in chosen)
    if not combined.related and _JOINTLY.search(text) and not doubt:
        combined = replace(combined, related=True)
    if not combined.related:
        return Answer("ambiguous", None, evidence)
    if " OR " in combined.expression and doubt and not _offers_choice(text):
        return Answer("ambiguous", None, evidence)
    status = "hedged" if doubt else "family" if combined.family else "ok"
    return Answer(status, combined.expression, evidence)


def _offers_choice(text: str) -> bool:
    return any(not match[0].lower().startswith("either") for match in DUAL.finditer(text))


def _noticed(text: str) -> Answer | None:
    flat = flatten(text)
    notices = [notice for notice in find_notices(flat) if not notice.rule.endswith(("-url", "style-reference"))]
    if not notices:
        return None
    mentions = [Mention(notice.start, notice.end, notice.expression, notice.family) for notice in notices]
    combined = combine(flat, mentions)
    if combined is None or not combined.related:
        return None
    evidence = tuple(flat[notice.start : notice.end] for notice in notices)
    return Answer("family" if combined.family else "ok", combined.expression, evidence)


def _contradicted(noticed: Answer, named: list[Named]) -> bool:
    """Whether words assert another license than the pasted text."""
    extra = Mention(0, 0, noticed.expression or "", noticed.status == "family")
    cued = [item.mention for item in named if item.cued and item.mention.expression != "LicenseRef-public-domain"]
    return len(merge_variants([extra, *cued])) > 1


def _choose(text: str, named: list[Named]) -> tuple[list[Named], Combined]:
    """The names that make the answer, and what they combine to."""
    explicit = explicit_expression(text)
    if explicit and (" OR " in explicit[0] or " AND " in explicit[0]):
        inside = [item for item in named if explicit[1] <= item.mention.start < explicit[2]]
        if inside and len(merge_variants([item.mention for item in named])) <= len(
            merge_variants([item.mention for item in inside])
        ):
            return inside, Combined(explicit[0], _has_family(explicit[0]))
    groups = [named, *_narrowed(text, named)]
    first: tuple[list[Named], Combined] | None = None
    for group in groups:
        combined = combine(text, [item.mention for item in group]) if group else None
        if combined is None:
            continue
        first = first or (group, combined)
        if combined.related:
            return group, combined
    assert first is not None
    return first


def _narrowed(text: str, named: list[Named]) -> Iterator[list[Named]]:
    """Smaller groups of names that may be the answer, the best first."""
    corrections = [match.start() for match in words.CORRECTION.finditer(text)]
    if corrections:
        yield [item for item in named if item.mention.start > corrections[-1]]
    head = next((line for line in text.split("\n") if line.strip()), "")
    end = text.index(head) + len(head)
    listed = re.match(r"\s*(?:[-•]|\d+[.)])\s", head) or any(
        len(_line_of(text, item.mention).split()) <= 5 for item in named if item.mention.start > end
    )
    if len(head.split()) <= 12 and not listed:
        yield [item for item in named if item.mention.end <= end]
    if not _PARTS.search(text):
        yield [item for item in named if item.cued]


def _line_of(text: str, mention: Mention) -> str:
    end = text.find("\n", mention.end)
    return text[text.rfind("\n", 0, mention.start) + 1 : end if end >= 0 else len(text)]


def _nameless(text: str, dropped: list[tuple[Mention, str]]) -> Answer:
    reasons = {"undecided", "compared"} if _WHICH.search(text) else {"undecided"}
    undecided = merge_variants([mention for mention, reason in dropped if reason in reasons])
    if len(undecided) > 1:
        return Answer("ambiguous", None, tuple(text[mention.start : mention.end] for mention in undecided))
    found = [
        (match.start(), rank, status, match[0])
        for rank, (status, pattern) in enumerate(_NAMELESS)
        if (match := pattern.search(text)) is not None
        and not any(match.start() <= mention.start < match.end() for mention, _ in dropped)
    ]
    if found:
        _, _, status, evidence = min(found)
        return Answer(status, None, (evidence.strip(),))
    return Answer("none", None, (match[0],)) if (match := _COPYRIGHT.search(text)) else Answer("unknown")


# Of statements that begin at the same sign the first kind stands.
_NAMELESS = [("refused", words.REFUSAL), ("unknown", words.IGNORANCE), ("none", words.NO_LICENSE)]
_WHICH = re.compile(
    r"\bwhich\s+(?:one|of\s+(?:them|these|those|the\s+two))\b|\bone\s+of\s+(?:them|these|those)\b", re.IGNORECASE
)
_COPYRIGHT = re.compile(r"(?:copyright|\(c\)|©)[^\n]{3,120}|all\s+rights\s+reserved", re.IGNORECASE)
_PARTS = re.compile(
    r"\b(?:parts?|portions?|pieces|sections|some\s+(?:files|code|functions|helpers?))\b[^.]{0,60}$|\bwith\s+(?:parts|portions|some)\b",
    re.IGNORECASE,
)
_JOINTLY = re.compile(
    r"\b(?:both|all)\b(?:(?!which)[^.\n]){0,120}\bappl(?:y|ies)\b|\bsimultaneously\b|\bcomply\s+with\s+(?:both|all)\b|\bjointly\b|\bcumulative",
    re.IGNORECASE,
)
