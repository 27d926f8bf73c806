"""The Arrow schemas of a corpus, in one place. Content stands apart from its occurrences."""

import pyarrow as pa

__all__ = ["CONTENTS", "LICENSE_TEXTS", "OCCURRENCES", "SCHEMA_VERSION", "SOURCES", "TRUST_GRADES", "WORKS"]

SCHEMA_VERSION = 1

SOURCES = ("folder", "git", "pypi", "debian", "npm", "github", "jsonl", "parquet")
"""Where an occurrence was read from."""

TRUST_GRADES = ("agree", "header", "declaration", "conflict", "none")
"""How well the license of an occurrence is founded; see ``cleartitle.corpus.resolve``."""

CONTENTS = pa.schema(
    [
        # swh:1:cnt:<git blob sha1 of the raw bytes>
        pa.field("swhid", pa.string(), nullable=False),
        # Decoded, without a byte order mark; line endings as they were.
        pa.field("text", pa.large_string(), nullable=False),
        # Codec that the raw bytes were decoded with.
        pa.field("encoding", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        # Of the raw bytes.
        pa.field("size_bytes", pa.int64(), nullable=False),
        pa.field("lines", pa.int64(), nullable=False),
        # SPDX expression named by the file's own leading comment, or null.
        pa.field("header_license", pa.string()),
        # ok | uncertain | none
        pa.field("header_status", pa.string(), nullable=False),
        # JSON list of what was found: rule, start_line, end_line, confidence in percent, text.
        pa.field("header_evidence", pa.string()),
        # Last line of the leading comment, counted from 1; 0 without one.
        pa.field("header_end_line", pa.int64(), nullable=False),
        pa.field("copyright_lines", pa.list_(pa.string()), nullable=False),
    ]
)

OCCURRENCES = pa.schema(
    [
        pa.field("swhid", pa.string(), nullable=False),
        pa.field("project", pa.string(), nullable=False),
        pa.field("version", pa.string()),
        pa.field("path", pa.string(), nullable=False),
        # One of SOURCES.
        pa.field("source", pa.string(), nullable=False),
        pa.field("url", pa.string()),
        pa.field("revision", pa.string()),
        # Null means unknown.
        pa.field("date", pa.timestamp("s", tz="UTC")),
        pa.field("declared_license", pa.string()),
        pa.field("declared_evidence", pa.string()),
        # The resolved license, its class, and the trust grade.
        pa.field("license", pa.string()),
        pa.field("license_class", pa.string()),
        # One of TRUST_GRADES.
        pa.field("trust", pa.string(), nullable=False),
        pa.field("conflict", pa.string()),
        # As the data set states it, else the number of distinct projects of this corpus that hold the content.
        pa.field("reuse_count", pa.int64()),
        pa.field("is_vendored", pa.bool_(), nullable=False),
    ]
)

LICENSE_TEXTS = pa.schema(
    [
        pa.field("project", pa.string(), nullable=False),
        pa.field("version", pa.string()),
        pa.field("path", pa.string(), nullable=False),
        # Of the UTF-8 text.
        pa.field("sha256", pa.string(), nullable=False),
        pa.field("text", pa.large_string(), nullable=False),
        # SPDX expression of the text, or null.
        pa.field("expression", pa.string()),
    ]
)

WORKS = pa.schema([*CONTENTS, *(field for field in OCCURRENCES if field.name != "swhid")])
"""A content joined with its representative occurrence."""
