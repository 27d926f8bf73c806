"""Bytes to text, content identity, and the language of a path."""

import codecs
import hashlib
import re
from pathlib import PurePosixPath

from cleartitle.code import language_of_path

__all__ = ["UnreadableTextError", "decode", "is_vendored", "language_of", "printable", "swhid", "unencoded"]

_NAMES = {
    "python": "python", "python3": "python", "py": "python", "java": "java", "c": "c", "c++": "cpp", "cpp": "cpp",
    "c#": "csharp", "csharp": "csharp", "c-sharp": "csharp", "cs": "csharp",
}  # fmt: skip

# The encodings that a source file may name in its first two lines. Others are refused: some decode in quadratic time
# and some are no text encodings at all.
_ENCODINGS = {
    "ascii", "utf-8", "utf-16", "gbk", "gb2312", "gb18030", "big5", "euc_jp", "euc_kr", "shift_jis", "cp932", "cp949",
    "koi8-r", "koi8-u", "mac-roman", "iso2022_jp", "cp437", "cp850", "cp866", "cp874", "tis-620",
    *(f"iso8859-{number}" for number in range(1, 17)),
    *(f"cp{number}" for number in range(1250, 1259)),
}  # fmt: skip
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:[#\r\n]|$)")
_VENDORED = {
    "vendor", "vendors", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty", "3rdparty",
    "extern", "externals", "external", "_external", "node_modules", "site-packages", "dist-packages",
    "bower_components", "bundled", "_bundled", "_bundled_packages", "deps", "venv", ".venv",
}  # fmt: skip


class UnreadableTextError(ValueError):
    """Bytes that are no text in an encoding that they name; ``reason`` is a short key for counting."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def swhid(data: bytes) -> str:
    """Software Heritage id of a content, ``swh:1:cnt:`` and the git blob SHA-1 of its bytes."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return f"swh:1:cnt:{digest.hexdigest()}"


def language_of(path: str, name: str | None = None) -> str | None:
    """The language of a file, by a data set's name for it if given, else by its extension; None if not one of ours."""
    if name:
        return _NAMES.get(name.strip().lower())
    return language_of_path(path)


def is_vendored(path: str) -> bool:
    """Whether a folder of the path says that its files come from elsewhere (``vendor``, ``node_modules`` ...)."""
    return any(part.lower() in _VENDORED for part in PurePosixPath(path).parts[:-1])


def decode(data: bytes, language: str) -> tuple[str, str]:
    """Text of a source file and the codec used: byte order mark, then PEP 263 (Python), then UTF-8.

    Nothing is guessed: bytes that are not text in the encoding they name are refused.

    Raises:
        UnreadableTextError: binary, undecodable, or in an encoding that is not accepted.
    """
    encoding = "utf-8"
    if data.startswith(codecs.BOM_UTF8):
        data, encoding = data[3:], "utf-8-sig"
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16-le" if data.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
        data = data[2:]
    elif b"\0" in data:
        raise UnreadableTextError("binary", "binary (holds NUL bytes)")
    elif language == "python" and (named := _cookie(data)):
        encoding = named
    try:
        text = data.decode("utf-8" if encoding == "utf-8-sig" else encoding)
    except UnicodeDecodeError as error:
        mend = "convert it to UTF-8" if encoding != "utf-8" else "convert it to UTF-8 or name its encoding (PEP 263)"
        raise UnreadableTextError("encoding", f"not {encoding} at byte {error.start}; mend: {mend}") from None
    if "\0" in text:
        raise UnreadableTextError("binary", "binary (holds NUL characters)")
    return text, encoding


def unencoded(text: str) -> bytes:
    """UTF-8 bytes of a text that came without its raw bytes.

    Raises:
        UnreadableTextError: NUL characters or lone surrogates.
    """
    if "\0" in text:
        raise UnreadableTextError("binary", "binary (holds NUL characters)")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise UnreadableTextError("encoding", "holds lone surrogates, which are no text") from None


def printable(text: str, limit: int = 300) -> str:
    """A name from outside, fit for one line of a message: no control characters, no lone surrogates, not endless."""
    text = text.encode("utf-8", "backslashreplace").decode() if not text.isascii() else text
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[:limit])
    return shown + ("..." if len(text) > limit else "")


def _cookie(data: bytes) -> str | None:
    for line in data[:4096].split(b"\n", 2)[:2]:
        if match := _COOKIE.match(line[:200]):
            name = match[1].decode("ascii", "replace")
            try:
                normal = codecs.lookup(name).name
            except (LookupError, ValueError):
                normal = ""
            if normal not in _ENCODINGS:
                raise UnreadableTextError("encoding", f"names the encoding {printable(name)}, which is not accepted")
            return normal
        if not _BLANK.match(line[:200]):
            return None
    return None
