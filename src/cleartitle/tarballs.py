"""Read the members of a tar archive as data, plain or compressed: forward only, with the limits that zips have."""

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Protocol, cast

import zstandard

from cleartitle.archives import ArchiveLimits, Member, leaves_archive
from cleartitle.errors import InputError
from cleartitle.files import atomic_path

__all__ = ["decompress", "is_whole_gzip", "read_tar_members"]

BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, tarfile.HeaderError, ValueError)
"""What damaged archives raise."""

_BLOCK = tarfile.BLOCKSIZE
_STEP = 2**20
_WINDOW = 2**27  # of memory that a compressed stream may ask for
_NAME = 2**16  # of a name, or of the records of an extended header
_PINCH = 256  # bytes of a Zstandard stream at a time, which become 8 MiB at most
_LOOSE = 16 * 2**20  # a stream this short is never a bomb
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_KINDS = {tarfile.LNKTYPE: "a link", tarfile.SYMTYPE: "a link", tarfile.CHRTYPE: "a device",
          tarfile.BLKTYPE: "a device", tarfile.FIFOTYPE: "a pipe", tarfile.GNUTYPE_SPARSE: "sparse"}  # fmt: skip


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _BombError(ValueError):
    pass


class _DamageError(Exception):
    pass


def read_tar_members(
    path: Path,
    *,
    wanted: Callable[[str], bool] = lambda _: True,
    skipped: Callable[[str], None] = lambda _: None,
    limits: ArchiveLimits = ArchiveLimits(),  # noqa: B008 - frozen
) -> Iterator[Member]:
    """Yield the wanted regular files of a tar archive (plain, gzip, bzip2, xz, Zstandard) in archive order.

    Members with absolute paths, ``..``, links, devices, sparse files and members over the size limit are reported
    through ``skipped`` (one line each) and the rest goes on. After damage, or where the whole asks for more bytes,
    members or expansion than the limits allow, the rest is left out with a line. Nothing is written to disk, and
    memory is bounded by the largest member.

    Raises:
        InputError: not a readable tar archive from its first member on.
    """
    try:
        with path.open("rb") as file:
            stream = _Counted(_decompressed(file), path.stat().st_size, limits)
            walk = _Walk(stream, path.name, wanted, skipped, limits)
            try:
                yield from walk.members()
            except BROKEN as error:
                if not walk.seen:
                    raise InputError(f"{path.name}: not a readable tar archive ({_reason(error)})") from None
                skipped(f"{path.name}: {_reason(error)} after {walk.seen} members, the rest was left out")
    except OSError as error:
        raise InputError(f"{path.name}: not a readable tar archive ({error.strerror or error})") from None


def decompress(path: Path, target: Path, limits: ArchiveLimits = ArchiveLimits()) -> bool:  # noqa: B008 - frozen
    """Write what a compressed file holds to ``target``, which many passes read faster; False if it is damaged.

    What stands before the damage, or within the limits, is not kept: reading the file itself tells what is wrong.

    Raises:
        OSError: the disk is full, or the folder cannot be written to.
    """
    try:
        with atomic_path(target) as partial, path.open("rb") as file, partial.open("wb") as copy:
            stream = _Counted(_decompressed(file), path.stat().st_size, limits)
            while data := _piece(stream):
                copy.write(data)
    except _DamageError:
        return False
    return True


def _piece(stream: "_Counted") -> bytes:
    try:
        return stream.read(_STEP)
    except BROKEN as error:
        raise _DamageError from error


def is_whole_gzip(path: Path, limits: ArchiveLimits = ArchiveLimits()) -> bool:  # noqa: B008 - frozen
    """Whether a gzip file decompresses to its end, as one that was cut off on the way does not."""
    try:
        with path.open("rb") as file:
            stream = _Counted(gzip.GzipFile(fileobj=file), path.stat().st_size, limits)
            size = 0
            while data := stream.read(_STEP):
                size += len(data)
            return size > 0
    except _BombError:
        return True  # too much is for the reader to judge
    except BROKEN:
        return False


