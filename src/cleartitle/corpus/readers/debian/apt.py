"""Source packages through ``apt-get`` with package lists of our own; those of the machine stay as they are."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cleartitle.corpus.readers.debian.package import SourceUnavailableError
from cleartitle.files import cache_dir

__all__ = ["apt_download", "apt_lists"]

_TIMEOUT = 900
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_ORIGINS = ("Debian", "Ubuntu")
_fresh: set[Path] = set()
_lock = threading.Lock()


class _Release(NamedTuple):
    uri: str
    release: str
    component: str
    origin: str


def apt_download(label: str, package: str, suite: str | None, folder: Path, *, refresh: bool = False) -> None:
    """Put the source package ``NAME`` or ``NAME=VERSION`` into an empty folder; apt checks signatures and hashes.

    The lists are those of the releases that the machine's apt knows, and of ``suite``; they are kept in the cache. If
    they do not hold the package they are fetched anew, once in a process.

    Raises:
        SourceUnavailableError: no apt, no lists, no such version in them, or a file that the mirror does not have.
    """
    lists = apt_lists(suite, refresh=refresh)
    command = ["source", "--download-only", "--only-source", package]
    done = _apt(lists, command, folder)
    if done.returncode and _is_unlisted(done.stderr) and lists not in _fresh:
        done = _apt(apt_lists(suite, refresh=True), command, folder)
    if done.returncode == 0:
        for path in [path for path in folder.iterdir() if path.is_symlink()]:  # from a mirror in a local folder
            data = path.read_bytes()
            path.unlink()
            path.write_bytes(data)
        return
    if _is_unlisted(done.stderr):
        raise SourceUnavailableError(f"{label}: gone, or never there: the package lists do not hold it")
    if absent := re.search(r"Failed to fetch \S*/(\S+)\s+404", done.stderr):
        raise SourceUnavailableError(f"{label}: gone from the mirror ({absent[1]} is not there)")
    raise SourceUnavailableError(f"{label}: could not be downloaded ({_first_error(done.stderr)})")


def apt_lists(suite: str | None, *, refresh: bool = False) -> Path:
    """The folder with our own package lists, fetched if need be.

    Raises:
        SourceUnavailableError: no apt on this machine, nothing known of a mirror, or the lists could not be fetched.
    """
    sources = _sources(suite)
    folder = cache_dir("debian") / f"lists-{hashlib.sha256(sources.encode()).hexdigest()[:16]}"
    with _lock:
        if folder.is_dir() and not (refresh and folder not in _fresh):
            return folder
        _update(folder, sources)
        _fresh.add(folder)
    return folder


def _update(folder: Path, sources: str) -> None:
    with tempfile.TemporaryDirectory(prefix=".lists-", dir=folder.parent) as temporary:
        new, old = Path(temporary) / "new", Path(temporary) / "old"
        (new / "lists" / "partial").mkdir(parents=True)
        (new / "cache" / "archives" / "partial").mkdir(parents=True)
        (new / "sources.list").write_text(sources, encoding="utf-8")
        done = _apt(new, ["update", "-o", "APT::Update::Error-Mode=any"], new)
        if done.returncode:
            raise SourceUnavailableError(f"debian: no package lists ({_first_error(done.stderr)})")
        with suppress(OSError):  # another process may be doing the same
            if folder.is_dir():
                folder.rename(old)
            new.rename(folder)


def _sources(suite: str | None) -> str:
    """The machine's releases, for sources."""
    if shutil.which("apt-get") is None:
        raise SourceUnavailableError("debian: no apt-get on this machine; mend: name a mirror with --debian-mirror")
    with _lock:
        targets = [*_releases()]
    if not targets:
        raise SourceUnavailableError("debian: apt knows no Debian release; mend: name a mirror with --debian-mirror")
    origin = targets[0].origin
    if suite is not None and suite not in {target.release for target in targets}:
        main = min(targets, key=lambda target: ("security" in target.release, len(target.release)))
        targets.append(_Release(main.uri, suite, "main", origin))
    signed = f" [signed-by={_KEYRING}]" if _KEYRING.is_file() and origin == "Debian" else ""
    return "".join(f"deb-src{signed} {target.uri} {target.release} {target.component}\n" for target in targets)


@cache
def _releases() -> tuple[_Release, ...]:
    """What apt has lists of; where it has none, as in a fresh container, lists in a folder of their own tell."""
    if found := _listed({}):
        return found
    with tempfile.TemporaryDirectory(prefix="cleartitle-") as temporary:
        lists, kept = Path(temporary) / "lists", Path(temporary) / "cache"
        own = {"Dir::State::Lists": lists, "Dir::Cache": kept, "APT::Sandbox::User": "root"}
        (lists / "partial").mkdir(parents=True)
        (kept / "archives" / "partial").mkdir(parents=True)
        _run(own, ["update"], Path(temporary))
        return _listed(own)


def _listed(own: Mapping[str, object]) -> tuple[_Release, ...]:
    target = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"
    shown = _run(own, ["indextargets", "--format", target, "Created-By: Packages"], Path("/")).stdout
    fields = dict.fromkeys(tuple(line.split("|")) for line in shown.splitlines())
    found = [_Release(*field) for field in fields if len(field) == 4]
    return tuple(release for release in found if release.origin in _ORIGINS)


def _apt(lists: Path, arguments: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    own: dict[str, object] = {
        "Dir::Etc::SourceList": lists / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": lists / "lists",
        "Dir::Cache": lists / "cache",
        "Acquire::Retries": 3,
    }
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        own["APT::Sandbox::User"] = "root"  # its own user may not enter the cache of root
    return _run(own, arguments, folder)


def _run(own: Mapping[str, object], arguments: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    options = [part for name, value in own.items() for part in ("-o", f"{name}={value}")]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    command = ["apt-get", "-q", *options, *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise SourceUnavailableError(f"debian: apt-get gave no answer within {_TIMEOUT} s; try again") from None


def _is_unlisted(errors: str) -> bool:
    return re.search(r"Can ?not find version|Unable to find a source package|no source package", errors) is not None


def _first_error(errors: str) -> str:
    lines = [line[3:] for line in errors.splitlines() if line.startswith(("E: ", "W: "))]
    return " ".join((lines[0] if lines else "apt-get gave no reason").split())[:300]
