"""Read the members of a wheel or zip as data: nothing is extracted to disk and nothing is executed."""

import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cleartitle.errors import InputError

__all__ = ["ArchiveLimits", "Member", "leaves_archive", "read_members"]


@dataclass(frozen=True)
class ArchiveLimits:
    """What an archive may ask of us; beyond it a member, or the rest of the archive, is skipped with a reason."""

    member_bytes: int = 16 * 2**20
    """Largest member that is read, uncompressed."""
    total_bytes: int = 2 * 2**30
    """Most bytes read from one archive, uncompressed."""
    members: int = 200_000
    """Most members looked at."""
    ratio: int = 200
    """Largest ratio of uncompressed to compressed size of a member over 1 MiB."""


@dataclass(frozen=True)
class Member:
    """One file of an archive: its path as written there (POSIX, relative) and its bytes."""

    path: str
    data: bytes


def read_members(
    path: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    skipped: Callable[[str], None] = lambda _: None,
    limits: ArchiveLimits = ArchiveLimits(),  # noqa: B008 - frozen
) -> Iterator[Member]:
    """Yield the wanted members in archive order.

    Members with absolute paths, ``..``, links, encryption, an absurd size or compression ratio, or broken data are
    reported through ``skipped`` (one line each) and the rest goes on. Sizes in the archive's own directory are not
    believed: no more than the limit is ever decompressed.

    Raises:
        InputError: the file is not a readable zip archive.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise InputError(f"{path.name}: not a readable zip archive ({error})") from None
    with archive:
        total = 0
        for number, info in enumerate(archive.infolist()):
            if number >= limits.members:
                skipped(f"{path.name}: more than {limits.members} members, the rest was left out")
                return
            if info.is_dir() or not wanted(info.filename):
                continue
            reason = _refusal(info, limits)
            if reason is None:
                data, reason = _read(archive, info, min(limits.member_bytes, limits.total_bytes - total))
                if reason is None:
                    total += len(data)
                    yield Member(info.filename, data)
                    continue
            skipped(f"{path.name}: member {info.filename[:200]!r} left out: {reason}")
            if total >= limits.total_bytes:
                skipped(f"{path.name}: over {limits.total_bytes} bytes, the rest was left out")
                return


def leaves_archive(path: str) -> bool:
    """Whether the path of a member, as written there, is absolute, climbs out, or means something to Windows."""
    pure = PurePosixPath(path)
    return pure.is_absolute() or ".." in pure.parts or "\\" in path or ":" in path


def _refusal(info: zipfile.ZipInfo, limits: ArchiveLimits) -> str | None:
    if leaves_archive(info.filename):
        return "its path leaves the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link"
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if info.file_size > limits.member_bytes:
        return f"{info.file_size} bytes, over the limit of {limits.member_bytes}"
    if info.file_size > 2**20 and info.file_size > limits.ratio * max(info.compress_size, 1):
        return "it expands like a zip bomb"
    return None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> tuple[bytes, str | None]:
    try:
        with archive.open(info) as stream:
            data = stream.read(limit + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError) as error:
        return b"", f"broken ({error})"
    if len(data) > limit:
        return b"", f"more than {limit} bytes when read"
    return data, None
