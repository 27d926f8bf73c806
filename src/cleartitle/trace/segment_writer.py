"""Write one segment: documents and origins in order, postings by an external distribution sort."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cleartitle import _native
from cleartitle.files import sha256_file, write_json
from cleartitle.progress import progress
from cleartitle.trace.channel_file import Before, ChannelWriter, Postings
from cleartitle.trace.schema import DOCUMENTS, FORMAT, ORIGINS
from cleartitle.trace.words import CHANNELS, SYNC

__all__ = ["Chunk", "seal_segment", "write_segment"]

BUCKET_POSTINGS = 1 << 23
"""Postings sorted at once; about 200 MB with what sorting needs."""

MAX_WORDS = (1 << 32) - 1
"""Words of a segment: a posting holds a word position in 32 bits."""

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Chunk:
    """Documents on their way into a segment, with their origins in the same order.

    ``blocks`` are compressed runs of texts; ``block_of`` and ``offsets`` say in which and at which byte of it the text
    of each document stands (``blocks`` is empty in an index without texts).
    """

    swhids: pa.ChunkedArray
    languages: pa.ChunkedArray
    sizes: U32
    words: U32
    syncs: U32
    lines: bytes
    line_counts: U32  # bytes of ``lines`` of each document
    blocks: list[bytes]
    block_of: U32
    offsets: U32
    origins: pa.Table
    origin_counts: U32


def write_segment(
    folder: Path,
    chunks: Iterable[Chunk],
    postings: Callable[[str], Iterable[Iterable[tuple[U64, U32]]]],
    total: int,
    *,
    cap_share: float,
    cap_least: int,
    before: Mapping[str, Before] | None = None,
) -> dict[str, Any]:
    """Write the files of a segment into ``folder`` and return its record.

    ``postings`` gives of each of the ``total`` chunks the keys of a channel, with word positions from the first word of
    the chunk.
    A key in more documents than ``max(cap_least, cap_share * documents)`` is common: it is counted, but no longer
    leads anywhere. ``before`` is what earlier segments knew of the same postings.

    Raises:
        ValueError: more than 2^32 - 1 words.
    """
    documents, bases = _write_documents(folder, chunks, total)
    starts = documents["first_word"].to_numpy().astype(np.uint64)
    cap = max(cap_least, int(len(starts) * cap_share))
    channels: dict[str, Any] = {}
    for channel in CHANNELS:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".sort-") as temporary:
            buckets = _Buckets(Path(temporary), int(documents["words"].to_numpy().sum()) * 2 // (channel.w + 1))
            with progress(f"gather postings ({channel.name})", total, "part") as advance:
                for base, parts in zip(bases, postings(channel.name), strict=True):
                    for keys, words in parts:
                        buckets.add(keys, words + np.uint32(base))
                    advance(1)
            known = before[channel.name] if before else None
            writer = ChannelWriter(folder, channel.name, postings=buckets.count, before=known, starts=starts, cap=cap)
            channels[channel.name] = writer.write(buckets.sorted(channel.name))
    return {
        "format": FORMAT,
        "documents": len(starts),
        "origins": int(documents["origins"].to_numpy().sum()),
        "words": int(documents["words"].to_numpy().sum(dtype=np.uint64)),
        "source_bytes": int(documents["size"].to_numpy().sum(dtype=np.uint64)),
        "cap": cap,
        "channels": channels,
    }


def seal_segment(folder: Path, record: dict[str, Any]) -> None:
    """Write ``segment.json``, which names every file with its size and hash."""
    files = {
        path.name: {"size": path.stat().st_size, "sha256": sha256_file(path)}
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != "segment.json"
    }
    write_json(folder / "segment.json", {**record, "files": files})


def _write_documents(folder: Path, chunks: Iterable[Chunk], total: int) -> tuple[pa.Table, list[int]]:
    tables: list[pa.Table] = []
    bases: list[int] = []
    projects: dict[str, int] = {}
    word = origin = position = sync = line = 0
    with (
        (folder / "texts.zst").open("wb") as texts,
        (folder / "syncs.u32").open("wb") as syncs,
        (folder / "lines.u8").open("wb") as lines,
        pa.OSFile(str(folder / "origins.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, ORIGINS) as origins,
        progress("write documents", total, "part") as advance,
    ):
        for chunk in chunks:
            bases.append(word)
            first_words = word + _starts(chunk.words)
            first_origins = origin + _starts(chunk.origin_counts)
            block_sizes = np.array([len(block) for block in chunk.blocks] or [0], np.uint32)
            starts, sizes = (position + _starts(block_sizes))[chunk.block_of], block_sizes[chunk.block_of]
            position += sum(texts.write(block) for block in chunk.blocks)
            syncs.write(chunk.syncs.tobytes())
            lines.write(chunk.lines)
            first_lines = line + _starts(chunk.line_counts)
            sync_counts = (chunk.words + np.uint32(SYNC - 1)) // np.uint32(SYNC)
            first_syncs = sync + _starts(sync_counts)
            origins.write_table(chunk.origins, max_chunksize=1 << 16)
            names = chunk.origins["project"].take(pa.array(first_origins - origin)).to_pylist()
            numbers = [projects.setdefault(name, len(projects)) for name in names]
            columns: tuple[Any, ...] = (
                chunk.swhids, chunk.languages, first_words, chunk.words, starts, sizes, chunk.offsets, chunk.sizes,
                first_syncs, first_lines, first_origins, chunk.origin_counts, np.array(numbers, np.uint32),
            )  # fmt: skip
            arrays = [
                column.combine_chunks() if isinstance(column, pa.ChunkedArray) else pa.array(column, field.type)
                for column, field in zip(columns, DOCUMENTS, strict=True)
            ]
            tables.append(pa.Table.from_arrays(arrays, schema=DOCUMENTS))
            sync += len(chunk.syncs)
            line += len(chunk.lines)
            word += int(chunk.words.sum(dtype=np.uint64))
            origin += int(chunk.origin_counts.sum(dtype=np.uint64))
            if word > MAX_WORDS:
                raise ValueError("a segment holds at most 2^32 - 1 words; split the corpus")
            advance(1)
    documents = pa.concat_tables(tables) if tables else DOCUMENTS.empty_table()
    with pa.OSFile(str(folder / "documents.arrow"), "wb") as sink, pa.ipc.new_file(sink, DOCUMENTS) as writer:
        writer.write_table(documents.combine_chunks())
    return documents, bases


def _starts(lengths: U32) -> U64:
    ends = np.cumsum(lengths, dtype=np.uint64)
    return ends - lengths


class _Buckets:
    """Postings spread over files by the upper bits of their keys, so that each file can be sorted in memory."""

    def __init__(self, folder: Path, expected: int) -> None:
        self.bits = max(0, (expected // BUCKET_POSTINGS).bit_length())
        self.keys = [folder / f"{number}.keys" for number in range(1 << self.bits)]
        self.words = [folder / f"{number}.words" for number in range(1 << self.bits)]
        self.count = 0

    def add(self, keys: U64, words: U32) -> None:
        """Append to the files."""
        self.count += len(keys)
        if self.bits:
            number = (keys >> np.uint64(64 - self.bits)).astype(np.int64)
            order = np.argsort(number, kind="stable")
            keys, words = keys[order], words[order]
            ends = np.cumsum(np.bincount(number, minlength=len(self.keys)))
        else:
            ends = np.array([len(keys)])
        start = 0
        for path_keys, path_words, end in zip(self.keys, self.words, ends.tolist(), strict=True):
            if end > start:
                with path_keys.open("ab") as stream:
                    stream.write(np.ascontiguousarray(keys[start:end]).data)
                with path_words.open("ab") as stream:
                    stream.write(np.ascontiguousarray(words[start:end]).data)
            start = end

    def sorted(self, name: str) -> Iterator[Postings]:
        """The buckets in the order of their keys, each one sorted."""
        with progress(f"sort postings ({name})", len(self.keys), "bucket") as advance:
            for path_keys, path_words in zip(self.keys, self.words, strict=True):
                if path_keys.exists():
                    keys, words = np.fromfile(path_keys, np.uint64), np.fromfile(path_words, np.uint32)
                    path_keys.unlink()
                    path_words.unlink()
                    _native.sort_pairs(keys, words)
                    yield Postings(keys, words)
                advance(1)
