"""A local git repository at a revision, read with dulwich: no git command and no hook is run."""

import re
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from dulwich.errors import NotGitRepository
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Blob, Commit, ObjectID
from dulwich.objectspec import parse_commit, parse_object
from dulwich.repo import Repo

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

__all__ = ["HISTORY", "load_blobs", "plan_git"]

HISTORY = 2_000
"""Most commits that are looked through for the date of each file."""

_LFS = b"version https://git-lfs.github.com/spec/"
Entry = tuple[str, str, int]
"""Path, blob id (hexadecimal), date (seconds since 1970 UTC)."""


def plan_git(argument: str, options: CorpusOptions) -> Source:
    """List the tree of ``PATH@REVISION`` (default ``HEAD``); bare repositories too.

    The date of a file is that of the commit that brought its content to its path, by the committer's clock. In a
    history of more than ``HISTORY`` commits, or a shallow one, it is the date of the revision; a note says so.
    Submodules, links and large-file pointers are left out with a line.

    Raises:
        InputError: no repository there, or no such revision.
    """
    path, revision = _split(argument)
    try:
        repository = Repo(str(path))
    except (NotGitRepository, OSError, ValueError) as error:
        raise InputError(f"{path}: not a git repository ({type(error).__name__}); mend: git:PATH@REVISION") from None
    with repository:
        try:
            # Only the former reads ancestors such as HEAD~3, only the latter peels tags.
            found = parse_object(repository, revision) if re.search(r"[~^]", revision) else revision
            commit = parse_commit(repository, found if isinstance(found, (str, Commit)) else revision)
            return _plan(repository, path, commit, options)
        except Exception as error:  # damaged repositories raise of many kinds
            reason = f"{type(error).__name__}: {printable(str(error), 120)}"
            raise InputError(
                f"{path}: no readable revision {printable(revision)!r} ({reason}); "
                "mend: name a branch, tag or commit, or repair the repository"
            ) from None


def load_blobs(
    path: Path, entries: list[Entry], about: dict[str, Any], texts: list[LicenseText], limit: int
) -> pa.Table:
    """The blobs of one shard as a table."""
    with Repo(str(path)) as repository:
        return raw_table(_read(repository, entries, about, texts, limit))


def _plan(repository: Repo, path: Path, commit: Commit, options: CorpusOptions) -> Source:
    name = path.resolve().name.removesuffix(".git") or path.resolve().parent.name
    skipped: list[Skipped] = []
    others = OtherFiles()
    sources: dict[str, bytes] = {}
    about_files: dict[str, bytes] = {}
    for entry in iter_tree_contents(repository.object_store, commit.tree):
        file = (entry.path or b"").decode("utf-8", "backslashreplace")
        mode = entry.mode or 0
        if not stat.S_ISREG(mode):
            kind = "a symbolic link" if stat.S_ISLNK(mode) else "a submodule"
            skipped.append(Skipped("special", f"{name}: {printable(file)}: {kind}, not followed"))
        elif language_of(file) in options.languages:
            sources[file] = entry.sha or b""
        elif is_license_file(file) or file in METADATA_FILES:
            about_files[file] = entry.sha or b""
        else:
            others.add(file)
    metadata = _metadata(repository, about_files)
    project = str(metadata.get("Name") or name)
    revision = commit.id.decode()
    texts = list(_license_texts(repository, about_files, project, revision, skipped))
    about = {
        "project": project,
        "version": metadata.get("Version"),
        "revision": revision,
        "url": _public_url(repository),
        "declared": declaration_of(metadata, texts),
    }
    dates, note = _dates(repository, commit, sources)
    loads: list[Load] = []
    for number, chunk in enumerate(chunks([(file, 0) for file in sources], options) if sources else [[]]):
        entries = [(file, sources[file].decode(), dates.get(file, commit.commit_time or 0)) for file, _ in chunk]
        load = partial(load_blobs, path, entries, about, texts if number == 0 else [], options.max_file_bytes)
        loads.append((f"git {revision} {number} {note or ''}", load))
    record: dict[str, object] = {
        "spec": f"git:{path}@{revision}",
        "kind": "git",
        "project": project,
        "revision": revision,
    }
    notes = [f"{name}: {note}"] if note else []
    return Source(record, f"git {revision} {note or ''}", lambda _: loads, [*skipped, *others.skipped(name)], notes)


