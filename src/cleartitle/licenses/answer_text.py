"""An answer made ready for reading: thoughts, markup and comment signs off, versions in digits."""

import re

__all__ = ["FENCE", "without_markup"]

FENCE = re.compile(r"^\s*```[\w+-]*\s*$", re.MULTILINE)
"""A line that opens or closes a code block."""

_NUMBERS = {
    "1": "one|first|1st|eins?|une?|uno|um|primera|première|erste[rnsm]?|一",
    "2": "two|second|2nd|zwei|deux|dos|due|dois|segunda|deuxième|zweite[rnsm]?|twee|dwa|iki|二",
    "3": "three|third|3rd|drei|trois|tres|tre|três|tercera|troisième|dritte[rnsm]?|drie|trzy|üç|三",
}
_WORDS = "|".join(_NUMBERS.values())
_VERSION = r"versions?|versi[oó]n|vers[aã]o|versione|versie|wersj[ai]|v\.?"
_POINT = re.compile(r"\b(?P<n>one|two|three)\s+point\s+(?P<m>zero|oh|o|one|two)\b", re.IGNORECASE)
_AFTER = re.compile(
    rf"(?P<head>(?:\b(?:{_VERSION})|\b[AL]?GPL|\bApache(?:\s+licen[cs]e)?|\bMPL|\bEPL)[\s-]+)(?P<n>{_WORDS})\b(?!\s+of\b|-)",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"\b(?P<n>first|second|third|1st|2nd|3rd)\s+(?P<word>{_VERSION})\b", re.IGNORECASE)
_COUNTED = re.compile(r"第(?P<n>[一二三])(?=\s?版)")
_GLUED = re.compile(r"(?<![A-Za-z0-9])([AL]?GPL)[-_ ]?v?([123])([01])(?![A-Za-z0-9.])", re.IGNORECASE)


def _digit(word: str) -> str:
    return next((digit for digit, words in _NUMBERS.items() if word.lower() in words.split("|")), word)


def _digits(text: str) -> str:
    """Versions that are spelled out ("version two", "two point one", "第三版") in digits."""
    minor = {"zero": "0", "oh": "0", "o": "0"}
    text = _POINT.sub(lambda m: f"{_digit(m['n'])}.{minor.get(m['m'].lower()) or _digit(m['m'])}", text)
    text = _AFTER.sub(lambda m: f"{m['head']}{_digit(m['n'])}", text)
    text = _BEFORE.sub(lambda m: f"{m['word']} {_digit(m['n'])}", text)
    text = _COUNTED.sub(lambda m: f"第{_digit(m['n'])}", text)
    return _GLUED.sub(r"\1 \2.\3", text)


def _spoken(text: str) -> str:
    """What follows the thoughts of a model that reasons aloud, if anything does."""
    said = text.rpartition("</think>")[2]
    return said if said.strip() else text


def without_markup(text: str) -> str:
    """Plain text of a cleaned answer; line breaks stay, versions are in digits."""
    text = FENCE.sub("\n", _spoken(text))
    text = re.sub(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,400}\)", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][a-zA-Z0-9]{0,10}(?:\s[^<>]{0,200})?/?>", " ", text)
    text = re.sub(r"\*{1,3}|__|~~|^\s{0,3}#{1,6}\s|^\s*>\s?", "", text, flags=re.MULTILINE)
    text = re.sub(r"(?<![A-Za-z0-9_])_([^_\n]{1,80})_(?![A-Za-z0-9_])", r"\1", text)
    text = re.sub(r"^[ \t]*(?://+|/\*+|\*/|\*|#+)[ \t]?", "", text, flags=re.MULTILINE)
    text = re.sub(r"(?<=[A-Za-z0-9])_(?=\d|clause|licen[cs]e)", " ", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(?:[A-Z]\.){2,4}(?:[A-Z]\b)?", lambda match: match[0].replace(".", ""), text)
    return _digits(re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[ \t\u3000]+", " ", text)).strip())
