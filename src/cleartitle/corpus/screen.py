"""First step of a build: raw documents in, decoded and identified documents out; what does not fit is counted."""

from typing import Any

import pyarrow as pa

from cleartitle.corpus.documents import ORIGIN, SKIPPED, SkipLog, Skipped
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.text import UnreadableTextError, decode, is_vendored, language_of, printable, swhid, unencoded

__all__ = ["SCREENED", "screen"]

SCREENED = pa.schema(
    [
        pa.field("kind", pa.string()),  # document | license | skipped
        pa.field("swhid", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("encoding", pa.string()),
        pa.field("language", pa.string()),
        pa.field("size_bytes", pa.int64()),
        pa.field("lines", pa.int64()),
        *ORIGIN,
        pa.field("reuse_count", pa.int64()),
        pa.field("is_vendored", pa.bool_()),
        *SKIPPED,
    ]
)
_EMPTY = dict.fromkeys(SCREENED.names)
_KEPT = [field.name for field in ORIGIN]


class _LeftOutError(Exception):
    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def screen(table: pa.Table, options: CorpusOptions) -> pa.Table:
    """Map ``RAW`` to ``SCREENED``: decode, apply the limits of the options, compute the content id."""
    rows: list[dict[str, Any]] = []
    log = SkipLog()
    for batch in table.to_batches(max_chunksize=256):
        for row in batch.to_pylist():
            if row["kind"] == "skipped":
                log.add(Skipped(row["reason"], row["line"], row["count"]))
            elif row["kind"] == "license":
                rows.append(
                    {**_EMPTY, **{name: row[name] for name in _KEPT}, "kind": "license", "text": row["data"].decode()}
                )
            else:
                try:
                    rows.append(_document(row, options))
                except _LeftOutError as error:
                    shown = printable(f"{row['project']}: {row['path']}")
                    log.add(Skipped(error.reason, f"{shown}: {error}" if str(error) else ""))
    rows += [
        {**_EMPTY, "kind": "skipped", "reason": skipped.reason, "line": skipped.line, "count": skipped.count}
        for skipped in log.rows()
    ]
    return pa.Table.from_pylist(rows, schema=SCREENED)


def _document(row: dict[str, Any], options: CorpusOptions) -> dict[str, Any]:
    data: bytes = row["data"]
    language = language_of(row["path"], row["language"])
    if language not in options.languages:
        raise _LeftOutError("other_language", "")
    vendored = is_vendored(row["path"])
    if vendored and not options.include_vendored:
        raise _LeftOutError("vendored", "")
    if len(data) > options.max_file_bytes:
        raise _LeftOutError("size", f"{len(data)} bytes, over the limit of {options.max_file_bytes} (--max-file-bytes)")
    try:
        text, encoding, content_id = _identified(row, data, language)
    except UnreadableTextError as error:
        raise _LeftOutError(error.reason, str(error)) from None
    lines = text.count("\n") + (not text.endswith("\n") and text != "")
    _within(text, lines, options)
    return {
        **_EMPTY,
        **{name: row[name] for name in _KEPT},
        "kind": "document",
        "swhid": content_id,
        "text": text,
        "encoding": encoding,
        "language": language,
        "size_bytes": len(data),
        "lines": lines,
        "reuse_count": row["reuse_count"],
        "is_vendored": vendored,
    }


def _within(text: str, lines: int, options: CorpusOptions) -> None:
    if not text.strip():
        raise _LeftOutError("empty", "")
    if not options.min_lines <= lines <= options.max_lines:
        raise _LeftOutError("lines", f"{lines} lines, outside {options.min_lines} to {options.max_lines}")
    if len(text) > options.max_line_chars:
        longest = max(map(len, text.split("\n")))
        if longest > options.max_line_chars:
            raise _LeftOutError(
                "long_line", f"a line of {longest} characters, over the limit of {options.max_line_chars}"
            )


def _identified(row: dict[str, Any], data: bytes, language: str) -> tuple[str, str, str]:
    """Text, encoding and content id. A stated blob id counts only if it verifies against the text."""
    if not row["is_text"]:
        text, encoding = decode(data, language)
        return text, encoding, swhid(data)
    text = data.decode("utf-8", "surrogatepass")
    plain = unencoded(text)
    computed = swhid(plain)
    stated = f"swh:1:cnt:{row['blob_id'].lower()}" if row["blob_id"] else computed
    if stated != computed and row["encoding"]:
        # The data set decoded the text itself; its raw bytes had another encoding.
        try:
            if swhid(text.encode(row["encoding"])) == stated:
                return text, row["encoding"].lower(), stated
        except (LookupError, UnicodeError, ValueError):
            pass
    return text.removeprefix("\ufeff"), "utf-8", computed
