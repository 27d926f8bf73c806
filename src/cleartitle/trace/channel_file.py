"""The postings of one channel on disk: written bucket by bucket, read through memory maps."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.errors import InputError

__all__ = ["Before", "ChannelReader", "ChannelWriter", "Postings", "key_mask", "map_array"]

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

FILES = {
    "rests": "<u4",  # upper key bits after the bucket number, one a posting, sorted within the bucket
    "words": "<u4",  # word position of each posting in the segment
    "table": "<u8",  # first posting of each bucket, and the end
    "filter": "<u8",  # blocked Bloom filter over all keys, common ones too
    "common": "<u8",  # keys that too many documents hold, sorted
    "documents": "<u4",  # how many hold each of them
}
POSTINGS_PER_BUCKET = 128
FILTER_BITS_PER_KEY = 9
PER_DOCUMENT = 4
"""Postings kept of one key in one document: a table of numbers repeats itself without end."""


@dataclass(frozen=True)
class Postings:
    """Keys (sorted; at least the first ``bits + 32`` bits count) with their word positions, in order within a key."""

    keys: U64
    words: U32


@dataclass(frozen=True)
class Before:
    """What segments that are merged knew of a channel: fewest bits of a bucket number, and the common keys."""

    bits: int
    common: U64
    documents: U32


class ChannelWriter:
    """Writes a channel from buckets of rising keys; memory is bounded by one bucket."""

    def __init__(self, folder: Path, name: str, *, postings: int, before: Before | None, starts: U64, cap: int) -> None:
        self.folder, self.name, self.starts, self.cap, self.before = folder, name, starts, cap, before
        self.bits = before.bits if before else min(28, int(postings / POSTINGS_PER_BUCKET).bit_length())
        self.counts = np.zeros(1 << self.bits, np.uint64)
        blocks = max(1, postings * FILTER_BITS_PER_KEY // 512 + 1)
        self.filter = np.zeros(8 * blocks, np.uint64)
        self.common: list[U64] = []
        self.documents: list[U32] = []
        self.kept = 0

    def write(self, buckets: Iterable[Postings]) -> dict[str, Any]:
        """Write all buckets and return the counts for the record of the segment."""
        drop = np.empty(0, np.uint64)
        if self.before:
            drop = self.before.common
            self.common.append(drop)
            self.documents.append(self.before.documents)
            _native.filter_add(self.filter, drop)
        with self._path("rests").open("wb") as rests, self._path("words").open("wb") as words:
            for bucket in buckets:
                kept = self._select(bucket, drop)
                shift = np.uint64(32 - self.bits)
                rests.write(((kept.keys >> shift) & np.uint64(0xFFFFFFFF)).astype("<u4").tobytes())
                words.write(kept.words.astype("<u4", copy=False).tobytes())
                if len(kept.keys):
                    numbers = (kept.keys >> np.uint64(64 - self.bits)) if self.bits else np.zeros_like(kept.keys)
                    self.counts += np.bincount(numbers.astype(np.int64), minlength=len(self.counts)).astype(np.uint64)
                self.kept += len(kept.keys)
        table = np.zeros(len(self.counts) + 1, np.uint64)
        np.cumsum(self.counts, out=table[1:])
        common = np.concatenate([np.empty(0, np.uint64), *self.common])
        documents = np.concatenate([np.empty(0, np.uint32), *self.documents])
        order = np.argsort(common, kind="stable")
        for name, values in (
            ("table", table),
            ("filter", self.filter),
            ("common", common[order]),
            ("documents", documents[order]),
        ):
            self._path(name).write_bytes(values.astype(FILES[name], copy=False).tobytes())
        return {"bits": self.bits, "postings": self.kept, "common": len(common)}

    def _path(self, name: str) -> Path:
        return self.folder / f"{self.name}.{name}"

    def _select(self, bucket: Postings, drop: U64) -> Postings:
        keys, words = bucket.keys, bucket.words
        if len(drop) and len(keys):
            keys = keys & key_mask(self.bits)
            found = np.searchsorted(drop, keys).clip(max=len(drop) - 1)
            keep = drop[found] != keys
            keys, words = keys[keep], words[keep]
        kept, places, common, documents = _native.select_postings(
            np.ascontiguousarray(keys), np.ascontiguousarray(words), self.starts, int(key_mask(self.bits)),
            self.cap, PER_DOCUMENT, self.filter,
        )  # fmt: skip
        self.common.append(common)
        self.documents.append(documents)
        return Postings(kept, places)


class ChannelReader:
    """One channel of a segment, memory-mapped."""

    def __init__(self, folder: Path, name: str, record: dict[str, Any]) -> None:
        self.bits = int(record["bits"])
        arrays = {file: map_array(folder / f"{name}.{file}", kind) for file, kind in FILES.items()}
        self.rests, self.words, self.table = arrays["rests"], arrays["words"], arrays["table"]
        self.filter, self.common, self.documents = arrays["filter"], arrays["common"], arrays["documents"]
        sound = (
            len(self.rests) == len(self.words) == record["postings"]
            and len(self.table) == (1 << self.bits) + 1
            and len(self.filter) % 8 == 0
            and len(self.common) == len(self.documents)
        )
        if not sound:
            raise InputError(f"{folder}: the files of channel {name} do not fit together; mend: build the index again")

    def look_up(self, keys: U64) -> tuple[U64, U32]:
        """First posting and number of postings of each key."""
        return _native.look_up(keys, self.filter, self.table, self.bits, self.rests)

    def common_documents(self, keys: U64) -> U32:
        """In how many documents each key stands, for common keys; 0 for the others."""
        if not len(self.common):
            return np.zeros(len(keys), np.uint32)
        keys = keys & key_mask(self.bits)
        found = np.searchsorted(self.common, keys).clip(max=len(self.common) - 1)
        return np.where(self.common[found] == keys, self.documents[found], 0).astype(np.uint32)

    def read(self, first: int, last: int) -> Postings:
        """The postings of the buckets from ``first`` up to ``last``, with their keys."""
        start, end = int(self.table[first]), int(self.table[last])
        lengths = np.diff(self.table[first : last + 1].astype(np.int64))
        numbers = np.repeat(np.arange(first, last, dtype=np.uint64), lengths)
        keys = self.rests[start:end].astype(np.uint64) << np.uint64(32 - self.bits)
        if self.bits:
            keys |= numbers << np.uint64(64 - self.bits)
        return Postings(keys, self.words[start:end])

    def buckets(self, size: int) -> Iterator[tuple[int, int]]:
        """Ranges of bucket numbers with about ``size`` postings each."""
        first = 0
        while first < len(self.table) - 1:
            goal = int(self.table[first]) + size
            last = max(first + 1, int(np.searchsorted(self.table, goal, side="right")) - 1)
            yield first, min(last, len(self.table) - 1)
            first = last


def key_mask(bits: int) -> np.uint64:
    """The bits of a key that a channel with ``2**bits`` buckets tells apart."""
    unknown = 32 - bits
    return np.uint64((0xFFFFFFFFFFFFFFFF >> unknown) << unknown)


def map_array(path: Path, kind: str) -> npt.NDArray[Any]:
    """A file of little-endian numbers, mapped into memory."""
    try:
        if path.stat().st_size == 0:
            return np.empty(0, kind)
        # As a plain array: slices of a memmap cost several times as much.
        return np.asarray(np.memmap(path, dtype=kind, mode="r"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error}); mend: build the index again") from None
