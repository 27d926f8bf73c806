"""Data sets in JSON lines and Parquet, with the columns that published code data sets have."""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from cleartitle.corpus.documents import Load, Piece, Skipped, Source, raw_table
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.columns import Columns, recognize
from cleartitle.corpus.readers.rows import document_of
from cleartitle.corpus.text import printable
from cleartitle.errors import InputError
from cleartitle.files import atomic_path, sha256_file

__all__ = ["load_lines", "load_rows", "plan_jsonl", "plan_parquet"]

_LONGEST_LINE = 64 * 2**20
_RATIO = 200
_SMALL_ENOUGH = 2**30
_BROKEN = (OSError, EOFError, zlib.error, zstandard.ZstdError)


def plan_jsonl(path: Path, options: CorpusOptions) -> Source:
    """A JSON lines file, plain or compressed (gzip, Zstandard); its columns are taken from its first rows.

    Raises:
        InputError: absent, not a single JSON object in the first rows, or no column with the content.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    names: dict[str, None] = {}
    try:
        with _opened(path) as stream:
            for _ in range(100):
                row = _object(_line(stream))
                names |= dict.fromkeys(row) if isinstance(row, dict) else {}
    except _BROKEN:
        pass  # What stands before the damage is read below, and the damage gets its line there.
    if not names:
        raise InputError(f"{path}: no JSON object in its first lines; mend: one JSON object a line")
    columns = recognize(names, options.column_overrides(), path.name)
    digest = sha256_file(path)
    record: dict[str, object] = {"spec": f"jsonl:{path}", "kind": "jsonl", "file": path.name, "sha256": digest}
    record["columns"] = {"data_set": columns.data_set, **columns.roles}
    source = Source(record, f"jsonl {digest}", lambda _: [], notes=[_note(path, columns, options)])
    source.prepare = partial(_prepare_lines, path, digest, columns, options, source.skipped)
    return source


def plan_parquet(path: Path, options: CorpusOptions) -> Source:
    """A Parquet file, read by row group with only the columns that are needed.

    Raises:
        InputError: absent, truncated, or no column with the content.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        with pq.ParquetFile(path) as file:
            names = list(file.schema_arrow.names)
            groups = [_group(file.metadata.row_group(number)) for number in range(file.metadata.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: not a whole Parquet file ({reason}); mend: download it again") from None
    columns = recognize(names, options.column_overrides(), path.name)
    digest = sha256_file(path)
    record: dict[str, object] = {"spec": f"parquet:{path}", "kind": "parquet", "file": path.name, "sha256": digest}
    record["columns"] = {"data_set": columns.data_set, **columns.roles}
    loads: list[Load] = []
    for group, first, last in _ranges(groups, options):
        load = partial(load_rows, path, group, first, last, columns, options)
        loads.append((f"parquet {digest} {group} {first}-{last}", load))
    return Source(record, f"parquet {digest}", lambda _: loads, notes=[_note(path, columns, options)])


def load_lines(path: Path, label: str, start: int, end: int, columns: Columns, options: CorpusOptions) -> pa.Table:
    """The JSON lines that begin in the byte range ``[start, end)`` as a table."""
    return raw_table(_lines(path, label, start, end, columns, options))


def load_rows(path: Path, group: int, first: int, last: int, columns: Columns, options: CorpusOptions) -> pa.Table:
    """Rows ``[first, last)`` of a row group as a table; a damaged row group is one line."""
    return raw_table(_rows(path, group, first, last, columns, options))


def _lines(path: Path, label: str, start: int, end: int, columns: Columns, options: CorpusOptions) -> Iterator[Piece]:
    with path.open("rb") as stream:
        if start:
            stream.seek(start - 1)
            _line(stream)
        while (place := stream.tell()) < end:
            line = _line(stream)
            shown = f"row at byte {place}"
            if line is None:
                yield Skipped("row", f"{label}: {shown}: longer than {_LONGEST_LINE} bytes")
            elif line.strip():
                row = _object(line)
                if isinstance(row, str):
                    yield Skipped("row", f"{label}: {shown}: {row}")
                else:
                    yield document_of(row, columns, "jsonl", label, shown, options.languages[0])


def _rows(path: Path, group: int, first: int, last: int, columns: Columns, options: CorpusOptions) -> Iterator[Piece]:
    place = 0
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            for batch in file.iter_batches(batch_size=256, row_groups=[group], columns=columns.names()):
                start, place = place, place + batch.num_rows
                if place <= first or start >= last:
                    continue
                for number, row in enumerate(batch.to_pylist(), start):
                    if first <= number < last:
                        shown = f"row {number} of group {group}"
                        yield document_of(row, columns, "parquet", path.name, shown, options.languages[0])
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        yield Skipped("damaged", f"{path.name}: row group {group}: damaged ({reason}); mend: download it again")


def _prepare_lines(
    path: Path, digest: str, columns: Columns, options: CorpusOptions, skipped: list[Skipped], spool: Path
) -> list[Load]:
    """Byte ranges of the plain file; a compressed one is unpacked once, because it cannot be read from its middle."""
    label = path.name
    if path.suffix in (".gz", ".zst"):
        plain = spool / f"{digest}.jsonl"
        damage = spool / f"{digest}.damage"
        if not plain.exists():
            damage.unlink(missing_ok=True)
            with atomic_path(plain) as temporary:
                if reason := _unpack(path, temporary):
                    damage.write_text(reason, encoding="utf-8")
        if damage.exists():
            skipped.append(Skipped("damaged", f"{path}: {damage.read_text(encoding='utf-8')}"))
        path = plain
    size = _end_of_rows(path, options.max_rows) if options.max_rows else path.stat().st_size
    loads: list[Load] = []
    for start in range(0, size, options.shard_bytes):
        end = min(start + options.shard_bytes, size)
        load = partial(load_lines, path, label, start, end, columns, options)
        loads.append((f"jsonl {digest} {start}-{end}", load))
    return loads


def _unpack(path: Path, target: Path) -> str | None:
    """Unpack as far as it goes; the reason if that is not to the end."""
    most = max(_SMALL_ENOUGH, _RATIO * path.stat().st_size)
    written = 0
    with target.open("wb") as out:
        try:
            with _opened(path) as stream:
                while block := stream.read1(2**16):
                    written += len(block)
                    if written > most:
                        return f"expands to more than {_RATIO} times its size; the rest was left out"
                    out.write(block)
        except _BROKEN as error:
            return f"damaged after {written} bytes ({error}); the rest was left out; mend: download it again"
    return None


def _end_of_rows(path: Path, rows: int) -> int:
    with path.open("rb") as stream:
        for _ in range(rows):
            _line(stream)
        return stream.tell()


def _opened(path: Path) -> io.BufferedReader:
    if path.suffix == ".gz":
        return cast(io.BufferedReader, gzip.open(path, "rb"))
    if path.suffix == ".zst":
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(
            path.open("rb"), read_across_frames=True
        )
        return io.BufferedReader(cast(io.RawIOBase, reader), 2**20)
    return path.open("rb")


def _line(stream: IO[bytes]) -> bytes | None:
    """The next line, or None (and past it) if it is longer than is believable for a row."""
    line = stream.readline(_LONGEST_LINE)
    if len(line) < _LONGEST_LINE or line.endswith(b"\n"):
        return line
    while (rest := stream.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass
    return None


def _object(line: bytes | None) -> dict[str, Any] | str:
    """The JSON object of a line, or what is wrong with it."""
    try:
        row = json.loads(line or b"")
    except (ValueError, RecursionError) as error:
        return f"not JSON ({printable(str(error), 120)})"
    return cast(dict[str, Any], row) if isinstance(row, dict) else f"no JSON object but {type(row).__name__}"


def _group(group: Any) -> tuple[int, int]:
    return group.num_rows, group.total_byte_size


def _ranges(groups: list[tuple[int, int]], options: CorpusOptions) -> Iterator[tuple[int, int, int]]:
    """Row group, first row, last row (exclusive) of each shard."""
    left = options.max_rows or sum(rows for rows, _ in groups)
    for group, (rows, size) in enumerate(groups):
        wanted = min(rows, left)
        left -= wanted
        pieces = max(-(-rows // options.shard_files), -(-size // options.shard_bytes), 1)
        step = max(1, -(-rows // pieces))
        for first in range(0, wanted, step):
            yield group, first, min(first + step, wanted)


def _note(path: Path, columns: Columns, options: CorpusOptions) -> str:
    line = f"{path.name}: {columns.line()}"
    if not {"path", "language"} & set(columns.roles):
        line += f"; language taken as {options.languages[0]}"
    return line
