"""A folder with the sources of one project."""

import hashlib
import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from cleartitle.corpus.declarations import (
    METADATA_FILES,
    declaration_of,
    is_license_file,
    license_text,
    project_metadata,
)
from cleartitle.corpus.documents import Document, LicenseText, Load, Piece, Skipped, Source, raw_table
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.common import OtherFiles, chunks
from cleartitle.corpus.text import UnreadableTextError, language_of, printable
from cleartitle.errors import InputError

__all__ = ["load_files", "plan_folder"]

_METADATA_BYTES = 2**20


def plan_folder(root: Path, options: CorpusOptions) -> Source:
    """List the files of a folder, read its license files and metadata, and hash what will be read.

    Symbolic links are not followed; hidden folders (``.git``) are left out; only regular files are opened.

    Raises:
        InputError: not a folder.
    """
    if not root.is_dir():
        raise InputError(f"{root}: no such folder")
    label = root.resolve().name or "root"
    skipped: list[Skipped] = []
    others = OtherFiles()
    sources: list[tuple[str, int]] = []
    licenses: list[str] = []
    for path, size in _walk(root, label, skipped):
        if language_of(path) in options.languages:
            if size > options.max_file_bytes:
                limit = f"{size} bytes, over the limit of {options.max_file_bytes} (--max-file-bytes)"
                skipped.append(Skipped("size", f"{label}: {printable(path)}: {limit}"))
            else:
                sources.append((path, size))
        elif is_license_file(path) and size <= _METADATA_BYTES:
            licenses.append(path)
        elif path not in METADATA_FILES:
            others.add(path)
    digest = hashlib.sha256()
    metadata = _metadata(root, digest)
    project = str(metadata.get("Name") or label)
    version = metadata.get("Version")
    texts = list(_license_texts(root, licenses, project, version, skipped, digest))
    declaration = declaration_of(metadata, texts)
    about = {"project": project, "version": version, "declared": declaration}
    pieces = list(chunks(sources, options)) or [[]]
    for path, _ in sources:
        digest.update(os.fsencode(path) + b"\0" + (_hash(root / path) or b"unreadable"))
    key = f"folder {digest.hexdigest()}"
    loads: list[Load] = []
    for number, chunk in enumerate(pieces):
        load = partial(load_files, root, [path for path, _ in chunk], about, texts if number == 0 else [])
        loads.append((f"{key} {number}", load))
    record: dict[str, object] = {
        "spec": f"folder:{root}",
        "kind": "folder",
        "project": project,
        "sha256": digest.hexdigest(),
    }
    return Source(record, key, lambda _: loads, [*skipped, *others.skipped(label)])


def load_files(root: Path, paths: list[str], about: dict[str, Any], texts: list[LicenseText]) -> pa.Table:
    """The files of one shard as a table."""
    return raw_table(_read(root, paths, about, texts))


def _read(root: Path, paths: list[str], about: dict[str, Any], texts: list[LicenseText]) -> Iterator[Piece]:
    yield from texts
    declared, evidence = about["declared"]
    for path in paths:
        try:
            data = _bytes(root / path)
        except OSError as error:
            yield Skipped("unreadable", f"{about['project']}: {printable(path)}: {error.strerror or error}")
            continue
        yield Document(
            project=about["project"],
            version=about["version"],
            path=path,
            data=data,
            source="folder",
            declared_license=declared,
            declared_evidence=evidence,
        )


def _walk(root: Path, label: str, skipped: list[Skipped]) -> Iterator[tuple[str, int]]:
    """Relative POSIX paths and sizes of regular files, sorted; what else stands there is one line each."""
    stack = [""]
    while stack:
        folder = stack.pop()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            skipped.append(Skipped("unreadable", f"{label}: {printable(folder) or '.'}: {error.strerror or error}"))
            continue
        folders: list[str] = []
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            try:
                mode = entry.stat(follow_symlinks=False)
            except OSError as error:
                skipped.append(Skipped("unreadable", f"{label}: {printable(path)}: {error.strerror or error}"))
                continue
            if stat.S_ISDIR(mode.st_mode):
                if not entry.name.startswith(".") and entry.name != "__pycache__":
                    folders.append(path)
            elif stat.S_ISREG(mode.st_mode):
                yield path, mode.st_size
            else:
                kind = "a symbolic link, not followed" if stat.S_ISLNK(mode.st_mode) else "no regular file"
                skipped.append(Skipped("special", f"{label}: {printable(path)}: {kind}"))
        stack += reversed(folders)


def _metadata(root: Path, digest: Any) -> dict[str, Any]:
    for name in METADATA_FILES:
        path = root / name
        try:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _METADATA_BYTES:
                continue
            data = _bytes(path)
        except OSError:
            continue
        digest.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
        if fields := project_metadata(name, data):
            return fields
    return {}


def _license_texts(
    root: Path, paths: list[str], project: str, version: str | None, skipped: list[Skipped], digest: Any
) -> Iterator[LicenseText]:
    for path in paths:
        try:
            data = _bytes(root / path)
            digest.update(os.fsencode(path) + b"\0" + hashlib.sha256(data).digest())
            yield license_text(project, version, PurePosixPath(path).as_posix(), data)
        except (OSError, UnreadableTextError) as error:
            skipped.append(Skipped("unreadable", f"{project}: license file {printable(path)}: {error}"))


def _hash(path: Path) -> bytes | None:
    try:
        return hashlib.sha256(_bytes(path)).digest()
    except OSError:
        return None


def _bytes(path: Path) -> bytes:
    # Neither a link nor a pipe that took the place of the file since it was listed can hold us up.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as stream:
        return stream.read()
