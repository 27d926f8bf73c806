"""The rules of the scrubber: one bounded pattern each, the literals that must be there, and a check.

Every repetition is bounded, or can start at one place of a run only, so that time grows with the length of the text
whatever it holds. The formats of tokens are those that their issuers publish for secret scanning.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from cleartitle.code.scrub import checks

__all__ = ["PLACEHOLDER", "RULES", "TYPES", "Rule"]

TYPES = (
    "PRIVATE_KEY",
    "CREDENTIALS",
    "API_KEY",
    "TOKEN",
    "PASSWORD",
    "EMAIL",
    "IBAN",
    "CARD",
    "SSN",
    "IP",
    "PHONE",
    "PERSON",
)
"""Types of placeholders, in the order in which they win where two overlap."""

PLACEHOLDER = re.compile(rf"<(?:{'|'.join(TYPES)})_[1-9]\d{{0,8}}>")


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: what is found, for people.
        type: one of `TYPES`.
        pattern: the finding is the group ``value``, or the whole match.
        needs: one of these must be in the text, in this letter case, or the rule is not run; empty: always run.
        check: a further condition on the finding, or None.
        context: a further condition on the text around it, given the text and the finding's offsets, or None.
    """

    name: str
    type: str
    pattern: re.Pattern[str]
    needs: tuple[str, ...] = ()
    check: Callable[[str], bool] | None = None
    context: Callable[[str, int, int], bool] | None = None


def _token(name: str, pattern: str, *needs: str, type_: str = "API_KEY") -> Rule:
    return Rule(name, type_, re.compile(rf"(?<![A-Za-z0-9_-])(?:{pattern})(?![A-Za-z0-9_-])"), needs)


_PASSWORD = r"(?:password|passwd|passphrase|pwd)s?"
_SECRET = (
    r"(?:(?:api|access|auth|secret|private|client|account|session)[_-]?(?:key|token|secret)|secret|token|credential)s?"
)
_ASSIGNED = r"""["']?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8}[bru]{0,2}(?P<quote>["'])(?P<value>[^\s"'\\]{6,200})(?P=quote)"""
_NAME = r"(?=[^\W\d_a-z])[^\W\d_][\w'’-]{1,30}"
_MORE_NAMES = rf"(?: {_NAME}(?![\w(])| [^\W\d_]\.){{0,3}}"

