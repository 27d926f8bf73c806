"""Rules for keys and tokens, by the formats that their issuers publish for secret scanning."""

import re

from cleartitle.code.scrub.checks import is_key_block
from cleartitle.code.scrub.rule import Rule

__all__ = ["TOKEN_RULES"]

_ID = r"[A-Za-z0-9_-]"


def _token(name: str, needs: str, *patterns: str) -> Rule:
    """A rule for tokens that stand alone; ``needs`` are separated by blanks."""
    pattern = re.compile(rf"(?<!{_ID})(?:{'|'.join(patterns)})(?!{_ID})")
    return Rule(name, "API_KEY", pattern, tuple(needs.split()))


TOKEN_RULES: tuple[Rule, ...] = (
    Rule(
        "private key block",
        "PRIVATE_KEY",
        # A block without its end, as a truncated answer has it, goes as far as lines of base64 do.
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?:[^-]|-(?!----(?:BEGIN|END) )){0,16000}+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:[\s\"'+\\/#*,;]{1,32}[A-Za-z0-9+/=]{16,128})*+)"
        ),
        ("private key",),
        is_key_block,
    ),
    Rule(
        "URL with credentials",
        "CREDENTIALS",
        re.compile(
            r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://"
            r"(?P<value>[^\s/:@\"'<>{}$]{1,100}:[^\s/@\"'<>{}$]{1,200})@"
        ),
        ("://",),
    ),
    _token("AWS access key id", "akia asia agpa aroa abia acca", r"(?:AKIA|ASIA|AGPA|AROA|ABIA|ACCA)[A-Z0-9]{16}"),
    Rule(
        "AWS secret key",
        "API_KEY",
        re.compile(
            r"(?i:secret_?access_?key|aws_?secret_?key)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
            r"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
        ("secret",),
    ),
    _token(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_[A-Za-z0-9]{30,255}",
        r"github_pat_[A-Za-z0-9_]{22,255}",
    ),
    _token("GitLab token", "glpat- gldt- glrt- glcbt- glptt-", r"gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_-]{20,100}"),
    _token("Slack token", "xox xapp-", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}", r"xapp-\d-[A-Za-z0-9-]{10,250}"),
    Rule(
        "Slack or Discord web hook",
        "API_KEY",
        re.compile(
            r"(?:hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/)"
            r"(?P<value>[A-Za-z0-9/_-]{20,200})"
        ),
        ("hooks.slack.com/", "/api/webhooks/"),
    ),
    _token(
        "Google key",
        "aiza gocspx- ya29.",
        r"AIza[A-Za-z0-9_-]{35}",
        r"GOCSPX-[A-Za-z0-9_-]{28}",
        r"ya29\.[A-Za-z0-9_-]{20,500}",
    ),
    _token(
        "Stripe key",
        "k_live_ k_test_ whsec_",
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}",
        r"whsec_[A-Za-z0-9]{24,64}",
    ),
    _token(
        "key of a model provider",
        "sk- hf_ r8_ gsk_",
        r"sk-(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{32,250}",
        r"hf_[A-Za-z0-9]{30,60}",
        r"r8_[A-Za-z0-9]{37}",
        r"gsk_[A-Za-z0-9]{40,64}",
    ),
    _token(
        "package registry token",
        "npm_ pypi- rubygems_ dckr_pat_",
        r"npm_[A-Za-z0-9]{36}",
        r"pypi-[A-Za-z0-9_-]{50,250}",
        r"rubygems_[a-f0-9]{48}",
        r"dckr_pat_[A-Za-z0-9_-]{27}",
    ),
    _token(
        "mail or message service key",
        "sg. key- ac sk :aa",
        r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
        r"key-[a-f0-9]{32}",
        r"(?:AC|SK)[a-f0-9]{32}",
        r"\d{8,10}:AA[A-Za-z0-9_-]{33}",
    ),
    _token(
        "cloud or shop token",
        "_v1_ shp dapi sq0 age-secret-key- hvs.",
        r"do[opr]_v1_[a-f0-9]{64}",
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        r"dapi[a-f0-9]{32}",
        r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}",
        r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
        r"hvs\.[A-Za-z0-9_-]{24,200}",
    ),
    Rule(
        "Azure storage key",
        "API_KEY",
        re.compile(r"AccountKey=(?P<value>[A-Za-z0-9+/]{40,100}={0,2})"),
        ("accountkey=",),
    ),
    Rule(
        "JSON web token",
        "TOKEN",
        re.compile(
            rf"(?<!{_ID})eyJ[A-Za-z0-9_-]{{8,4000}}\.eyJ[A-Za-z0-9_-]{{8,8000}}\.[A-Za-z0-9_-]{{8,2000}}(?!{_ID})"
        ),
        ("eyj",),
    ),
    Rule(
        "bearer token",
        "TOKEN",
        re.compile(
            r"(?i:\b(?:bearer|basic))[ \t]{1,4}(?P<value>(?=[A-Za-z._~+/=-]{0,200}\d)"
            r"[A-Za-z0-9._~+/-]{20,2000}={0,2})(?![A-Za-z0-9._~+/=-])"
        ),
        ("bearer", "basic"),
    ),
)
