"""The GNU licenses by name: versions before and after, "or later" in nine languages, exceptions."""

import re

from cleartitle.licenses.mention import GAP, LEFT, LICENSE_WORD, VERSION_WORD, Mention, versioned

__all__ = ["LATER_WORDS", "gnu_mentions", "with_exceptions"]

LATER_WORDS = (
    r"(?:onwards?|with\s+the\s+option\s+of\s+(?:using\s+)?any\s+later(?:\s+versions?)?|(?:or|and)[\s,(-]{1,3}(?:at\s+your\s+(?:option|choice|discretion)[\s,)]{0,3})?\(?(?:any\)?\s+|all\s+|a\s+)?"
    r"(?:\(?at\s+your\s+option\)?\s+)?(?:later|newer|higher|greater|above|subsequent|up(?:wards?)?|onwards?|beyond|future)"
    r"(?:\s+versions?)?"
    r"|(?:oder|und)\s+(?:\(?nach\s+(?:ihrer|eigener)\s+wahl\)?\s+)?(?:jeder?\s+|eine\s+)?"
    r"(?:sp[äa]ter|neuer|h[öo]her)\w{0,3}"
    r"|ou\s+(?:\(?[àa]\s+votre\s+(?:choix|gr[ée])\)?\s+)?(?:toute\s+(?:autre\s+)?)?(?:version\s+)?"
    r"(?:ult[ée]rieure|post[ée]rieure|sup[ée]rieure|plus\s+r[ée]cente)"
    r"|[oe]\s+(?:cualquier\s+)?(?:versi[oó]n(?:es)?\s+)?(?:posterior(?:es)?|superior)"
    r"|ou\s+(?:qualquer\s+)?(?:vers[ãa]o\s+)?(?:posterior|superior|mais\s+recente)"
    r"|o\s+(?:qualsiasi\s+)?(?:version[ei]\s+)?(?:successiv[aeo]|superiore)"
    r"|(?:或|及)(?:任何|以后的|其)?(?:更高|更新|以后|以上|后续|之后)的?(?:版本)?|或以上版本|(?:または|もしくは)?(?:それ)?以降|以上"
    r"|of\s+(?:een\s+)?(?:later|hoger|nieuwer)\w{0,2}(?:\s+versie)?|(?:lub|albo)\s+(?:dowolnej\s+|ka[żz]dej\s+)?(?:p[óo][źz]niejsz|nowsz|wy[żz]sz)\w{1,3}(?:\s+wersj\w)?"
    r"|(?:veya|ya\s+da)\s+(?:daha\s+)?(?:[üu]st|yeni|sonra)\w{0,4}|(?:또는\s+)?(?:그\s+)?(?:이후|이상|상위)(?:의?\s+버전)?"
    r"|или\s+(?:\(?по\s+вашему\s+выбору\)?\s+)?(?:люб\w{2,3}\s+)?(?:более\s+)?(?:поздн\w{2,3}|нов\w{2,3}|выше))"
)
"""Pattern of "or later" in the languages that answers come in."""
_LATER = (
    rf"(?P<later>\s?\+(?![A-Za-z0-9])|[\s,;()-]{{0,4}}(?:of\s+the\s+licen[cs]e[\s,]{{0,3}})?(?:版\s?)?{LATER_WORDS})"
)
_ONLY = (
    r"(?P<only>[\s,;()\[-]{0,4}(?:of\s+the\s+licen[cs]e[\s,]{0,3})?"
    r"(?:(?:and\s+)?only(?:\s+v(?:ersion)?\.?\s?\d(?:\.\d)?)?|exclusively|alone|without\s+(?:the|an|any)\s+[\"']?or[\s-]later[\"']?(?:\s+(?:clause|option|wording))?|(?:with|and|but)?\s?(?:no|not)\s+(?:any\s+|option\s+to\s+use\s+)?(?:later|other|newer)(?:\s+versions?)?|nur|uniquement|seulement|solamente|[úu]nicamente|somente|solo|только|のみ|仅限?)(?![A-Za-z]))"
)
_TAIL = _LATER.replace("?P<later>", "?P<taillater>") + "|" + _ONLY.replace("?P<only>", "?P<tailonly>")
_GNU_VERSION = r"(?P<v>[123](?:\.[0123])?(?:\.0)?)(?![\d]|\.\d)"
_GNU_NAMES = {
    "AGPL": (
        rf"(?:GNU\s+)?Affero(?:\s+GNU)?(?:[\s-]+General)?(?:[\s-]+Public)?(?:[\s-]*{LICENSE_WORD}|[\s-]+GPL)?"
        r"(?:通用公共许可证)?|(?:GNU[\s-]+)?A-?GPL"
    ),
    "LGPL": (
        rf"(?:GNU[\s-]+)?(?:Lesser|Library)[\s-]+(?:GNU\s+)?(?:(?:General\s+)?Public(?:[\s-]+{LICENSE_WORD})?|GPL)"
        r"|(?:GNU[\s-]+)?L-?GPL|GNU\s?(?:宽|较?宽松)(?:通用)?公共许可证"
        r"|licencia\s+p[úu]blica\s+general\s+(?:reducida|menor)(?:\s+de)?(?:\s+GNU)?"
        r"|licence\s+publique\s+g[ée]n[ée]rale\s+(?:limit[ée]e|amoindrie)(?:\s+GNU)?"
    ),
    "GPL": (
        rf"(?:GNU[\s-]+)?General\s+Public(?:[\s-]+{LICENSE_WORD})?"
        rf"|GNU[\s-]+Public\s+{LICENSE_WORD}|GNU[\s-]+{LICENSE_WORD}"
        r"|(?:GNU[\s/-]+)?GPL|GNU\s?通用公共(?:许可证|授权)|GNU\s?一般公衆利?用許諾(?:契約書|書)?"
        r"|GNU\s+일반\s?공중\s?(?:사용\s?)?(?:허가서|라이[선센]스)|GNU\s+Genel\s+Kamu\s+Lisans\w{0,3}|(?:Powszechn\w+\s+)?Licencj\w\s+Publiczn\w(?:\s+GNU)"
        r"|licence\s+publique\s+g[ée]n[ée]rale(?:\s+GNU)?|licencia\s+p[úu]blica\s+general(?:\s+(?:de\s+)?GNU)?"
        r"|licen[çc]a\s+p[úu]blica\s+geral(?:\s+GNU)?|licenza\s+pubblica\s+(?:generica|generale)(?:\s+GNU)?"
        r"|(?:универсальн\w{2,3}|стандартн\w{2,3})\s+общественн\w{2,3}\s+лицензи\w\s+GNU"
    ),
}
_PUBLISHED = r"(?P<published>[\s,]+as\s+published\s+by\s+the\s+Free\s+Software\s+Foundation[\s,;:]{0,4})?"
_GNU = {
    name: re.compile(
        rf"{LEFT}(?:(?P<solo>only\s+)?(?P<least>at\s+least\s+)?{VERSION_WORD}(?P<pv>[123](?:\.[01])?)(?P<plater>[\s(]{{0,2}}(?:\+|{LATER_WORDS}))?"
        rf"(?P<ponly>\s+only)?[\s,)]{{0,3}}of\s+(?:the\s+)?)?(?:{pattern})(?:[\s-]*{LICENSE_WORD})?"
        rf"(?:\s*[(\[]\s*(?:the\s+)?[\"']?(?:GNU\s+)?[AL]?GPL[\"']?\s*[)\]])?"
        rf"(?:{_PUBLISHED}{GAP}(?:either\s+|in\s+(?:der\s+)?|[wвa]\s+|en\s+(?:su\s+)?|na\s+|em\s+sua\s+)?(?P<ge>>=?\s?|≥\s?)?(?:{VERSION_WORD})?{_GNU_VERSION}"
        rf"(?:\s?版)?(?:{_LATER}|{_ONLY})?|(?P<bareplus>\+)|{_TAIL})?(?![A-Za-z0-9_])",
        re.IGNORECASE,
    )
    for name, pattern in _GNU_NAMES.items()
}
_SECOND_VERSION = re.compile(
    rf"\s*(?:or|/|,|\||oder|ou|或)\s*(?:{VERSION_WORD})?(?P<v>3)(?:\.0)?(?![\d.]*\d)(?:{_LATER})?", re.IGNORECASE
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


def _gnu_expression(name: str, version: str | None, later: bool, only: bool) -> tuple[str, bool]:
    if version is None:
        return name, True
    known = {"GPL": {"1.0", "2.0", "3.0"}, "LGPL": {"2.0", "2.1", "3.0"}, "AGPL": {"1.0", "3.0"}}[name]
    number = ".".join(versioned(version).split(".")[:2])
    if number not in known:
        return name, True
    suffix = "-or-later" if later else "-only" if only else ""
    return f"{name}-{number}{suffix}", not suffix


_NEEDLES = ("gpl", "gnu", "public", "affero", "общ", "publiczn", "pública", "publica", "pubblica")
_KINDS = {
    "AGPL": ("affero", "agpl", "a-gpl"),
    "LGPL": ("lesser", "library", "lgpl", "l-gpl", "宽", "reducida", "menor", "limit", "amoindrie"),
    "GPL": _NEEDLES,
}
_ABBREVIATED = re.compile(rf"[\s,]{{0,2}}\([A-Za-z0-9. -]{{3,14}}\)(?=(?:{_LATER}))", re.IGNORECASE)
_NOTICE = re.compile(
    rf"[\s,]+as\s+published\s+by\s+the\s+(?:FSF|Free\s+Software\s+Foundation)(?:{_LATER})?", re.IGNORECASE
)
_COMPATIBLE = re.compile(r"[\s-]*(?:in)?compatible", re.IGNORECASE)


def gnu_mentions(text: str) -> list[Mention]:
    """The GPL, LGPL and AGPL in a text.

    "as published by the Free Software Foundation; version 2 of the License" means that version only; "GPL version 2"
    alone leaves it open and gives the family.
    """
    lower = text.lower()
    if not any(needle in lower for needle in _NEEDLES):
        return []
    return [
        mention
        for name, pattern in _GNU.items()
        if any(needle in lower for needle in _KINDS[name])
        for match in pattern.finditer(text)
        if not _COMPATIBLE.match(text, match.end())
        for mention in _of_match(name, text, match)
    ]


def _of_match(name: str, text: str, match: re.Match[str]) -> list[Mention]:
    groups = match.groupdict()
    version = groups["v"] or groups["pv"]
    later = any(groups[key] for key in ("later", "plater", "ge", "bareplus", "taillater", "least"))
    later = later or bool(version and _ABBREVIATED.match(text, match.end()))
    only = any(groups[key] for key in ("only", "ponly", "tailonly", "published", "solo"))
    if version and not later and (notice := _NOTICE.match(text, match.end())):
        later, only = later or bool(notice["later"]), not notice["later"]
    found = [Mention(match.start(), match.end(), *_gnu_expression(name, version, later, only))]
    second = _SECOND_VERSION.match(text, match.end()) if groups["v"] and not later else None
    if second and name != "AGPL":
        expression = _gnu_expression(name, second["v"], bool(second["later"]), False)
        found.append(Mention(second.start("v"), second.end(), *expression))
    return found


def with_exceptions(text: str, mentions: list[Mention]) -> list[Mention]:
    """The same mentions, with the exception that follows a name taken in."""
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
