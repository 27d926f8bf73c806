"""From the names in a text to one expression: variants merged, choices joined by OR."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cleartitle.licenses.expressions import normalize
from cleartitle.licenses.names import Mention
from cleartitle.licenses.vocabulary import UnknownLicenseError, default_vocabulary

__all__ = ["DUAL", "DUAL_STATED", "Combined", "combine", "covers", "explicit_expression", "merge_variants"]

DUAL_STATED = re.compile(
    r"\b(?:dual(?:ly)?|double|disjunctive|tri|triple|multi(?:ple)?)[\s-]*licen[cs]\w*|\bdual\b|\b(?:two|both)\s+licen[cs]es",
    re.IGNORECASE,
)
"""Words that say that several licenses are on offer."""
DUAL = re.compile(
    rf"{DUAL_STATED.pattern}|"
    r"\bchoose\b"
    r"|\b(?:your|the user'?s)\s+(?:option|choice|choosing)\b(?![\s),]{0,4}any\s+(?:later|newer|subsequent))"
    r"|\bchoice\s+of\b|\beither\b(?!\s+version)|under\s+both|both\s+licen[cs]es|\bdoppel\w*lizen\w+|\bwahlweise\b|\bdoppelt\s+lizen\w+"
    r"|\bdouble\s+licence|\bau\s+choix\b|\bdoble\s+licencia|\blicencia\s+dual|\bdoppia\s+licenza|\bdupla\s+licen\w+"
    r"|\blicen[çc]a\s+dupla|\bdubbele?\s+licen\w+|\bpodw[óo]jn\w+\s+licencj\w+|\b[çc]ift\s+lisans|이중\s?라이[선센]스|\btwo\s+licen[cs]es|\bzwei\s+lizenzen|双重|雙重|双许可|任选|デュアル|いずれか|двойн\w+\s+лицензи|на\s+выбор",
    re.IGNORECASE,
)
"""Words that say that the user may choose."""

_OR = re.compile(r"(?:\b(?:or|oder|ou|or\s+else|и/или|или)\b|/|\||\s[oe]\s|或者?|または|もしくは|или)", re.IGNORECASE)
_FILLER = re.compile(
    r"\b(?:the|an?|terms|conditions|of|under|either|alternatively|also|instead|optionally|licen[cs]ed?|version)\b[\s,]*",
    re.IGNORECASE,
)
_EXPRESSION = re.compile(
    r"(?<![A-Za-z0-9.+-])\(*[A-Za-z0-9][A-Za-z0-9.+-]{0,60}\)*(?:\s+(?:AND|OR|WITH)\s+\(*[A-Za-z0-9][A-Za-z0-9.+-]{0,60}\)*){1,20}"
)


@dataclass(frozen=True)
class Combined:
    """One expression, or several names without a word that relates them (``related`` is False)."""

    expression: str
    family: bool
    related: bool = True


def explicit_expression(text: str) -> tuple[str, int, int] | None:
    """The first SPDX expression with capital operators in a text, normalised, with its span."""
    for match in _EXPRESSION.finditer(text):
        candidate = match[0].rstrip(".")
        for trimmed in (candidate, candidate.strip("()"), candidate.lstrip("("), candidate.rstrip(")")):
            try:
                return normalize(trimmed), match.start(), match.end()
            except UnknownLicenseError:
                continue
    return None


def covers(specific: str, general: str) -> bool:
    """Whether ``specific`` says all that ``general`` says: GPL-3.0-only covers GPL-3.0 and GPL."""
    if specific == general:
        return True
    if general == "LicenseRef-public-domain":
        row = default_vocabulary().get(specific)
        return bool(row and row.class_ == "public_domain")
    if (specific, general) == ("MIT", "X11") or specific.startswith(f"{general} WITH "):
        return True
    parts = re.split(r" (?:OR|AND|WITH) ", specific)
    if len(parts) > 1:
        return any(covers(part, general) for part in parts)
    row, other = default_vocabulary().get(specific.rstrip("+")), default_vocabulary().get(general)
    if row is None or other is None:
        return False
    if not other.is_family:
        return False
    return general in {row.family, row.root} or (general == "CC" and row.root.startswith("CC"))


def merge_variants(mentions: Sequence[Mention]) -> list[Mention]:
    """Drop names that a more specific name in the list already says; the order of the first namings stays."""
    first: dict[str, Mention] = {}
    for mention in mentions:
        first.setdefault(mention.expression, mention)
    kept = list(first.values())
    return [
        mention
        for mention in kept
        if not any(
            other is not mention
            and covers(other.expression, mention.expression)
            and not covers(mention.expression, other.expression)
            for other in kept
        )
    ]


def _dual_near(text: str, ordered: Sequence[Mention]) -> bool:
    """Whether a word of choice stands near one of the names: 200 signs before, 120 after."""
    last = 0
    for mention in ordered:
        start, stop = max(last, mention.start - 200), mention.end + 120
        if start < stop and DUAL.search(text, start, stop):
            return True
        last = max(last, stop - 40)
    return False


def combine(text: str, mentions: Sequence[Mention]) -> Combined | None:
    """One expression for the names in ``text``; None without a name.

    Names that are joined by "or" or "/", or that stand in a text that speaks of a choice, become ``OR``.
    """
    merged = merge_variants(mentions)
    if not merged:
        return None
    family = any(mention.family for mention in merged)
    if len(merged) == 1:
        return Combined(merged[0].expression, family)
    standing = {mention.expression for mention in merged}
    ordered = sorted((item for item in mentions if item.expression in standing), key=lambda mention: mention.start)
    between = [
        text[left.end : right.start]
        for left, right in zip(ordered, ordered[1:], strict=False)
        if left.expression != right.expression
    ]
    near = [part for part in between if len(_FILLER.sub("", part)) <= 40]
    joined = all(_OR.search(part) or part.strip() in {",", ""} for part in near) and any(
        _OR.search(part) for part in near
    )
    if (joined and len(near) == len(between)) or _dual_near(text, ordered):
        parts = [f"({m.expression})" if " AND " in m.expression else m.expression for m in merged]
        return Combined(normalize(" OR ".join(parts)), family)
    return Combined(
        normalize(" AND ".join(f"({m.expression})" if " OR " in m.expression else m.expression for m in merged)),
        family,
        related=False,
    )
