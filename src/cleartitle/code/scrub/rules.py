"""The rules of the scrubber: one bounded pattern each, the literals that must be there, and a check.

Every repetition is bounded, or can start at one place of a run only, so that time grows with the length of the text
whatever it holds.
"""

import re

from cleartitle.code.scrub import checks
from cleartitle.code.scrub.rule import Rule
from cleartitle.code.scrub.token_rules import TOKEN_RULES

__all__ = ["RULES"]

_NAME = r"(?=[^\W\d_a-z])[^\W\d_][\w'’-]{1,30}"
_MORE_NAMES = rf"(?: {_NAME}(?![\w(])| [^\W\d_]\.){{0,3}}"

RULES: tuple[Rule, ...] = (
    *TOKEN_RULES,
    Rule(
        "assigned secret",
        "PASSWORD",
        re.compile(r"[:=>][ \t]{0,8}[bru]{0,2}(?P<quote>[\"'])(?P<value>[^\s\"'\\]{6,200})(?P=quote)"),
        ("passw", "passphr", "pwd", "secret", "token", "key", "credential"),
        None,
        checks.is_assigned_secret,
    ),
    Rule(
        "secret in an environment or a query",
        "PASSWORD",
        re.compile(r"=(?P<value>(?=[A-Za-z_./+-]{0,64}\d)[A-Za-z0-9_./+-]{8,200}={0,2})(?![A-Za-z0-9_./+(=-])"),
        ("passw", "secret", "token", "key", "sig"),
        checks.is_mixed,
        checks.is_after_secret_name,
    ),
    Rule(
        "password in a comment",
        "PASSWORD",
        re.compile(
            r"(?i:password|passwd|passphrase|pwd)(?:[ \t]{0,4}[:=][ \t]{0,4}|[ \t]is[ \t])"
            r"(?P<value>[A-Za-z0-9!@#$%^&*_.+-]{6,64})(?!\S)"
        ),
        ("passw", "passphr", "pwd"),
        checks.is_mixed,
        checks.is_in_comment,
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
        ("(at)", "[at]", "<at>", " dot "),
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
            r"\d{3}(?(sign)(?P=sign)|[ .-])\d{4}(?![\w-]|\.\d)"
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
        ("tel", "phone", "mobile", "fax", "cell"),
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
        ("author", "maintainer", "ten by", "ted by", "fied by"),
        None,
        checks.is_person,
    ),
    Rule(
        "person in a note",
        "PERSON",
        re.compile(r"\b(?:TODO|FIXME|XXX)[ \t]?\((?P<value>[A-Za-z][\w.@-]{1,30})\)"),
        ("todo", "fixme", "xxx"),
        None,
        checks.is_in_comment,
    ),
)
