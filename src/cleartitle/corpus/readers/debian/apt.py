"""Source packages through ``apt-get`` with package lists of our own; those of the machine stay as they are."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cleartitle.corpus.readers.debian.package import SourceUnavailableError
from cleartitle.files import cache_dir

__all__ = ["apt_download", "apt_lists"]

_TIMEOUT = 900
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_ORIGINS = ("Debian", "Ubuntu")
_fresh: set[Path] = set()
_lock = threading.Lock()


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
    target = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"
    command = ["apt-get", "indextargets", "--format", target, "Created-By: Packages"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    found = dict.fromkeys(line for line in shown.splitlines() if line.split("|")[-1] in _ORIGINS)
    targets = [tuple(line.split("|")[:3]) for line in found]
    if not targets:
        raise SourceUnavailableError(
            "debian: apt knows no Debian release here; mend: run apt-get update, or name a mirror with --debian-mirror"
        )
    if suite is not None and suite not in {release for _, release, _ in targets}:
        main = min(targets, key=lambda item: ("security" in item[1], len(item[1])))
        targets.append((main[0], suite, "main"))
    signed = f" [signed-by={_KEYRING}]" if _KEYRING.is_file() and "Ubuntu" not in shown else ""
    return "".join(f"deb-src{signed} {uri} {release} {component}\n" for uri, release, component in targets)


def _apt(lists: Path, arguments: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    own = {
        "Dir::Etc::SourceList": lists / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": lists / "lists",
        "Dir::Cache": lists / "cache",
        "Acquire::Retries": 3,
    }
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        own["APT::Sandbox::User"] = "root"  # its own user may not enter the cache of root
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
