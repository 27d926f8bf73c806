"""The license of a file by its leading comment block, with evidence."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cleartitle.licenses import answer_words as words
from cleartitle.licenses.combine import combine, merge_variants
from cleartitle.licenses.declarations import parse_declaration
from cleartitle.licenses.expressions import normalize
from cleartitle.licenses.headers import is_license_file, leading_block, whole_text
from cleartitle.licenses.names import Mention, clean_text, find_names
from cleartitle.licenses.notices import find_notices
from cleartitle.licenses.vocabulary import UnknownLicenseError

__all__ = ["Detection", "Evidence", "detect", "forget"]

SURE = 90
"""Confidence in percent from which an expression counts as found rather than uncertain."""

_TAG = re.compile(r"SPDX-License-Identifier:[ \t]*([^\n]{1,300})", re.IGNORECASE)
_COPYRIGHT = re.compile(r"\d{4}|\(c\)|©|copyright(?:text)?:?\s+(?-i:[A-Z])", re.IGNORECASE)
_NO_CLAIM = ("copyright notice", "copyright holder", "copyright owner", "copyright law", "copyright statement")
_LICENSE_WORDS = (
    *("licen", "redistribut", "permission", "public domain", "public-domain", "publicdomain", "zero/1.0"),
    *("gpl", "general public", "copyleft", "unencumbered", "proprietary", "waived all"),
)
_COMPANY = re.compile(r"licen[cs]|\bterms\b|conditions", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:see|found in|described in|distributed with|accompanying|root of|included in|refer to)[^.\n]{0,80}?"
    r"(?:licen[cs]e|copying|copyright)|licen[cs]e[^.\n]{0,40}https?://",
    re.IGNORECASE,
)
_DEDICATED = re.compile(
    r"(?:in|into|to)\s+the\s+public[\s-]+domain|public[\s-]+domain\s*(?:[.,;!]|$)|(?:licen[cs]e|rights)\W{1,3}public[\s-]+domain",
    re.IGNORECASE,
)
# The terms of the work that a file comes from are not yet its own.
_ANOTHER = re.compile(r"\boriginal\s+(?:code|version|source|work|implementation|algorithm|program)\b", re.IGNORECASE)
_TITLE_TAIL = re.compile(r"\s*(?:[.;]|$|\n|[,-]?\s*\(?(?:see|cf\.?)\b|[-:,(]{1,2}\s*<?https?:)", re.IGNORECASE)
_WORD_AFTER = re.compile(r"\s+licen[cs]e\b", re.IGNORECASE)
_TEXT_OF = re.compile(
    r"\bsee\s+\S{1,60}\s+for\s+(?:(?:the|full|complete)\s+){0,2}text\s+of\s+(?:the\s+)?$", re.IGNORECASE
)
_STOP = re.compile(r"(?<=[a-z)])\.\s(?=[A-Z])")
_DUNDER = re.compile(r"^__licen[cs]e__\s*=\s*[\"']([^\"'\n]{2,200})[\"']", re.MULTILINE)
_GRANT = re.compile(r"special\s+exception|[\"']?classpath[\"']?\s+exception|runtime\s+library\s+exception")
_CUE = re.compile(
    rf"{words.CUE.pattern}|\bterms\s+of\b|\bsubject\s+to\b|\bconditions\s+of\b|\baccording\s+to\b", re.IGNORECASE
)
_JOINT = re.compile(
    r"\b(?:portions?|parts?|some|rest|remainder|remaining|most)\b[^.]{0,120}\b(?:licen[cs]e\w*|under|copyright\w*)|\bin\s+addition\b|\badditionally\b|\bas\s+well\s+as\b"
    r"|\balso\s+(?:licen[cs]ed|covered|subject|under|available|released|distributed)|\bboth\b|(?<!/)\blicen[cs]es\b(?!/)",
    re.IGNORECASE,
)
_LICENSE_FIELD = re.compile(r"^\W*licen[cs]e\W{0,2}:", re.IGNORECASE | re.MULTILINE)
_DEPRECATED = re.compile(r"\b([AL]?GPL-\d\.\d)(?=$|[\s)])")
_EXCEPTIONS = [
    ("classpath", "Classpath-exception-2.0"),
    ("runtime library exception", "GCC-exception-3.1"),
    ("bison", "Bison-exception-2.2"),
    ("configure script", "Autoconf-exception-generic"),
    ("libtool", "Libtool-exception"),
    ("openssl", ""),
]


@dataclass(frozen=True)
class Evidence:
    """What a rule found: lines 1-based and inclusive, ``confidence`` in percent, ``text`` at most 200 signs."""

    rule: str
    start_line: int
    end_line: int
    confidence: int
    text: str


@dataclass(frozen=True)
class Detection:
    """The license of one file.

    ``status`` is ``ok`` (``expression`` found with confidence 90 or more), ``uncertain`` (a license is spoken of, but
    the evidence is weak, an id is unknown, or only another file is referred to; no class should be drawn from it) or
    ``none``. ``expression`` may be a family (``GPL-3.0``, ``BSD``). ``header`` is the leading block as it stands in
    the file; ``header_end_line`` its last line, 0 when there is none.
    """

    expression: str | None
    status: str
    evidence: tuple[Evidence, ...] = ()
    copyright_lines: tuple[str, ...] = ()
    header: str = ""
    header_end_line: int = 0


@dataclass(frozen=True)
class _Found:
    """A hit on the joined license lines: offsets, rule, expression and confidence."""

    start: int
    end: int
    rule: str
    expression: str | None
    family: bool
    confidence: int


def detect(text: str, path: str | None = None) -> Detection:
    """The license that a file states for itself.

    Only the leading comment block is read, and the module docstring in it, never the code: a string or a variable
    named ``gpl`` is no license. A file whose name says so (LICENSE, COPYING) is read whole. In order: SPDX tags;
    texts and notices that are known by their wording; names with words that assert them. Names that are denied or
    compared with do not count. Several licenses without a word of choice are joined by ``AND``,
    and are ``uncertain`` unless words say that all of them hold ("portions", "both").

    The result says what the file claims. It does not establish who holds the rights, nor that the claim is right.
    """
    text = text.removeprefix("\ufeff")
    whole = is_license_file(path)
    header = whole_text(text) if whole else leading_block(text)
    lines = [(number, _plain(line)) for number, line in header.lines]
    copyrights = tuple(dict.fromkeys(line for _, line in lines if _is_copyright(line)))
    expression, status, evidence = _read(lines, whole)
    if (status == "uncertain" or " AND " in (expression or "")) and len(evidence) > 1 and header.docstring[0] > 1:
        expression, status, evidence = _without_docstring(lines, header.docstring) or (expression, status, evidence)
    if status == "none":
        expression, status, evidence = _dunder(text)
    return Detection(expression, status, evidence, copyrights, header.raw, header.end_line)


def _plain(line: str) -> str:
    line = line if line.isascii() else clean_text(line)
    return " ".join(line.split())


def _is_copyright(line: str) -> bool:
    lower = line.lower()
    if "copyright" not in lower and "(c)" not in lower and "©" not in lower or len(line) > 300:
        return False
    return bool(_COPYRIGHT.search(line)) and not any(phrase in lower for phrase in _NO_CLAIM)


def _read(lines: list[tuple[int, str]], whole: bool) -> tuple[str | None, str, tuple[Evidence, ...]]:
    tags = [(number, match[1]) for number, line in lines if "SPDX" in line and (match := _TAG.search(line))]
    if tags:
        return _tagged(tags)
    used = list(_license_lines(lines, whole))
    if not used:
        return None, "none", ()
    text = "\n".join(line for _, line in used)
    expression, status, found = _analyze(text, whole)
    evidence: list[Evidence] = []
    for hit in found:
        first, last = text.count("\n", 0, hit.start), text.count("\n", 0, max(hit.start, hit.end - 1))
        shown = " ".join(text[hit.start : hit.end].split())[:200]
        evidence.append(Evidence(hit.rule, used[first][0], used[last][0], hit.confidence, shown))
    return expression, status, tuple(evidence)


def _without_docstring(
    lines: list[tuple[int, str]], docstring: tuple[int, int]
) -> tuple[str | None, str, tuple[Evidence, ...]] | None:
    """What the comments alone state, if they state it surely and the docstring only speaks of licenses."""
    inside = "\n".join(line for number, line in lines if docstring[0] <= number <= docstring[1])
    if _LICENSE_FIELD.search(inside) or find_notices(" ".join(inside.lower().split())):
        return None
    found = _read([item for item in lines if not docstring[0] <= item[0] <= docstring[1]], False)
    return found if found[1] == "ok" else None


def _tagged(tags: list[tuple[int, str]]) -> tuple[str | None, str, tuple[Evidence, ...]]:
    evidence: list[Evidence] = []
    parts: list[str] = []
    for number, value in tags:
        value = re.sub(r"\s*(?:\*/|-->|\*\)|#\}|\"\"\"|''').*$", "", value).strip().rstrip(".,;*")
        # In a tag the deprecated id is what the SPDX list says it is: that version only.
        value = _DEPRECATED.sub(r"\1-only", value)
        try:
            part = normalize(value)
        except UnknownLicenseError:
            evidence.append(Evidence("spdx-tag-unknown", number, number, 50, value[:200]))
            continue
        evidence.append(Evidence("spdx-tag", number, number, 100, value[:200]))
        if part not in parts:
            parts.append(part)
    if not parts:
        return None, "uncertain", tuple(evidence)
    joined = parts[0] if len(parts) == 1 else " AND ".join(f"({part})" if " OR " in part else part for part in parts)
    sure = all(item.confidence == 100 for item in evidence)
    return normalize(joined), "ok" if sure else "uncertain", tuple(evidence)


def _has_license_word(text: str) -> bool:
    lower = text.lower()
    return any(word in lower for word in _LICENSE_WORDS)


def _license_lines(lines: list[tuple[int, str]], whole: bool) -> Iterator[tuple[int, str]]:
    """The lines of paragraphs with a license word, without pure copyright lines; paragraphs between two stay in."""
    if not _has_license_word("\n".join(line for _, line in lines)):
        return
    runs: list[list[tuple[int, str]]] = [[]]
    for number, line in lines:
        if any(map(str.isalnum, line)):
            runs[-1].append((number, line))
        elif runs[-1]:
            runs.append([])
    marked = [index for index, run in enumerate(runs) if _has_license_word("\n".join(line for _, line in run))]
    for run in runs[marked[0] : marked[-1] + 3] if marked else []:
        for number, line in run:
            if whole or _has_license_word(line) or not _is_copyright(line):
                yield number, line


@lru_cache(maxsize=8192)
def _analyze(text: str, whole: bool) -> tuple[str | None, str, tuple[_Found, ...]]:
    """Expression, status and hits for joined license lines; cached, since most headers recur word for word."""
    flat = text.replace("\n", " ").lower()
    if len(flat) != len(text):
        flat = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text.replace("\n", " "))
    found = [
        _Found(notice.start, notice.end, notice.rule, notice.expression, notice.family, notice.confidence)
        for notice in find_notices(flat)
    ]
    if not (whole and found):
        named = _named(text[:600] if whole else text, whole)
        # An address that a notice rule has already read is not told twice.
        spans = [(hit.expression, hit.start, hit.end) for hit in found]
        found += [
            hit
            for hit in named
            if not any(hit.expression == key and hit.start < last and first < hit.end for key, first, last in spans)
        ]
    if not found:
        reference = _REFERENCE.search(text)
        if reference is None:
            return None, "none", ()
        return None, "uncertain", (_Found(*reference.span(), "license-reference", None, False, 50),)
    strong = [hit for hit in found if hit.confidence >= SURE]
    used = sorted(strong or found, key=lambda hit: hit.start)
    mentions = [Mention(hit.start, hit.end, hit.expression or "", hit.family) for hit in used]
    combined = combine(text, mentions)
    if combined is None:
        return None, "none", ()
    merged = {mention.expression for mention in merge_variants(mentions)}
    kept = tuple(hit for hit in used if hit.expression in merged) or tuple(used)
    expression, weak = _with_exception(combined.expression, flat)
    apart = not whole and not combined.related and not _JOINT.search(text)
    status = "ok" if strong and not weak and not apart else "uncertain"
    return expression, status, kept


def forget() -> None:
    """Drop the cached results of header texts, as a change of the vocabulary asks for."""
    _analyze.cache_clear()


def _with_exception(expression: str, flat: str) -> tuple[str, bool]:
    """Add the exception that a GNU notice grants; an exception that is not known makes the result uncertain."""
    grant = _GRANT.search(flat)
    if grant is None or "GPL" not in expression or " " in expression:
        return expression, False
    rest = flat[grant.start() : grant.start() + 800]
    for phrase, key in _EXCEPTIONS:
        if phrase in rest and not key:
            # Leave to link OpenSSL takes nothing from the terms of the rest; there is no general id for it.
            return expression, False
        if phrase in rest:
            return normalize(f"{expression} WITH {key}"), False
    return expression, True


def _named(text: str, whole: bool) -> list[_Found]:
    """The names that make a claim; the sure ones alone, if there are any."""
    judged = [(mention, _confidence(text, mention, whole)) for mention in find_names(text)]
    for sure in (True, False):
        found = [
            _Found(mention.start, mention.end, _rule(confidence, whole), mention.expression, mention.family, confidence)
            for mention, confidence in judged
            if confidence and (confidence >= SURE) == sure and not _set_aside(text, mention)
        ]
        if found:
            return found
    return []


def _rule(confidence: int, whole: bool) -> str:
    return "license-title" if whole else "license-name" if confidence >= SURE else "bare-name"


def _before(text: str, mention: Mention) -> str:
    before = text[max(0, mention.start - 160) : mention.start].replace("\n", " ")
    return _STOP.split(before)[-1]


def _set_aside(text: str, mention: Mention) -> bool:
    """Whether a name is denied, compared with, or a thing of the past."""
    before = _before(text, mention)[-60:]
    return any(words.governs(pattern, before, 25) for pattern in (words.DENIAL, words.COMPARISON, words.PAST))


def _confidence(text: str, mention: Mention, whole: bool) -> int:
    """Percent, 0 when the name is no claim because of the company that it keeps."""
    before = _before(text, mention)
    after = text[mention.end : mention.end + 80].replace("\n", " ")
    own = text[mention.start : mention.end]
    if mention.expression == "LicenseRef-public-domain":
        if not _DEDICATED.search(before[-12:] + own + after[:20]):
            return 0
        return 70 if _ANOTHER.search(before) else 95
    if mention.expression == "LicenseRef-proprietary":
        return 0
    near = bool(_COMPANY.search(before[-100:] + own + after[:40]))
    if own == own.lower() and not re.search(r"licen[cs]", own) and not near:
        return 0
    if whole:
        return 95
    gnu = mention.expression.startswith(("GPL", "LGPL", "AGPL"))
    if not near and not gnu and not re.search(r"-\d", own):
        return 0
    if mention.weak and not re.search(r"licen[cs]\w*\W{1,3}(?:(?:under|is|the|by)\s+){0,3}$", before, re.IGNORECASE):
        return 0
    if _is_title(text, mention, own) or _TEXT_OF.search(before):
        return 92
    formal = "published by" in own.lower() or "published by the free software" in " ".join(after.split()).lower()
    cued = formal or bool(_CUE.search(before)) or bool(words.CUE_AFTER.match(after))
    cued = cued or own.lower().endswith("licensed")
    if cued and (near or gnu):
        return 92 if mention.style else 95
    return 70


def _is_title(text: str, mention: Mention, own: str) -> bool:
    """Whether "X License" stands for a statement: alone on its line, or with the place of its text behind it."""
    own += match[0] if (match := _WORD_AFTER.match(text, mention.end)) else ""
    tail = _TITLE_TAIL.match(text, mention.start + len(own)) if re.search(r"licen[cs]", own, re.IGNORECASE) else None
    if tail is None:
        return False
    head = text[text.rfind("\n", 0, mention.start) + 1 : mention.start].strip(" -*:|")
    return not head or (len(head) <= 60 and "http" in tail[0].lower())


def _dunder(text: str) -> tuple[str | None, str, tuple[Evidence, ...]]:
    """A Python ``__license__ = "X"`` in the first lines of a module."""
    head = text[:20_000]
    match = _DUNDER.search(head) if "__licen" in head else None
    if match is None:
        return None, "none", ()
    declared = parse_declaration(match[1])
    line = text.count("\n", 0, match.start()) + 1
    confidence = 95 if declared.status == "ok" else 60
    return (
        declared.expression,
        declared.status,
        (Evidence("module-declaration", line, line, confidence, match[0][:200]),),
    )
