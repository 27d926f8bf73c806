"""Read a finished corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cleartitle.corpus.schema import CONTENTS, LICENSE_TEXTS, OCCURRENCES, TRUST_GRADES, WORKS
from cleartitle.corpus.summary import CorpusInfo, info, read_record
from cleartitle.errors import InputError
from cleartitle.jobs import Shard
from cleartitle.tables import part_paths, read_parts

__all__ = ["Corpus", "Occurrence", "Work"]


@dataclass(frozen=True)
class Occurrence:
    """One place where a content was found; the fields are the columns of ``OCCURRENCES``."""

    swhid: str
    project: str
    version: str | None
    path: str
    source: str
    url: str | None
    revision: str | None
    date: datetime | None
    declared_license: str | None
    declared_evidence: str | None
    license: str | None
    license_class: str | None
    trust: str
    conflict: str | None
    reuse_count: int | None
    is_vendored: bool


@dataclass(frozen=True)
class Work:
    """One content with its occurrences.

    ``occurrence`` is the representative one: not vendored before vendored, then by trust, then in the order of the
    sources. The license of the work is the license of its representative.
    """

    swhid: str
    text: str
    encoding: str
    language: str
    size_bytes: int
    lines: int
    header_license: str | None
    header_status: str
    header_evidence: str | None
    header_end_line: int
    copyright_lines: tuple[str, ...]
    occurrence: Occurrence
    occurrences: tuple[Occurrence, ...]

    @property
    def license(self) -> str | None:
        """SPDX expression, or None."""
        return self.occurrence.license

    @property
    def license_class(self) -> str | None:
        """One of the five classes, or None."""
        return self.occurrence.license_class

    @property
    def trust(self) -> str:
        """One of ``TRUST_GRADES``."""
        return self.occurrence.trust


class Corpus:
    """A finished corpus in a folder; memory stays bounded by one part."""

    def __init__(self, path: Path, record: dict[str, Any]) -> None:
        self.path = path
        self.record = record

    @classmethod
    def open(cls, path: str | Path) -> "Corpus":
        """Open a corpus folder.

        Raises:
            InputError: not a finished corpus, or one of another schema version.
        """
        path = Path(path)
        return cls(path, read_record(path))

    @property
    def key(self) -> str:
        """16 hexadecimal digits that name the sources, by content, the options and the rules it was built with."""
        return self.record["key"]

    def contents(self) -> Iterator[pa.RecordBatch]:
        """Batches of the contents table, in the order of the sources."""
        return self._batches("contents", CONTENTS)

    def occurrences(self) -> Iterator[pa.RecordBatch]:
        """Batches of the occurrences table; those of one content stand together, contents in the same order."""
        return self._batches("occurrences", OCCURRENCES)

    def license_texts(self) -> pa.Table:
        """The license files of the packages."""
        return read_parts(self.path / "license_texts", LICENSE_TEXTS)

    def works(self) -> Iterator[Work]:
        """Each content with its occurrences, in the order of ``contents``."""
        for path in part_paths(self.path / "contents"):
            held: dict[str, list[Occurrence]] = {}
            for batch in _read(self.path / "occurrences" / path.name):
                for row in batch.to_pylist():
                    held.setdefault(row["swhid"], []).append(Occurrence(**row))
            for batch in _read(path):
                for row in batch.to_pylist():
                    yield _work(row, held[row["swhid"]])

    def work_shards(self, languages: Sequence[str] = ()) -> list[Shard]:
        """Shards of ``WORKS`` (content with representative occurrence), for ``jobs``; all languages by default."""
        chosen = tuple(languages)
        return [
            Shard(number, partial(load_works, self.path, path.name, chosen))
            for number, path in enumerate(part_paths(self.path / "contents"))
        ]

    def info(self, top: int = 10) -> CorpusInfo:
        """Counts by license, class, language and trust; duplicates, conflicts, what was left out."""
        return info(self.path, top)

    def _batches(self, name: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        for path in part_paths(self.path / name):
            for batch in _read(path):
                yield batch.cast(schema)


def load_works(folder: Path, part: str, languages: tuple[str, ...]) -> pa.Table:
    """One part of a corpus as ``WORKS``, in the order of its contents.

    Raises:
        InputError: a damaged part.
    """
    contents = pa.Table.from_batches(_read(folder / "contents" / part), CONTENTS)
    if languages:
        contents = contents.filter(pc.field("language").isin(list(languages)))
    best: dict[str, dict[str, Any]] = {}
    for batch in _read(folder / "occurrences" / part):
        for row in batch.to_pylist():
            known = best.get(row["swhid"])
            if known is None or _rank(row["is_vendored"], row["trust"]) < _rank(known["is_vendored"], known["trust"]):
                best[row["swhid"]] = row
    chosen = pa.Table.from_pylist([best[swhid] for swhid in contents["swhid"].to_pylist()], schema=OCCURRENCES)
    columns = [*contents.columns, *(chosen[name] for name in OCCURRENCES.names if name != "swhid")]
    return pa.Table.from_arrays(columns, schema=WORKS)


def _rank(is_vendored: bool, trust: str) -> tuple[bool, int]:
    return is_vendored, TRUST_GRADES.index(trust)


def _work(row: dict[str, Any], occurrences: list[Occurrence]) -> Work:
    best = min(occurrences, key=lambda item: _rank(item.is_vendored, item.trust))
    row["copyright_lines"] = tuple(row["copyright_lines"])
    return Work(**row, occurrence=best, occurrences=tuple(occurrences))


def _read(path: Path) -> Iterator[pa.RecordBatch]:
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=512):
                yield batch.replace_schema_metadata(None)
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: damaged part of a corpus ({reason}); mend: build it again") from None
