"""Search for files: whole ones, or what changed in them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from cleartitle.code import language_of_path
from cleartitle.progress import progress, warn
from cleartitle.trace.index import Index
from cleartitle.trace.matches import Match, Result
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.policy import Policy

__all__ = ["expand", "search_files", "text_bytes"]

LARGEST = 32 << 20
"""Bytes of a file that is searched for."""

NO_TEXT = 8192
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def search_files(
    index: Index,
    paths: Iterable[Path],
    *,
    policy: Policy | None = None,
    options: SearchOptions | None = None,
    changed: dict[Path, list[tuple[int, int]]] | None = None,
    on_match: Callable[[Result, bytes], None] | None = None,
) -> Iterator[Result]:
    """Search for each file (``-`` is standard input); one line on standard error names a file that is left out.

    With ``changed`` only matches count whose spans touch one of its line ranges. ``on_match`` is called with each
    result that holds matches and the bytes of its file as they stand there.
    """
    policy = policy or Policy()
    names = list(paths)
    with progress("trace", len(names), "file") as advance:
        for path in names:
            shown = "-" if str(path) == "-" else _shown(path)
            raw = None if policy.ignores(shown) else _read(path)
            if raw is not None:
                data = text_bytes(raw)
                found = index.search(data, limit=(options or SearchOptions()).limit, path=shown, options=options)
                matches = tuple(match for match in found.matches if not policy.is_own(match))
                if changed is not None:
                    ranges = changed.get(path.resolve(), [])
                    matches = tuple(match for match in matches if _touches(match, ranges))
                state = found.state
                if found.matches and not matches:
                    state = "none"
                found = replace(found, matches=matches, state=state)
                if on_match is not None and matches:
                    on_match(found, raw)
                yield found
            advance(1)


def expand(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as they are, and the source files below each folder, in order."""
    for path in paths:
        if path.is_dir():
            below = sorted(item for item in path.rglob("*") if item.is_file() and not item.is_symlink())
            yield from (
                item
                for item in below
                if language_of_path(item.name)
                and not any(part.startswith(".") for part in item.relative_to(path).parts)
            )
        else:
            yield path


def _shown(path: Path) -> str:
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def _read(path: Path) -> bytes | None:
    try:
        data = sys.stdin.buffer.read(LARGEST + 1) if str(path) == "-" else _head(path)
    except OSError as error:
        warn(f"{path}: could not be read ({error.strerror})")
        return None
    if len(data) > LARGEST:
        warn(f"{path}: larger than {LARGEST >> 20} MiB, left out; mend: search for the part that matters")
        return None
    if b"\0" in data[:NO_TEXT] and not data.startswith(UTF16_MARKS):
        warn(f"{path}: not a text, left out")
        return None
    return data


def text_bytes(raw: bytes) -> bytes:
    """The bytes of a file as they are searched for: UTF-8 without a byte order mark; UTF-16 is turned into it."""
    if raw.startswith(UTF16_MARKS) and b"\0" in raw[:NO_TEXT]:
        return raw.decode("utf-16", "replace").encode()
    return raw.removeprefix(b"\xef\xbb\xbf")


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(LARGEST + 1)


def _touches(match: Match, ranges: list[tuple[int, int]]) -> bool:
    return any(first <= span.query[1] and span.query[0] <= last for span in match.spans for first, last in ranges)
