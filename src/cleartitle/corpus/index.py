"""Which content stands where: a throw-away DuckDB file beside the screened parts, larger than memory if need be."""

import re
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from cleartitle.corpus.documents import ORIGIN
from cleartitle.corpus.screen import SCREENED
from cleartitle.files import atomic_path
from cleartitle.tables import part_paths, read_table

__all__ = ["FIRSTS", "build_index", "firsts_of", "occurrences_of", "shard_numbers"]

_NARROW = ["kind", "swhid", *(field.name for field in ORIGIN), "reuse_count", "is_vendored"]
FIRSTS = pa.schema([("row", pa.int64())])


def shard_numbers(folder: Path) -> list[int]:
    """The numbers of the committed parts."""
    return [int(re.sub(r"\D", "", path.name)) for path in part_paths(folder)]


def build_index(documents: Path, path: Path) -> None:
    """Order all occurrences by the place where their content comes first (``home``, ``home_row``).

    An occurrence that is listed twice (same content, project, version, path and source) is kept once.
    """
    with atomic_path(path) as temporary:
        connection = duckdb.connect(str(temporary))
        try:
            _settings(connection, path.parent)
            _load(connection, documents)
            connection.execute(
                """
                CREATE TABLE occurrences AS
                WITH once AS (
                    SELECT * FROM documents
                    QUALIFY row_number() OVER (
                        PARTITION BY swhid, project, version, path, source, url, revision ORDER BY shard, row) = 1
                ), places AS (
                    SELECT swhid, min(shard * 4294967296 + row) AS place, count(DISTINCT project) AS projects
                    FROM once GROUP BY swhid
                )
                SELECT place // 4294967296 AS home, place % 4294967296 AS home_row,
                       once.* EXCLUDE (reuse_count), coalesce(reuse_count, projects) AS reuse_count
                FROM once JOIN places USING (swhid)
                ORDER BY home, home_row, shard, row
                """
            )
            connection.execute("DROP TABLE documents")
        finally:
            connection.close()
        for debris in path.parent.glob(f"{temporary.name}.wal"):
            debris.unlink()


def _load(connection: duckdb.DuckDBPyConnection, documents: Path) -> None:
    numbered = pa.schema([*(SCREENED.field(name) for name in _NARROW), ("row", pa.int64()), ("shard", pa.int64())])
    connection.register("part", numbered.empty_table())
    connection.execute("CREATE TABLE documents AS SELECT * EXCLUDE (kind) FROM part")
    connection.unregister("part")
    for shard, part in zip(shard_numbers(documents), part_paths(documents), strict=True):
        table = read_table(part, _NARROW)
        rows = pa.array(np.arange(table.num_rows, dtype=np.int64))
        table = table.append_column("row", rows).append_column("shard", pa.array([shard] * table.num_rows, pa.int64()))
        connection.register("part", table)
        connection.execute("INSERT INTO documents SELECT * EXCLUDE (kind) FROM part WHERE kind = 'document'")
        connection.unregister("part")


def firsts_of(index: Path, home: int) -> pa.Table:
    """Rows of the screened part ``home`` whose content comes first there, in order (``FIRSTS``)."""
    return _query(index, "SELECT DISTINCT home_row AS row FROM occurrences WHERE home = ? ORDER BY row", home, FIRSTS)


def occurrences_of(index: Path, home: int, schema: pa.Schema) -> pa.Table:
    """All occurrences of the contents whose home is the part ``home``, contents in order, with ``schema``."""
    columns = ", ".join(schema.names)
    query = f"SELECT {columns} FROM occurrences WHERE home = ? ORDER BY home_row, shard, row"
    return _query(index, query, home, schema)


def _query(index: Path, query: str, home: int, schema: pa.Schema) -> pa.Table:
    connection = duckdb.connect(str(index), read_only=True)
    try:
        _settings(connection, index.parent)
        return connection.sql(query, params=[home]).to_arrow_table().cast(schema)
    finally:
        connection.close()


def _settings(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET memory_limit = '2GB'")
    connection.execute("SET temp_directory = ?", [str(folder)])
