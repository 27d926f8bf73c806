"""Which lines of which files changed since a revision, asked of git."""

import re
import subprocess
from pathlib import Path

from cleartitle.errors import InputError

__all__ = ["changed_lines"]

HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
SECONDS = 120


def changed_lines(revision: str, folder: Path | None = None) -> dict[Path, list[tuple[int, int]]]:
    """Added or changed line ranges (from 1, the last line included) of each file that differs from ``revision``.

    Files that git does not track yet are not part of a difference.

    Raises:
        InputError: no git, no repository, or no such revision.
    """
    folder = (folder or Path.cwd()).resolve()
    if revision.startswith("-"):
        raise InputError(f"--diff {revision}: not a revision")
    root = Path(_git(folder, "rev-parse", "--show-toplevel").decode().strip())
    names = _git(root, "diff", "--name-only", "-z", "--diff-filter=d", "--no-renames", revision, "--").split(b"\0")
    changed: dict[Path, list[tuple[int, int]]] = {}
    for name in filter(None, names):
        path = name.decode("utf-8", "surrogateescape")
        patch = _git(root, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", revision, "--", path)
        ranges = [(int(start), int(start) + int(count or 1) - 1) for start, count in HUNK.findall(patch)]
        if ranges := [(first, last) for first, last in ranges if last >= first]:
            changed[root / path] = ranges
    return changed


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, timeout=SECONDS, check=False)
    except FileNotFoundError:
        raise InputError("--diff needs the program git, which is not installed") from None
    except subprocess.TimeoutExpired:
        raise InputError(f"git {arguments[0]} took more than {SECONDS} seconds") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise InputError(f"git {arguments[0]}: {lines[0]}")
    return done.stdout
