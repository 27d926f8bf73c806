"""Token scores at rest: one row a text in Parquet or JSON Lines, read back strictly."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.models.token_stats import TokenStats

__all__ = ["TOKEN_SCORES", "from_record", "stats_of", "table_of_stats", "text_digest", "to_record"]

INTEGERS = ("position", "start", "end", "token", "rank")
FLOATS = ("logprob", "top1", "mean", "spread")
NEEDED = INTEGERS[:4]
TOKEN_SCORES = pa.schema(
    [
        pa.field("text_sha256", pa.string(), nullable=False),
        pa.field("tokens_in_text", pa.int32(), nullable=False),
        pa.field("truncated", pa.int32(), nullable=False),
        *(pa.field(name, pa.list_(pa.int32()), nullable=name not in NEEDED) for name in INTEGERS),
        *(pa.field(name, pa.list_(pa.float32())) for name in FLOATS),
    ]
)
"""One row a text: the arrays of its `TokenStats` under their names, null where the model does not give the number."""


def text_digest(text: str) -> str:
    """SHA-256 of a text in UTF-8, by which its scores are found again; a lone surrogate counts as itself."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def table_of_stats(digests: Sequence[str], stats: Sequence[TokenStats]) -> pa.Table:
    """Rows of `TOKEN_SCORES`."""
    columns: list[pa.Array] = [
        pa.array(digests, pa.string()),
        pa.array([item.tokens_in_text for item in stats], pa.int32()),
        pa.array([item.truncated for item in stats], pa.int32()),
    ]
    for name in (*INTEGERS, *FLOATS):
        columns.append(pa.array([getattr(item, name) for item in stats], TOKEN_SCORES.field(name).type))
    return pa.table(columns, schema=TOKEN_SCORES)


def stats_of(table: pa.Table) -> Iterator[tuple[str, TokenStats]]:
    """Digest and scores of each row of a table.

    Raises:
        InputError: columns that are not those of `TOKEN_SCORES`, or a row that contradicts itself.
    """
    if not table.schema.equals(TOKEN_SCORES, check_metadata=False):
        raise InputError(f"columns {', '.join(table.schema.names)[:200]}: not token scores of Cleartitle")
    heads = table.select(["text_sha256", "tokens_in_text", "truncated"]).to_pylist()
    columns = {name: table[name].combine_chunks() for name in (*INTEGERS, *FLOATS)}
    for place, head in enumerate(heads):
        arrays = {name: _array(column[place]) for name, column in columns.items()}
        yield head["text_sha256"], _checked(head, arrays)


def to_record(digest: str, stats: TokenStats) -> dict[str, Any]:
    """One text as plain JSON values; numbers that are not finite stand as JSON text ``"-inf"`` and ``"nan"``."""
    record: dict[str, Any] = {
        "text_sha256": digest,
        "tokens_in_text": stats.tokens_in_text,
        "truncated": stats.truncated,
    }
    for name in INTEGERS:
        values = getattr(stats, name)
        record[name] = None if values is None else [int(value) for value in values]
    for name in FLOATS:
        values = getattr(stats, name)
        record[name] = None if values is None else [_plain(value) for value in values]
    return record


def from_record(line: bytes | str) -> tuple[str, TokenStats]:
    """Digest and scores out of one line of JSON.

    Raises:
        InputError: not such a line, a number of the wrong kind, or a row that contradicts itself.
    """
    try:
        value = json.loads(line)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"not JSON ({str(error)[:80]})") from None
    names = set(TOKEN_SCORES.names)
    if not isinstance(value, dict) or set(cast("dict[str, Any]", value)) != names:
        raise InputError(f"not an object with exactly the names {', '.join(TOKEN_SCORES.names)}")
    record = cast("dict[str, Any]", value)
    digest = record["text_sha256"]
    if not isinstance(digest, str) or len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise InputError("text_sha256 is not 64 hexadecimal digits")
    for name in ("tokens_in_text", "truncated"):
        if type(record[name]) is not int or not 0 <= record[name] < 2**31:
            raise InputError(f"{name} is not a count")
    arrays = {name: _integers(name, record[name]) for name in INTEGERS}
    return digest, _checked(record, {**arrays, **{name: _floats(name, record[name]) for name in FLOATS}})


def _array(scalar: Any) -> np.ndarray | None:
    if not scalar.is_valid:
        return None
    if scalar.values.null_count:
        raise InputError("a number is absent inside of a row")
    return scalar.values.to_numpy(zero_copy_only=False)


def _integers(name: str, values: object) -> np.ndarray | None:
    if values is None:
        return None
    if not isinstance(values, list) or any(type(value) is not int for value in cast("list[object]", values)):
        raise InputError(f"{name} is not a list of integers")
    if any(not -(2**31) <= value < 2**31 for value in cast("list[int]", values)):
        raise InputError(f"{name} holds a number of more than 32 bits")
    return np.array(values, dtype=np.int32)


def _floats(name: str, values: object) -> np.ndarray | None:
    if values is None:
        return None
    if not isinstance(values, list):
        raise InputError(f"{name} is not a list of numbers")
    found: list[float] = []
    for value in cast("list[object]", values):
        if value in ("-inf", "nan"):
            found.append(float(cast("str", value)))
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value):
            found.append(float(value))
        else:
            raise InputError(f"{name} holds {str(value)[:40]!r}, not a number")
    return np.array(found, dtype=np.float32)


def _plain(value: float) -> float | str:
    return float(value) if np.isfinite(value) else str(float(value))


def _checked(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray | None]) -> TokenStats:
    """The scores of one text if they can be such.

    Raises:
        InputError: lengths differ, positions do not ascend, or a number is out of range.
    """
    where = f"text {head['text_sha256'][:12]}"
    absent = [name for name in NEEDED if arrays[name] is None]
    if absent:
        raise InputError(f"{where}: {absent[0]} is absent")
    length = len(cast("np.ndarray", arrays["position"]))
    wrong = [name for name, values in arrays.items() if values is not None and len(values) != length]
    if wrong:
        raise InputError(f"{where}: {wrong[0]} has not the {length} rows that position has")
    stats = TokenStats(**arrays, tokens_in_text=head["tokens_in_text"], truncated=head["truncated"])  # type: ignore[arg-type]
    for problem in _problems(stats):
        raise InputError(f"{where}: {problem}")
    return stats


def _problems(stats: TokenStats) -> Iterable[str]:
    position = stats.position
    if stats.truncated > stats.tokens_in_text:
        yield "more tokens were cut off than it has"
    if len(position) and (position[0] < 0 or position[-1] >= stats.tokens_in_text - stats.truncated):
        yield "a position is not among its tokens"
    if bool((np.diff(position) <= 0).any()):
        yield "positions do not ascend"
    if bool((stats.start < 0).any() or (stats.end < stats.start).any()):
        yield "a token ends before it starts"
    if stats.rank is not None and bool((stats.rank < 0).any()):
        yield "a rank is negative"
    for name in ("logprob", "top1"):
        values = getattr(stats, name)
        if values is not None and bool((values > 1e-3).any()):
            yield f"{name} is positive"
