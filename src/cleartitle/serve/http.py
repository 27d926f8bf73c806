"""The web server under the application: uvicorn, with limits on the time of a request's head and an end of our own."""

import asyncio
import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from cleartitle.serve.options import ServeOptions

__all__ = ["Server", "config"]

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request must have come."""

IDLE_SECONDS = 75
"""Seconds that a connection without a request is kept."""

CONNECTIONS = 512


class Protocol(H11Protocol):
    """One connection; it is closed where the head of a request takes too long, so that slow clients do not pile up."""

    late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._time()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._time()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def _time(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:  # pyright: ignore[reportUnnecessaryComparison]
            self._stop()
        elif self.late is None:
            self.late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self.late is not None:
            self.late.cancel()
            self.late = None


class Server(uvicorn.Server):
    """Ends by SIGTERM or SIGINT after the requests in flight; a second one ends it at once."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals while it serves; ours, since uvicorn's own raise them anew at the end."""
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for one in signals:
            loop.add_signal_handler(one, self._end)
        try:
            yield
        finally:
            for one in signals:
                loop.remove_signal_handler(one)

    def _end(self) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


def config(app: Any, options: ServeOptions) -> uvicorn.Config:
    """How uvicorn is to run: its own log goes through ours, no header tells what it is, no proxy is believed."""
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=options.drain,
    )
