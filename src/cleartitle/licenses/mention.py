"""One license name in a text, and the pieces of patterns that all names share."""

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["GAP", "LEFT", "LICENSE_WORD", "RIGHT", "VERSION_WORD", "Mention", "clean_text", "versioned"]

LICENSE_WORD = (
    r"(?:licen[cs]es?|licen[cs]ed|licen[cs]ing|lizenz(?:en|iert)?|licencias?|licen[çc]as?|licenz[ae]|licentie|"
    r"licencj\w|licens|lisans(?:lı|ı|si)?|"
    r"许可(?:证|协议|證)?|許可(?:證|証|協議)?|授权(?:协议|条款)?|授權(?:條款)?|协议|協議|ライセンス|лицензи\w{1,3}|라이[선센]스)"
)
"""The word "license" in the languages that answers come in (a group without captures)."""

# Letters and digits of other scripts may touch a name ("使用MIT许可证"), so the borders look at ASCII only.
LEFT = r"(?<![A-Za-z0-9_])"
"""Pattern of the left border of a name."""
RIGHT = r"(?![A-Za-z0-9_])"
"""Pattern of the right border of a name."""
VERSION_WORD = (
    r"(?:versions?|vers\.?|ver\.?|versi[oó]n|vers[aã]o|versione|versie|wersj\w{1,2}|s[üu]r[üu]m[üu]?|верси[яию]|"
    r"release|v\.?|第|版本?|バージョン|버전)[\s.:]{0,2}"
)
"""Pattern of the word "version" in several languages."""
GAP = r"[\s,;:()\"'-]{0,4}"
"""Pattern of what may stand between a name and its version."""


@dataclass(frozen=True)
class Mention:
    """One name in a text: ``text[start:end]`` stands for ``expression``.

    ``family`` marks an expression that names several ids. ``weak`` marks a word that is a license only in the right
    company ("Apache" alone, "Python Software Foundation"). ``style`` marks "MIT-style" and the like.
    """

    start: int
    end: int
    expression: str
    family: bool = False
    weak: bool = False
    style: bool = False


_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-")
_SINGLE = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4"), "'")
_DOUBLE = dict.fromkeys(map(ord, "\u201c\u201d\u00ab\u00bb"), '"')
_DROPPED = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), "")
_TABLE = _DASHES | _SINGLE | _DOUBLE | _DROPPED


def clean_text(text: str) -> str:
    """One spelling for dashes, quotes, blanks and full-width letters; soft hyphens and zero-width signs go."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    return text.replace("`", "'").replace("\x00", "").replace("\r\n", "\n")


def versioned(text: str) -> str:
    """A version with two numbers: ``2`` becomes ``2.0``."""
    return text if re.search(r"\.", text) else f"{text}.0"
