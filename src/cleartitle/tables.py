"""Parquet tables with one declared Arrow schema each, written whole or not at all."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cleartitle.errors import InputError
from cleartitle.files import atomic_path

__all__ = [
    "part_paths",
    "read_group",
    "read_key",
    "read_matching",
    "read_parts",
    "read_table",
    "table_of",
    "write_groups",
    "write_table",
]

KEY = b"cleartitle.key"


def table_of(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table with exactly this schema.

    Raises:
        KeyError: a row lacks a column or has one too many (a slip in the program, not in the input).
    """
    rows = list(rows)
    names = set(schema.names)
    for row in rows:
        if set(row) != names:
            raise KeyError(f"columns differ from the schema: {sorted(names.symmetric_difference(row))}")
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)


def write_table(path: Path, table: pa.Table, *, key: str = "") -> None:
    """Write one Parquet file atomically (zstd); ``key`` names the options and inputs it was made with."""
    metadata = {**(table.schema.metadata or {}), KEY: key.encode()}
    with atomic_path(path) as temporary:
        pq.write_table(table.replace_schema_metadata(metadata), temporary, compression="zstd")


def write_groups(path: Path, groups: Iterable[pa.Table], schema: pa.Schema, *, key: str = "") -> None:
    """Write one Parquet file atomically, each table as a row group of its own, with one of them in memory at a time."""
    with atomic_path(path) as temporary:
        with pq.ParquetWriter(temporary, schema.with_metadata({KEY: key.encode()}), compression="zstd") as writer:
            for table in groups:
                writer.write_table(table.cast(schema), row_group_size=max(1, table.num_rows))


def read_group(path: Path, group: int, columns: list[str] | None = None) -> pa.Table:
    """One row group of a Parquet file.

    Raises:
        InputError: absent, truncated or not Parquet.
    """
    try:
        with pq.ParquetFile(path) as file:
            return file.read_row_group(group, columns=columns).replace_schema_metadata(None)
    except FileNotFoundError:
        raise InputError(f"{path}: no such table") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a whole Parquet file ({str(error).splitlines()[0]})") from None


def read_key(path: Path) -> str | None:
    """The key a part was written with, or None if the file is not a whole Parquet file."""
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowInvalid, OSError):
        return None
    return metadata.get(KEY, b"").decode()


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a Parquet file, or the named columns of it.

    Raises:
        InputError: absent, truncated or not Parquet.
    """
    try:
        return pq.ParquetFile(path).read(columns=columns)
    except FileNotFoundError:
        raise InputError(f"{path}: no such table") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: not a whole Parquet file ({str(error).splitlines()[0]})") from None


def part_paths(folder: Path) -> list[Path]:
    """The committed parts of a table in order; temporary files do not count."""
    return sorted(folder.glob("part-*.parquet"))


def read_parts(
    folder: Path, schema: pa.Schema, columns: list[str] | None = None, *, encoded: Collection[str] = ()
) -> pa.Table:
    """All committed parts of a table as one; an empty table with ``schema`` if there is none.

    Columns of ``encoded`` come as dictionaries, which hold each distinct text once.
    """
    tables = [_encode(read_table(path, columns).replace_schema_metadata(None), encoded) for path in part_paths(folder)]
    if not tables:
        empty = schema.empty_table()
        return _encode(empty.select(columns) if columns else empty, encoded)
    return pa.concat_tables(tables).unify_dictionaries()


def _encode(table: pa.Table, names: Collection[str]) -> pa.Table:
    for name in names:
        table = table.set_column(table.schema.get_field_index(name), name, table[name].dictionary_encode())
    return table


BATCH_ROWS = 1024


def read_matching(
    place: Path, schema: pa.Schema, column: str, values: Collection[str], columns: list[str] | None = None
) -> pa.Table:
    """Rows of a table (a file, or a folder of parts) whose ``column`` holds one of ``values``, in their order.

    The texts of other rows are not held in memory, however large the table is.

    Raises:
        InputError: a file is absent, truncated or not Parquet.
    """
    wanted = pc.field(column).isin(pa.array(sorted(values), schema.field(column).type))
    found: list[pa.Table] = []
    for path in part_paths(place) if place.is_dir() else [place]:
        if read_table(path, [column]).filter(wanted).num_rows:
            needed = None if columns is None else [*columns, column]
            for batch in pq.ParquetFile(path).iter_batches(BATCH_ROWS, columns=needed):
                found.append(pa.Table.from_batches([batch]).filter(wanted).replace_schema_metadata(None))
    table = pa.concat_tables(found) if found else schema.empty_table()
    return table if columns is None else table.select(columns)