def _read(
    repository: Repo, entries: list[Entry], about: dict[str, Any], texts: list[LicenseText], limit: int
) -> Iterator[Piece]:
    yield from texts
    declared, evidence = about["declared"]
    for path, blob_id, date in entries:
        shown = f"{about['project']}: {printable(path)}"
        data = _blob(repository, blob_id.encode())
        if data is None:
            yield Skipped("unreadable", f"{shown}: its object {blob_id} is missing or damaged")
        elif len(data) > limit:
            yield Skipped("size", f"{shown}: {len(data)} bytes, over the limit of {limit} (--max-file-bytes)")
        elif data.startswith(_LFS):
            yield Skipped("special", f"{shown}: a pointer to a large file that is not in the repository")
        else:
            yield Document(
                project=about["project"],
                version=about["version"],
                path=path,
                data=data,
                source="git",
                url=about["url"],
                revision=about["revision"],
                date=datetime.fromtimestamp(date, UTC),
                declared_license=declared,
                declared_evidence=evidence,
            )


def _blob(repository: Repo, blob_id: bytes) -> bytes | None:
    try:
        found = repository.object_store[ObjectID(blob_id)]
    except Exception:  # damaged packs raise of many kinds
        return None
    return found.data if isinstance(found, Blob) else None


def _metadata(repository: Repo, files: dict[str, bytes]) -> dict[str, Any]:
    for name in METADATA_FILES:
        if name in files and (data := _blob(repository, files[name])) and (found := project_metadata(name, data)):
            return found
    return {}


def _license_texts(
    repository: Repo, files: dict[str, bytes], project: str, revision: str, skipped: list[Skipped]
) -> Iterator[LicenseText]:
    for path, blob_id in files.items():
        if is_license_file(path) and (data := _blob(repository, blob_id)) is not None and len(data) <= 2**20:
            try:
                yield license_text(project, revision, path, data)
            except UnreadableTextError as error:
                skipped.append(Skipped("unreadable", f"{project}: license file {printable(path)}: {error}"))


def _dates(repository: Repo, commit: Commit, wanted: dict[str, bytes]) -> tuple[dict[str, int], str | None]:
    """When the content of each path came there; the oldest such commit counts."""
    dates: dict[str, int] = {}
    try:
        entries = list(repository.get_walker(include=[commit.id], max_entries=HISTORY + 1))
        if len(entries) > HISTORY:
            return {}, f"more than {HISTORY} commits; dates of files are the date of the revision"
        for entry in entries:
            changes = entry.changes()
            for change in changes:
                for one in change if isinstance(change, list) else [change]:
                    new = one.new if one is not None else None
                    path = new.path.decode("utf-8", "backslashreplace") if new and new.path else ""
                    if new and wanted.get(path) == new.sha:
                        when = entry.commit.commit_time or 0
                        dates[path] = min(when, dates.get(path, when))
    except Exception as error:  # a shallow or damaged history
        return {}, f"incomplete history ({type(error).__name__}); dates of files are the date of the revision"
    return dates, None


def _public_url(repository: Repo) -> str | None:
    """The remote, if it is a public address; never with a user name, a password or a path of this machine."""
    try:
        url = repository.get_config().get((b"remote", b"origin"), b"url").decode("utf-8", "replace")
    except KeyError:
        return None
    match = re.fullmatch(r"(https?://)(?:[^/@]*@)?([\w.-]+(?::\d+)?/[^\s?#]+)", url)
    return match[1] + match[2] if match else None


def _split(argument: str) -> tuple[Path, str]:
    path, at, revision = argument.rpartition("@")
    if not at or "/" in revision and Path(argument).exists():
        return Path(argument), "HEAD"
    return Path(path), revision or "HEAD"
