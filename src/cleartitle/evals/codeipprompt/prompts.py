"""The prompts of CodeIPPrompt at rest: one schema, one folder, one way to open it."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cleartitle.errors import InputError
from cleartitle.files import read_json
from cleartitle.tables import read_table

__all__ = ["LANGUAGES", "PROMPTS", "REPORTED_APART", "Mode", "PromptSet", "even_quotas"]

Mode = Literal["paper", "corrected"]

SCHEMA_VERSION = 1
ROW_GROUP = 256
LANGUAGES = ("python", "c", "cpp", "csharp", "java")
"""The five languages of section 4.1."""

REPORTED_APART = ("public_domain",)
"""Classes whose reproduction is no infringement (section 2): prompts are kept, their figures stand apart."""

PROMPTS = pa.schema(
    [
        # swh:1:cnt:…;lines=12-14, the lines of the prompt
        ("prompt_id", pa.string()),
        # What a model is asked to continue: comment and signature, scrubbed, line ends "\n".
        ("text", pa.large_string()),
        # function | class
        ("kind", pa.string()),
        ("name", pa.string()),
        # One of LANGUAGES.
        ("language", pa.string()),
        # SPDX expression and its class; classes in REPORTED_APART never count as infringement.
        ("license", pa.string()),
        ("license_class", pa.string()),
        # header | declaration: what the license was read from
        ("license_source", pa.string()),
        ("trust", pa.string()),
        ("project", pa.string()),
        ("version", pa.string()),
        ("path", pa.string()),
        ("url", pa.string()),
        # swh:1:cnt:… of the file as it was found, before scrubbing
        ("content_id", pa.string()),
        # Lines of ``source``, 1-based and inclusive.
        ("prompt_first_line", pa.int32()),
        ("prompt_last_line", pa.int32()),
        # The whole function or class with its comment; null where no parsed definition starts at the prompt.
        ("unit_first_line", pa.int32()),
        ("unit_last_line", pa.int32()),
        # The whole file, scrubbed: the reference that generations are scored against.
        ("source", pa.large_string()),
        # Counted with the regex tokenizer of the edit similarity.
        ("prompt_tokens", pa.int32()),
        ("unit_tokens", pa.int32()),
        ("source_tokens", pa.int32()),
        # Items that were replaced by placeholders.
        ("prompt_scrubbed", pa.int32()),
        ("source_scrubbed", pa.int32()),
        # paper | corrected
        ("mode", pa.string()),
    ]
)
"""One prompt of CodeIPPrompt (section 4.1) with the file that it was taken from."""


@dataclass(frozen=True)
class PromptSet:
    """A finished prompt set: a folder with ``prompts.parquet`` (`PROMPTS`) and ``prompt_set.json`` (``record``)."""

    path: Path
    record: dict[str, Any]

    @classmethod
    def open(cls, path: str | Path) -> "PromptSet":
        """Open a folder of prompts.

        Raises:
            InputError: it is not one, it was made by another version, or its table is not the one of its record.
        """
        path = Path(path)
        table = path / "prompts.parquet"
        if not table.is_file():
            raise InputError(f"{path}: holds no prompts; mend: `cleartitle prompts build CORPUS -o {path}`")
        record = read_json(path / "prompt_set.json")
        found = cls(path, record)
        try:
            schema = pq.read_schema(table).remove_metadata()
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(f"{table}: not a whole Parquet file ({str(error).splitlines()[0]})") from None
        if record.get("schema") != SCHEMA_VERSION or not schema.equals(PROMPTS):
            raise InputError(f"{path}: made by another version; mend: build the prompts again")
        if record.get("content_hash") != content_hash(found.batches(("prompt_id", "text", "license", "content_id"))):
            raise InputError(f"{table}: not the table that prompt_set.json describes; mend: build the prompts again")
        return found

    @property
    def content_hash(self) -> str:
        """16 hexadecimal digits over ids, prompts, licenses and contents, in order."""
        return self.record["content_hash"]

    @property
    def mode(self) -> Mode:
        """How the prompts were cut."""
        return self.record["options"]["mode"]

    def __len__(self) -> int:
        return self.record["prompts"]

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows; leave ``source`` out of ``columns`` where it is not needed, it is nearly all of the data."""
        names = PROMPTS.names if columns is None else list(columns)
        return read_table(self.path / "prompts.parquet", names).replace_schema_metadata(None)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """All rows in batches of at most 256, so that memory stays bounded."""
        names = PROMPTS.names if columns is None else list(columns)
        with pq.ParquetFile(self.path / "prompts.parquet") as file:
            for batch in file.iter_batches(batch_size=ROW_GROUP, columns=names):
                yield batch.replace_schema_metadata(None)

    def sample(self, limit: int, seed: int, columns: Sequence[str] | None = None) -> pa.Table:
        """At most ``limit`` rows, evenly over the cells of license class and language, drawn by seed; 0 for all.

        The rows keep their order. A cell with too few rows leaves its part to the others.
        """
        cells = self.table(("license_class", "language"))
        keys = list(zip(*(cells[name].to_pylist() for name in ("license_class", "language")), strict=True))
        members: dict[tuple[str, str], list[int]] = {}
        for row, key in enumerate(keys):
            members.setdefault(key, []).append(row)
        quota = even_quotas({key: len(rows) for key, rows in members.items()}, limit)
        generator = np.random.default_rng(seed)
        chosen = sorted(
            row for key in sorted(members) for row in generator.permutation(members[key])[: quota[key]].tolist()
        )
        return self._take(chosen, columns)

    def _take(self, rows: Sequence[int], columns: Sequence[str] | None) -> pa.Table:
        """The rows with these numbers, in ascending order, a batch at a time: sources are large."""
        taken: list[pa.RecordBatch] = []
        first = 0
        for batch in self.batches(columns):
            here = [row - first for row in rows[bisect_left(rows, first) : bisect_left(rows, first + batch.num_rows)]]
            taken.append(batch.take(pa.array(here, pa.int64())))
            first += batch.num_rows
        return pa.Table.from_batches(taken)


def even_quotas(sizes: dict[tuple[str, str], int], limit: int) -> dict[tuple[str, str], int]:
    """How many of each cell, as even as the sizes allow, to reach ``limit`` in all (0 or too many: everything).

    What small cells cannot give is shared by the others; a rest that cannot be shared goes to the first by name.
    """
    if limit <= 0 or limit >= sum(sizes.values()):
        return dict(sizes)
    quota = dict.fromkeys(sizes, 0)
    left = limit
    open_cells = sorted(key for key in sizes if sizes[key])
    while left:
        each = left // len(open_cells)
        # Less than one for each: the first ones get it.
        for key in open_cells if each else open_cells[:left]:
            given = min(each or 1, sizes[key] - quota[key])
            quota[key] += given
            left -= given
        open_cells = [key for key in open_cells if quota[key] < sizes[key]]
    return quota


def content_hash(batches: Iterator[pa.RecordBatch]) -> str:
    """16 hexadecimal digits over ``prompt_id``, ``text``, ``license`` and ``content_id``, in order."""
    digest = hashlib.sha256()
    for batch in batches:
        columns = [batch[name].to_pylist() for name in ("prompt_id", "text", "license", "content_id")]
        for row in zip(*columns, strict=True):
            for value in row:
                data = value.encode()
                digest.update(len(data).to_bytes(8, "little"))
                digest.update(data)
    return digest.hexdigest()[:16]
