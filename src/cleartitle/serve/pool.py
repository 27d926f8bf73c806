"""Search processes over one state of an index: asked in turn, ended when a search takes too long, started anew."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.serve.frames import LENGTH
from cleartitle.serve.options import TOKEN_VARIABLE

__all__ = ["Pool", "Reply", "SearchFailed"]

START = 600.0
"""Seconds that a worker has to open an index, the first time with the hashes of all its files."""

PAUSES = (0.5, 1, 2, 4, 8, 16, 30)
"""Seconds before a worker that ended is started anew; the last one from then on."""


class SearchFailed(Exception):
    """A search process ended, or its index was damaged, during a search."""


@dataclass(frozen=True)
class Reply:
    """One result as JSON, and what the service counts of it."""

    result: bytes
    state: str
    words: int
    seconds: float


class Worker:
    """One search process."""

    def __init__(self, process: asyncio.subprocess.Process, facts: dict[str, Any]) -> None:
        self._process, self.facts = process, facts

    @classmethod
    async def start(cls, path: Path, may_show: bool) -> "Worker":
        """Start a process over an index.

        Raises:
            InputError: it could not open it.
        """
        environment = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
        # A core a process: what numpy and Arrow would start beside it only gets in the way of the others.
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "cleartitle.serve.worker", str(path), "show" if may_show else "hide"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environment,
        )
        worker = cls(process, {})
        try:
            async with asyncio.timeout(START):
                worker.facts = json.loads(await worker._receive())
        except (TimeoutError, SearchFailed):
            await worker.end(now=True)
            raise InputError(f"{path}: a search process could not open it; mend: cleartitle trace search") from None
        except BaseException:
            await worker.end(now=True)
            raise
        if "error" in worker.facts:
            await worker.end()
            raise InputError(worker.facts["error"])
        return worker

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.returncode is None

    async def ask(self, question: bytes) -> Reply:
        """The answer to one question.

        Raises:
            SearchFailed: the process ended, or cannot read its index any more.
        """
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.write(LENGTH.pack(len(question)) + question)
            await stream.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise SearchFailed("the search process ended") from None
        head, _, result = (await self._receive()).partition(b"\n")
        facts = json.loads(head)
        if "error" in facts:
            raise SearchFailed(facts["error"])
        return Reply(result, facts["state"], facts["words"], facts["seconds"])

    async def wait(self) -> None:
        """Wait until the process has ended."""
        await self._process.wait()

    async def end(self, *, now: bool = False) -> None:
        """End the process, at once or after the search that it is at."""
        if now and self.is_alive:
            self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()

    async def _receive(self) -> bytes:
        stream = self._process.stdout
        assert stream is not None
        try:
            (size,) = LENGTH.unpack(await stream.readexactly(LENGTH.size))
            return await stream.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            raise SearchFailed("the search process ended") from None


class Pool:
    """Some workers over one state of an index. ``told`` is called with an event and its facts, for log and metrics."""

    def __init__(self, path: Path, size: int, may_show: bool, told: Callable[..., None]) -> None:
        self._path, self._size, self._may_show, self._told = path, size, may_show, told
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._workers: set[Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self.facts: dict[str, Any] = {}
        self.users = 0

    async def open(self) -> None:
        """Start the workers, the first one alone: it checks the files, and the others find them checked.

        Raises:
            InputError: they cannot open the index.
        """
        first = await Worker.start(self._path, self._may_show)
        self._add(first)
        self.facts = first.facts
        others = [Worker.start(self._path, self._may_show) for _ in range(self._size - 1)]
        started = await asyncio.gather(*others, return_exceptions=True)
        for worker in started:
            if isinstance(worker, Worker):
                self._add(worker)
        problem = next((one for one in started if isinstance(one, BaseException)), None)
        if problem is not None:
            await self.close()
            raise problem

    @property
    def alive(self) -> int:
        """Workers that can be asked."""
        return sum(worker.is_alive for worker in self._workers)

    async def ask(self, question: bytes) -> Reply:
        """The answer of the first worker that is free; when the call is cancelled, the search is ended.

        Raises:
            SearchFailed: the search process ended during the search.
        """
        worker = await self._idle.get()
        while not worker.is_alive:
            worker = await self._idle.get()
        try:
            reply = await worker.ask(question)
        except BaseException:
            self._go(worker.end(now=True))
            raise
        self._idle.put_nowait(worker)
        return reply

    async def close(self) -> None:
        """End all workers, each after the search that it is at."""
        self._closing = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self._workers))
        self._workers.clear()

    def _add(self, worker: Worker) -> None:
        self._workers.add(worker)
        self._idle.put_nowait(worker)
        self._go(self._watch(worker))

    async def _watch(self, worker: Worker) -> None:
        """Put another worker in the place of one that ended."""
        await worker.wait()
        self._workers.discard(worker)
        self._told("worker_ended")
        for number in range(sys.maxsize):
            await asyncio.sleep(PAUSES[min(number, len(PAUSES) - 1)])
            try:
                another = await Worker.start(self._path, self._may_show)
            except (InputError, OSError) as error:
                self._told("worker_not_started", problem=str(error))
                continue
            self._add(another)
            self._told("worker_started")
            return

    def _go(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
