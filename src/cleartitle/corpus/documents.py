"""What a reader yields, and how it travels to the next step: one Arrow table a shard."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pyarrow as pa

__all__ = [
    "ORIGIN",
    "RAW",
    "SKIPPED",
    "Document",
    "LicenseText",
    "Load",
    "Piece",
    "SkipLog",
    "Skipped",
    "Source",
    "raw_table",
]

EXAMPLES = 20
"""Lines kept for each reason in each shard; the rest is counted."""


@dataclass(frozen=True)
class Document:
    """One file or row as found. ``data`` is raw bytes, or text where the source holds only text."""

    project: str
    path: str
    data: bytes | str
    source: str
    version: str | None = None
    url: str | None = None
    revision: str | None = None
    date: datetime | None = None
    declared_license: str | None = None
    declared_evidence: str | None = None
    language: str | None = None
    """The source's own name of the language, if it has one."""
    encoding: str | None = None
    """The encoding that the raw bytes had, if the source says so."""
    blob_id: str | None = None
    """A git blob SHA-1 that the source states; used only if it verifies."""
    reuse_count: int | None = None


@dataclass(frozen=True)
class LicenseText:
    """A LICENSE, COPYING or NOTICE file of a project."""

    project: str
    path: str
    text: str
    version: str | None = None
    expression: str | None = None


@dataclass(frozen=True)
class Skipped:
    """Something left out: a short ``reason`` to count by, one line for people, how many it stands for."""

    reason: str
    line: str
    count: int = 1


Piece = Document | LicenseText | Skipped
"""What a reader yields."""


Load = tuple[str, Callable[[], pa.Table]]
"""Key and picklable loader of one shard."""


@dataclass
class Source:
    """One input of a corpus.

    ``prepare`` makes the shards; it gets a folder for large temporary files and is called only if there is something
    to build.
    """

    record: dict[str, object]
    """For ``corpus.json``: spec, kind, hash or revision."""
    key: str
    """Names the content of the source."""
    prepare: Callable[[Path], list[Load]]
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    notes: list[str] = field(default_factory=list[str])
    """Lines to show: recognized columns and the like."""


class SkipLog:
    """Counts what is left out by reason and keeps the first lines of each."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.lines: dict[str, list[str]] = {}

    def add(self, skipped: Skipped) -> None:
        """Record one thing left out."""
        self.counts[skipped.reason] = self.counts.get(skipped.reason, 0) + skipped.count
        lines = self.lines.setdefault(skipped.reason, [])
        if len(lines) < EXAMPLES and skipped.line:
            lines.append(" ".join(skipped.line.split())[:1000])

    def extend(self, skipped: Iterable[Skipped]) -> None:
        """Record several."""
        for item in skipped:
            self.add(item)

    def rows(self) -> Iterator[Skipped]:
        """The same in few entries whose counts add up."""
        for reason in sorted(self.counts):
            lines = self.lines[reason]
            for line in lines[:-1]:
                yield Skipped(reason, line, 1)
            yield Skipped(reason, lines[-1] if lines else "", self.counts[reason] - max(len(lines) - 1, 0))


ORIGIN = [
    pa.field("project", pa.string()),
    pa.field("version", pa.string()),
    pa.field("path", pa.string()),
    pa.field("source", pa.string()),
    pa.field("url", pa.string()),
    pa.field("revision", pa.string()),
    pa.field("date", pa.timestamp("s", tz="UTC")),
    pa.field("declared_license", pa.string()),
    pa.field("declared_evidence", pa.string()),
]
"""Where a file or license text comes from; travels unchanged through all steps."""

SKIPPED = [pa.field("reason", pa.string()), pa.field("line", pa.string()), pa.field("count", pa.int64())]
"""Columns of what was left out."""

RAW = pa.schema(
    [
        pa.field("kind", pa.string()),  # document | license | skipped
        *ORIGIN,
        pa.field("data", pa.large_binary()),
        pa.field("is_text", pa.bool_()),
        pa.field("language", pa.string()),
        pa.field("encoding", pa.string()),
        pa.field("blob_id", pa.string()),
        pa.field("reuse_count", pa.int64()),
        *SKIPPED,
    ]
)
_EMPTY: dict[str, object] = {name: None for name in RAW.names}


def raw_table(pieces: Iterable[Piece]) -> pa.Table:
    """The pieces of one shard as a table; skips are merged per reason."""
    rows: list[Mapping[str, object]] = []
    log = SkipLog()
    for piece in pieces:
        if isinstance(piece, Skipped):
            log.add(piece)
        elif isinstance(piece, LicenseText):
            rows.append(_license_row(piece))
        else:
            rows.append(_document_row(piece))
    rows += [
        {**_EMPTY, "kind": "skipped", "reason": skipped.reason, "line": skipped.line, "count": skipped.count}
        for skipped in log.rows()
    ]
    return pa.Table.from_pylist(rows, schema=RAW)


def _license_row(piece: LicenseText) -> dict[str, object]:
    return {
        **_EMPTY,
        "kind": "license",
        "project": _clean(piece.project),
        "version": piece.version,
        "path": _clean(piece.path),
        "data": piece.text.encode(),
        "declared_license": piece.expression,
    }


def _document_row(piece: Document) -> dict[str, object]:
    is_text = isinstance(piece.data, str)
    return {
        **_EMPTY,
        "kind": "document",
        "project": _clean(piece.project),
        "version": piece.version,
        "path": _clean(piece.path),
        # Lone surrogates travel and are refused by the screen, with its line.
        "data": piece.data.encode("utf-8", "surrogatepass") if isinstance(piece.data, str) else piece.data,
        "is_text": is_text,
        "source": piece.source,
        "url": piece.url,
        "revision": piece.revision,
        "date": piece.date,
        "declared_license": piece.declared_license,
        "declared_evidence": piece.declared_evidence,
        "language": piece.language,
        "encoding": piece.encoding,
        "blob_id": piece.blob_id,
        "reuse_count": piece.reuse_count,
    }


def _clean(name: str) -> str:
    """A path or project name as valid UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()
