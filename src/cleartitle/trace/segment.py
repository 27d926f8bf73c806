"""One segment, memory-mapped: candidates by shared fingerprints, texts, origins."""

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import zstandard

from cleartitle.errors import InputError
from cleartitle.files import cache_dir, read_json, sha256_file, write_json
from cleartitle.trace.channel_file import ChannelReader, map_array
from cleartitle.trace.schema import DOCUMENTS, FORMAT, LONG_LINE, ORIGINS
from cleartitle.trace.words import CHANNELS, SYNC, Channel, WordStream, word_stream

__all__ = ["Hits", "Segment", "check_files"]

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]

PLACES = ("words", "block_start", "block_size", "offset", "size", "first_sync", "first_line", "first_origin", "origins")

HELD_BLOCKS = 64
"""Unpacked blocks that a segment keeps: 4 MB."""


@dataclass(frozen=True)
class Hits:
    """Postings of the runs of a query: which run, which document, at which of its words."""

    grams: I64
    documents: I64
    words: I64
    projects: I64


class Segment:
    """A segment of an index, open for reading."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record: dict[str, Any] = read_json(folder / "segment.json")
        if self.record.get("format") != FORMAT:
            raise InputError(
                f"{folder}: segment format {self.record.get('format')}, this version reads {FORMAT}; "
                "mend: build the index again"
            )
        check_files(folder, self.record["files"])
        self.documents = _mapped(folder / "documents.arrow", DOCUMENTS)
        self.origins = _mapped(folder / "origins.arrow", ORIGINS)
        self.has_texts: bool = self.record["texts"]
        self.first_words: U64 = self.documents["first_word"].to_numpy()
        self.projects: U32 = self.documents["project"].to_numpy()
        self.places = {name: self.documents[name].to_numpy() for name in PLACES}
        self.channels = {
            channel.name: ChannelReader(folder, channel.name, self.record["channels"][channel.name])
            for channel in CHANNELS
        }
        self._syncs: U32 = map_array(folder / "syncs.u32", "<u4")
        self._lines: npt.NDArray[np.uint8] = map_array(folder / "lines.u8", "u1")
        self._texts: npt.NDArray[np.uint8] = map_array(folder / "texts.zst", "u1")
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def hits(self, keys: U64, channel: Channel) -> Hits:
        """All postings of the keys; ``grams`` are positions in ``keys``."""
        reader = self.channels[channel.name]
        starts, lengths = reader.look_up(keys)
        grams = np.repeat(np.arange(len(keys)), lengths)
        ends = np.cumsum(lengths, dtype=np.int64)
        shifts = np.repeat(starts.astype(np.int64) - (ends - lengths), lengths)
        places = np.arange(len(shifts)) + shifts
        words = reader.words[places].astype(np.int64)
        documents = np.searchsorted(self.first_words, words.astype(np.uint64), side="right").astype(np.int64) - 1
        return Hits(
            grams,
            documents,
            words - self.first_words[documents].astype(np.int64),
            self.projects[documents].astype(np.int64),
        )

    def text(self, document: int) -> bytes:
        """The stored text of a document, as UTF-8.

        Raises:
            InputError: a damaged store.
        """
        block = self._block(int(self.places["block_start"][document]), int(self.places["block_size"][document]))
        offset = int(self.places["offset"][document])
        return block[offset : offset + int(self.places["size"][document])]

    def _block(self, start: int, size: int) -> bytes:
        with self._lock:
            if (held := self._blocks.get(start)) is not None:
                self._blocks.move_to_end(start)
                return held
        # Unpacked outside the lock: two threads may do the same work, neither waits for the other.
        try:
            block = zstandard.ZstdDecompressor().decompress(self._texts[start : start + size].tobytes())
        except zstandard.ZstdError as error:
            raise InputError(f"{self.folder / 'texts.zst'}: damaged ({error}); mend: build the index again") from None
        with self._lock:
            self._blocks[start] = block
            while len(self._blocks) > HELD_BLOCKS:
                self._blocks.popitem(last=False)
        return block

    def words_near(self, document: int, text: bytes, first: int, last: int) -> tuple[WordStream, int]:
        """The words of a document around those from ``first`` to ``last``, and the number of the first of them."""
        start = max(0, first) // SYNC
        end = last // SYNC + 1
        base = int(self.places["first_sync"][document])
        count = -(-int(self.places["words"][document]) // SYNC)
        start_byte = int(self._syncs[base + start]) if start > 0 else 0
        end_byte = int(self._syncs[base + end]) if end < count else len(text)
        words = word_stream(text[start_byte:end_byte])
        if start_byte:
            offset = np.uint32(start_byte)
            words = WordStream(words.starts + offset, words.ends + offset, words.exact, words.blind)
        return words, start * SYNC

    def coded_lines(self, document: int) -> npt.NDArray[np.uint8]:
        """Words of each line, as they are stored in an index without texts."""
        starts = self.places["first_line"]
        end = int(starts[document + 1]) if document + 1 < len(starts) else len(self._lines)
        return self._lines[int(starts[document]) : end]

    def line_words(self, document: int) -> I64:
        """Numbers of the words at which the second and each further line starts, in an index without texts."""
        coded = self.coded_lines(document)
        return np.cumsum(coded, dtype=np.int64)[coded < LONG_LINE][:-1]

    def blocks_of(self, documents: npt.NDArray[np.int64]) -> tuple[list[bytes], U32]:
        """The compressed blocks that hold the texts of some documents, and which of them holds each."""
        if not len(self._texts) or not len(documents):
            return [], np.zeros(len(documents), np.uint32)
        starts, first, inverse = np.unique(
            self.places["block_start"][documents], return_index=True, return_inverse=True
        )
        sizes = self.places["block_size"][documents][first]
        blocks = [
            self._texts[int(start) : int(start) + int(size)].tobytes()
            for start, size in zip(starts, sizes, strict=True)
        ]
        return blocks, inverse.astype(np.uint32)

    def syncs_of(self, document: int) -> U32:
        """Byte offsets of every ``SYNC``-th word of a document."""
        first = int(self.places["first_sync"][document])
        return self._syncs[first : first - (-int(self.places["words"][document]) // SYNC)]

    def origins_of(self, document: int) -> list[dict[str, Any]]:
        """The places where a document was found."""
        first = int(self.places["first_origin"][document])
        return self.origins.slice(first, int(self.places["origins"][document])).to_pylist()

    def swhid(self, document: int) -> str:
        """Content id of a document."""
        return self.documents["swhid"][document].as_py()

    def language(self, document: int) -> str:
        """Language of a document."""
        return self.documents["language"][document].as_py()


def check_files(folder: Path, files: dict[str, dict[str, Any]], *, whole: bool = False) -> None:
    """Check the files of a segment against their sizes and hashes.

    A file that was hashed before and has not changed since, by size and time, is not hashed again unless ``whole``.

    Raises:
        InputError: a file is absent, cut short or changed; the line names it.
    """
    memory = cache_dir("index-checks") / f"{folder.name}.json"
    seen: dict[str, Any] = {}
    if memory.is_file() and not whole:
        try:
            seen = json.loads(memory.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            seen = {}
    stamps: dict[str, Any] = {}
    mend = "mend: build or pull the index again"
    for name, record in files.items():
        path = folder / name
        try:
            state = path.stat()
        except OSError:
            raise InputError(f"{path}: absent; {mend}") from None
        if state.st_size != record["size"]:
            raise InputError(f"{path}: {state.st_size} bytes where {record['size']} were written; {mend}")
        stamp = [str(path.resolve()), state.st_mtime_ns, state.st_ino, record["sha256"]]
        if seen.get(name) != stamp and sha256_file(path) != record["sha256"]:
            raise InputError(f"{path}: does not have the content that was written; {mend}")
        stamps[name] = stamp
    if stamps != seen:
        write_json(memory, stamps)


def _mapped(path: Path, schema: pa.Schema) -> pa.Table:
    try:
        table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: damaged ({str(error).splitlines()[0]}); mend: build the index again") from None
    if table.schema != schema:
        raise InputError(f"{path}: other columns than this version reads; mend: build the index again")
    return table
