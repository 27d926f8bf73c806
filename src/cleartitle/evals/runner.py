"""Ask a model many things: answers go to a flushed journal first and from there into parts; a killed run resumes.

The folder of one round of questions, ``generations`` say, holds ``part-00000.parquet`` … (`GENERATIONS`, in the order
of the requests). Beside it stand ``generations.timings.jsonl`` (what differs from run to run) and, while the round is
not finished, ``generations.journal.jsonl``. Memory is bounded by the parts that are under way, not by the run.
"""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, overload

import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.evals.tables import GENERATIONS
from cleartitle.models import Generation, Model, Request
from cleartitle.progress import progress, warn
from cleartitle.tables import part_paths, read_key, read_table, table_of, write_table

__all__ = ["Requests", "ask", "clean_text", "journal_line"]

PART_REQUESTS = 64
Row = dict[str, Any]
Identity = tuple[str, int]


class Requests(Sequence[Request]):
    """Requests that are made from the rows of a table each time they are looked at, so that no text is held twice."""

    def __init__(self, rows: pa.Table, make: Callable[[dict[str, Any]], Request]) -> None:
        self.rows = rows
        self.make = make

    def __len__(self) -> int:
        return self.rows.num_rows

    @overload
    def __getitem__(self, index: int) -> Request: ...
    @overload
    def __getitem__(self, index: slice) -> "Requests": ...
    def __getitem__(self, index: int | slice) -> "Request | Requests":
        places = range(len(self))[index]
        if isinstance(places, range):
            return Requests(self.rows.take(pa.array(places, pa.int64())), self.make)
        return self.make(self.rows.slice(places, 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Request]:
        for start in range(0, len(self), PART_REQUESTS):
            yield from map(self.make, self.rows.slice(start, PART_REQUESTS).to_pylist())


async def ask(model: Model, requests: Sequence[Request], folder: Path, *, key: str, label: str = "generate") -> None:
    """Put every request to the model; ``folder`` then holds one row per request and sample, in their order.

    What the folder already holds under the same ``key`` is not asked for again, except calls that failed. Of several
    samples of one request the failed ones are replaced and the others stay as they are, although the model is asked for
    all of them again. Requests may come and go between two calls (follow-ups do). ``key`` names the model, the sampling
    and the requests.

    Raises:
        InputError: the folder holds answers that were made with another key.
        ValueError: two requests have the same id and turn.
    """
    folder.mkdir(parents=True, exist_ok=True)
    answers = _Answers(folder, key, requests)
    missing = answers.missing()
    if missing and len(missing) < len(requests):
        warn(f"{label}: {len(requests) - len(missing)} of {len(requests)} are answered, {len(missing)} are left")
    try:
        if missing:
            await _ask_all(model, requests, missing, answers, label)
    finally:
        answers.close()
    answers.finish()


async def _ask_all(
    model: Model, requests: Sequence[Request], missing: Sequence[int], answers: "_Answers", label: str
) -> None:
    waiting = iter(missing)
    with progress(label, len(missing), "prompt") as advance:

        async def work() -> None:
            for place in waiting:
                request = requests[place]
                answers.add(request, await model.generate(request))
                advance(1)

        workers = max(1, min(model.capabilities().concurrency, len(missing)))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(work())
        except ExceptionGroup as problems:  # what a model never does, but a full disk does
            raise problems.exceptions[0] from None


class _Answers:
    """What has been answered: whole parts on disk, rows of parts under way in memory and in the journal."""

    def __init__(self, folder: Path, key: str, requests: Sequence[Request]) -> None:
        self.folder = folder
        self.key = key
        self.samples = {_identity(request): request.sampling.n for request in requests}
        if len(self.samples) != len(requests):
            raise ValueError("two requests have the same id and turn")
        identities = list(self.samples)
        starts = range(0, len(identities), PART_REQUESTS)
        self.parts = [identities[start : start + PART_REQUESTS] for start in starts]
        self.part_of = {identity: number for number, part in enumerate(self.parts) for identity in part}
        self.whole: set[int] = set()
        self.samples = {_identity(request): request.sampling.n for request in requests}
        self.rows: dict[int, dict[Identity, list[Row]]] = {}
        # Good samples of requests of which others failed.
        self.kept: dict[Identity, dict[int, Row]] = {}
        self.journal = folder.with_name(f"{folder.name}.journal.jsonl")
        self.timings = folder.with_name(f"{folder.name}.timings.jsonl")
        self.streams: list[Any] = []
        self._load()

    def missing(self) -> list[int]:
        """Places of the requests that are not answered yet."""
        return [
            place
            for place, (identity, number) in enumerate(self.part_of.items())
            if number not in self.whole and identity not in self.rows.get(number, {})
        ]

    def add(self, request: Request, generations: Sequence[Generation]) -> None:
        """Record the answers to one request: first in the journal, on disk, then in memory or in a part."""
        if len(generations) != request.sampling.n:
            raise RuntimeError(f"{request.id}: {len(generations)} answers came, not {request.sampling.n}")
        kept = self.kept.pop(_identity(request), {})
        rows = [kept.get(row["sample_index"], row) for row in _rows(request, generations)]
        self._write(rows)
        for row, generation in zip(rows, generations, strict=True):
            timing = {name: row[name] for name in ("prompt_id", "sample_index", "turn")}
            self.streams[1].write(
                journal_line({**timing, "seconds": generation.seconds, "attempts": generation.attempts})
            )
        self.streams[1].flush()
        number = self.part_of[_identity(request)]
        self.rows.setdefault(number, {})[_identity(request)] = rows
        self._commit(number)

    def _write(self, rows: Sequence[Row]) -> None:
        if not self.streams:
            self.streams = [self.journal.open("ab"), self.timings.open("ab")]
        journal = self.streams[0]
        journal.write(journal_line({"key": self.key, "rows": rows}))
        journal.flush()
        os.fsync(journal.fileno())

    def close(self) -> None:
        for stream in self.streams:
            stream.close()

    def finish(self) -> None:
        """Commit what is left, drop the journal and parts beyond the last; every request has its rows by now."""
        for number in range(len(self.parts)):
            self._commit(number)
        for path in part_paths(self.folder)[len(self.parts) :]:
            path.unlink()
        self.journal.unlink(missing_ok=True)

    def _commit(self, number: int) -> None:
        held = self.rows.get(number, {})
        if number in self.whole or len(held) < len(self.parts[number]):
            return
        rows = [row for identity in self.parts[number] for row in held[identity]]
        write_table(self.folder / f"part-{number:05d}.parquet", table_of(rows, GENERATIONS), key=self.key)
        self.whole.add(number)
        del self.rows[number]

    def _load(self) -> None:
        moved: list[list[Row]] = []
        for path in part_paths(self.folder):
            self._check(read_key(path), path)
            held: dict[Identity, list[Row]] = {}
            for row in read_table(path).to_pylist():
                held.setdefault((row["prompt_id"], row["turn"]), []).append(row)
            number = int(path.stem.removeprefix("part-"))
            asked = self.parts[number] if number < len(self.parts) else []
            if list(held) == asked and all(self._good(identity, rows) for identity, rows in held.items()):
                self.whole.add(number)
                continue
            for identity, rows in held.items():
                self._hold(identity, rows)
                if self.part_of.get(identity, number) != number:
                    moved.append(rows)
        for rows in self._journalled():
            self._hold((rows[0]["prompt_id"], rows[0]["turn"]), rows)
        for rows in moved:  # the part that they come from will be replaced, perhaps before theirs is whole
            self._write(rows)

    def _good(self, identity: Identity, rows: Sequence[Row]) -> bool:
        return len(rows) == self.samples[identity] and all(row["status"] != "error" for row in rows)

    def _hold(self, identity: Identity, rows: list[Row]) -> None:
        """Keep recorded rows of a request that is still asked: all of them, or those that did not fail."""
        number = self.part_of.get(identity)
        if number is None or number in self.whole:
            return
        if self._good(identity, rows):
            self.rows.setdefault(number, {})[identity] = rows
        else:
            self.kept.setdefault(identity, {}).update(
                {row["sample_index"]: row for row in rows if row["status"] != "error"}
            )

    def _journalled(self) -> Iterator[list[Row]]:
        """Rows of each whole line; a torn end is cut off."""
        if not self.journal.exists():
            return
        whole = 0
        with self.journal.open("rb") as stream:
            for line in stream:
                try:
                    record = json.loads(line)
                except ValueError:
                    break
                if not line.endswith(b"\n"):
                    break
                self._check(record["key"], self.journal)
                whole += len(line)
                yield record["rows"]
        os.truncate(self.journal, whole)

    def _check(self, found: str | None, path: Path) -> None:
        if found != self.key:
            raise InputError(
                f"{path}: holds answers of a run with other options or another model; "
                "mend: choose another --output, or remove that folder"
            )


def _identity(request: Request) -> Identity:
    return request.id, request.turn


def journal_line(record: dict[str, Any]) -> bytes:
    """One line of a journal."""
    return json.dumps(record, ensure_ascii=True).encode() + b"\n"


def _rows(request: Request, generations: Sequence[Generation]) -> list[Row]:
    return [
        {
            "prompt_id": request.id,
            "sample_index": index,
            "turn": request.turn,
            "text": clean_text(generation.text),
            "status": generation.status,
            "finish_reason": generation.finish_reason,
            "error": generation.error,
            "reasoning": generation.reasoning and clean_text(generation.reasoning),
            "tool_calls": json.dumps([asdict(call) for call in generation.tool_calls])
            if generation.tool_calls
            else None,
            "prompt_tokens": generation.prompt_tokens,
            "completion_tokens": generation.completion_tokens,
        }
        for index, generation in enumerate(generations)
    ]


def clean_text(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 file can hold."""
    return text.encode("utf-8", "replace").decode()
