"""A source package on disk: its ``.dsc`` and the archives that this lists, each checked by SHA-256, none unpacked."""

import re
from dataclasses import dataclass
from pathlib import Path

from cleartitle.corpus.readers.debian.copyright import control_paragraphs
from cleartitle.corpus.text import printable
from cleartitle.errors import CleartitleError, InputError
from cleartitle.files import sha256_file

__all__ = ["Description", "SourcePackage", "SourceUnavailableError", "parse_dsc", "parse_name", "read_package"]

_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_VERSION = re.compile(r"[0-9][A-Za-z0-9.+~:-]*")
_SUITE = re.compile(r"[a-z][a-z0-9-]*")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+~_%-]*")


class SourceUnavailableError(CleartitleError):
    """A source package could not be had, or is not the one that was pinned."""


@dataclass(frozen=True)
class Description:
    """What a ``.dsc`` says: name, version, and its other files with size in bytes and SHA-256."""

    name: str
    version: str
    files: dict[str, tuple[int, str]]


@dataclass(frozen=True)
class SourcePackage:
    """A checked source package; ``sha256`` is that of the ``.dsc``, which names the hashes of all the rest."""

    name: str
    version: str
    sha256: str
    archives: tuple[Path, ...]


def parse_name(argument: str) -> tuple[str, str | None, str | None]:
    """Name, version and suite of ``NAME[=VERSION][/SUITE]``.

    Raises:
        InputError: not of this form.
    """
    rest, _, suite = argument.partition("/")
    name, equals, version = rest.partition("=")
    bad = not _NAME.fullmatch(name) or (equals and not _VERSION.fullmatch(version))
    if bad or ("/" in argument and not _SUITE.fullmatch(suite)):
        raise InputError(f"debian:{printable(argument, 100)}: no source package; mend: debian:NAME[=VERSION][/SUITE]")
    return name, version or None, suite or None


def parse_dsc(text: str) -> Description:
    """Read a ``.dsc``; its signature, if any, is not checked here.

    Raises:
        ValueError: a field is missing or malformed.
    """
    if text.startswith("-----BEGIN PGP SIGNED MESSAGE-----"):
        text = text.partition("\n\n")[2].partition("\n-----BEGIN PGP SIGNATURE-----")[0]
    fields = next(control_paragraphs(text), {})
    name, version = fields.get("source", ""), fields.get("version", "")
    files: dict[str, tuple[int, str]] = {}
    for line in fields.get("checksums-sha256", "").split("\n"):
        match line.split():
            case [digest, size, file] if re.fullmatch("[0-9a-f]{64}", digest) and _FILE.fullmatch(file):
                files[file] = (int(size), digest)
            case []:
                continue
            case _:
                raise ValueError("a malformed line of Checksums-Sha256")
    if not _NAME.fullmatch(name) or not _VERSION.fullmatch(version) or not files:
        raise ValueError("no Source, Version or Checksums-Sha256")
    return Description(name, version, files)


def read_package(folder: Path, name: str, version: str | None, sha256: str | None = None) -> SourcePackage:
    """The source package that lies in a folder, with every hash compared.

    Raises:
        SourceUnavailableError: a file is missing or damaged, another package or version, or not the pinned hash.
    """
    label = f"debian:{name}" + (f"={version}" if version else "")
    found = sorted(folder.glob("*.dsc"))
    if len(found) != 1:
        raise SourceUnavailableError(f"{label}: came without its .dsc")
    digest = sha256_file(found[0])
    if sha256 is not None and digest != sha256.lower():
        raise SourceUnavailableError(f"{label}: sha256 of its .dsc is {digest}, not the pinned {sha256}")
    try:
        description = parse_dsc(found[0].read_text(encoding="utf-8"))
    except (UnicodeDecodeError, ValueError) as error:
        raise SourceUnavailableError(f"{label}: its .dsc cannot be read ({error})") from None
    if description.name != name or version not in (None, description.version):
        other = f"{description.name}={description.version}"
        raise SourceUnavailableError(f"{label}: {other} came instead, and was not taken")
    archives: list[Path] = []
    for file, (_, expected) in description.files.items():
        path = folder / file
        if not path.is_file() or sha256_file(path) != expected:
            raise SourceUnavailableError(f"{label}: {file} is missing or damaged; the package was discarded")
        archives.append(path)
    return SourcePackage(name, description.version, digest, tuple(archives))
