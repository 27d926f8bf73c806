"""License names other than the GNU ones: the patterns of ``data/names.tsv`` and what each stands for."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from cleartitle.licenses.expressions import normalize
from cleartitle.licenses.gnu_names import LATER_WORDS
from cleartitle.licenses.mention import GAP, LEFT, LICENSE_WORD, RIGHT, VERSION_WORD, Mention, versioned
from cleartitle.licenses.vocabulary import UnknownLicenseError, default_vocabulary

__all__ = ["rule_mentions"]

Resolver = Callable[[re.Match[str]], tuple[str, bool] | None]


@dataclass(frozen=True)
class _Rule:
    """A pattern that is tried when one of ``needles`` is in the lower-cased text."""

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    resolve: Resolver
    weak: bool


_CLAUSES = {"0": "0BSD", "1": "BSD-1-Clause", "2": "BSD-2-Clause", "3": "BSD-3-Clause", "4": "BSD-4-Clause"}
_NUMBER_WORDS = {
    "0": "zero|null|零",
    "1": "one|eine?|une?|uma?|一",
    "2": "two|zwei|deux|dos|due|dois|duas|twee|dwu|iki|二|两|двух",
    "3": "three|drei|trois|tres|tre|tr[êe]s|drie|trzy|tr[óo]j|üç|三|тр[её]х|тремя",
    "4": "four|vier|quatre|cuatro|quattro|quatro|cztero|dört|四|четыр[её]х",
}
_COUNT = r"(?P<{}>[0-4]|" + "|".join(_NUMBER_WORDS.values()) + ")"
_CLAUSE_WORD = (
    r"(?:[\s-]*(?:clauses?|claus(?:e)?|cl[áa]usulas?|clausole|clausule[sn]?|klausel\w?|klauzul\w{1,5}|maddeli?|"
    r"조항|条款|條款|条項|пункт\w{0,4}))"
)
_ADJECTIVES = {
    "BSD-3-Clause": "new|modified|revised|nouvelle|modifi[ée]e|修正|新",
    "BSD-2-Clause": "simplified|free|simplifi[ée]e|simplificada|vereinfachte|简化",
    "BSD-4-Clause": "original|old|classic",
    "BSD-3-Clause-Clear": "clear",
}
_ADJECTIVE = "|".join(_ADJECTIVES.values())


def _bsd(match: re.Match[str]) -> tuple[str, bool] | None:
    groups = match.groupdict()
    if groups.get("style"):
        return "BSD", True
    count = groups.get("n1") or groups.get("n2")
    if count:
        for digit, words in _NUMBER_WORDS.items():
            if count == digit or re.fullmatch(words, count, re.IGNORECASE):
                return _CLAUSES[digit], False
    adjective = groups.get("adj1") or groups.get("adj2")
    if adjective:
        for expression, words in _ADJECTIVES.items():
            if re.fullmatch(words, adjective, re.IGNORECASE):
                return expression, False
    return "BSD", True


_BSD_PATTERN = (
    r"(?:"
    + _COUNT.format("n1")
    + _CLAUSE_WORD
    + rf"[\s,\"'(-]{{0,4}}(?:{LICENSE_WORD}\s+)?(?:(?:version|variant|form)\s+of\s+(?:the\s+)?)?)?"
    rf"(?:[\"'(]?(?P<adj1>{_ADJECTIVE})[\"')]?[\s,/-]{{0,3}}"
    r"(?:or\s+[\"'(]?(?:new|modified|revised|simplified|freebsd)[\"')]?\s+)?)?"
    rf"(?:[\"'(]?(?:{_ADJECTIVE})[\"')]?[\s-]{{0,2}})?(?:BSD|Berkeley\s+Software\s+Distribution)"
    r"(?!\s+(?:systems?|unix|kernel|socket|operating|variants?|based)\b)"
    rf"(?P<style>[\s-]*(?:style|like|type|inspired){RIGHT})?(?:[\s-]*{LICENSE_WORD})?"
    r"(?:[\s,]{1,2}v?[12]\.0(?=[\s,(]))?(?:[\s,\"'(:-]{0,4}(?:with\s+|mit\s+|[àa]\s+|avec\s+|de\s+|из\s+|с\s+|con\s+|com\s+|in\s+(?:its\s+)?)?"
    r"(?:" + _COUNT.format("n2") + rf"(?:{_CLAUSE_WORD}|(?=[\s)\"',]|\.(?!\d)|$)))(?:\s+{LICENSE_WORD})?"
    rf"|[\s(\"'-]{{1,3}}(?P<adj2>{_ADJECTIVE})"
    r"(?:[\"')]{0,2}(?:\s+or\s+[\"'](?:revised|new|modified|freebsd)[\"'])?)(?=[\s).,]|$)(?!\s+BSD))?"
)
_CC_PART = r"(?:BY|NC|SA|ND|Attribution|Non-?\s?Commercial|Share[\s-]?Alike|No-?\s?Deriv(?:s|ative(?:s|\s+works)?)?)"


_CC_TAGS = {
    "BY": r"\bby\b|attribution|署名|表示",
    "NC": r"\bnc\b|commercial|非商业|非営利",
    "SA": r"\bsa\b|alike|相同方式|継承",
    "ND": r"\bnd\b|deriv|禁止演绎|改変禁止",
}


def _creative(match: re.Match[str]) -> tuple[str, bool] | None:
    tags = [tag for tag, pattern in _CC_TAGS.items() if re.search(pattern, match["parts"].lower())]
    if not tags:
        return "CC", True
    # Every version from 2.0 on asks for attribution, so "CC SA 4.0" means BY-SA.
    name = "-".join(["CC", *([] if "BY" in tags else ["BY"]), *tags])
    return (f"{name}-{versioned(match['v'])}", False) if match["v"] else (name, True)


def _rail(match: re.Match[str]) -> tuple[str, bool] | None:
    lower = match[0].lower()
    if "bigcode" in lower:
        return "LicenseRef-scancode-bigcode-open-rail-m-v1", False
    if "bigscience" in lower:
        return "LicenseRef-scancode-bigscience-open-rail-m", False
    if "creativeml" in lower:
        return f"LicenseRef-creativeml-openrail-{'plusplus-m' if '++' in lower else 'm'}", False
    return "OpenRAIL", True


def _address(match: re.Match[str]) -> tuple[str, bool] | None:
    """The id at the end of an address of a license list (opensource.org, spdx.org, choosealicense.com)."""
    name = re.sub(r"\.(?:html?|txt|php|en)$", "", match["id"], flags=re.IGNORECASE)
    try:
        expression = normalize(name)
    except UnknownLicenseError:
        return None
    row = default_vocabulary().get(expression)
    return expression, row is not None and row.is_family


_NOT_MIT = (
    r"(?!\.edu|\s+(?:course|students?|press|opencourseware|labs?|csail|media|technology|professors?|researchers?|"
    r"university|app\s+inventor|scheme|campus|lecture|problem|der|dem|den|einer?|einem|freundlichen))"
)
_PIECES = {
    "<L>": LICENSE_WORD,
    "<V>": VERSION_WORD,
    "<GAP>": GAP,
    "<LATER>": rf"(?P<later>[\s,;()-]{{0,4}}{LATER_WORDS})?",
    "<BSD>": _BSD_PATTERN,
    "<CC_PART>": _CC_PART,
    "<NOT_MIT>": _NOT_MIT,
    "<ALONE>": r"(?=\s*(?:$|\.(?!\w)|[?!,;:)/|\"']|or\b|and\b))",
}
_RESOLVERS: dict[str, Resolver] = {"@address": _address, "@bsd": _bsd, "@creative": _creative, "@rail": _rail}


def _expand(pattern: str) -> str:
    pattern = re.sub(
        r"<VERSION:([^>]+)>",
        lambda match: (
            r"(?:[\s-]*<L>)?(?:\s*\([A-Z]{2,5}\))?(?:<GAP>(?:<V>)?(?P<v>" + match[1] + r")(?!\d|\.\d)(?:\s?版)?)?"
        ),
        pattern,
    )
    for name, piece in _PIECES.items():
        pattern = pattern.replace(name, piece)
    return pattern


def _resolver(expression: str) -> Resolver:
    if expression in _RESOLVERS:
        return _RESOLVERS[expression]
    if expression.startswith("~"):
        return lambda match: (expression[1:], True)
    if not expression.endswith("-*"):
        return lambda match: (expression, False)
    root = expression[:-2]

    def by_version(match: re.Match[str]) -> tuple[str, bool] | None:
        key = f"{root}-{versioned(match['v'])}" if match["v"] else root
        key += "-or-later" if match["v"] and match.groupdict().get("later") else ""
        row = default_vocabulary().get(key) if match["v"] else None
        return (key, row.is_family) if row else (root, True)

    return by_version


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    text = resources.files("cleartitle.licenses").joinpath("data", "names.tsv").read_text(encoding="utf-8")
    rules: list[_Rule] = []
    for row in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        pattern = _expand(row["pattern"])
        # "free" patterns stand in scripts without blanks between words.
        bordered = pattern if "free" in row["flags"] else f"{LEFT}(?:{pattern}){RIGHT}"
        compiled = re.compile(bordered, re.IGNORECASE)
        resolve = _resolver(row["expression"])
        rules.append(_Rule(tuple(row["needles"].split("|")), compiled, resolve, "weak" in row["flags"]))
    return tuple(rules)


@lru_cache(maxsize=1)
def _needles() -> tuple[tuple[str, int], ...]:
    """Every needle with the number of its rule."""
    return tuple((needle, number) for number, rule in enumerate(_rules()) for needle in rule.needles)


_STYLE = re.compile(r"[\s-](?:style|like|type|inspired)\b", re.IGNORECASE)


def rule_mentions(text: str) -> list[Mention]:
    """The names in a cleaned text that the patterns of ``data/names.tsv`` find; they may overlap."""
    lower = text.lower()
    found: list[Mention] = []
    rules = _rules()
    for number in sorted({number for needle, number in _needles() if needle in lower}):
        rule = rules[number]
        for match in rule.pattern.finditer(text):
            resolved = rule.resolve(match)
            if resolved is not None:
                style = bool(_STYLE.search(match[0]))
                found.append(Mention(match.start(), match.end(), *resolved, weak=rule.weak, style=style))
    return found
