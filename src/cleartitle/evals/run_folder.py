"""A run is a folder: ``run.json`` says what was done with what, tables hold the rest."""

import platform
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from cleartitle.errors import InputError
from cleartitle.files import read_json, sha256_file, write_json
from cleartitle.tables import part_paths

__all__ = ["RunFolder"]

RUN_VERSION = 1
PACKAGES = (
    "cleartitle", "numpy", "pyarrow", "pygments", "radon", "rapidfuzz", "scipy",
    "scikit-learn", "tokenizers", "torch", "transformers", "xllamacpp",
)  # fmt: skip
_CREDENTIALS = re.compile(r"(\w+://)[^/\s@]+@")


@dataclass(frozen=True)
class RunFolder:
    """One run on disk; ``key`` names its options and inputs."""

    path: Path
    key: str

    @classmethod
    def create(
        cls, path: Path, capability: str, key: str, *, options: dict[str, Any], inputs: dict[str, Any]
    ) -> "RunFolder":
        """Start a run, or go on with the one that was started there with the same key.

        Raises:
            InputError: the folder holds a run with another key, or files that are not a run.
        """
        record_path = path / "run.json"
        if record_path.exists():
            found = read_json(record_path)
            if found.get("key") != key:
                raise InputError(
                    f"{path}: holds another run ({_difference(found, options)}); "
                    "mend: choose another --output, or remove that folder"
                )
            return cls(path, key)
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; mend: choose another --output")
        if path.is_dir() and any(not entry.name.startswith(".") for entry in path.iterdir()):
            raise InputError(f"{path}: holds files that are not a run; mend: choose another --output")
        record = {
            "schema": RUN_VERSION,
            "capability": capability,
            "key": key,
            "command": [_CREDENTIALS.sub(r"\1", word) for word in sys.argv],
            "options": options,
            "inputs": inputs,
            "versions": {"python": platform.python_version(), **_versions()},
            "host": {"system": platform.platform(), "machine": platform.machine()},
            "started": _now(),
            "finished": None,
        }
        write_json(record_path, record)
        return cls(path, key)

    @classmethod
    def open(cls, path: Path, capability: str | None = None) -> "RunFolder":
        """Open a run, of this capability if one is named.

        Raises:
            InputError: the folder holds no run, or one of another capability.
        """
        if not (path / "run.json").is_file():
            raise InputError(f"{path}: holds no run; mend: name the folder that `cleartitle eval` wrote")
        run = cls(path, read_json(path / "run.json")["key"])
        if capability is not None and (found := run.record().get("capability")) != capability:
            raise InputError(f"{path}: a run of {found!r}, not of {capability}")
        return run

    def record(self) -> dict[str, Any]:
        """The content of ``run.json``."""
        return read_json(self.path / "run.json")

    def check_answers(self, expected: int) -> None:
        """Make sure that the first turn is complete.

        Raises:
            InputError: ``generations`` does not hold this many answers.
        """
        answered = sum(pq.read_metadata(part).num_rows for part in part_paths(self.path / "generations"))
        if answered != expected:
            raise InputError(
                f"{self.path}: {answered} of {expected} answers are there; "
                "mend: give the command that started this run again"
            )

    def note(self, **found: Any) -> None:
        """Add to the record what belongs to the run beside its options and inputs."""
        write_json(self.path / "run.json", {**self.record(), **found})

    def finish(self, **found: Any) -> None:
        """Note the end of the run and what only the run could find out; the first end stays."""
        record = self.record()
        write_json(self.path / "run.json", {**record, **found, "finished": record["finished"] or _now()})

    def seal(self) -> None:
        """Record the SHA-256 of every table and of the summary, so that `altered` can tell what was changed since."""
        write_json(self.path / "run.json", {**self.record(), "sha256": self._hashes()})

    def altered(self) -> list[str]:
        """Files that are not as they were sealed: changed, added or gone; one line each.

        Raises:
            InputError: the run was never sealed, because it did not end.
        """
        sealed = self.record().get("sha256")
        if not sealed:
            raise InputError(f"{self.path}: the run is not finished; mend: give its command again")
        found = self._hashes()
        words = {True: "changed", False: "gone"}
        lines = [f"{name}: {words[name in found]}" for name in sealed if found.get(name) != sealed[name]]
        return lines + [f"{name}: added" for name in found if name not in sealed]

    def files(self) -> list[str]:
        """Paths, within the folder, of every table and of the summary: what is sealed."""
        found = [*sorted(self.path.rglob("*.parquet")), self.path / "summary.json"]
        return [path.relative_to(self.path).as_posix() for path in found if path.is_file()]

    def _hashes(self) -> dict[str, str]:
        return {name: sha256_file(self.path / name) for name in self.files()}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an optional one
            continue
    return found


def _difference(found: dict[str, Any], options: dict[str, Any]) -> str:
    old = found.get("options", {})
    names = [name for name in options if old.get(name) != options[name]]
    return f"it differs in {', '.join(names)}" if names else "with other inputs"
