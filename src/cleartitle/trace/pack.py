"""An index as one file that can be published, and back: equal indexes give equal files, and a hash names them."""

import io
import json
import re
import shutil
import tarfile
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from cleartitle.archives import ArchiveLimits
from cleartitle.errors import InputError
from cleartitle.files import atomic_path, cache_dir, canonical_json, sha256_file, write_json
from cleartitle.jobs import locked
from cleartitle.progress import progress
from cleartitle.tarballs import read_tar_members
from cleartitle.trace.build import clear, publish, read_manifest
from cleartitle.trace.schema import FORMAT
from cleartitle.trace.segment import Segment, check_files
from cleartitle.web import Web, WebError

__all__ = ["pack", "pull"]

PACK_FORMAT = 1

PIECE = 16 << 20
"""Bytes of a member of the archive; larger files are cut, so that nobody must hold one in memory."""

LEVEL = 6

MOST_BYTES = 1 << 40
"""Bytes that an unpacked index may have unless told otherwise."""

_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")


def pack(index: Path, output: Path) -> dict[str, Any]:
    """Write an index into one file (tar, Zstandard) and return its ``sha256``, ``bytes`` and number of ``segments``.

    The first member is ``manifest.json``: formats, the segments, and each file with size and SHA-256. Equal indexes
    give equal bytes with the same version of Zstandard. Whether the file holds texts is the index's choice.

    Raises:
        InputError: no index, or a damaged one.
    """
    manifest = read_manifest(index)
    names = [segment["name"] for segment in manifest["segments"]]
    files: dict[str, dict[str, Any]] = {}
    for name in names:
        folder = index / "segments" / name
        record = Segment(folder).record
        check_files(folder, record["files"], whole=True)
        sealed = {"size": (folder / "segment.json").stat().st_size, "sha256": sha256_file(folder / "segment.json")}
        for file, facts in sorted({**record["files"], "segment.json": sealed}.items()):
            files[f"segments/{name}/{file}"] = {"size": facts["size"], "sha256": facts["sha256"]}
    head = {"pack": PACK_FORMAT, "piece": PIECE, "index": manifest, "files": files}
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    total = sum(facts["size"] for facts in files.values())
    with (
        atomic_path(output) as partial,
        partial.open("wb") as sink,
        compressor.stream_writer(sink, closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
        progress("pack", total, "byte") as advance,
    ):
        _add(archive, "manifest.json", canonical_json(head).encode())
        for name, facts in files.items():
            with (index / name).open("rb") as source:
                for number in range(_pieces(facts["size"])):
                    data = source.read(PIECE)
                    _add(archive, f"{name}/{number:06d}", data)
                    advance(len(data))
    return {"sha256": sha256_file(output), "bytes": output.stat().st_size, "segments": len(names)}


def pull(
    source: str,
    output: Path,
    *,
    sha256: str,
    replace: bool = False,
    most_bytes: int = MOST_BYTES,
    web: Web | None = None,
) -> dict[str, Any]:
    """Fetch a packed index from an address or a file, check it, and put it in ``output``; returns its manifest.

    The hash says whether the file is the right one, whoever served it; nothing is unpacked before it does. Readers of
    an index in ``output`` see the old one or the new one. A pull that was killed starts again clean; a file that was
    fetched whole is not fetched twice.

    Raises:
        InputError: no such file or address, another hash, an archive that is damaged, hostile or larger than
            ``most_bytes``, an ``output`` that holds something and no ``replace``.
    """
    wanted = sha256.strip().lower().removeprefix("sha256:")
    if not _HASH.fullmatch(wanted):
        raise InputError(f"--sha256 {sha256[:80]!r}: must be 64 hexadecimal digits, as `cleartitle trace pack` prints")
    held = output.is_dir() and {path.name for path in output.iterdir()} - {".lock", ".work"}
    if held or (output.exists() and not output.is_dir()):
        if not (output / "index.json").is_file():
            raise InputError(f"{output}: holds something that is no index; mend: name a new folder")
        if not replace:
            raise InputError(f"{output}: holds an index; mend: --replace, or name a new folder")
    fetched = _fetch(source, wanted, most_bytes, web or Web())
    output.mkdir(parents=True, exist_ok=True)
    with locked(output):
        work = output / ".work" / "pull"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            manifest = _unpack(fetched, work, most_bytes)
            for segment in manifest["segments"]:
                folder = work / "segments" / segment["name"]
                check_files(folder, Segment(folder).record["files"], whole=True)
            for segment in manifest["segments"]:
                here, there = (root / "segments" / segment["name"] for root in (work, output))
                if not _same(here, there):
                    publish(here, there)
            write_json(output / "index.json", manifest)
            clear(output, manifest)
        finally:
            shutil.rmtree(output / ".work", ignore_errors=True)
    if fetched.parent == _cache():
        fetched.unlink(missing_ok=True)
    return manifest


def _same(one: Path, other: Path) -> bool:
    """Whether a segment is there already, whole: then readers may keep it open."""
    if not (other / "segment.json").is_file():
        return False
    if sha256_file(one / "segment.json") != sha256_file(other / "segment.json"):
        return False
    try:
        check_files(other, Segment(other).record["files"], whole=True)
    except InputError:
        return False
    return True


def _cache() -> Path:
    return cache_dir("pulls")


def _fetch(source: str, wanted: str, most: int, web: Web) -> Path:
    """A local file with the hash."""
    scheme = urllib.parse.urlsplit(source).scheme if "://" in source else ""
    if scheme in ("https", "http"):
        path = _cache() / f"{wanted}.tar.zst"
        if not path.is_file() or sha256_file(path) != wanted:
            try:
                reply = web.get(source, most=most, target=path)
            except WebError as error:
                raise InputError(str(error)) from None
            if reply.status != 200:
                raise InputError(f"{source[:200]}: status {reply.status}; mend: check the address")
    elif scheme not in ("", "file"):
        raise InputError(f"{source[:200]}: only https, http and files; mend: fetch it by other means, name the file")
    else:
        path = Path(urllib.parse.unquote(urllib.parse.urlsplit(source).path)) if scheme else Path(source)
    if not path.is_file():
        raise InputError(f"{source[:200]}: no such file")
    found = sha256_file(path)
    if found != wanted:
        if path.parent == _cache():
            path.unlink(missing_ok=True)
        raise InputError(
            f"{source[:200]}: SHA-256 {found}, not {wanted}; mend: take the hash from who published it, not from here"
        )
    return path


def _unpack(path: Path, target: Path, most: int) -> dict[str, Any]:
    limits = ArchiveLimits(member_bytes=PIECE, total_bytes=most, members=most // PIECE + 100_000, ratio=1000)
    refused: list[str] = []
    members = read_tar_members(path, skipped=refused.append, limits=limits)
    first = next(members, None)
    if first is None or first.path != "manifest.json":
        raise InputError(f"{path.name}: no packed index{_why(refused)}")
    head = _head(first.data, path)
    files: dict[str, dict[str, Any]] = head["files"]
    expected = _expected(files)
    with progress("unpack", sum(facts["size"] for facts in files.values()), "byte") as advance:
        for name, number in expected:
            member = next(members, None)
            if member is None or member.path != f"{name}/{number:06d}":
                found = f"found {member.path[:100]!r}" if member else "the archive ends"
                raise InputError(f"{path.name}: {name} is expected, {found}{_why(refused)}; mend: pack it again")
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("ab") as stream:
                stream.write(member.data)
            advance(len(member.data))
    if next(members, None) is not None or refused:
        raise InputError(f"{path.name}: holds more than its manifest names{_why(refused)}")
    for name, facts in files.items():
        if (target / name).stat().st_size != facts["size"] or sha256_file(target / name) != facts["sha256"]:
            raise InputError(f"{path.name}: {name} does not have the content that its manifest names")
    return head["index"]


def _head(data: bytes, path: Path) -> dict[str, Any]:
    """The manifest of a packed index, checked: nothing in it is trusted to be a path."""
    wrong = InputError(f"{path.name}: its manifest names no index that this version reads (format {FORMAT})")
    try:
        head = json.loads(data)
        names = {segment["name"] for segment in head["index"]["segments"]}
        proper = all(isinstance(name, str) and _NAME.fullmatch(name) for name in names)
        sizes = [(name, facts["size"], facts["sha256"]) for name, facts in head["files"].items()]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise wrong from None
    if (
        not proper
        or head.get("pack") != PACK_FORMAT
        or head.get("piece") != PIECE
        or head["index"].get("format") != FORMAT
    ):
        raise wrong
    for name, size, digest in sizes:
        parts = str(name).split("/")
        good = len(parts) == 3 and parts[0] == "segments" and parts[1] in names and _NAME.fullmatch(parts[2])
        if not good or type(size) is not int or size < 0:
            raise wrong
        if not isinstance(digest, str) or not _HASH.fullmatch(digest):
            raise wrong
    return head


def _expected(files: dict[str, dict[str, Any]]) -> Iterator[tuple[str, int]]:
    for name, facts in files.items():
        for number in range(_pieces(facts["size"])):
            yield name, number


def _pieces(size: int) -> int:
    """An empty file has one empty piece."""
    return max(1, -(-size // PIECE))


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    info.mode = 0o644
    archive.addfile(info, io.BytesIO(data))


def _why(refused: list[str]) -> str:
    return f" ({refused[0]})" if refused else ""
