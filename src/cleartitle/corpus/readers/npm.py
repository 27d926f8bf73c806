"""Packages of the npm registry, by name and version. Read as data: no script of a package is run."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from cleartitle.corpus.declarations import declaration_of
from cleartitle.corpus.documents import Document, Load, Piece, Skipped, Source, raw_table
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.tree import WHOLE, Span, Tree, is_large, license_texts, metadata_of, spans, spooled
from cleartitle.corpus.text import printable
from cleartitle.errors import CleartitleError, InputError
from cleartitle.files import atomic_path, cache_dir
from cleartitle.web import Web

__all__ = ["PackageUnavailableError", "fetch_npm", "load_npm", "plan_npm"]

_PART = r"[A-Za-z0-9~][A-Za-z0-9._~-]*"
_NAME = re.compile(rf"(@{_PART}/)?{_PART}")
_VERSION = re.compile(r"\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?")
_MOST = 2**29
_TIMEOUT = 600


class PackageUnavailableError(CleartitleError):
    """A package could not be had, or is not the one that was pinned."""


def plan_npm(argument: str, options: CorpusOptions, integrity: str | None = None) -> Source:
    """The package ``NAME@VERSION``, fetched if it is not in the cache.

    ``integrity`` is ``sha512-`` and the digest in base64, as the registry and lock files write it.

    Raises:
        InputError: not NAME@VERSION, or not a tar archive.
        PackageUnavailableError: it cannot be had, or a digest differs.
    """
    name, _, version = argument.rpartition("@")
    if not _NAME.fullmatch(name) or not _VERSION.fullmatch(version):
        raise InputError(f"npm:{printable(argument, 100)}: no package with its version; mend: write npm:NAME@VERSION")
    path, found = fetch_npm(name, version, options, integrity)
    record: dict[str, object] = {"spec": f"npm:{name}@{version}", "kind": "npm", "project": name, "integrity": found}
    key = f"npm {name} {version} {found}"
    return Source(record, key, lambda spool: _loads(key, path, name, version, options, spool))


def fetch_npm(name: str, version: str, options: CorpusOptions, integrity: str | None = None) -> tuple[Path, str]:
    """The tarball in the cache and its integrity, compared with the pinned one or else with that of the registry.

    The npm client is asked for it, which knows its registry; with ``options.npm_registry`` that registry is asked
    directly.

    Raises:
        PackageUnavailableError: no such version, no client, no network, or a digest that differs.
    """
    label = f"npm:{name}@{version}"
    path = cache_dir("npm") / f"{name.replace('/', '+')}-{version}.tgz"
    if not path.is_file():
        if options.npm_registry:
            _from_registry(label, name, version, options.npm_registry, path)
        else:
            _from_client(label, name, version, path)
    found = _integrity(path)
    if integrity is not None and found != integrity:
        path.unlink()
        raise PackageUnavailableError(f"{label}: integrity is {found}, not the pinned {integrity}; it was discarded")
    return path, found


def load_npm(path: Path, name: str, version: str, options: CorpusOptions, span: Span) -> pa.Table:
    """The files of one shard as a table."""
    return raw_table(_read(path, name, version, options, span))


def _loads(key: str, path: Path, name: str, version: str, options: CorpusOptions, spool: Path) -> list[Load]:
    found = [WHOLE]
    if is_large([path], options):
        (path,) = spooled([path], spool)
        with suppress(InputError):  # the shard tells what is wrong
            found = spans(Tree(path, options).documents([]), options)
    return [(f"{key} {span}", partial(load_npm, path, name, version, options, span)) for span in found]


def _read(path: Path, name: str, version: str, options: CorpusOptions, span: Span) -> Iterator[Piece]:
    first, stop = span
    skipped: list[Skipped] = []
    try:
        tree = Tree(path, options)
        texts = license_texts(tree.about, name, version, skipped)
        declared, evidence = declaration_of(metadata_of(tree.about, ["package.json"]), texts)
        for member in islice(tree.documents(skipped), first, stop):
            yield Document(
                project=name,
                version=version,
                path=member.path,
                data=member.data,
                source="npm",
                url=f"https://www.npmjs.com/package/{quote(name)}/v/{quote(version)}",
                declared_license=declared,
                declared_evidence=evidence,
            )
        if stop is None:
            yield from texts
    except InputError as error:
        skipped.append(Skipped("archive", str(error)))
    if stop is None:
        yield from skipped


def _from_client(label: str, name: str, version: str, path: Path) -> None:
    """``npm pack`` compares the tarball with the integrity that the registry states."""
    if shutil.which("npm") is None:
        raise PackageUnavailableError(f"{label}: no npm on this machine; mend: name a registry with --npm-registry")
    with tempfile.TemporaryDirectory(prefix="cleartitle-") as folder:
        command = ["npm", "pack", f"{name}@{version}", "--ignore-scripts", "--json", "--pack-destination", folder]
        environment = {**os.environ, "npm_config_update_notifier": "false"}
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False
            )
        except subprocess.TimeoutExpired:
            raise PackageUnavailableError(f"{label}: npm gave no answer within {_TIMEOUT} s; try again") from None
        made = sorted(Path(folder).glob("*.tgz"))
        if done.returncode or len(made) != 1:
            raise PackageUnavailableError(f"{label}: could not be downloaded ({_npm_error(done.stdout)})")
        with atomic_path(path) as partial_path:
            shutil.copyfile(made[0], partial_path)


def _from_registry(label: str, name: str, version: str, registry: str, path: Path) -> None:
    web = Web()
    address = f"{registry.rstrip('/')}/{quote(name, safe='@')}/{quote(version)}"
    reply = web.get(address, {"Accept": "application/json"})
    if reply.status != 200:
        raise PackageUnavailableError(f"{label}: gone, or never there (status {reply.status})")
    described: Any = reply.json()
    dist = described.get("dist") if isinstance(described, dict) else None
    tarball, stated = (dist.get("tarball"), dist.get("integrity")) if isinstance(dist, dict) else (None, None)
    if not isinstance(tarball, str) or not isinstance(stated, str) or "sha512-" not in stated:
        raise PackageUnavailableError(f"{label}: the registry states no tarball with a sha512 integrity")
    expected = {word for word in stated.split() if word.startswith("sha512-")}
    reply = web.get(tarball, most=_MOST, target=path, whole=lambda file: _integrity(file) in expected)
    if reply.status != 200:
        raise PackageUnavailableError(f"{label}: its tarball is gone (status {reply.status})")


def _integrity(path: Path) -> str:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha512").digest()
    return f"sha512-{base64.b64encode(digest).decode()}"


def _npm_error(output: str) -> str:
    try:
        error = json.loads(output)["error"]
        return " ".join(f"{error['code']}: {error['summary']}".split())[:300]
    except (ValueError, KeyError, TypeError):
        return "npm gave no reason"
