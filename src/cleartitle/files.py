"""Files that are whole or not there: atomic writes, JSON in one canonical form, content hashes."""

import hashlib
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs

from cleartitle.errors import InputError

__all__ = [
    "atomic_path",
    "cache_dir",
    "canonical_json",
    "read_json",
    "sha256_file",
    "write_json",
    "write_text",
]


def cache_dir(*parts: str) -> Path:
    """A folder of Cleartitle's cache, created if need be (``CLEARTITLE_CACHE`` moves the whole cache)."""
    root = os.environ.get("CLEARTITLE_CACHE") or platformdirs.user_cache_dir("cleartitle", appauthor=False)
    path = Path(root).joinpath(*parts)
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def atomic_path(path: Path) -> Generator[Path]:
    """Yield a temporary path beside ``path`` that takes its name only if the block succeeds.

    The data is flushed to disk before the rename, so a reader never sees half a file, whatever is killed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: object) -> None:
    """Write indented JSON atomically; NaN is refused because it is not JSON."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        InputError: the file is absent or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path}: not a JSON file ({error})") from None


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no blanks: equal values give equal text, fit for hashing."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def sha256_file(path: Path) -> str:
    """Hexadecimal SHA-256 of a file, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
