"""The index that is served now: requests borrow it, and a new one takes its place between two requests."""

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.serve.log import log
from cleartitle.serve.metrics import Metrics
from cleartitle.serve.pool import Pool
from cleartitle.trace import index_stamp

__all__ = ["Desk"]

LOOK = 1.0
"""Seconds between two looks at index.json."""

MOST_PAUSE = 60.0
"""Seconds at most before an index that could not be opened is tried again."""


class Desk:
    """Holds the pool of search processes, watches ``index.json``, and changes the pool when it changed.

    A request keeps the pool that it began with, so that all texts of a batch are searched for in one state of the
    index. An index that cannot be opened leaves the one before in its place.
    """

    def __init__(self, path: Path, workers: int, may_show: bool, metrics: Metrics) -> None:
        self._path, self._workers, self._may_show, self._metrics = path, workers, may_show, metrics
        self._pool: Pool | None = None
        self._stamp: tuple[int, int, int] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self._opened = 0.0

    async def open(self) -> None:
        """Open the index for the first time.

        Raises:
            InputError: it cannot be opened.
        """
        self._stamp = index_stamp(self._path)
        self._pool = await self._new()
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """End all search processes."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await asyncio.gather(*self._leaving, return_exceptions=True)
        if self._pool is not None:
            await self._pool.close()

    @asynccontextmanager
    async def borrow(self) -> AsyncGenerator[Pool]:
        """The pool of now, for one request."""
        pool = self._pool
        assert pool is not None
        pool.users += 1
        try:
            yield pool
        finally:
            pool.users -= 1

    @property
    def health(self) -> dict[str, Any]:
        """What is served, as ``GET /health`` tells it."""
        pool = self._pool
        if pool is None:
            return {"status": "unavailable", "workers": 0, "index": None}
        facts = pool.facts
        return {
            "status": "ok" if pool.alive else "unavailable",
            "workers": pool.alive,
            "index": {
                "name": self._path.resolve().name,
                "key": hashlib.sha256(json.dumps(facts["key"]).encode()).hexdigest()[:16],
                **{name: facts[name] for name in ("documents", "source_bytes")},
                "texts": facts["texts"] and self._may_show,
            },
        }

    @property
    def gauges(self) -> dict[str, float]:
        """Numbers about what is served."""
        health = self.health
        return {
            "cleartitle_workers": health["workers"],
            "cleartitle_index_documents": health["index"]["documents"],
            "cleartitle_index_source_bytes": health["index"]["source_bytes"],
            "cleartitle_index_opened_timestamp_seconds": self._opened,
        }

    async def _watch(self) -> None:
        pause = LOOK
        while True:
            await asyncio.sleep(pause)
            stamp = index_stamp(self._path)
            if stamp is None or stamp == self._stamp:
                pause = LOOK
                continue
            try:
                pool = await self._new()
            except (InputError, OSError) as error:
                self._metrics.count("cleartitle_reloads_total", outcome="failed")
                log("index_refused", logging.ERROR, problem=str(error))
                pause = min(pause * 2, MOST_PAUSE)
                continue
            old, self._pool, self._stamp, pause = self._pool, pool, stamp, LOOK
            self._metrics.count("cleartitle_reloads_total", outcome="done")
            log("index_changed", **self.health["index"])
            if old is not None:
                task = asyncio.create_task(_leave(old))
                self._leaving.add(task)
                task.add_done_callback(self._leaving.discard)

    async def _new(self) -> Pool:
        pool = Pool(self._path, self._workers, self._may_show, self._told)
        await pool.open()
        self._opened = time.time()
        return pool

    def _told(self, event: str, **facts: Any) -> None:
        self._metrics.count("cleartitle_worker_events_total", event=event)
        log(event, logging.INFO if event == "worker_started" else logging.WARNING, **facts)


async def _leave(pool: Pool) -> None:
    """End a pool when nobody uses it any more."""
    while pool.users:
        await asyncio.sleep(0.05)
    await pool.close()
