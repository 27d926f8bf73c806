"""Second step of a build: contents with what their header says, occurrences with their resolved license."""

import dataclasses
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.corpus.declarations import names_the_file
from cleartitle.corpus.index import firsts_of, occurrences_of
from cleartitle.corpus.resolve import resolve
from cleartitle.corpus.schema import CONTENTS, LICENSE_TEXTS, OCCURRENCES
from cleartitle.files import canonical_json
from cleartitle.jobs import part_name
from cleartitle.licenses import detect
from cleartitle.tables import read_table

__all__ = ["describe", "license_texts", "load_contents", "load_license_texts", "load_occurrences", "place"]

_FROM_SCREEN = ["swhid", "text", "encoding", "language", "size_bytes", "lines"]
_RESOLVED = ("license", "license_class", "trust", "conflict")
_HEADER = ("header_license", "header_status")
_PLACED = pa.schema([field for field in OCCURRENCES if field.name not in _RESOLVED])


def load_contents(documents: Path, index: Path, home: int) -> pa.Table:
    """The screened rows of part ``home`` whose content comes first there."""
    rows = firsts_of(index, home)["row"]
    return read_table(documents / part_name(home), [*_FROM_SCREEN, "path"]).take(rows)


def describe(table: pa.Table) -> pa.Table:
    """Screened rows to ``CONTENTS``: the license of each text by its leading comment."""
    rows: list[dict[str, Any]] = []
    for batch in table.select(["text", "path"]).to_batches(max_chunksize=256):
        for row in batch.to_pylist():
            found = detect(row["text"], row["path"])
            rows.append(
                {
                    "header_license": found.expression,
                    "header_status": found.status,
                    "header_evidence": _evidence(found.evidence),
                    "header_end_line": found.header_end_line,
                    "copyright_lines": list(found.copyright_lines),
                }
            )
    found = pa.Table.from_pylist(rows, schema=pa.schema([CONTENTS.field(name) for name in CONTENTS.names[6:]]))
    columns = [table[name] for name in _FROM_SCREEN] + found.columns
    return pa.Table.from_arrays(columns, schema=CONTENTS)


def _evidence(found: Sequence[Any]) -> str | None:
    return canonical_json([dataclasses.asdict(item) for item in found]) if found else None


def load_occurrences(contents: Path, index: Path, home: int) -> pa.Table:
    """The occurrences of the contents of part ``home``, each with the header license of its content."""
    places = occurrences_of(index, home, pa.schema([field.with_nullable(True) for field in _PLACED]))
    headers = read_table(contents / part_name(home), ["swhid", *_HEADER])
    by_id = {row["swhid"]: row for row in headers.to_pylist()}
    found = [by_id[swhid] for swhid in places["swhid"].to_pylist()]
    for name in _HEADER:
        places = places.append_column(name, pa.array([row[name] for row in found], pa.string()))
    return places


def place(table: pa.Table) -> pa.Table:
    """Occurrences with header licenses to ``OCCURRENCES``."""
    resolved = [
        resolve(header, declared, vendored and not names_the_file(evidence), doubtful=status != "ok")
        for header, status, declared, evidence, vendored in zip(
            *(table[name].to_pylist() for name in (*_HEADER, "declared_license", "declared_evidence", "is_vendored")),
            strict=True,
        )
    ]
    columns = {name: table[name] for name in _PLACED.names}
    columns |= {name: pa.chunked_array([[getattr(item, name) for item in resolved]], pa.string()) for name in _RESOLVED}
    return pa.Table.from_arrays([columns[name] for name in OCCURRENCES.names], schema=OCCURRENCES)


def load_license_texts(documents: Path, home: int) -> pa.Table:
    """The license files of part ``home``."""
    table = read_table(documents / part_name(home), ["kind", "project", "version", "path", "text", "declared_license"])
    return table.filter(pc.field("kind") == "license")


def license_texts(table: pa.Table) -> pa.Table:
    """License rows to ``LICENSE_TEXTS``, each file once."""
    rows: dict[tuple[object, ...], dict[str, Any]] = {}
    for row in table.to_pylist():
        digest = hashlib.sha256(row["text"].encode()).hexdigest()
        rows.setdefault(
            (row["project"], row["version"], row["path"], digest),
            {
                "project": row["project"],
                "version": row["version"],
                "path": row["path"],
                "sha256": digest,
                "text": row["text"],
                "expression": row["declared_license"],
            },
        )
    return pa.Table.from_pylist(list(rows.values()), schema=LICENSE_TEXTS)
