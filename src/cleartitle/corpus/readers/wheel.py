"""Python wheels: by name and version from the package registry, or a file. Read as data, never installed."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import pyarrow as pa

from cleartitle.archives import ArchiveLimits, read_members
from cleartitle.corpus.declarations import declaration_of, is_license_file, license_text, wheel_metadata
from cleartitle.corpus.documents import Document, LicenseText, Piece, Skipped, Source, raw_table
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.common import OtherFiles
from cleartitle.corpus.text import UnreadableTextError, language_of, printable
from cleartitle.errors import InputError
from cleartitle.files import sha256_file
from cleartitle.wheels import fetch_wheel

__all__ = ["load_wheel", "plan_pypi", "plan_wheel", "read_wheel"]


def plan_pypi(argument: str, options: CorpusOptions, sha256: str | None = None) -> Source:
    """The wheel ``NAME==VERSION``, fetched if it is not in the cache; its hash is recorded, and compared if given.

    Raises:
        InputError: not NAME==VERSION, or not a wheel.
        WheelUnavailableError: it cannot be had, or its hash differs.
    """
    name, equals, version = (part.strip() for part in argument.partition("=="))
    if not equals:
        raise InputError(f"pypi:{argument}: no version; mend: write pypi:NAME==VERSION")
    wheel = fetch_wheel(name, version, sha256)
    record: dict[str, object] = {
        "spec": f"pypi:{name}=={version}",
        "kind": "pypi",
        "file": wheel.path.name,
        "sha256": wheel.sha256,
    }
    return _source(
        wheel.path, record, options, wheel.sha256, f"https://pypi.org/project/{quote(name)}/{quote(version)}/"
    )


def plan_wheel(path: Path, options: CorpusOptions) -> Source:
    """A wheel file.

    Raises:
        InputError: absent.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such wheel")
    digest = sha256_file(path)
    record: dict[str, object] = {"spec": f"wheel:{path.name}", "kind": "pypi", "file": path.name, "sha256": digest}
    return _source(path, record, options, digest)


def _source(
    path: Path, record: dict[str, object], options: CorpusOptions, digest: str, url: str | None = None
) -> Source:
    key = f"wheel {digest} {url or ''}"
    return Source(record, key, lambda _: [(key, partial(load_wheel, path, options, url))])


def load_wheel(path: Path, options: CorpusOptions, url: str | None) -> pa.Table:
    """All pieces of a wheel as a table; a file that is no zip archive is one line."""
    return raw_table(read_wheel(path, options, url))


def read_wheel(path: Path, options: CorpusOptions, url: str | None = None) -> Iterator[Piece]:
    """License files, then source files in archive order; the members' dates are not believed (often fixed)."""
    try:
        yield from _read(path, options, url)
    except InputError as error:
        yield Skipped("archive", str(error))


def _read(path: Path, options: CorpusOptions, url: str | None) -> Iterator[Piece]:
    limits = ArchiveLimits(member_bytes=options.max_file_bytes)
    skipped: list[str] = []
    metadata, texts = _about(path, limits, skipped)
    declared, evidence = declaration_of(metadata, texts)
    project, version = printable(metadata["Name"], 200), printable(metadata["Version"], 100)
    yield from texts
    others = OtherFiles()

    def wanted(member: str) -> bool:
        chosen = language_of(member) in options.languages
        if not chosen and not _is_about(member):
            others.add(member)
        return chosen

    for member in read_members(path, wanted=wanted, skipped=skipped.append, limits=limits):
        yield Document(
            project=project,
            version=version,
            path=member.path,
            data=member.data,
            source="pypi",
            url=url,
            declared_license=declared,
            declared_evidence=evidence,
        )
    for line in skipped:
        yield Skipped("archive", line)
    yield from others.skipped(path.name)


def _about(path: Path, limits: ArchiveLimits, skipped: list[str]) -> tuple[dict[str, str], list[LicenseText]]:
    """Metadata and license texts. Name and version fall back to those in the file name (PEP 427)."""
    name, _, rest = path.name.partition("-")
    fields: dict[str, str] = {"Name": name, "Version": rest.partition("-")[0]}
    members = list(read_members(path, wanted=_is_about, skipped=skipped.append, limits=limits))
    for member in members:
        pure = PurePosixPath(member.path)
        if pure.name == "METADATA" and len(pure.parts) == 2 and pure.parts[0].endswith(".dist-info"):
            fields |= wheel_metadata(member.data.decode("utf-8", "replace"))
    texts: list[LicenseText] = []
    for member in members:
        if is_license_file(member.path):
            try:
                texts.append(license_text(fields["Name"], fields["Version"], member.path, member.data))
            except UnreadableTextError as error:
                skipped.append(f"{path.name}: license file {printable(member.path)}: {error}")
    return fields, texts


def _is_about(member: str) -> bool:
    return member.endswith(".dist-info/METADATA") or is_license_file(member)
