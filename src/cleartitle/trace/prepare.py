"""From works to fingerprints: the part of an index build that runs on all cores."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from cleartitle.corpus import Corpus
from cleartitle.jobs import Shard
from cleartitle.tables import part_paths, table_of
from cleartitle.trace.schema import LONG_LINE, PREPARED
from cleartitle.trace.words import CHANNELS, SYNC, WordStream, fingerprints, line_starts, word_stream

__all__ = ["BLOCK", "prepare", "prepare_shards"]

BLOCK = 1 << 15
"""Bytes of text that are compressed together: enough to compress well, little enough to unpack for one match."""

LEVEL = 4
"""Of zstd: the knee between size and speed on source code."""


def prepare_shards(corpus: Corpus) -> list[Shard]:
    """Shards of a corpus for ``prepare``, one a part."""
    return [
        Shard(number, partial(load_texts, path)) for number, path in enumerate(part_paths(corpus.path / "contents"))
    ]


def load_texts(part: Path) -> pa.Table:
    """Id, language and text of each content of a part."""
    return pq.ParquetFile(part).read(columns=["swhid", "language", "text"])


def prepare(works: pa.Table, *, with_texts: bool = True) -> pa.Table:
    """Fingerprint and compress works; the result has the rows of ``works`` in their order (``PREPARED``)."""
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    rows: list[dict[str, Any]] = []
    block: list[bytes] = []
    first = 0

    def close() -> None:
        nonlocal first
        if block and with_texts:
            rows[first]["block"] = compressor.compress(b"".join(block))
        block.clear()
        first = len(rows)

    size = 0
    for batch in works.to_batches(max_chunksize=256):
        for swhid, language, text in zip(
            *(batch.column(name).to_pylist() for name in ("swhid", "language", "text")), strict=True
        ):
            data = text.encode("utf-8", "surrogatepass")
            if size and size + len(data) > BLOCK:
                close()
                size = 0
            words = word_stream(data)
            row: dict[str, Any] = {"swhid": swhid, "language": language, "size": len(data), "words": len(words)}
            row["syncs"] = words.starts[::SYNC].astype("<u4", copy=False).tobytes()
            row["lines"] = b"" if with_texts else _words_of_lines(words, data)
            for channel in CHANNELS:
                keys, positions = fingerprints(words, channel)
                row[f"{channel.name}_keys"] = keys.astype("<u8", copy=False).tobytes()
                row[f"{channel.name}_positions"] = positions.astype("<u4", copy=False).tobytes()
            rows.append({**row, "block": None})
            block.append(data)
            size += len(data)
    close()
    return table_of(rows, PREPARED)


def _words_of_lines(words: WordStream, text: bytes) -> bytes:
    starts = line_starts(text)
    counts = np.bincount(np.searchsorted(starts, words.starts, side="right"), minlength=len(starts) + 1)
    coded = np.full(int((counts // LONG_LINE + 1).sum()), LONG_LINE, np.uint8)
    coded[np.cumsum(counts // LONG_LINE + 1) - 1] = counts % LONG_LINE
    return coded.tobytes()
