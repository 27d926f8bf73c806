"""Serve the page to raters on this machine. Loopback only; each rater has a secret address of their own."""

import secrets
from collections.abc import Sequence
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from cleartitle.errors import InputError
from cleartitle.labels.local import HOST, LocalHandler, first
from cleartitle.labels.rater import Rater
from cleartitle.pages import Page, asked_by_itself, page

__all__ = ["LabelServer"]

TOKEN_HEADER = "X-Label-Token"  # noqa: S105


class LabelServer(ThreadingHTTPServer):
    """A server for some raters; it ends when each of them has said that they are done.

    A request needs the token of a rater (in the address of the page, in a header for all else), a ``Host`` that names
    this server, and, where the browser sends one, its ``Origin``.

    Raises:
        InputError: the port is taken.
    """

    daemon_threads = True

    def __init__(self, raters: Sequence[Rater], port: int = 0) -> None:
        self.raters = {secrets.token_urlsafe(18): rater for rater in raters}
        self.done: set[str] = set()
        self.lock = Lock()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise InputError(
                f"port {port}: {error.strerror}; mend: choose another --port, or 0 for a free one"
            ) from None

    @property
    def addresses(self) -> dict[str, str]:
        """The address of each rater's page."""
        return {rater.name: f"http://{HOST}:{self.server_port}/?token={token}" for token, rater in self.raters.items()}

    def rater(self, token: str) -> Rater | None:
        """Whose token it is; takes the same time for each wrong one."""
        found = None
        for known, rater in self.raters.items():
            if secrets.compare_digest(known.encode(), token.encode("utf-8", "replace")):
                found = rater
        return found

    def finish(self, rater: Rater) -> None:
        """Note that a rater is done, and end with the last one."""
        with self.lock:
            self.done.add(rater.name)
            if len(self.done) == len(self.raters):
                Thread(target=self.shutdown, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is no concern of the person at the terminal."""


class _Handler(LocalHandler):
    server: LabelServer  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def page(self) -> Page:
        return page("cleartitle.labels", "label")

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/" and (self._allowed(first(address.query, "token")) is not None):
            self.send(HTTPStatus.OK, self.page.html, "text/html; charset=utf-8")
        elif address.path == "/item" and (rater := self._allowed(self.headers.get(TOKEN_HEADER, ""))) is not None:
            position = first(address.query, "position")
            self.answer(lambda: rater.view(int(position) if position.isdecimal() and len(position) < 10 else None))
        elif address.path not in ("/", "/item"):
            self.fail(HTTPStatus.NOT_FOUND, "no such page")

    def do_POST(self) -> None:
        rater = self._allowed(self.headers.get(TOKEN_HEADER, ""))
        if rater is None:
            return
        body = self.body()
        if body is None:
            return
        if self.path == "/answer":
            self.answer(lambda: (rater.answer(body), rater.view())[1])
        elif self.path == "/finish":
            self.answer(lambda: {"answered": rater.answered, "total": rater.total})
            self.server.finish(rater)
        else:
            self.fail(HTTPStatus.NOT_FOUND, "no such page")

    def _allowed(self, token: str) -> Rater | None:
        """The rater, or None after a refusal was sent."""
        hosts = {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}
        if not asked_by_itself(self.headers.get("Host"), self.headers.get("Origin"), hosts):
            self.fail(HTTPStatus.FORBIDDEN, "asked from another place than this machine's own page")
            return None
        rater = self.server.rater(token)
        if rater is None:
            self.fail(HTTPStatus.FORBIDDEN, "not the address that `cleartitle label` printed")
        return rater
