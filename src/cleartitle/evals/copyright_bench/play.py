"""Play many conversations with one model: answers go to a flushed journal first, whole parts of transcripts follow.

The folder ``transcripts`` holds ``part-00000.parquet`` … (rows of ``TRANSCRIPTS``, in the order of the episodes). A run
that was killed goes on: recorded answers are played again without asking, so that no answer is asked for twice, and the
tools, which are the same functions over the same workspace, give the same results. Episodes that ended because a
request failed are asked anew; what they had answered before stays.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.conversation import Ask
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS, Row
from cleartitle.evals.runner import journal_line
from cleartitle.models import Generation, Model, Request, ToolCall
from cleartitle.progress import progress, warn
from cleartitle.tables import part_paths, read_key, read_table, table_of, write_table

__all__ = ["Episode", "play"]

Episode = tuple[str, Callable[[Ask], Awaitable[list[Row]]]]
"""An id, and what plays the episode to its end with a way to ask the model."""


async def play(model: Model, parts: Sequence[Sequence[Episode]], folder: Path, *, key: str) -> None:
    """Play every episode; ``folder`` then holds one part of transcripts for each of ``parts``.

    Raises:
        InputError: the folder holds transcripts that were made with another key.
    """
    folder.mkdir(parents=True, exist_ok=True)
    board = _Board(folder, key, parts)
    missing = board.missing()
    total = sum(map(len, parts))
    if missing and len(missing) < total:
        warn(f"episodes: {total - len(missing)} of {total} are played, {len(missing)} are left")
    journal = _Journal(folder, key, model)
    try:
        await _play_all(missing, board, journal, max(1, model.capabilities().concurrency))
    finally:
        journal.close()
    if not board.failed:  # else what the failed episodes had been answered is still needed
        journal.path.unlink(missing_ok=True)


async def _play_all(missing: Sequence[tuple[int, Episode]], board: "_Board", journal: "_Journal", workers: int) -> None:
    waiting = iter(missing)
    with progress("episodes", len(missing), "episode") as advance:

        async def work() -> None:
            for number, (name, episode) in waiting:
                board.add(number, name, await episode(journal.ask))
                advance(1)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(workers, len(missing))):
                    group.create_task(work())
        except ExceptionGroup as problems:
            raise problems.exceptions[0] from None


class _Board:
    """Which episodes are played: whole parts on disk, the rest in memory until their part is whole."""

    def __init__(self, folder: Path, key: str, parts: Sequence[Sequence[Episode]]) -> None:
        self.folder = folder
        self.key = key
        self.parts = parts
        self.held: dict[int, dict[str, list[Row]]] = {}
        self.whole: set[int] = set()
        self.failed = 0
        self._load()

    def missing(self) -> list[tuple[int, Episode]]:
        """Episodes that are left, each with the number of its part."""
        return [
            (number, episode)
            for number, part in enumerate(self.parts)
            if number not in self.whole
            for episode in part
            if episode[0] not in self.held.get(number, {})
        ]

    def add(self, number: int, name: str, rows: list[Row]) -> None:
        """Take a transcript, and write its part if it was the last one."""
        held = self.held.setdefault(number, {})
        held[name] = rows
        self.failed += rows[-1]["state"] == "error"
        names = [name for name, _ in self.parts[number]]
        if len(held) == len(names):
            table = table_of((row for name in names for row in held[name]), TRANSCRIPTS)
            write_table(self.folder / f"part-{number:05d}.parquet", table, key=self.key)
            self.whole.add(number)
            del self.held[number]

    def _load(self) -> None:
        for path in part_paths(self.folder):
            number = int(path.stem.removeprefix("part-"))
            _check(read_key(path), self.key, path)
            if number >= len(self.parts):
                continue
            rows = _by_episode(read_table(path))
            good = {name: found for name, found in rows if found[-1]["state"] != "error"}
            if list(good) == [name for name, _ in self.parts[number]]:
                self.whole.add(number)
            else:
                self.held[number] = good


class _Journal:
    """Answers of the model by episode and turn, on disk before anything is done with them."""

    def __init__(self, folder: Path, key: str, model: Model) -> None:
        self.key = key
        self.model = model
        self.path = folder.with_name(f"{folder.name}.journal.jsonl")
        self.known = {(line["id"], line["turn"]): _generation(line["answer"]) for line in self._lines()}
        self.stream = self.path.open("ab")
        self.timings = folder.with_name(f"{folder.name}.timings.jsonl").open("ab")

    async def ask(self, request: Request) -> Generation:
        """The recorded answer, or one that is asked for and recorded; a failed request is not recorded."""
        if (found := self.known.get((request.id, request.turn))) is not None:
            return found
        (answer,) = await self.model.generate(request)
        place = {"id": request.id, "turn": request.turn}
        timing = {"seconds": answer.seconds, "attempts": answer.attempts}
        if answer.status != "error":
            record = {name: value for name, value in asdict(answer).items() if name not in timing}
            self.stream.write(journal_line({"key": self.key, **place, "answer": record}))
            self.stream.flush()
            os.fsync(self.stream.fileno())
        self.timings.write(journal_line({**place, **timing}))
        self.timings.flush()
        return answer

    def close(self) -> None:
        """Close the files."""
        self.stream.close()
        self.timings.close()

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Whole lines; a torn end is cut off."""
        if not self.path.exists():
            return
        whole = 0
        with self.path.open("rb") as stream:
            for line in stream:
                try:
                    record = json.loads(line)
                except ValueError:
                    break
                if not line.endswith(b"\n"):
                    break
                _check(record["key"], self.key, self.path)
                whole += len(line)
                yield record
        os.truncate(self.path, whole)


def _by_episode(table: pa.Table) -> list[tuple[str, list[Row]]]:
    return [(name, list(rows)) for name, rows in groupby(table.to_pylist(), key=lambda row: row["episode_id"])]


def _generation(record: dict[str, Any]) -> Generation:
    calls = tuple(ToolCall(**call) for call in record.pop("tool_calls"))
    return Generation(**record, tool_calls=calls)


def _check(found: str | None, key: str, path: Path) -> None:
    if found != key:
        raise InputError(
            f"{path}: holds episodes of a run with other options or another model; "
            "mend: choose another --output, or remove that folder"
        )
