"""What a pattern cannot say: check digits, address ranges, words that are no secret."""

import ipaddress
import re

__all__ = [
    "is_address",
    "is_after_secret_name",
    "is_assigned_secret",
    "is_card",
    "is_iban",
    "is_key_block",
    "is_in_comment",
    "is_mail",
    "is_mixed",
    "is_no_version",
    "is_password",
    "is_person",
    "is_phone",
    "is_ssn",
]

_CARD_LENGTHS = {"3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "2": (16,), "6": (16, 17, 18, 19)}
_CARD_HEAD = re.compile(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3(?:[47]|0[0-5]|[689]|5[2-8])|6(?:011|4[4-9]|5|2)"
)
_IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "CH": 21, "CZ": 24, "DE": 22, "DK": 18, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27,
    "HU": 28, "IE": 22, "IT": 27, "LU": 20, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "SE": 24, "SK": 24, "TR": 26,
}  # fmt: skip
_NO_SECRET = re.compile(
    r"(?:x+|\*+|\.+|-+|none|null|nil|true|false|undefined|password|passwd|pwd|secret|token|string|example|changeme"
    r"|your[\w -]*|my[_-]?(?:password|secret|token|key)|(?:some|the)[_ -].*|test|todo)\Z",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"(?:(?P<password>password|passwd|passphrase|pwd)"
    r"|(?P<key>(?:api|access|auth|secret|private|client|account|session)[_-]?(?:key|token|secret))"
    r"|secret|token|credential)s?"
    r"[\"']?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8}[bru]{0,2}[\"']\Z",
    re.IGNORECASE,
)
_SECRET_NAME = re.compile(
    r"(?:(?<![A-Za-z])(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|SECRET_?KEY)"
    r"|[?&](?:password|passwd|secret|token|api_?key|access_?token|sig|signature))=\Z"
)
_COMMENT_SIGN = re.compile(r"#|//|/\*|^\s*\*|--")
_KEY_RUN = re.compile(r"[A-Za-z0-9+/=]{6,}")
_DIGITS = re.compile(r"\d+")
_LOOK_BACK = 160
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z|[A-Za-z_.-]*(?:[Pp]assw|[Ss]ecret|[Tt]oken)[A-Za-z_.-]*\Z")
_TEMPLATE = re.compile(r"[<>{}$%]|\\[nrt0]|^\.|\(\)")
_FILE_ENDS = (
    "py",
    "js",
    "ts",
    "java",
    "cpp",
    "cs",
    "html",
    "xml",
    "json",
    "txt",
    "md",
    "png",
    "jpg",
    "gif",
    "svg",
    "css",
)


def is_card(text: str) -> bool:
    """Whether the digits are a payment card number: a known issuer's head and length, and a right Luhn check digit."""
    digits = [int(character) for character in text if character.isdigit()]
    head = _CARD_HEAD.match("".join(map(str, digits)))
    if head is None or len(digits) not in _CARD_LENGTHS[head[0][0]] or len(set(digits)) < 2:
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether the text is a bank account number with a known country's length and a right check (ISO 13616, mod 97)."""
    plain = text.replace(" ", "").upper()
    if _IBAN_LENGTHS.get(plain[:2]) != len(plain):
        return False
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1


def is_address(text: str) -> bool:
    """Whether the text is an IP address that can tell of somebody's machine.

    Loopback, unspecified, multicast, net masks, and what reads as a version or a section (the first number below 20,
    three of four below 10) or as an object identifier of X.500 (2.5) tell of nobody. Private addresses count: they
    show the inside of a network.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.is_loopback or address.is_unspecified or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        groups = [group for group in text.split(":") if group]
        return len(groups) >= 3 and any(character.isdigit() for character in text)
    parts = [int(part) for part in text.split(".")]
    if parts[0] in {0, 255} or text.startswith("2.5."):
        return False
    return address.is_private or parts[0] >= 20 or sum(part < 10 for part in parts) < 3


def is_key_block(text: str) -> bool:
    """Whether a key stands between the markers of a block, not the markers alone as in code that looks for them."""
    body = text.split("-----", 2)[2].rpartition("-----END")[0] or text.split("-----", 2)[2]
    return _KEY_RUN.search(body) is not None


def is_mail(text: str) -> bool:
    """Whether the end can be a top-level domain, not that of a file's name, and the user is no service such as git."""
    user, _, host = text.partition("@")
    end = host.rpartition(".")[2].lower()
    return end.isalpha() and end not in _FILE_ENDS and user not in {"git", "hg", "svn"}


def is_password(text: str) -> bool:
    """Whether a quoted value beside a word like ``password`` can be one, and not a template or a stand-in word."""
    return not (_NO_SECRET.match(text) or _VARIABLE.match(text) or _TEMPLATE.search(text)) and len(set(text)) > 2


def is_mixed(text: str) -> bool:
    """Whether a value beside a word like ``token`` has letters and digits, as keys do and names do not."""
    return is_password(text) and any(map(str.isdigit, text)) and any(map(str.isalpha, text))


def is_assigned_secret(text: str, start: int, end: int) -> bool:
    """Whether a quoted value is assigned to a name like ``password``, or to ``token`` and looks random."""
    match = _ASSIGNED.search(text, max(0, start - 64), start)
    if match is None:
        return False
    value = text[start:end]
    if match["password"]:
        return is_password(value)
    return is_mixed(value) or (match["key"] is not None and is_password(value) and _is_long(value))


def _is_long(value: str) -> bool:
    """Whether a value without digits is too long for a word and no path: 16 letters or more, or both cases mixed."""
    mixed = len(value) >= 10 and re.search(r"[a-z][A-Z]{2,}[a-z]", value) is not None
    return value.isalnum() and (len(value) >= 16 or mixed)


def is_after_secret_name(text: str, start: int, end: int) -> bool:
    """Whether an unquoted value belongs to a variable of an environment, or a query, that is named like a secret."""
    return _SECRET_NAME.search(text, max(0, start - 64), start) is not None


def is_phone(text: str) -> bool:
    """Whether there are 7 to 15 digits (ITU-T E.164), of at least three kinds, not all of them one by one."""
    groups = _DIGITS.findall(text)
    digits = "".join(groups)
    if not 7 <= len(digits) <= 15 or len(set(digits)) < 3:
        return False
    # One point alone makes a decimal number.
    return all(len(group) > 1 for group in groups[1:]) and not (len(groups) == 2 and "." in text)


def is_no_version(text: str, start: int, end: int) -> bool:
    """Whether the line does not speak of a version before ``start``: assembly versions have four numbers too."""
    return "version" not in _line_before(text, start).lower()


def is_in_comment(text: str, start: int, end: int) -> bool:
    """Whether a comment sign comes before ``start`` in its line."""
    return _COMMENT_SIGN.search(_line_before(text, start)) is not None


def is_person(text: str, start: int, end: int) -> bool:
    """Whether a name after a word like ``author`` is prose: in a comment, or of two words; not a type annotation."""
    return is_in_comment(text, start, end) or (" " in text[start:end] and text[end : end + 1] not in "([=.")


def _line_before(text: str, start: int) -> str:
    from_here = max(0, start - _LOOK_BACK)
    return text[max(text.rfind("\n", from_here, start) + 1, from_here) : start]


def is_ssn(text: str) -> bool:
    """Whether the groups are in the ranges that the US Social Security Administration gives out."""
    area, group, serial = text.split("-")
    return area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"
