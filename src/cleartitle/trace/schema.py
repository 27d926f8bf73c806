"""What stands on disk: the tables of a segment and the shards it is made from, in one place."""

import pyarrow as pa

__all__ = ["DOCUMENTS", "FORMAT", "LONG_LINE", "ORIGINS", "PREPARED"]

FORMAT = 1
"""Version of the index format; another one is refused."""

LONG_LINE = 255
"""Words of a line that go into one byte."""

PREPARED = pa.schema(
    [
        pa.field("swhid", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("size", pa.uint32(), nullable=False),  # bytes of UTF-8 text
        pa.field("words", pa.uint32(), nullable=False),
        # Byte offset of each SYNC-th word, little-endian uint32.
        pa.field("syncs", pa.large_binary(), nullable=False),
        # Without texts: words of each line, one byte each; 255 says that the line goes on in the next byte.
        pa.field("lines", pa.large_binary(), nullable=False),
        # The first document of a block carries the whole block, compressed; the others carry null.
        pa.field("block", pa.large_binary()),
        # Fingerprints as little-endian arrays: uint64 keys and uint32 word positions.
        pa.field("exact_keys", pa.large_binary(), nullable=False),
        pa.field("exact_positions", pa.large_binary(), nullable=False),
        pa.field("renamed_keys", pa.large_binary(), nullable=False),
        pa.field("renamed_positions", pa.large_binary(), nullable=False),
    ]
)
"""One work, fingerprinted and compressed, on its way into a segment."""

DOCUMENTS = pa.schema(
    [
        pa.field("swhid", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("first_word", pa.uint64(), nullable=False),
        pa.field("words", pa.uint32(), nullable=False),
        pa.field("block_start", pa.uint64(), nullable=False),  # in texts.zst
        pa.field("block_size", pa.uint32(), nullable=False),
        pa.field("offset", pa.uint32(), nullable=False),  # in the block, once it is unpacked
        pa.field("size", pa.uint32(), nullable=False),
        pa.field("first_sync", pa.uint64(), nullable=False),  # in syncs.u32
        pa.field("first_line", pa.uint64(), nullable=False),  # in lines.u8
        pa.field("first_origin", pa.uint32(), nullable=False),
        pa.field("origins", pa.uint32(), nullable=False),
        pa.field("project", pa.uint32(), nullable=False),  # number of the project of its best origin
    ]
)
"""One distinct content of a segment, in the order of its words."""

ORIGINS = pa.schema(
    [
        pa.field("project", pa.string(), nullable=False),
        pa.field("version", pa.string()),
        pa.field("path", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("url", pa.string()),
        pa.field("revision", pa.string()),
        pa.field("date", pa.timestamp("s", tz="UTC")),
        pa.field("license", pa.string()),
        pa.field("license_class", pa.string()),
        pa.field("trust", pa.string(), nullable=False),
        pa.field("conflict", pa.string()),
        pa.field("reuse_count", pa.int64()),
        pa.field("is_vendored", pa.bool_(), nullable=False),
        pa.field("header_license", pa.string()),
        pa.field("declared_license", pa.string()),
        pa.field("copyright_lines", pa.list_(pa.string()), nullable=False),
    ]
)
"""Each place where a content was found; those of one document stand together."""
