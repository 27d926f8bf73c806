"""What a corpus holds, counted with DuckDB on its Parquet files."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.dataset as pads

from cleartitle.corpus.schema import CONTENTS, OCCURRENCES, SCHEMA_VERSION
from cleartitle.errors import InputError
from cleartitle.files import read_json
from cleartitle.options import as_record
from cleartitle.tables import part_paths

__all__ = ["CorpusInfo", "info"]


@dataclass(frozen=True)
class CorpusInfo:
    """Counts of a corpus. Licenses, classes and trust grades are counted by occurrence, languages by content.

    ``duplicates`` are the occurrences beyond the first of each content. ``conflicts`` lists the commonest conflicts
    with their number and one example; ``skipped`` holds count and example lines of what was left out, by reason.
    """

    contents: int
    occurrences: int
    projects: int
    bytes: int
    duplicates: int
    vendored: int
    languages: dict[str, int]
    licenses: dict[str, int]
    classes: dict[str, int]
    trust: dict[str, int]
    conflicts: list[dict[str, Any]]
    skipped: dict[str, Any]
    sources: list[dict[str, Any]] = field(repr=False)
    up_to_date: bool = False
    """Whether a build found that there was nothing to do."""

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return as_record(self)


def read_record(path: Path) -> dict[str, Any]:
    """``corpus.json`` of a corpus folder.

    Raises:
        InputError: no corpus, an unfinished one, or one of another version.
    """
    if not (path / "corpus.json").is_file():
        started = (path / ".staging").is_dir()
        mend = "its build was interrupted; run the same build again" if started else "build one with corpus build"
        raise InputError(f"{path}: not a finished corpus; mend: {mend}")
    record = read_json(path / "corpus.json")
    if not isinstance(record, dict) or record.get("schema_version") != SCHEMA_VERSION:
        raise InputError(f"{path}: made by another version of the corpus schema; mend: build it again")
    return record


def info(path: Path, top: int = 10) -> CorpusInfo:
    """Count what the corpus in the folder ``path`` holds; ``top`` bounds the list of conflicts.

    Raises:
        InputError: not a finished corpus, or a part of it is missing or damaged.
    """
    path = Path(path)
    record = read_record(path)
    connection = duckdb.connect()
    try:
        connection.register("contents", _data_set(path / "contents", CONTENTS))
        connection.register("occurrences", _data_set(path / "occurrences", OCCURRENCES))

        def counts(column: str, table: str = "occurrences") -> dict[str, int]:
            query = f"SELECT coalesce({column}, 'unknown'), count(*) FROM {table} GROUP BY 1 ORDER BY 2 DESC, 1"
            return {str(name): int(number) for name, number in connection.execute(query).fetchall()}

        contents, size = connection.execute("SELECT count(*), coalesce(sum(size_bytes), 0) FROM contents").fetchall()[0]
        occurrences, projects, vendored = connection.execute(
            "SELECT count(*), count(DISTINCT project), count(*) FILTER (is_vendored) FROM occurrences"
        ).fetchall()[0]
        conflicts = connection.execute(
            """SELECT conflict, count(*) AS number, min(project || ': ' || path) FROM occurrences
            WHERE conflict IS NOT NULL GROUP BY conflict ORDER BY number DESC, conflict LIMIT ?""",
            [top],
        ).fetchall()
        return CorpusInfo(
            contents=contents,
            occurrences=occurrences,
            projects=projects,
            bytes=int(size),
            duplicates=occurrences - contents,
            vendored=vendored,
            languages=counts("language", "contents"),
            licenses=counts("license"),
            classes=counts("license_class"),
            trust=counts("trust"),
            conflicts=[{"conflict": text, "files": number, "example": example} for text, number, example in conflicts],
            skipped=record["skipped"],
            sources=record["sources"],
        )
    except duckdb.Error as error:
        raise InputError(f"{path}: damaged corpus ({str(error).splitlines()[0]}); mend: build it again") from None
    finally:
        connection.close()


def _data_set(folder: Path, schema: Any) -> pads.Dataset:
    return pads.dataset([str(path) for path in part_paths(folder)], schema=schema, format="parquet")
