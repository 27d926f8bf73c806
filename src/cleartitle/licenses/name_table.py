"""Ids and full names of the vocabulary, found in running text word by word."""

import re
from dataclasses import dataclass
from functools import lru_cache

from cleartitle.licenses.vocabulary import License, Vocabulary, default_vocabulary

__all__ = ["NameTable", "TableHit", "name_table"]

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+]*")
_ID = re.compile(r"(?<![A-Za-z0-9_./@-])[A-Za-z0-9][A-Za-z0-9.+-]{1,60}")
_ABBREVIATION = re.compile(r"\([\"']?([A-Z]{2,6})[\"']?\)")
_SHORT = re.compile(
    r"(?<![A-Za-z0-9_./@-])([A-Z][A-Za-z0-9]{1,8})[\s,-]{1,2}[vV]?\.?\s?(\d(?:\.\d{1,2})?[a-c]?)(?![\w]|\.\d)"
)
_BESIDE = re.compile(r"[ \t]?[\n ][ \t]{0,3}|-|[\"'] ?")
_BEHIND = re.compile(r" ?[:=]? ?[\"'(]?| is ")
_SKIPPED = {"the", "license", "licence", "version", "v", "v.", "licenses", "software", "a", "an"}
_LICENSE_WORDS = {"license", "licence", "licensed", "licenses", "licences", "lizenz", "licencia", "licença", "licenza"}
# Products and languages whose name and version would read as an id.
_PRODUCTS = {"python", "php", "ruby", "intel", "unicode", "bzip2", "sendmail", "zimbra", "openssl", "gd", "cube", "w3c"}
# Words of the vocabulary that are also products, companies or models: only the rules of names.py read them.
_LEFT_TO_RULES = re.compile(r"\b(gnu|bsd|apache|mit|mozilla|eclipse|creative|python|zlib|isc)\b", re.IGNORECASE)


@dataclass(frozen=True)
class TableHit:
    """``text[start:end]`` names the row."""

    start: int
    end: int
    row: License


_VERSION = re.compile(r"v?(\d+)(\.\d+)*[a-c]?")


@lru_cache(maxsize=32_768)
def _word(token: str) -> str:
    token = token.lower().rstrip(".")
    match = _VERSION.fullmatch(token) if token[:1] in "v0123456789" else None
    if match:
        token = token.lstrip("v")
        return token if "." in token else token + ".0"
    return token


def _words(name: str) -> tuple[str, ...]:
    words = (_word(match[0]) for match in _WORD.finditer(name))
    return tuple(word for word in words if word not in _SKIPPED)


class NameTable:
    """The names of one vocabulary, ready for look-up in text."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids: dict[str, License] = {}
        self._names: dict[tuple[str, ...], License] = {}
        versionless: dict[tuple[str, ...], set[str]] = {}
        for row in vocabulary.licenses.values():
            if row.is_family and row.id not in vocabulary.licenses:
                continue
            if re.search(r"\d", row.id) and re.search(r"[-.]", row.id) or row.id.startswith("LicenseRef-"):
                self._ids[row.id.lower()] = row
            for name in (row.name, *row.aliases):
                words = _words(name)
                if len(words) < 1 or _LEFT_TO_RULES.search(name) and len(words) < 4:
                    continue
                self._names.setdefault(words, row)
                bare = tuple(word for word in words if not re.fullmatch(r"[\d.]+", word))
                if bare != words and bare:
                    versionless.setdefault(bare, set()).add(row.id)
        for words, ids in versionless.items():
            rows = [vocabulary.licenses[key] for key in sorted(ids)]
            family = vocabulary.get(rows[0].root) or rows[0]
            self._names.setdefault(words, rows[0] if len(rows) == 1 else family)
        self._first: dict[str, int] = {}
        for words in self._names:
            self._first[words[0]] = max(self._first.get(words[0], 0), len(words))

    def find_ids(self, text: str) -> list[TableHit]:
        """SPDX ids that carry a version or a hyphen, in any case."""
        hits: list[TableHit] = []
        for match in _ID.finditer(text):
            token = match[0]
            if "-" not in token and "." not in token:
                continue
            token = token.rstrip(".-")
            row = self._ids.get(token.lower())
            if row is None and token.endswith("+"):
                token = token[:-1]
                row = self._ids.get(token.lower())
            if row is not None:
                hits.append(TableHit(match.start(), match.start() + len(token), row))
        for match in _SHORT.finditer(text):
            version = match[2] if "." in match[2] else f"{match[2]}.0"
            row = None if match[1].lower() in _PRODUCTS else self._ids.get(f"{match[1]}-{version}".lower())
            if row is not None:
                hits.append(TableHit(match.start(), match.end(), row))
        return hits

    def find_names(self, text: str) -> list[TableHit]:
        """Full names and aliases; the word "license" must stand in, before or after a name."""
        if not re.search(r"li[cz]en|public|open source|disclaimer", text, re.IGNORECASE):
            return []
        shortened = {match.start(1) for match in _ABBREVIATION.finditer(text)}
        tokens = [
            (*match.span(), match[0].lower().rstrip("."))
            for match in _WORD.finditer(text)
            if match.start() not in shortened
        ]
        hits: list[TableHit] = []
        index = 0
        while index < len(tokens):
            if _word(tokens[index][2]) not in self._first:
                index += 1
                continue
            last, row = self._longest(text, tokens, index)
            if row is None:
                index += 1
                continue
            hits.append(TableHit(tokens[index][0], tokens[last][1], row))
            index = last + 1
        return hits

    def _longest(self, text: str, tokens: list[tuple[int, int, str]], index: int) -> tuple[int, License | None]:
        longest = self._first.get(_word(tokens[index][2]), 0)
        words: list[str] = []
        best: tuple[int, License | None] = (index, None)
        position = index
        while position < len(tokens) and len(words) < longest:
            token = tokens[position][2]
            if token not in _SKIPPED:
                words.append(_word(token))
                row = self._names.get(tuple(words))
                if row is not None and self._in_company(text, tokens, index, position, len(words)):
                    best = position, row
            position += 1
            if position - index > longest + 6:
                break
        return best

    @staticmethod
    def _in_company(text: str, tokens: list[tuple[int, int, str]], first: int, last: int, words: int) -> bool:
        around = [token for _, _, token in tokens[max(0, first - 1) : last + 2]]
        if words == 1:
            # One word is a license only right beside the word "license", in the same sentence and paragraph.
            around = []
            if last + 1 < len(tokens) and _BESIDE.fullmatch(text, tokens[last][1], tokens[last + 1][0]):
                around.append(tokens[last + 1][2])
            if first and _BEHIND.fullmatch(text, tokens[first - 1][1], tokens[first][0]):
                around.append(tokens[first - 1][2])
        return not _LICENSE_WORDS.isdisjoint(around) or (words > 1 and "public" in around) or words > 3


@lru_cache(maxsize=8)
def _table_of(key: int) -> NameTable:
    return NameTable(default_vocabulary())


def name_table() -> NameTable:
    """The names of the default vocabulary, built once."""
    return _table_of(id(default_vocabulary()))
