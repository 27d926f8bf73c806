"""The files of a project in a tar archive: names without the folder around them, in two passes and nothing on disk."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from cleartitle.archives import ArchiveLimits, Member
from cleartitle.corpus.declarations import METADATA_FILES, is_license_file, license_text, project_metadata
from cleartitle.corpus.documents import LicenseText, Skipped
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.common import OtherFiles, chunks
from cleartitle.corpus.text import UnreadableTextError, language_of, printable
from cleartitle.tarballs import decompress, read_tar_members

__all__ = ["EXPANSION", "WHOLE", "Span", "Tree", "is_large", "license_texts", "metadata_of", "spans", "spooled"]

Span = tuple[int, int | None]
"""First document of a shard and the one after its last; None for the rest."""

WHOLE: Span = (0, None)

EXPANSION = 8
"""How much compressed source code grows, for a guess."""


class Tree:
    """One tar archive.

    ``below`` is the folder that its files stand in (none by default). A single folder that holds everything is taken
    off the names.

    Raises:
        InputError: not a readable tar archive.
    """

    def __init__(self, path: Path, options: CorpusOptions, below: str = "") -> None:
        self.path = path
        self.below = below
        self.options = options
        self.about: dict[str, bytes] = {}
        """License files, metadata files and ``debian/copyright`` by name; those that are unreadable are left out."""
        self._strip = False
        self._survey()

    def _survey(self) -> None:
        tops: set[str] = set()
        others = OtherFiles()
        limits = ArchiveLimits(member_bytes=2**21)

        def wanted(name: str) -> bool:
            plain = name.removeprefix("./")
            tops.add(plain.partition("/")[0] if "/" in plain else "")
            if language_of(plain) in self.options.languages:
                return False
            if _is_about(plain):
                return True
            others.add(plain)
            return False

        members = list(read_tar_members(self.path, wanted=wanted, limits=limits))
        self._strip = len(tops) == 1 and tops != {""}
        self.about = {name: member.data for member in members if (name := self._name(member.path))}
        self.others = others

    def documents(self, skipped: list[Skipped]) -> Iterator[Member]:
        """Source files in the wanted languages, in archive order; what is left out is put into ``skipped``."""

        def wanted(name: str) -> bool:
            return language_of(name) in self.options.languages

        def leave(line: str) -> None:
            skipped.append(Skipped("archive", printable(line, 600)))

        limits = ArchiveLimits(member_bytes=self.options.max_file_bytes)
        for member in read_tar_members(self.path, wanted=wanted, skipped=leave, limits=limits):
            if name := self._name(member.path):
                yield Member(name, member.data)
        skipped.extend(self.others.skipped(self.path.name))

    def _name(self, path: str) -> str:
        name = path.removeprefix("./")
        if self._strip:
            name = name.partition("/")[2]
        return f"{self.below}/{name}" if self.below and name else name


def license_texts(
    about: Mapping[str, bytes], project: str, version: str | None, skipped: list[Skipped]
) -> list[LicenseText]:
    """The license files among the files about a project."""
    texts: list[LicenseText] = []
    for path, data in about.items():
        if is_license_file(path):
            try:
                texts.append(license_text(project, version, path, data))
            except UnreadableTextError as error:
                skipped.append(Skipped("unreadable", f"{project}: license file {printable(path)}: {error}"))
    return texts


def metadata_of(about: Mapping[str, bytes], names: Sequence[str] = METADATA_FILES) -> dict[str, Any]:
    """The fields of the first metadata file that says something."""
    for name in names:
        if name in about and (found := project_metadata(name, about[name])):
            return found
    return {}


def _is_about(name: str) -> bool:
    parts = name.split("/")
    return is_license_file(name) or parts[-1] in METADATA_FILES and len(parts) <= 2


def is_large(paths: Sequence[Path], options: CorpusOptions) -> bool:
    """Whether the archives are likely to hold more than one shard."""
    return sum(path.stat().st_size for path in paths) * EXPANSION > options.shard_bytes


def spooled(paths: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Uncompressed copies of archives that many shards will read, under the same names; damaged ones stay as they are.

    The copies are made once and outlive a killed build.
    """
    found: list[Path] = []
    for path in paths:
        target = folder / hashlib.sha256(str(path).encode()).hexdigest()[:16] / path.name
        found.append(target if target.is_file() or decompress(path, target) else path)
    return tuple(found)


def spans(members: Iterator[Member], options: CorpusOptions) -> list[Span]:
    """Cut documents into shards. The last span has no end, and its shard tells what was left out of the whole."""
    sizes = [(member.path, len(member.data)) for member in members]
    starts = list(accumulate((len(chunk) for chunk in chunks(sizes, options)), initial=0))[:-1] or [0]
    return list(zip(starts, [*starts[1:], None], strict=True))
