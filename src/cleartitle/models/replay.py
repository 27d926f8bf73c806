"""Answers that were recorded elsewhere, in place of a model.

Two kinds of table are read, as Parquet, JSON Lines, JSON or CSV: Cleartitle's own generations, and the layouts in which
benchmarks release answers (one record per line with an id and an answer; one object that maps ids to answers). Logs of
Inspect AI (``.eval``) are read by `inspect_log`.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast, get_args

import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.files import sha256_file
from cleartitle.models.answers import answer
from cleartitle.models.inspect_log import log_records
from cleartitle.models.protocol import (
    Capabilities,
    Estimate,
    Generation,
    ModelOptions,
    Request,
    Status,
    ToolCall,
    failed,
)
from cleartitle.progress import warn
from cleartitle.tables import part_paths, read_table

__all__ = ["ReplayModel"]

ID_NAMES = ("prompt_id", "id", "task_id", "custom_id", "sample_id", "key")
TEXT_NAMES = ("text", "answer", "response", "output", "completion", "generation", "generations", "content", "result")
LICENSE_NAMES = ("license_answer", "model_license_answer", "license_response")
MAX_LINE = 64 * 2**20

csv.field_size_limit(2**24)


class ReplayModel:
    """Recorded answers behind the model protocol: a request is looked up by id, turn and sample number.

    A record is ``prompt_id, text`` with optional ``turn`` (0), ``sample_index``, ``status``, ``finish_reason``,
    ``error``, ``reasoning``, ``tool_calls``, ``prompt_tokens`` and ``completion_tokens``. Other names for the id and
    the answer are recognized (`ID_NAMES`, `TEXT_NAMES`), and a column with a license answer gives turn 1. Records that
    repeat an id without a sample number are further samples; an empty one is replaced by the next, as resumed runs
    write them.
    Nothing is sampled: temperature, seed and length of the request are not looked at.
    """

    def __init__(self, path: Path, options: ModelOptions = ModelOptions()) -> None:  # noqa: B008 - frozen
        """Read all records of ``path`` (a file, or a folder of Parquet parts).

        Raises:
            InputError: absent, unreadable, or no record in it has an id and an answer.
        """
        self._path = path
        self._style = options.style
        self._rows: dict[tuple[str, int], dict[int, Generation]] = {}
        self._skipped = 0
        for number, record in enumerate(_records(path), start=1):
            if record is None or not self._add(record, number):
                self._skipped += 1
        if not self._rows:
            raise InputError(
                f"{path}: no record with an id and an answer; mend: name the columns prompt_id and text"
                f" (known names: {', '.join(ID_NAMES)}; {', '.join(TEXT_NAMES)})"
            )
        if self._skipped:
            warn(f"{path}: {self._skipped} records without an id and an answer were left out")
        files = part_paths(path) if path.is_dir() else [path]
        self._hashes = {file.name: sha256_file(file) for file in files}

    @property
    def name(self) -> str:
        """The stem of the file name."""
        return self._path.stem

    def describe(self) -> dict[str, Any]:
        """File name and hash, and how many prompts and answers it holds."""
        return {
            "adapter": "replay",
            "files": self._hashes,
            "prompts": len({prompt for prompt, _ in self._rows}),
            "answers": sum(len(samples) for samples in self._rows.values()),
            "records_left_out": self._skipped,
        }

    def capabilities(self) -> Capabilities:
        """Both forms of request (the answer does not depend on it), as many samples as were recorded."""
        return Capabilities(
            chat=self._style != "completion",
            completion=self._style != "chat",
            several_samples=True,
            concurrency=64,
            deterministic=True,
        )

    def estimate(self, requests: tuple[Request, ...]) -> Estimate:
        """Nothing is asked for."""
        return Estimate(0, 0, 0, None, "recorded answers, no calls")

    def recorded_ids(self) -> frozenset[str]:
        """Ids of the prompts that have a recorded answer."""
        return frozenset(prompt for prompt, _ in self._rows)

    async def generate(self, request: Request) -> list[Generation]:
        """The recorded answers; a sample that was not recorded is an error row."""
        samples = self._rows.get((request.id, request.turn), {})
        missing = failed(request, "no recorded answer", attempts=0)[0]
        return [samples.get(index, missing) for index in range(request.sampling.n)]

    async def aclose(self) -> None:
        """Nothing is held open."""

    def _add(self, record: Mapping[str, Any], number: int) -> bool:
        identity = _first(record, ID_NAMES)
        if identity is None:
            return False
        prompt = str(identity)
        turn = _integer(record.get("turn"), 0, self._path, number)
        recorded = _first(record, TEXT_NAMES)
        if recorded is None and record.get("status") == "error":
            recorded = ""
        texts = cast("list[object]", recorded) if isinstance(recorded, list) else [recorded]
        added = False
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                continue
            sample = record.get("sample_index") if texts is not recorded else place
            index = None if sample is None else _integer(sample, 0, self._path, number)
            self._keep(prompt, turn, index, _generation(record, text))
            added = True
        license_answer = _first(record, LICENSE_NAMES)
        if isinstance(license_answer, str):
            self._keep(prompt, 1, 0, answer(license_answer, None, attempts=0))
            added = True
        return added

    def _keep(self, prompt: str, turn: int, index: int | None, row: Generation) -> None:
        samples = self._rows.setdefault((prompt, turn), {})
        if index is None:
            last = len(samples) - 1
            index = last if last >= 0 and samples[last].status in ("empty", "error") else last + 1
        samples[index] = row


def _generation(record: Mapping[str, Any], text: str) -> Generation:
    status = record.get("status")
    reason = record.get("finish_reason")
    reasoning = record.get("reasoning")
    error = record.get("error")
    row = answer(
        text,
        None if reason is None else str(reason),
        reasoning=str(reasoning) if reasoning else None,
        tool_calls=_tool_calls(record.get("tool_calls")),
        prompt_tokens=_count(record.get("prompt_tokens")),
        completion_tokens=_count(record.get("completion_tokens")),
        attempts=0,
    )
    if status not in get_args(Status):
        return row
    # A status that was recorded counts more than one that would be judged now.
    return Generation(
        text=text,
        status=cast("Status", status),
        finish_reason=row.finish_reason,
        error=str(error) if error else None,
        reasoning=str(reasoning) if reasoning else None,
        tool_calls=row.tool_calls,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        attempts=0,
    )


def _first(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _tool_calls(value: object) -> tuple[ToolCall, ...]:
    """Calls from their JSON list, as our own generations hold them."""
    found = _loads(value.encode()) if isinstance(value, str) else value
    calls: list[ToolCall] = []
    for item in cast("list[object]", found) if isinstance(found, list) else []:
        if isinstance(item, dict):
            call = cast("dict[str, Any]", item)
            calls.append(ToolCall(*(str(call.get(name, "")) for name in ("id", "name", "arguments"))))
    return tuple(calls)


def _count(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value == value else None


def _integer(value: object, default: int, path: Path, number: int) -> int:
    if value is None or value == "":
        return default
    try:
        found = int(str(value))
    except ValueError:
        found = -1
    if found < 0:
        raise InputError(f"{path}: record {number}: {str(value)[:40]!r} is not a turn or sample number")
    return found


def _records(path: Path) -> Iterator[Mapping[str, Any] | None]:
    if path.is_dir():
        parts = part_paths(path)
        if not parts:
            raise InputError(f"{path}: no part-*.parquet in this folder; mend: name a file")
        for part in parts:
            yield from read_table(part).to_pylist()
        return
    if not path.is_file():
        raise InputError(f"{path}: no such file of recorded answers")
    kind = path.suffix.lower()
    if kind == ".parquet":
        yield from _parquet(path)
    elif kind == ".csv":
        yield from _csv(path)
    elif kind == ".eval":
        yield from log_records(path)
    else:
        yield from _json(path)


def _parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    table: pa.Table = read_table(path)
    for batch in table.to_batches(max_chunksize=1024):
        yield from batch.to_pylist()


def _csv(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            yield from csv.DictReader(stream)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8 ({error})") from None


def _json(path: Path) -> Iterator[Mapping[str, Any] | None]:
    """JSON Lines; a file that is one JSON value, list or mapping from id to answer, is read whole."""
    with path.open("rb") as stream:
        first = stream.read(1)
        stream.seek(0)
        whole = _whole(path) if path.suffix.lower() == ".json" or first == b"[" else None
        if whole is not None:
            yield from whole
            return
        while line := stream.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise InputError(f"{path}: a line of more than {MAX_LINE} bytes; mend: one record per line")
            if line.strip():
                yield from _unfold(_loads(line), pairs=1)


def _whole(path: Path) -> list[Mapping[str, Any] | None] | None:
    try:
        value = json.loads(path.read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None
    if isinstance(value, list):
        return [record for item in cast("list[object]", value) for record in _unfold(item, pairs=1)]
    return list(_unfold(value, pairs=None))


def _loads(line: bytes) -> object:
    try:
        return json.loads(line)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None


def _unfold(value: object, pairs: int | None) -> Iterator[Mapping[str, Any] | None]:
    """A record, or one record per pair of an object that maps ids to answers (``pairs``: how many, if not any)."""
    if not isinstance(value, dict):
        yield None
        return
    record = cast("dict[str, Any]", value)
    maps = bool(record) and (pairs is None or len(record) == pairs) and _first(record, ID_NAMES) is None
    if not maps or not all(_is_answer(item) for item in record.values()):
        yield record
        return
    for identity, item in record.items():
        yield {"prompt_id": identity, **(cast("dict[str, Any]", item) if isinstance(item, dict) else {"text": item})}


def _is_answer(item: object) -> bool:
    if isinstance(item, dict):
        return _first(cast("dict[str, Any]", item), TEXT_NAMES + LICENSE_NAMES) is not None
    return isinstance(item, str)
