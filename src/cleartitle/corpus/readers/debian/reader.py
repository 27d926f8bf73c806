"""Files of a Debian source package, each with the license that ``debian/copyright`` states for it."""

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from cleartitle.archives import ArchiveLimits, Member
from cleartitle.corpus.declarations import Declaration
from cleartitle.corpus.documents import Document, LicenseText, Load, Piece, Skipped, Source, raw_table
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.debian.copyright import CopyrightFile, parse_copyright
from cleartitle.corpus.readers.debian.fetch import fetch_debian
from cleartitle.corpus.readers.debian.package import SourcePackage, parse_name
from cleartitle.corpus.readers.tree import WHOLE, Span, Tree, is_large, license_texts, spans, spooled
from cleartitle.errors import InputError
from cleartitle.files import canonical_json
from cleartitle.tarballs import read_tar_members

__all__ = ["load_debian", "plan_debian"]

_COPYRIGHT = "debian/copyright"
_COMPONENT = re.compile(r"\.orig-([A-Za-z0-9-]+)\.tar\.")
_LARGEST = 2**22  # of debian/copyright, bytes


def plan_debian(argument: str, options: CorpusOptions, sha256: str | None = None) -> Source:
    """The source package ``NAME[=VERSION][/SUITE]``, fetched if it is not in the cache.

    ``sha256`` is that of its ``.dsc``, which names the hashes of its archives; all are compared.

    Raises:
        InputError: not of this form.
        SourceUnavailableError: it cannot be had, or a hash differs.
    """
    name, version, suite = parse_name(argument)
    package = fetch_debian(name, version, suite, options, sha256=sha256)
    spec = f"debian:{name}={package.version}"
    record: dict[str, object] = {"spec": spec, "kind": "debian", "project": name, "sha256": package.sha256}
    key = f"debian {name} {package.sha256}"
    return Source(record, key, lambda spool: _loads(key, package, options, spool))


def load_debian(package: SourcePackage, options: CorpusOptions, span: Span) -> pa.Table:
    """The files of one shard as a table."""
    return raw_table(_read(package, options, span))


def _loads(key: str, package: SourcePackage, options: CorpusOptions, spool: Path) -> list[Load]:
    found = [WHOLE]
    if is_large(package.archives, options):
        package = replace(package, archives=spooled(package.archives, spool))
        found = spans(_Contents(package, options).members(), options)
    return [(f"{key} {span}", partial(load_debian, package, options, span)) for span in found]


def _read(package: SourcePackage, options: CorpusOptions, span: Span) -> Iterator[Piece]:
    first, stop = span
    contents = _Contents(package, options)
    text = contents.copyright()
    stated = None if text is None else parse_copyright(text)
    url = f"https://sources.debian.org/src/{quote(package.name)}/{quote(package.version)}/"
    for member in islice(contents.members(), first, stop):
        declared, evidence = _declaration(text, stated, member.path)
        yield Document(
            project=package.name,
            version=package.version,
            path=member.path,
            data=member.data,
            source="debian",
            url=url,
            declared_license=declared,
            declared_evidence=evidence,
        )
    if stop is None:
        if text is not None:
            yield LicenseText(package.name, _COPYRIGHT, text, package.version, stated.whole if stated else None)
        yield from license_texts(contents.about, package.name, package.version, contents.skipped)
        yield from contents.skipped


def _declaration(text: str | None, stated: CopyrightFile | None, path: str) -> Declaration:
    if stated is not None:
        return stated.declaration(path)
    status = "absent" if text is None else "free text, not read for single files"
    return None, canonical_json({"from": _COPYRIGHT, "status": status})


class _Contents:
    """The archives of a source package, in the order of its ``.dsc``."""

    def __init__(self, package: SourcePackage, options: CorpusOptions) -> None:
        self.package, self.options = package, options
        self.about: dict[str, bytes] = {}
        self.skipped: list[Skipped] = []
        names = [path.name for path in package.archives]
        self.is_native = not any(".orig" in name for name in names)

    def members(self) -> Iterator[Member]:
        """Source files of the upstream archives; of what Debian adds only a native package's own."""
        for path in self.package.archives:
            if (below := self._below(path.name)) is None:
                continue
            try:
                tree = Tree(path, self.options, below)
                self.about |= tree.about
                yield from tree.documents(self.skipped)
            except InputError as error:
                self.skipped.append(Skipped("archive", str(error)))

    def copyright(self) -> str | None:
        """The text of ``debian/copyright``, or None; what stands in its way is one line."""
        for path in self.package.archives:
            try:
                if ".debian.tar." in path.name or (self.is_native and self._below(path.name) is not None):
                    found = _in_tar(path)
                elif path.name.endswith(".diff.gz"):
                    found = _in_diff(path)
                else:
                    continue
            except (InputError, OSError, EOFError, zlib.error) as error:
                self.skipped.append(Skipped("archive", f"{self.package.name}: {_COPYRIGHT}: {error}"))
                continue
            if found is not None:
                # Any bytes are read: what is no UTF-8 stands in names of people.
                return found.decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "")
        return None

    def _below(self, name: str) -> str | None:
        """The folder that the files of an upstream archive stand in; None for the other files of the package."""
        if ".tar." not in name or name.endswith(".asc") or ".debian.tar." in name:
            return None
        component = _COMPONENT.search(name)
        return component[1] if component else ""


def _in_tar(path: Path) -> bytes | None:
    def wanted(name: str) -> bool:
        parts = name.removeprefix("./").split("/")
        return parts[-2:] == _COPYRIGHT.split("/") and len(parts) <= 3

    members = read_tar_members(path, wanted=wanted, limits=ArchiveLimits(member_bytes=_LARGEST))
    return next((member.data for member in members), None)


def _in_diff(path: Path) -> bytes | None:
    """The file as the diff of an old source format adds it."""
    with gzip.open(path) as stream:
        data = stream.read(16 * _LARGEST)
    lines: list[bytes] = []
    inside = False
    for line in data.split(b"\n"):
        if line.startswith(b"+++ "):
            inside = line.split(b"\t")[0].endswith(b"/" + _COPYRIGHT.encode())
        elif line.startswith(b"--- "):
            inside = False
        elif inside and line.startswith(b"+"):
            lines.append(line[1:])
    return b"\n".join(lines) + b"\n" if lines else None