class _Walk:
    """One pass over the headers of a tar."""

    def __init__(
        self,
        stream: "_Counted",
        label: str,
        wanted: Callable[[str], bool],
        skipped: Callable[[str], None],
        limits: ArchiveLimits,
    ) -> None:
        self.stream, self.label, self.wanted, self.skipped, self.limits = stream, label, wanted, skipped, limits
        self.seen = 0

    def members(self) -> Iterator[Member]:
        for info in self._headers():
            padding = -info.size % _BLOCK
            if not info.isdir() and self.wanted(info.name):
                reason = self._refusal(info)
                if reason is None:
                    data = self.stream.exactly(info.size)
                    self.stream.skip(padding)
                    yield Member(info.name, data)
                    continue
                self.skipped(f"{self.label}: member {info.name[:200]!r} left out: {reason}")
            self.stream.skip(info.size + padding)

    def _headers(self) -> Iterator[tarfile.TarInfo]:
        """Headers of members, with the long names and sizes of the records before them put in."""
        name, records = "", {}
        while block := self._block():
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
            if info.size < 0:
                raise ValueError("a member of negative size")
            if info.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE):
                found = _records(self._text(info))
                records = found if info.type != tarfile.XGLTYPE else records
            elif info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
                text = self._text(info).rstrip(b"\0").decode("utf-8", "surrogateescape")
                name = text if info.type == tarfile.GNUTYPE_LONGNAME else name
            else:
                info.name = records.get("path", name or info.name)
                info.size = _size(records.get("size"), info)
                name, records = "", {}
                self.seen += 1
                if self.seen > self.limits.members:
                    raise _BombError(f"more than {self.limits.members} members:")
                yield info

    def _block(self) -> bytes:
        """The next header block; empty at the end."""
        block = self.stream.read(_BLOCK)
        if self.seen == 0 and not block:
            raise ValueError("empty")
        if block and len(block) < _BLOCK:
            raise EOFError("cut off")
        return b"" if block.count(0) == len(block) else block

    def _text(self, info: tarfile.TarInfo) -> bytes:
        if info.size > _NAME:
            raise ValueError(f"a name of {info.size} bytes")
        data = self.stream.exactly(info.size)
        self.stream.skip(-info.size % _BLOCK)
        return data

    def _refusal(self, info: tarfile.TarInfo) -> str | None:
        if info.type in _KINDS:
            return f"it is {_KINDS[info.type]}"
        if info.type not in _FILES:
            return f"it is of an unknown type {info.type!r}"
        if leaves_archive(info.name):
            return "its path leaves the archive"
        if info.size > self.limits.member_bytes:
            return f"{info.size} bytes, over the limit of {self.limits.member_bytes}"
        return None


class _Counted:
    """A stream that ends where the limits do."""

    def __init__(self, stream: _Readable, compressed: int, limits: ArchiveLimits) -> None:
        self.stream, self.limits = stream, limits
        self.most = min(limits.total_bytes, max(limits.ratio * compressed, _LOOSE))
        self.count = 0

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes; fewer only at the end."""
        parts: list[bytes] = []
        while size > 0 and (data := self.stream.read(min(size, _STEP))):
            parts.append(data)
            size -= len(data)
            self.count += len(data)
            if self.count > self.most:
                total = self.most == self.limits.total_bytes
                raise _BombError(f"over {self.most} bytes" if total else "expands like a bomb")
        return b"".join(parts)

    def exactly(self, size: int) -> bytes:
        data = self.read(size)
        if len(data) < size:
            raise EOFError("cut off")
        return data

    def skip(self, size: int) -> None:
        while size > 0:
            size -= len(self.exactly(min(size, _STEP)))


class _Xz:
    """An xz or lzma stream; unlike ``lzma.LZMAFile`` it cannot ask for gigabytes of memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.decoder = lzma.LZMADecompressor(memlimit=_WINDOW)

    def read(self, size: int, /) -> bytes:
        while True:
            rest = b""
            if self.decoder.eof:
                rest = self.decoder.unused_data.lstrip(b"\0") or self.file.read(_STEP).lstrip(b"\0")
                if not rest:
                    return b""
                self.decoder = lzma.LZMADecompressor(memlimit=_WINDOW)
            elif self.decoder.needs_input:
                rest = self.file.read(_STEP)
                if not rest:
                    raise EOFError("cut off")
            if data := self.decoder.decompress(rest, size):
                return data


class _Zstandard:
    """A Zstandard stream; unlike ``stream_reader`` it knows whether its last frame is whole."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.decoder = self._frame()
        self.data, self.at = b"", 0

    @staticmethod
    def _frame() -> "zstandard.ZstdDecompressionObj":
        return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()

    def read(self, size: int, /) -> bytes:
        while self.at == len(self.data):
            rest = b""
            if self.decoder.eof:
                rest = self.decoder.unused_data or self.file.read(_PINCH)
                if not rest:
                    return b""
                self.decoder = self._frame()
            else:
                rest = self.file.read(_PINCH)
                if not rest:
                    raise EOFError("cut off")
            self.data, self.at = self.decoder.decompress(rest), 0
        start, self.at = self.at, min(self.at + size, len(self.data))
        return self.data[start : self.at]


def _decompressed(file: IO[bytes]) -> _Readable:
    head = file.read(6)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return cast(_Readable, gzip.GzipFile(fileobj=file))
    if head.startswith(b"BZh"):
        return cast(_Readable, bz2.BZ2File(file))
    if head.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return _Xz(file)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _Zstandard(file)
    return file


def _records(data: bytes) -> dict[str, str]:
    r"""Records of an extended header, ``LENGTH KEY=VALUE\n`` each; what is malformed ends them."""
    found: dict[str, str] = {}
    while data:
        digits, blank, _ = data.partition(b" ")
        if not blank or not digits.isdigit() or len(digits) > 6 or not len(digits) < int(digits) <= len(data):
            break
        key, _, value = data[len(digits) + 1 : int(digits)].rstrip(b"\n").partition(b"=")
        found[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        data = data[int(digits) :]
    return found


def _size(stated: str | None, info: tarfile.TarInfo) -> int:
    """Bytes of data that follow the header."""
    if info.type in (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE):
        return 0
    if info.type == tarfile.FIFOTYPE:
        return 0
    return int(stated) if stated and stated.isascii() and stated.isdigit() and len(stated) < 16 else info.size


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
