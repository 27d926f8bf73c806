"""A row of a data set as a document."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, cast

from cleartitle.corpus.declarations import Declaration, declaration_of_values
from cleartitle.corpus.documents import Document, Piece, Skipped
from cleartitle.corpus.readers.columns import Columns

__all__ = ["document_of"]


def document_of(row: Mapping[str, Any], columns: Columns, source: str, label: str, place: str, language: str) -> Piece:
    """The document of one row, or a line that says why there is none.

    ``label`` names the file and ``place`` the row, for messages and where the row has no project or path;
    ``language`` is taken where the row has neither path nor language.
    """
    cells = {role: row.get(column) for role, column in columns.roles.items()}
    content = cells["content"]
    if not isinstance(content, str | bytes):
        found = "empty" if content is None else f"no text but {type(content).__name__}"
        return Skipped("row", f"{label}: {place}: its content ({columns.roles['content']}) is {found}")
    declared, evidence = _declared(cells.get("license"))
    path = _text(cells.get("path"))
    named = _text(cells.get("language"))
    url = _text(cells.get("url"))
    return Document(
        project=_text(cells.get("project")) or label,
        path=path or place,
        data=content,
        source=source,
        url=url if url and url.startswith(("https://", "http://")) else None,
        revision=_text(cells.get("revision")),
        date=_date(cells.get("date")),
        declared_license=declared,
        declared_evidence=evidence,
        language=named or (None if path else language),
        encoding=_text(cells.get("encoding")),
        blob_id=_text(cells.get("blob_id")),
        reuse_count=_count(cells.get("reuse")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() and len(value) <= 4096 else None


def _declared(value: object) -> Declaration:
    values = cast(list[object], value) if isinstance(value, list) else [value]
    return _declared_of(tuple(item for item in values if isinstance(item, str))[:100])


@lru_cache(maxsize=4096)
def _declared_of(values: tuple[str, ...]) -> Declaration:
    return declaration_of_values(values)


def _date(value: object) -> datetime | None:
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            # Seconds, or the milliseconds or microseconds that exports of data frames write.
            scale = 1 if abs(value) < 1e11 else 1e3 if abs(value) < 1e14 else 1e6
            value = datetime.fromtimestamp(value / scale, UTC)
        elif isinstance(value, date) and not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    if not isinstance(value, datetime):
        return None
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        return None


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