RULES: tuple[Rule, ...] = (
    Rule(
        "private key block",
        "PRIVATE_KEY",
        # A block without its end, as a truncated answer has it, goes as far as lines of base64 do.
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?:[^-]|-(?!----(?:BEGIN|END) )){0,16000}+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:[\s\"'+\\/#*,;]{1,32}[A-Za-z0-9+/=]{16,128})*+)"
        ),
        ("PRIVATE KEY",),
    ),
    Rule(
        "URL with credentials",
        "CREDENTIALS",
        re.compile(
            r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://(?P<value>[^\s/:@\"'<>{}$]{1,100}:[^\s/@\"'<>{}$]{1,200})@"
        ),
        ("://",),
    ),
    _token(
        "AWS access key id",
        r"(?:AKIA|ASIA|AGPA|AROA|ABIA|ACCA)[A-Z2-7]{16}",
        "AKIA",
        "ASIA",
        "AGPA",
        "AROA",
        "ABIA",
        "ACCA",
    ),
    _token(
        "GitHub token",
        r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
    ),
    _token(
        "GitLab token", r"gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_-]{20,100}", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"
    ),
    _token("Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250}", "xox", "xapp-"),
    Rule(
        "Slack or Discord web hook",
        "API_KEY",
        re.compile(
            r"(?:hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/)(?P<value>[A-Za-z0-9/_-]{20,200})"
        ),
        ("hooks.slack.com/", "/api/webhooks/"),
    ),
    _token(
        "Google key",
        r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,500}",
        "AIza",
        "GOCSPX-",
        "ya29.",
    ),
    _token(
        "Stripe key",
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9]{24,64}",
        "k_live_",
        "k_test_",
        "whsec_",
    ),
    _token(
        "key of a model provider",
        r"sk-(?=[A-Za-z_-]{0,64}\d)(?:ant-|proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{32,250}|hf_[A-Za-z]{30,60}|r8_[A-Za-z0-9]{37}|gsk_[A-Za-z0-9]{40,64}",
        "sk-",
        "hf_",
        "r8_",
        "gsk_",
    ),
    _token(
        "package registry token",
        r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,250}|rubygems_[a-f0-9]{48}|dckr_pat_[A-Za-z0-9_-]{27}",
        "npm_",
        "pypi-",
        "rubygems_",
        "dckr_pat_",
    ),
    _token(
        "mail or message service key",
        r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}|key-[a-f0-9]{32}|(?:AC|SK)[a-f0-9]{32}|\d{8,10}:AA[A-Za-z0-9_-]{33}",
        "SG.",
        "key-",
        "AC",
        "SK",
        ":AA",
    ),
    _token(
        "cloud or shop token",
        r"do[opr]_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|dapi[a-f0-9]{32}|sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}|AGE-SECRET-KEY-1[A-Z0-9]{58}|hvs\.[A-Za-z0-9_-]{24,200}",
        "_v1_",
        "shp",
        "dapi",
        "sq0",
        "AGE-SECRET-KEY-",
        "hvs.",
    ),
    Rule(
        "Azure storage key",
        "API_KEY",
        re.compile(r"AccountKey=(?P<value>[A-Za-z0-9+/]{40,100}={0,2})"),
        ("AccountKey=",),
    ),
    _token(
        "JSON web token",
        r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}",
        "eyJ",
        type_="TOKEN",
    ),
    Rule(
        "bearer token",
        "TOKEN",
        re.compile(
            r"(?i:\b(?:bearer|basic))[ \t]{1,4}(?P<value>(?=[A-Za-z._~+/=-]{0,200}\d)"
            r"[A-Za-z0-9._~+/-]{20,2000}={0,2})(?![A-Za-z0-9._~+/=-])"
        ),
        ("earer", "EARER", "asic", "ASIC"),
    ),
    Rule("assigned password", "PASSWORD", re.compile(rf"(?i:{_PASSWORD}){_ASSIGNED}"), (), checks.is_password),
    Rule("assigned secret", "PASSWORD", re.compile(rf"(?i:{_SECRET}){_ASSIGNED}"), (), checks.is_mixed),
    Rule(
        "secret in an environment or a query",
        "PASSWORD",
        re.compile(
            r"(?:(?<![A-Za-z0-9])(?:[A-Z0-9]{1,30}_){0,6}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|SECRET_?KEY)"
            r"|[?&](?:password|passwd|secret|token|api_?key|access_?token|sig|signature))="
            r"(?P<value>(?=[A-Za-z_./+-]{0,64}\d)[A-Za-z0-9_./+-]{8,200}={0,2})(?![A-Za-z0-9_./+(=-])"
        ),
        ("=",),
        checks.is_mixed,
    ),
    Rule(
        "e-mail address",
        "EMAIL",
        re.compile(
            r"(?<![\w.+%-])[A-Za-z0-9_][\w.+%-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![\w(\[@]|\.\w|-\w)"
        ),
        ("@",),
        checks.is_mail,
    ),
    Rule(
        "e-mail address in words",
        "EMAIL",
        re.compile(
            r"(?<![\w.+-])[A-Za-z0-9_][\w.+-]{0,63} ?(?:\(at\)|\[at\]|<at>| AT ) ?[A-Za-z0-9][A-Za-z0-9-]{0,62}"
            r"(?: ?(?:\.|\(dot\)|\[dot\]|<dot>| DOT ) ?[A-Za-z0-9-]{1,63}){1,6}(?![\w(])"
        ),
        ("(at)", "[at]", "<at>", " AT "),
        None,
    ),
    Rule(
        "bank account",
        "IBAN",
        re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"),
        (),
        checks.is_iban,
    ),
    Rule(
        "payment card",
        "CARD",
        re.compile(
            r"(?<![\w.+/-])(?:\d{13,19}|\d{4}(?P<sign>[ -])\d{4}(?P=sign)\d{4}(?P=sign)\d{1,7}"
            r"|3\d{3}[ -]\d{6}[ -]\d{4,5})"
            r"(?![\w/-]|\.\d)"
        ),
        (),
        checks.is_card,
    ),
    Rule(
        "US social security number",
        "SSN",
        re.compile(r"(?<![\w.-])\d{3}-\d{2}-\d{4}(?![\w-]|\.\d)"),
        ("-",),
        checks.is_ssn,
    ),
    Rule(
        "IPv4 address",
        "IP",
        re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)"),
        (".",),
        checks.is_address,
        checks.is_no_version,
    ),
    Rule(
        "IPv6 address",
        "IP",
        re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{1,4}(?![\w:]|\.\d)"),
        ("::", ":"),
        checks.is_address,
    ),
    Rule(
        "telephone number, international",
        "PHONE",
        re.compile(r"(?<![\w.+)\]-])\+[1-9](?:[ .()/-]{0,2}\d){7,14}(?![\w-]|\.\d)"),
        ("+",),
        checks.is_phone,
    ),
    Rule(
        "telephone number, North American",
        "PHONE",
        re.compile(
            r"(?<![\w.+-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}(?P<sign>[.-]))"
            r"[2-9]\d{2}(?(sign)(?P=sign)|[ .-])\d{4}(?![\w-]|\.\d)"
        ),
        (),
        checks.is_phone,
    ),
    Rule(
        "telephone number after a word",
        "PHONE",
        re.compile(
            r"(?i:\b(?:tel|phone|mobile|fax|cell)(?:efon|ephone)?(?: ?(?:no|number|nr))?\b\.?)"
            r"[\"']?[ \t]{0,4}[:=]?[ \t]{0,4}[\"']?"
            r"(?P<value>\(?\d(?:[ .()/-]{0,3}\d){6,14})(?![\w-]|\.\d)"
        ),
        (),
        checks.is_phone,
    ),
    Rule(
        "author tag",
        "PERSON",
        re.compile(rf"(?:@author|:author:|\\author)[ \t]{{1,8}}(?P<value>[^\W\d_][\w'’-]{{1,30}}{_MORE_NAMES})"),
        ("author",),
    ),
    Rule(
        "author variable",
        "PERSON",
        re.compile(r"__(?:author|maintainer)__[ \t]{0,4}=[ \t]{0,4}(?P<quote>[\"'])(?P<value>[^\"'\n<(,]{2,60})"),
        ("__author__", "__maintainer__"),
    ),
    Rule(
        "author named in a comment",
        "PERSON",
        re.compile(
            r"\b(?i:authors?|maintainers?|(?:written|contributed|created|modified|reported|suggested) by)"
            r"[ \t]{0,4}:?[ \t]{1,4}"
            rf"(?P<value>{_NAME}{_MORE_NAMES})"
        ),
        ("uthor", "UTHOR", "aintainer", " by", " BY"),
        None,
        checks.is_person,
    ),
    Rule(
        "person in a note",
        "PERSON",
        re.compile(r"\b(?:TODO|FIXME|XXX)[ \t]?\((?P<value>[A-Za-z][\w.@-]{1,30})\)"),
        ("TODO", "FIXME", "XXX"),
        None,
        checks.is_in_comment,
    ),
)
