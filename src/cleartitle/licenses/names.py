"""Names of licenses in running text: SPDX ids, spoken names, abbreviations, with versions and "or later"."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from cleartitle.licenses.name_table import name_table

__all__ = ["LICENSE_WORD", "Mention", "clean_text", "find_names"]

LICENSE_WORD = (
    r"(?:licen[cs]es?|licen[cs]ed|licen[cs]ing|lizenz(?:en|iert)?|licencias?|licen[çc]as?|licenz[ae]|licentie|licencj\w|"
    r"licens|许可(?:证|协议|證)?|許可(?:證|証|協議)?|授权(?:协议)?|协议|協議|ライセンス|лицензи\w{1,3}|라이[선센]스)"
)
"""The word "license" in the languages that answers come in (a group without captures)."""

# Letters and digits of other scripts may touch a name ("使用MIT许可证"), so the borders look at ASCII only.
_L = r"(?<![A-Za-z0-9_])"
_R = r"(?![A-Za-z0-9_])"
_V = (
    r"(?:versions?|vers\.?|ver\.?|versi[oó]n|vers[aã]o|versione|верси[яию]|release|v\.?|第|版本?|バージョン)"
    r"[\s.:]{0,2}"
)
_GAP = r"[\s,;:()\"'-]{0,4}"


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
_QUOTES = dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u00b4`"), "'") | dict.fromkeys(
    map(ord, "\u201c\u201d\u00ab\u00bb"), '"'
)
_DROPPED = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\x00"), "")
_TABLE = _DASHES | _QUOTES | _DROPPED


def clean_text(text: str) -> str:
    """One spelling for dashes, quotes, blanks and full-width letters; soft hyphens and zero-width signs go."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    return text.replace("`", "'").replace("\x00", "").replace("\r\n", "\n")


_LATER_WORDS = (
    r"(?:(?:or|and)[\s,(-]{1,3}(?:at\s+your\s+(?:option|choice|discretion)[\s,)]{0,3})?\(?(?:any\)?\s+|all\s+|a\s+)?"
    r"(?:\(?at\s+your\s+option\)?\s+)?(?:later|newer|higher|greater|above|subsequent|up(?:wards)?|future)(?:\s+versions?)?"
    r"|(?:oder|und)\s+(?:\(?nach\s+(?:ihrer|eigener)\s+wahl\)?\s+)?(?:jeder?\s+|eine\s+)?(?:sp[äa]ter|neuer|h[öo]her)\w{0,3}"
    r"|ou\s+(?:\(?[àa]\s+votre\s+(?:choix|gr[ée])\)?\s+)?(?:toute\s+(?:autre\s+)?)?(?:version\s+)?(?:ult[ée]rieure|post[ée]rieure|sup[ée]rieure|plus\s+r[ée]cente)"
    r"|[oe]\s+(?:cualquier\s+)?(?:versi[oó]n(?:es)?\s+)?(?:posterior(?:es)?|superior)"
    r"|ou\s+(?:qualquer\s+)?(?:vers[ãa]o\s+)?(?:posterior|superior|mais\s+recente)"
    r"|o\s+(?:qualsiasi\s+)?(?:version[ei]\s+)?(?:successiv[aeo]|superiore)"
    r"|(?:或|及)(?:任何|以后的|其)?(?:更高|更新|以后|以上|后续|之后)的?(?:版本)?|或以上版本|(?:または|もしくは)?(?:それ)?以降|以上"
    r"|или\s+(?:\(?по\s+вашему\s+выбору\)?\s+)?(?:люб\w{2,3}\s+)?(?:более\s+)?(?:поздн\w{2,3}|нов\w{2,3}|выше))"
)
_LATER = (
    rf"(?P<later>\s?\+(?![A-Za-z0-9])|[\s,;()-]{{0,4}}(?:of\s+the\s+licen[cs]e[\s,]{{0,3}})?(?:版\s?)?{_LATER_WORDS})"
)
_ONLY = (
    r"(?P<only>[\s,;()-]{0,4}(?:of\s+the\s+licen[cs]e[\s,]{0,3})?"
    r"(?:only|nur|uniquement|seulement|solamente|[úu]nicamente|somente|solo|только|のみ|仅限?)(?![A-Za-z]))"
)
_TAIL = _LATER.replace("?P<later>", "?P<taillater>") + "|" + _ONLY.replace("?P<only>", "?P<tailonly>")
_GNU_VERSION = r"(?P<v>[123](?:\.[0123])?(?:\.0)?)(?![\d]|\.\d)"
_GNU_NAMES = {
    "AGPL": (
        rf"(?:GNU\s+)?Affero(?:\s+GNU)?(?:[\s-]+General)?(?:[\s-]+Public)?(?:[\s-]*{LICENSE_WORD}|[\s-]+GPL)?(?:通用公共许可证)?|(?:GNU[\s-]+)?A-?GPL"
    ),
    "LGPL": (
        rf"(?:GNU[\s-]+)?(?:Lesser|Library)[\s-]+(?:GNU\s+)?(?:(?:General\s+)?Public(?:[\s-]+{LICENSE_WORD})?|GPL)"
        r"|(?:GNU[\s-]+)?L-?GPL|GNU\s?(?:宽|较?宽松)(?:通用)?公共许可证"
        r"|licencia\s+p[úu]blica\s+general\s+(?:reducida|menor)(?:\s+de)?(?:\s+GNU)?"
        r"|licence\s+publique\s+g[ée]n[ée]rale\s+(?:limit[ée]e|amoindrie)(?:\s+GNU)?"
    ),
    "GPL": (
        rf"(?:GNU[\s-]+)?General\s+Public(?:[\s-]+{LICENSE_WORD})?|GNU[\s-]+Public\s+{LICENSE_WORD}|GNU[\s-]+{LICENSE_WORD}"
        r"|(?:GNU[\s/-]+)?GPL|GNU\s?通用公共(?:许可证|授权)|GNU\s?一般公衆利?用許諾(?:契約書|書)?"
        r"|licence\s+publique\s+g[ée]n[ée]rale(?:\s+GNU)?|licencia\s+p[úu]blica\s+general(?:\s+(?:de\s+)?GNU)?"
        r"|licen[çc]a\s+p[úu]blica\s+geral(?:\s+GNU)?|licenza\s+pubblica\s+(?:generica|generale)(?:\s+GNU)?"
        r"|(?:универсальн\w{2,3}|стандартн\w{2,3})\s+общественн\w{2,3}\s+лицензи\w\s+GNU"
    ),
}
_PUBLISHED = r"(?P<published>[\s,]+as\s+published\s+by\s+the\s+Free\s+Software\s+Foundation[\s,;:]{0,4})?"
_GNU = {
    name: re.compile(
        rf"{_L}(?:{_V}(?P<pv>[123](?:\.[01])?)(?P<plater>[\s(]{{0,2}}(?:\+|{_LATER_WORDS}))?(?P<ponly>\s+only)?[\s,)]{{0,3}}"
        rf"of\s+(?:the\s+)?)?(?:{pattern})(?:[\s-]*{LICENSE_WORD})?"
        rf"(?:\s*[(\[]\s*(?:the\s+)?[\"']?(?:GNU\s+)?[AL]?GPL[\"']?\s*[)\]])?"
        rf"(?:{_PUBLISHED}{_GAP}(?:either\s+|in\s+(?:der\s+)?)?(?P<ge>>=?\s?|≥\s?)?(?:{_V})?{_GNU_VERSION}"
        rf"(?:\s?版)?(?:{_LATER}|{_ONLY})?|(?P<bareplus>\+)|{_TAIL})?(?![A-Za-z0-9_])",
        re.IGNORECASE,
    )
    for name, pattern in _GNU_NAMES.items()
}
_SECOND_VERSION = re.compile(
    rf"\s*(?:or|/|,|\||oder|ou|或)\s*(?:{_V})?(?P<v>3)(?:\.0)?(?![\d.]*\d)(?:{_LATER})?", re.IGNORECASE
)
_EXCEPTIONS = [
    (r"class\s?path", "Classpath-exception-2.0"),
    (r"GCC(?:\s+runtime(?:\s+library)?)?|runtime\s+library", "GCC-exception-3.1"),
    (r"LLVM", "LLVM-exception"),
    (r"autoconf", "Autoconf-exception-generic"),
    (r"bison", "Bison-exception-2.2"),
    (r"font(?:\s+embedding)?", "Font-exception-2.0"),
    (r"linux[\s-]+syscall", "Linux-syscall-note"),
    (r"linking", "GPL-3.0-linking-exception"),
]
_WITH = re.compile(
    r"[\s,(-]{1,3}(?:with|plus|w/|mit\s+(?:der\s+)?|avec\s+(?:l')?)\s*(?:the\s+)?(?:"
    + "|".join(f"(?P<e{i}>{pattern})" for i, (pattern, _) in enumerate(_EXCEPTIONS))
    + r")[\s-]*(?:exceptions?|note|ausnahme)",
    re.IGNORECASE,
)


def _versioned(text: str) -> str:
    digits = text.split(".")
    return f"{digits[0]}.{digits[1] if len(digits) > 1 else 0}"


def _gnu_expression(name: str, version: str | None, later: bool, only: bool) -> tuple[str, bool]:
    if version is None:
        return name, True
    known = {"GPL": {"1.0", "2.0", "3.0"}, "LGPL": {"2.0", "2.1", "3.0"}, "AGPL": {"1.0", "3.0"}}[name]
    number = _versioned(version)
    if name == "LGPL" and number == "2.0" and version == "2":
        number = "2.0"
    if number not in known:
        return name, True
    suffix = "-or-later" if later else "-only" if only else ""
    return f"{name}-{number}{suffix}", not suffix


def _gnu_mentions(text: str) -> list[Mention]:
    found: list[Mention] = []
    for name, pattern in _GNU.items():
        for match in pattern.finditer(text):
            if re.match(r"[\s-]*compatible", text[match.end() : match.end() + 14], re.IGNORECASE):
                continue
            groups = match.groupdict()
            version = groups["v"] or groups["pv"]
            later = bool(groups["later"] or groups["plater"] or groups["ge"] or groups["bareplus"] or groups["taillater"])
            tail = text[match.end() : match.end() + 60]
            formal = groups["published"] or re.match(r"[\s,]+as\s+published\s+by\s+the\s+Free", tail, re.IGNORECASE)
            if (
                version
                and not later
                and re.match(rf"[\s,]{{0,2}}\([A-Za-z0-9. -]{{3,14}}\)(?=(?:{_LATER}))", tail, re.I)
            ):
                later = True
            expression, family = _gnu_expression(name, version, later, bool(groups["only"] or groups["ponly"] or groups["tailonly"] or formal))
            found.append(Mention(match.start(), match.end(), expression, family))
            second = _SECOND_VERSION.match(text, match.end()) if groups["v"] and not later else None
            if second and name != "AGPL":
                expression, family = _gnu_expression(name, second["v"], bool(second["later"]), False)
                found.append(Mention(second.start("v"), second.end(), expression, family))
    return found


def _with_exceptions(text: str, mentions: list[Mention]) -> list[Mention]:
    found: list[Mention] = []
    for mention in mentions:
        match = _WITH.match(text, mention.end)
        if match:
            index = next(i for i in range(len(_EXCEPTIONS)) if match[f"e{i}"])
            mention = Mention(
                mention.start, match.end(), f"{mention.expression} WITH {_EXCEPTIONS[index][1]}", mention.family
            )
        found.append(mention)
    return found


Resolver = Callable[[re.Match[str]], tuple[str, bool] | None]


@dataclass(frozen=True)
class _Rule:
    """A pattern that is tried when one of ``needles`` is in the lower-cased text."""

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    resolve: Resolver
    weak: bool = False


def _fixed(expression: str, family: bool = False) -> Resolver:
    return lambda match: (expression, family)


def _by_version(name: str, versions: dict[str, str], bare: str | None = None) -> Resolver:
    """Resolve the group ``v``: ``versions`` maps what stands in the text to an id; without one the family."""

    def resolve(match: re.Match[str]) -> tuple[str, bool] | None:
        version = match["v"]
        if version is None:
            return (bare, False) if bare else (name, True)
        return (versions[version], False) if version in versions else (name, True)

    return resolve


def _rule(needles: str, pattern: str, resolve: Resolver, *, weak: bool = False, case: bool = False) -> _Rule:
    flags = 0 if case else re.IGNORECASE
    return _Rule(tuple(needles.split("|")), re.compile(f"{_L}(?:{pattern}){_R}", flags), resolve, weak)


def _version(numbers: str) -> str:
    """An optional version after a name; a license word may stand in between."""
    return (
        rf"(?:[\s-]*{LICENSE_WORD})?(?:\s*\([A-Z]{{2,5}}\))?"
        rf"(?:{_GAP}(?:{_V})?(?P<v>{numbers})(?![\d]|\.\d)(?:\s?版)?)?"
    )


_CLAUSES = {"0": "0BSD", "1": "BSD-1-Clause", "2": "BSD-2-Clause", "3": "BSD-3-Clause", "4": "BSD-4-Clause"}
_NUMBER_WORDS = {
    "0": "zero|null|零",
    "1": "one|eine?|une?|uma?|一",
    "2": "two|zwei|deux|dos|due|dois|duas|二|两|двух|two",
    "3": "three|drei|trois|tres|tre|tr[êe]s|三|тр[её]х|тремя",
    "4": "four|vier|quatre|cuatro|quattro|quatro|四|четыр[её]х",
}
_COUNT = r"(?P<{}>[0-4]|" + "|".join(_NUMBER_WORDS.values()) + ")"
_CLAUSE_WORD = r"(?:[\s-]*(?:clauses?|claus(?:e)?|cl[áa]usulas?|clausole|klausel\w?|条款|條款|条項|пункт\w{0,4}))"
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
    r"(?:" + _COUNT.format("n1") + _CLAUSE_WORD + r"[\s,\"'(-]{0,4})?"
    r"(?:[\"'(]?(?P<adj1>"
    + _ADJECTIVE
    + r")[\"')]?[\s,/-]{0,3}(?:or\s+[\"'(]?(?:new|modified|revised|simplified|freebsd)[\"')]?\s+)?)?"
    r"(?:[\"'(]?(?:"
    + _ADJECTIVE
    + r")[\"')]?[\s-]{0,2})?(?:BSD|Berkeley\s+Software\s+Distribution)(?!\s+(?:systems?|unix|kernel|socket|operating|variants?|based)\b)"
    r"(?P<style>[\s-]*(?:style|like|type|inspired)" + _R + rf")?(?:[\s-]*(?:{LICENSE_WORD}))?"
    r"(?:[\s,\"'(:-]{0,4}(?:with\s+|mit\s+|[àa]\s+|avec\s+|de\s+|из\s+|с\s+|con\s+|com\s+|in\s+(?:its\s+)?)?"
    r"(?:" + _COUNT.format("n2") + rf"(?:{_CLAUSE_WORD}|(?=[\s)\".',]|$)))(?:\s+{LICENSE_WORD})?"
    r"|[\s(\"'-]{1,3}(?P<adj2>"
    + _ADJECTIVE
    + r")(?:[\"')]{0,2}(?:\s+or\s+[\"'](?:revised|new|modified|freebsd)[\"'])?)(?=[\s).,]|$)(?!\s+BSD))?"
)
_CC_PART = r"(?:BY|NC|SA|ND|Attribution|Non-?\s?Commercial|Share[\s-]?Alike|No-?\s?Deriv(?:s|ative(?:s|\s+works)?)?)"


def _creative(match: re.Match[str]) -> tuple[str, bool] | None:
    parts = (match["parts"] or "").lower()
    if not parts:
        return "CC", True
    tags: list[str] = []
    for tag, pattern in [
        ("BY", r"\bby\b|attribution"),
        ("NC", r"\bnc\b|commercial"),
        ("SA", r"\bsa\b|alike"),
        ("ND", r"\bnd\b|deriv"),
    ]:
        if re.search(pattern, parts):
            tags.append(tag)
    if "BY" not in tags:
        tags.insert(0, "BY")
    name = "CC-" + "-".join(tags)
    version = match["v"]
    if not version:
        return name, True
    return f"{name}-{_versioned(version)}", False


def _creative_cjk(match: re.Match[str]) -> tuple[str, bool] | None:
    tags = [("BY", "署名|表示"), ("NC", "非商业|非営利"), ("SA", "相同方式|継承"), ("ND", "禁止演绎|改変禁止")]
    found = [tag for tag, pattern in tags if re.search(pattern, match["parts"])]
    if not found:
        return "CC", True
    name = "CC-" + "-".join(found)
    return (f"{name}-{match['v']}", False) if match["v"] else (name, True)


_NOT_MIT = (
    r"(?!\.edu|\s+(?:course|students?|press|opencourseware|lab|labs|csail|media|technology|professors?|researchers?|"
    r"university|app\s+inventor|scheme|campus|lecture|problem|der|dem|den|einer?|einem|freundlichen))"
)
RULES = [
    _rule(
        "mit",
        rf"MIT[\s-]*{LICENSE_WORD}?[\s(-]*(?:No[\s-]Attribution|Zero|0(?!\.))\)?(?:\s+{LICENSE_WORD})?",
        _fixed("MIT-0"),
    ),
    _rule("mit", r"MIT[\s-]+(?:style|like|type)(?:\s+licen[cs]e)?", _fixed("MIT", True)),
    _rule(
        "mit",
        rf"(?:(?:X11|Expat)[\s(/-]{{1,2}})?(?-i:MIT){_NOT_MIT}(?:[\s(/-]{{1,2}}(?:X11|Expat)\)?)?(?:[\s-]*{LICENSE_WORD}(?:\s*\(MIT\))?)?",
        _fixed("MIT"),
    ),
    _rule("mit", r"mit[\s-]+licen[cs]ed?|(?<=license: )mit|(?<=licence: )mit|(?<=under the )mit", _fixed("MIT")),
    _rule("expat", rf"Expat[\s-]*{LICENSE_WORD}", _fixed("MIT")),
    _rule("expat", r"Expat", _fixed("MIT"), weak=True),
    _rule(
        "x11",
        rf"X11[\s-]*{LICENSE_WORD}|(?:the\s+)?X\s+(?:Consortium|Window\s+System)\s+{LICENSE_WORD}|X11",
        _fixed("X11"),
    ),
    _rule(
        "0bsd|zero",
        r"0BSD|(?:Zero|0)[\s-]*Clause\s+BSD(?:\s+licen[cs]e)?|BSD[\s-]*(?:Zero|0)[\s-]*Clause(?:\s+licen[cs]e)?",
        _fixed("0BSD"),
    ),
    _rule("bsd|berkeley", _BSD_PATTERN, _bsd),
    _rule("freebsd", rf"FreeBSD[\s-]*{LICENSE_WORD}", _fixed("BSD-2-Clause")),
    _rule("netbsd", rf"NetBSD[\s-]*{LICENSE_WORD}", _fixed("BSD-2-Clause")),
    _rule("openbsd", rf"OpenBSD[\s-]*{LICENSE_WORD}", _fixed("ISC")),
    _rule(
        "apache",
        rf"Apache(?:[\s-]*(?:Software|Public|Software\s+Foundation))?(?:[\s-]*{LICENSE_WORD})?(?:\s*\(ASL\))?"
        rf"{_GAP}(?:{_V})?(?P<v>1\.0|1\.1|2\.0|2)(?:\.0)?(?![\d]|\.\d)(?:\s?版)?(?:[\s-]*{LICENSE_WORD})?",
        _by_version("Apache", {"1.0": "Apache-1.0", "1.1": "Apache-1.1", "2": "Apache-2.0", "2.0": "Apache-2.0"}),
    ),
    _rule(
        "apache",
        rf"Apache(?:[\s-]+(?:Software|Foundation|Software\s+Foundation|Public))?[\s-]*{LICENSE_WORD}|(?:{LICENSE_WORD})\s+Apache(?!\s*[\dv])",
        _fixed("Apache", True),
    ),
    _rule("apache", r"Apache(?=\s*(?:$|\.(?!\w)|[,;:)/|\"']|or\b|and\b))", _fixed("Apache", True), weak=True),
    _rule(
        "asl|al2|alv2|al-2", r"(?:ASL|ASF)(?:\s+licen[cs]e)?[\s,-]*(?:v\.?\s*|version\s*)?2(?:\.0)?|ALv?-?2(?:\.0)?", _fixed("Apache-2.0")
    ),
    _rule(
        "mozilla|mpl",
        rf"(?:Mozilla(?:\s+Foundation)?(?:\s+Public)?[\s-]*(?:{LICENSE_WORD})|MPL){_version('1[.]0|1[.]1|2[.]0|1|2')}",
        _by_version("MPL", {"1.0": "MPL-1.0", "1": "MPL-1.0", "1.1": "MPL-1.1", "2": "MPL-2.0", "2.0": "MPL-2.0"}),
    ),
    _rule(
        "mozilla",
        r"Mozilla(?:\s+Public)?\s+(?:v\.?\s?)?(?P<v>1\.1|2\.0|2)",
        _by_version("MPL", {"1.1": "MPL-1.1", "2": "MPL-2.0", "2.0": "MPL-2.0"}),
    ),
    _rule(
        "mpl",
        r"MPL(?:v|-)?(?P<v>1\.1|2(?:\.0)?)",
        _by_version("MPL", {"1.1": "MPL-1.1", "2": "MPL-2.0", "2.0": "MPL-2.0"}),
    ),
    _rule(
        "eclipse|epl",
        rf"(?:Eclipse(?:\s+Public)?[\s-]*{LICENSE_WORD}|EPL){_version('1[.]0|2[.]0|1|2')}",
        _by_version("EPL", {"1.0": "EPL-1.0", "1": "EPL-1.0", "2": "EPL-2.0", "2.0": "EPL-2.0"}),
    ),
    _rule(
        "eclipse distribution|edl",
        rf"Eclipse\s+Distribution\s+{LICENSE_WORD}(?:[\s-]*(?:v\.?\s*)?1\.0)?|EDL[\s-]*1\.0",
        _fixed("BSD-3-Clause"),
    ),
    _rule(
        "cddl|common development",
        rf"(?:Common\s+Development\s+(?:and|&)\s+Distribution\s+{LICENSE_WORD}|CDDL){_version('1[.]0|1[.]1|1')}",
        _by_version("CDDL", {"1.0": "CDDL-1.0", "1": "CDDL-1.0", "1.1": "CDDL-1.1"}),
    ),
    _rule(
        "cpl|common public",
        rf"(?:Common\s+Public\s+{LICENSE_WORD}|CPL){_version('1[.]0|1')}",
        _by_version("CPL", {"1.0": "CPL-1.0", "1": "CPL-1.0"}, "CPL-1.0"),
    ),
    _rule(
        "eupl|european union public",
        rf"(?:European\s+Union\s+Public\s+{LICENSE_WORD}|EUPL){_version('1[.][012]')}",
        _by_version("EUPL", {"1.0": "EUPL-1.0", "1.1": "EUPL-1.1", "1.2": "EUPL-1.2"}),
    ),
    _rule(
        "cc0|cc-0|cc 0|zero",
        r"CC[\s-]?0(?:[\s-]*(?:v\.?\s*)?1\.0)?(?:\s+Universal)?|(?:CC|Creative\s+Commons)[\s-]+Zero(?:[\s-]*(?:v\.?\s*)?1\.0)?(?:\s+Universal)?",
        _fixed("CC0-1.0"),
    ),
    _rule(
        "cc|creative",
        rf"(?:(?-i:CC)|Creative\s*Commons)(?:\s+{LICENSE_WORD})?[\s:,(-]{{0,3}}"
        rf"(?P<parts>{_CC_PART}(?:[\s,/-]{{1,2}}(?:and\s+)?{_CC_PART}){{0,3}})"
        rf"(?:{_GAP}(?:{LICENSE_WORD}\s+)?(?:{_V})?(?P<v>1\.0|2\.0|2\.5|3\.0|4\.0|[1234])(?![\d]|\.\d))?"
        rf"(?:\s+(?:International|Unported|Generic))?(?:\s+(?:Public\s+)?{LICENSE_WORD})?",
        _creative,
    ),
    _rule("creative", r"Creative\s*Commons(?![\s-]+Zero)(?P<parts>)(?P<v>)", lambda match: ("CC", True)),
    _rule("zlib", rf"zlib(?:\s*/\s*libpng)?[\s-]*{LICENSE_WORD}|zlib\s*/\s*libpng", _fixed("Zlib")),
    _rule("zlib", r"zlib(?=\s*(?:$|\.(?!\w)|[,;)/|\"']|or\b|and\b))", _fixed("Zlib"), weak=True),
    _rule(
        "isc",
        rf"(?-i:ISC)(?:[\s-]*{LICENSE_WORD})?|Internet\s+(?:Systems|Software)\s+Consortium(?:\s+\(ISC\))?\s+{LICENSE_WORD}|ISC[\s-]+{LICENSE_WORD}",
        _fixed("ISC"),
    ),
    _rule("unlicense", r"(?:the\s+)?Unlicense|unlicense\.org", _fixed("Unlicense")),
    _rule("wtfpl", r"WTFPL(?:[\s-]*(?:v\.?\s*|version\s*)?2(?:\.0)?)?", _fixed("WTFPL")),
    _rule(
        "do what the f",
        r"Do\s+What\s+The\s+F[\w*]{2,6}\s+You\s+Want(?:\s+To)?(?:\s+Public\s+Licen[cs]e)?",
        _fixed("WTFPL"),
    ),
    _rule(
        "boost",
        rf"Boost(?:\s+Software)?[\s-]*{LICENSE_WORD}(?:{_GAP}(?:{_V})?1\.0)?|Boost(?:\s+Software)?\s+(?:v\.?\s?)?1\.0",
        _fixed("BSL-1.0"),
    ),
    _rule("bsl", r"(?-i:BSL)(?:[\s-]*(?:v\.?\s*)?1\.0)?(?![\s-]*(?:v\.?\s*)?1\.1)", _fixed("BSL-1.0")),
    _rule(
        "bsl|business source",
        rf"BSL[\s-]*(?:v\.?\s*)?1\.1|Business\s+Source\s+{LICENSE_WORD}(?:{_GAP}(?:{_V})?1\.1)?|BUSL(?:-1\.1)?",
        _fixed("BUSL-1.1"),
    ),
    _rule(
        "psf|python software",
        rf"Python\s+Software\s+Foundation[\s-]*{LICENSE_WORD}(?:\s*\(PSFL?\))?(?:{_GAP}(?:{_V})?2(?:\.0)?)?|(?-i:PSFL?)(?:[\s-]*{LICENSE_WORD})?(?:[\s-]*(?:v\.?\s*|version\s*)?2(?:\.0)?)?(?!\s+copyright)",
        _fixed("PSF-2.0"),
    ),
    _rule(
        "python software",
        r"Python\s+Software\s+Foundation(?:\s*\(PSF\))?(?=\s*(?:$|[.;]))",
        _fixed("PSF-2.0"),
        weak=True,
    ),
    _rule("python", r"Python\s+Licen[cs]e(?:\s+(?:v\.?\s*|version\s*)?2\.0)?|Python-2\.0", _fixed("Python-2.0")),
    _rule(
        "artistic",
        rf"(?:Perl\s+)?Artistic(?:[\s-]*{LICENSE_WORD})?{_version('1[.]0|2[.]0|1|2')}",
        _by_version(
            "Artistic", {"1.0": "Artistic-1.0", "1": "Artistic-1.0", "2": "Artistic-2.0", "2.0": "Artistic-2.0"}
        ),
    ),
    _rule(
        "perl",
        r"same\s+terms\s+as\s+Perl(?:\s+itself)?|same\s+licen[cs]e\s+as\s+Perl|Perl\s+(?:5\s+)?licen[cs]e",
        _fixed("Artistic-1.0-Perl OR GPL-1.0-or-later"),
    ),
    _rule(
        "open font|ofl",
        rf"(?:(?:SIL\s+)?Open\s+Font\s+{LICENSE_WORD}(?:\s*\(OFL\))?|(?-i:OFL))(?:{_GAP}(?:{_V})?(?P<v>1\.[01]))?",
        _by_version("OFL", {"1.0": "OFL-1.0", "1.1": "OFL-1.1"}),
    ),
    _rule(
        "ms-pl|mspl|microsoft public", rf"MS-?PL|Microsoft\s+Public\s+{LICENSE_WORD}(?:\s*\(MS-PL\))?", _fixed("MS-PL")
    ),
    _rule(
        "ms-rl|msrl|microsoft reciprocal",
        rf"MS-?RL|Microsoft\s+Reciprocal\s+{LICENSE_WORD}(?:\s*\(MS-RL\))?",
        _fixed("MS-RL"),
    ),
    _rule("mozilla", r"Mozilla(?=\s*(?:$|\.(?!\w)|[,;:)/|\"']|or\b|and\b))", _fixed("MPL", True), weak=True),
    _rule("eclipse", r"Eclipse(?=\s*(?:$|\.(?!\w)|[,;:)/|\"']|or\b|and\b))", _fixed("EPL", True), weak=True),
    _rule("w3c", rf"W3C\s+(?:Software\s+)?(?:Notice\s+and\s+)?{LICENSE_WORD}", _fixed("W3C")),
    _Rule(
        ("知识共享", "知識共享", "クリエイティブ"),
        re.compile(
            r"(?:知识共享|知識共享|クリエイティブ・?コモンズ)[^\s。,]{0,4}?\s?(?P<parts>(?:署名|表示|非商业性?(?:使用)?|非営利|相同方式共享|継承|禁止演绎|改変禁止|[\s-]){0,8})"
            r"(?:许可(?:证|协议)?|ライセンス)?\s?(?:v)?(?P<v>\d\.\d)?"
        ),
        _creative_cjk,
    ),
    _Rule(("木兰",), re.compile(r"木兰(?:宽松|公共)?许可证"), _fixed("MulanPSL", True)),
    _rule(
        "ncsa",
        rf"(?:University\s+of\s+Illinois\s*/?\s*)?NCSA(?:\s+Open\s+Source)?(?:\s+{LICENSE_WORD})?",
        _fixed("NCSA"),
    ),
    _rule(
        "cecill",
        rf"CeCILL(?:-(?P<variant>[BC]))?{_version('1[.]0|1[.]1|2[.]0|2[.]1|2')}",
        lambda m: (
            (f"CECILL-{m['variant'].upper()}", False)
            if m["variant"]
            else (
                {
                    "1.0": "CECILL-1.0",
                    "1.1": "CECILL-1.1",
                    "2": "CECILL-2.0",
                    "2.0": "CECILL-2.0",
                    "2.1": "CECILL-2.1",
                }.get(m["v"] or "", "CECILL"),
                not m["v"],
            )
        ),
    ),
    _rule(
        "mulan",
        rf"Mulan[\s-]*(?:PSL|Permissive\s+Software\s+{LICENSE_WORD})[\s,-]*(?:{_V})?(?P<v>1|2)?(?:\.0)?",
        _by_version("MulanPSL", {"1": "MulanPSL-1.0", "2": "MulanPSL-2.0"}),
    ),
    _rule("elastic", rf"Elastic[\s-]*{LICENSE_WORD}(?:{_GAP}(?:{_V})?2(?:\.0)?)?|ELv2", _fixed("Elastic-2.0")),
    _rule(
        "sspl|server side",
        rf"SSPL(?:[\s-]*(?:v\.?\s*)?1(?:\.0)?)?|Server[\s-]+Side\s+Public\s+{LICENSE_WORD}(?:{_GAP}(?:{_V})?1(?:\.0)?)?",
        _fixed("SSPL-1.0"),
    ),
    _rule(
        "rail",
        rf"(?:BigCode|BigScience|CreativeML)?[\s-]*Open[\s-]?RAIL(?:\+\+)?(?:-[MDAS])?(?:\s+{LICENSE_WORD})?",
        lambda match: (_rail(match[0]), _rail(match[0]) == "OpenRAIL"),
    ),
    _rule("beer", r"Beer-?ware(?:\s+licen[cs]e)?", _fixed("Beerware")),
    _rule(
        "public|domaine|domin|dom|gemeinfrei|公|パブリック|общественн",
        r"(?:in\s+the\s+)?public[\s-]+domain|domaine\s+public|dom[ií]nio\s+p[úu]blico|dominio\s+pubblico|pubblico\s+dominio|общественн\w{2,3}\s+достояни\w",
        _fixed("LicenseRef-public-domain"),
    ),
    _Rule(
        ("gemeinfrei", "公", "パブリック"),
        re.compile(r"gemeinfrei\w{0,4}|公有领域|公共领域|公有領域|公共領域|パブリック・?ドメイン", re.I),
        _fixed("LicenseRef-public-domain"),
    ),
    _rule(
        "propriet|closed|propiet|proprié|proprietär|commercial|проприетарн",
        rf"proprietary(?:\s+{LICENSE_WORD})?|closed[\s-]source|propri[ée]taire|propietari[ao]|proprietari[ao]|propriet[äa]re?[nrs]?|commercial\s+{LICENSE_WORD}|проприетарн\w{{2,3}}",
        _fixed("LicenseRef-proprietary"),
    ),
    _Rule(
        ("专有", "専有", "プロプライエタリ"),
        re.compile(r"专有(?:软件|许可|代码)?|プロプライエタリ"),
        _fixed("LicenseRef-proprietary"),
    ),
]


def _rail(text: str) -> str:
    lower = text.lower()
    if "bigcode" in lower:
        return "LicenseRef-scancode-bigcode-open-rail-m-v1"
    if "bigscience" in lower:
        return "LicenseRef-scancode-bigscience-open-rail-m"
    if "creativeml" in lower:
        return "LicenseRef-creativeml-openrail-plusplus-m" if "++" in lower else "LicenseRef-creativeml-openrail-m"
    return "OpenRAIL"


def _rule_mentions(text: str) -> list[Mention]:
    lower = text.lower()
    found: list[Mention] = []
    for rule in RULES:
        if not any(needle in lower for needle in rule.needles):
            continue
        for match in rule.pattern.finditer(text):
            resolved = rule.resolve(match)
            if resolved is not None:
                style = bool(re.search(r"[\s-](?:style|like|type|inspired)\b", match[0], re.IGNORECASE))
                found.append(Mention(match.start(), match.end(), *resolved, weak=rule.weak, style=style))
    return found


def _table_mentions(text: str) -> list[Mention]:
    table = name_table()
    hits = table.find_ids(text) + table.find_names(text)
    return [Mention(hit.start, hit.end, hit.row.replaced_by or hit.row.id, hit.row.is_family) for hit in hits]


def find_names(text: str) -> list[Mention]:
    """All license names of a cleaned text, in order, without overlaps; of two that overlap the longer one stands.

    Linear in the length of the text for ordinary prose; names whose words are more than a few signs apart are two
    names. It says what is named, not what is asserted: negation and doubt are the caller's.
    """
    mentions = _table_mentions(text) + _rule_mentions(text)
    lower = text.lower()
    if (
        "gpl" in lower
        or "gnu" in lower
        or "public" in lower
        or "affero" in lower
        or "общ" in lower
        or "publique" in lower
    ):
        mentions += _gnu_mentions(text)
    mentions.sort(key=lambda mention: (mention.start - mention.end, mention.weak, mention.start))
    taken: list[Mention] = []
    for mention in mentions:
        if all(mention.end <= other.start or mention.start >= other.end for other in taken):
            taken.append(mention)
    taken.sort(key=lambda mention: mention.start)
    return _with_exceptions(text, taken)
