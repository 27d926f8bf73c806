"""Merge the segments of an index into one: fewer look-ups, one copy of each content."""

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cleartitle.files import write_json
from cleartitle.jobs import locked
from cleartitle.options import fingerprint
from cleartitle.trace.build import clear, publish, read_manifest
from cleartitle.trace.channel_file import Before, key_mask
from cleartitle.trace.license_store import read_license_texts, write_license_texts
from cleartitle.trace.options import IndexOptions
from cleartitle.trace.schema import ORIGINS
from cleartitle.trace.segment import Segment
from cleartitle.trace.segment_writer import Chunk, seal_segment, write_segment
from cleartitle.trace.words import CHANNELS

__all__ = ["compact"]

READ_POSTINGS = 1 << 22

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]


def compact(path: Path) -> dict[str, Any]:
    """Merge all segments of the index in ``path`` and return its manifest.

    A content that several segments hold is kept once, with all its origins. What was common stays common. Readers
    that are open keep the segments that they have.

    Raises:
        InputError: no index, a damaged one, or another build at work.
    """
    with locked(path):
        manifest = read_manifest(path)
        if len(manifest["segments"]) < 2:
            return manifest
        segments = [Segment(path / "segments" / segment["name"]) for segment in manifest["segments"]]
        options = IndexOptions(**manifest["options"])
        name = fingerprint(options, merged=[segment["name"] for segment in manifest["segments"]])
        building = path / ".work" / name
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        kept, origins = _plan(segments)
        record = write_segment(
            building,
            _chunks(segments, kept, origins),
            partial(_postings, segments, kept),
            len(segments),
            cap_share=options.common_share,
            cap_least=options.common_least,
            before={channel.name: _before(segments, channel.name) for channel in CHANNELS},
        )
        write_license_texts(building, (row for part in segments for row in read_license_texts(part).to_pylist()))
        seal_segment(building, {**record, "texts": options.texts})
        publish(building, path / "segments" / name)
        merged = {
            "name": name,
            **{
                field: [item for segment in manifest["segments"] for item in segment[field]]
                for field in ("holds", "corpora")
            },
        }
        manifest = {**manifest, "segments": [merged]}
        write_json(path / "index.json", manifest)
        clear(path, manifest)
    return manifest


def _plan(segments: list[Segment]) -> tuple[list[npt.NDArray[np.int64]], list[pa.Table]]:
    """Of each segment the documents that stay, and the origins of these, with those of their copies elsewhere."""
    first: dict[str, tuple[int, int]] = {}
    owners: list[tuple[int, int]] = []
    kept: list[npt.NDArray[np.int64]] = []
    for number, segment in enumerate(segments):
        mine: list[int] = []
        for document, swhid in enumerate(segment.documents["swhid"].to_pylist()):
            owner = first.setdefault(swhid, (number, len(mine)))
            owners += [owner] * int(segment.places["origins"][document])
            if owner == (number, len(mine)):
                mine.append(document)
        kept.append(np.array(mine, np.int64))
    everything = pa.concat_tables([segment.origins for segment in segments])
    places = np.array(owners, np.int64).reshape(-1, 2)
    origins: list[pa.Table] = []
    for number in range(len(segments)):
        rows = np.flatnonzero(places[:, 0] == number)
        vendored = everything["is_vendored"].to_numpy()[rows]
        order = rows[np.lexsort((vendored, places[rows, 1]))]
        table = everything.take(pa.array(order))
        origins.append(table.append_column("document", pa.array(places[order, 1])))
    return kept, origins


def _before(segments: list[Segment], channel: str) -> Before:
    readers = [segment.channels[channel] for segment in segments]
    bits = min(reader.bits for reader in readers)
    keys = np.concatenate([reader.common & key_mask(bits) for reader in readers])
    common, inverse = np.unique(keys, return_inverse=True)
    documents = np.bincount(
        inverse, weights=np.concatenate([reader.documents for reader in readers]), minlength=len(common)
    )
    return Before(bits, common, documents.astype(np.uint32))


def _chunks(segments: list[Segment], kept: list[npt.NDArray[np.int64]], origins: list[pa.Table]) -> Iterator[Chunk]:
    for segment, documents, places in zip(segments, kept, origins, strict=True):
        blocks, block_of = segment.blocks_of(documents)
        lines = [segment.coded_lines(document) for document in documents.tolist()]
        syncs = [segment.syncs_of(document) for document in documents.tolist()]
        words = segment.places["words"][documents]
        yield Chunk(
            swhids=segment.documents["swhid"].take(documents),
            languages=segment.documents["language"].take(documents),
            sizes=segment.places["size"][documents],
            words=words,
            syncs=np.concatenate([np.empty(0, np.uint32), *syncs]),
            lines=b"".join(line.tobytes() for line in lines),
            line_counts=np.array([len(line) for line in lines], np.uint32),
            blocks=blocks,
            block_of=block_of,
            offsets=segment.places["offset"][documents],
            origins=places.select(ORIGINS.names),
            origin_counts=np.bincount(places["document"].to_numpy(), minlength=len(documents)).astype(np.uint32),
        )


def _postings(
    segments: list[Segment], kept: list[npt.NDArray[np.int64]], channel: str
) -> Iterator[Iterator[tuple[U64, U32]]]:
    for segment, documents in zip(segments, kept, strict=True):
        yield _postings_of(segment, documents, channel)


def _postings_of(segment: Segment, documents: npt.NDArray[np.int64], channel: str) -> Iterator[tuple[U64, U32]]:
    reader = segment.channels[channel]
    words = segment.places["words"][documents].astype(np.int64)
    moved = np.full(len(segment.first_words), -1, np.int64)
    moved[documents] = np.cumsum(words) - words
    for first, last in reader.buckets(READ_POSTINGS):
        found = reader.read(first, last)
        document = np.searchsorted(segment.first_words, found.words.astype(np.uint64), side="right") - 1
        stays = moved[document] >= 0
        within = found.words.astype(np.int64) - segment.first_words[document].astype(np.int64)
        yield found.keys[stays], (moved[document] + within)[stays].astype(np.uint32)
