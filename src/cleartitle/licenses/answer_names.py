"""The names that an answer asserts, apart from those that it denies, compares with, advises or names in passing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cleartitle.licenses import answer_words as words
from cleartitle.licenses.answer_tongues import CLAUSES
from cleartitle.licenses.combine import DUAL_STATED, covers
from cleartitle.licenses.names import Mention, find_names

__all__ = ["STATEMENTS", "Named", "collect_names", "without_asides"]

_MOST_NAMES = 200
_CONTEXT = 240
# Names of one answer that are judged, and signs before a name that are looked at: both keep hostile text linear.
_SENTENCE = re.compile(
    r"(?:(?<!\bv)(?<!\bver)(?<!\bvers)(?<!\be\.g)(?<!\bi\.e)(?<!\bc)(?<!\bz)(?<!\bB)(?<!\bInc)[.!?]+[\"')]{0,2}(?=\s|$)|[。！？!?]|\n\s*\n|\n(?=\s*(?:[-*•#>]|\d+[.)])\s)|(?<=[.:;])\n|\n(?=[A-Z\"'*]))",
)
_CLAUSE = re.compile(
    r"[;；]|(?<!anything),?\s+(?:but|however|although|though|while|whereas|aber|sondern|jedoch|"
    + CLAUSES
    + r"|mais|pero|sino|ma|mas|però|но|однако)\s|,\s*(?:a|а|instead|rather(?!\s+than))\s|但是?|不过|而是|しかし|ですが",
    re.IGNORECASE,
)
_CLAIMED = re.compile(r"(?:\bunder|licen[cs]ed?(?:\s+is)?|answer\s+is|:)\s*(?:the\s+)?[\"']?$", re.IGNORECASE)
_NAY = re.compile(r"\s*(?:no|nope|nein|non|not(?!\s+(?:\w+\s+)?(?:sure|certain|clear)))\b", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"]{1,400}", re.IGNORECASE)
_OFFERED = re.compile(r"(?:\bor|/|\band)\s*(?:under\s+)?(?:an?\s+|the\s+)?$", re.IGNORECASE)
_UNTIL = re.compile(
    r"(?:\s+licen[cs]ed?)?\s*,?\s+(?:until|before|up\s+to|back\s+then|at\s+first|originally|in\s+the\s+past)\b",
    re.IGNORECASE,
)
_NONE_BUT = re.compile(
    r"\b(?:no|none|nothing)\s+(?:[\w-]+\s+){0,3}(?:than|but|except)\s+(?:the\s+|an?\s+)?$"
    r"|(?:n't|not)\s+be\s+anything\s+(?:but|other\s+than)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_COLON = re.compile(r"(?:'?d|\s+licen[cs]ed|\s+code)?\s*(?::|->|=>|=|- |\.\s|;\s)\s*(?:(?:an?|the)\s+)?", re.IGNORECASE)
_INTO = re.compile(
    r"\b(?:in|into|with|for|of|within|inside|as\s+part\s+of|and|even|or)\s+(?:\w+\s+){0,2}$", re.IGNORECASE
)
_MATERIAL = re.compile(
    r"\s+(?:software|projects?|products?|code|applications?|apps?|use|programs?|works?|versions?|derivatives?|systems?)\b",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s*(?:,|/|or|and|und|oder|ou|,\s*or|,\s*and)\s*(?:the\s+)?", re.IGNORECASE)
_HOLDER = re.compile(
    r"(?:copyright|\(c\)|©)\s*:?\s*(?:(?:\(c\)|©)\s*)?(?:[\d, -]{4,12})?(?:by\s+)?(?:the\s+)?$", re.IGNORECASE
)
STATEMENTS = {"LicenseRef-proprietary"}
"""Expressions that state terms rather than name a license."""


@dataclass(frozen=True)
class Named:
    """An asserted name: whether words assert it, and whether they doubt it."""

    mention: Mention
    cued: bool
    hedged: bool
    sentence: tuple[int, int]


def _spans(text: str, pattern: re.Pattern[str], mentions: list[Mention]) -> Iterator[tuple[int, int]]:
    start = 0
    for match in pattern.finditer(text):
        if any(mention.start < match.end() and match.start() < mention.end for mention in mentions):
            continue
        yield start, match.end()
        start = match.end()
    yield start, len(text)


def _dropped(before: str, after: str, offered: bool) -> str | None:
    """Why a name does not count: ``undecided``, ``denied``, ``compared``, ``advised``, ``past``; None if it counts."""
    if _NONE_BUT.search(before):
        return None
    if words.governs(words.UNDECIDED, before, 120):
        return "undecided"
    if words.governs(words.DENIAL, before) or words.DENIED_AFTER.match(after):
        return "denied"
    if words.governs(words.COMPARISON, before, 160):
        return "compared"
    if not offered and words.governs(words.ADVICE, before, 160) or words.ADVISED_AFTER.search(after):
        return "advised"
    if _UNTIL.match(after):
        return "past"
    past = words.last_match(words.PAST, before)
    if past is not None and not words.PRESENT.search(before[past.end() :]):
        return "past"
    return None


def collect_names(text: str) -> tuple[list[Named], list[tuple[Mention, str]]]:
    """The asserted names of a plain answer in order, and the others with the reason why they do not count."""
    mentions = find_names(text)[:_MOST_NAMES]
    named: list[Named] = []
    dropped: list[tuple[Mention, str]] = []
    offered = bool(DUAL_STATED.search(text))
    for start, end in _spans(text, _SENTENCE, mentions):
        inside = [mention for mention in mentions if start <= mention.start < end]
        if not inside:
            continue
        sentence = text[start:end]
        shifted = [replace(mention, start=mention.start - start, end=mention.end - start) for mention in inside]
        doubted = bool(words.HEDGE_ANYWHERE.search(sentence))
        asked = sentence.rstrip().endswith("?") and len(sentence) + 5 < len(text)
        asked = asked and (len(sentence.split()) > 3 or bool(_NAY.match(text, end)))
        for first, last in _spans(sentence, _CLAUSE, shifted):
            clause = [mention for mention in shifted if first <= mention.start < last]
            cued, previous, reach = False, first, 0
            for mention in clause:
                before = sentence[max(first, reach, mention.start - _CONTEXT) : mention.start]
                after = sentence[mention.end : min(last, mention.end + _CONTEXT)]
                original = replace(mention, start=mention.start + start, end=mention.end + start)
                reason = "asked" if asked else _dropped(before, after, offered)
                if reason == "compared" and (doubted or words.governs(words.EQUAL, before)):
                    reason = "resembles"
                if reason:
                    dropped.append((original, reason))
                    # "Not X: Y" denies X alone.
                    reach = _corrected(mention, clause, sentence, reason)
                elif _in_list(mention, clause, sentence) or not _bystander(mention, sentence, before):
                    listed = cued and mention.start - previous <= 20
                    cued = bool(listed or words.CUE.search(before[-90:]) or words.CUE_AFTER.match(after))
                    previous = mention.end
                    hedged = doubted or words.governs(words.HEDGE_BEFORE, before, _CONTEXT)
                    named.append(Named(original, cued, hedged, (start, end)))
    return named, dropped


def _corrected(mention: Mention, clause: list[Mention], sentence: str, reason: str) -> int:
    """Where the reach of a denial of ``mention`` ends: "not X: Y" and "not X, Y" deny X alone."""
    if reason not in {"denied", "compared"}:
        return 0
    following = clause[clause.index(mention) + 1 :]
    if following:
        gap = sentence[mention.end : following[0].start]
        alone = reason == "denied" and (_COLON.fullmatch(gap) or (len(following) == 1 and gap.strip() == ","))
        if alone or gap.strip() == ":":
            return following[0].start
    return 0


def _in_list(mention: Mention, clause: list[Mention], sentence: str) -> bool:
    """Whether a weak name stands in a row with a full one ("Apache or MIT")."""
    return mention.weak and any(
        mention in (left, right) and not (left.weak and right.weak) and _ROW.fullmatch(sentence[left.end : right.start])
        for left, right in zip(clause, clause[1:], strict=False)
    )


def _bystander(mention: Mention, sentence: str, before: str) -> bool:
    """Whether a word that is also a product or an owner ("Apache", "MIT") stands for that here."""
    if mention.expression == "LicenseRef-proprietary" and _MATERIAL.match(sentence, mention.end):
        return bool(_INTO.search(before))
    if (mention.weak or mention.expression == "MIT" and mention.end - mention.start == 3) and _HOLDER.search(before):
        return True
    return mention.weak and len(sentence.split()) > 3 and not _CLAIMED.search(before)


def without_asides(text: str, named: list[Named]) -> list[Named]:
    """Names in an address count when they sharpen another name or stand alone; so do statements ("proprietary")."""
    links = [match.span() for match in _LINK.finditer(text)]
    spoken = [item for item in named if not any(start <= item.mention.start < end for start, end in links)]
    if spoken:
        named = [
            item
            for item in named
            if item in spoken or any(covers(item.mention.expression, other.mention.expression) for other in spoken)
        ]
    others = [item for item in named if item.mention.expression not in STATEMENTS]
    if others and not DUAL_STATED.search(text):
        named = [item for item in named if item in others or _offered(text, item.mention)]
    return named


def _offered(text: str, mention: Mention) -> bool:
    """Whether a statement is one of several on offer: "GPL or a commercial license"."""
    return bool(_OFFERED.search(text[max(0, mention.start - 40) : mention.start]))
