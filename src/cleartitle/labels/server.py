"""Serve the page to raters on this machine. Loopback only; each rater has a secret address of their own."""

import json
import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cleartitle.errors import InputError
from cleartitle.labels.rater import Rater
from cleartitle.pages import SAFE_HEADERS, Page, asked_by_itself, page

__all__ = ["LabelServer"]

HOST = "127.0.0.1"
MOST_BODY = 64 * 1024
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


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version = "cleartitle"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/" and (self._allowed(_first(address.query, "token")) is not None):
            self._send(HTTPStatus.OK, _page().html, "text/html; charset=utf-8")
        elif address.path == "/item" and (rater := self._allowed(self.headers.get(TOKEN_HEADER, ""))) is not None:
            position = _first(address.query, "position")
            self._answer(lambda: rater.view(int(position) if position.isdecimal() and len(position) < 10 else None))
        elif address.path not in ("/", "/item"):
            self._fail(HTTPStatus.NOT_FOUND, "no such page")

    def do_POST(self) -> None:
        rater = self._allowed(self.headers.get(TOKEN_HEADER, ""))
        if rater is None:
            return
        body = self._body()
        if body is None:
            return
        if self.path == "/answer":
            self._answer(lambda: (rater.answer(body), rater.view())[1])
        elif self.path == "/finish":
            self._answer(lambda: {"answered": rater.answered, "total": rater.total})
            self.server.finish(rater)
        else:
            self._fail(HTTPStatus.NOT_FOUND, "no such page")

    def _allowed(self, token: str) -> Rater | None:
        """The rater, or None after a refusal was sent."""
        hosts = {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}
        if not asked_by_itself(self.headers.get("Host"), self.headers.get("Origin"), hosts):
            self._fail(HTTPStatus.FORBIDDEN, "asked from another place than this machine's own page")
            return None
        rater = self.server.rater(token)
        if rater is None:
            self._fail(HTTPStatus.FORBIDDEN, "not the address that `cleartitle label` printed")
        return rater

    def _body(self) -> Mapping[str, Any] | None:
        length = self.headers.get("Content-Length", "")
        kind = self.headers.get_content_type()
        if not length.isdecimal() or len(length) > 9 or int(length) > MOST_BODY or kind != "application/json":
            self._fail(HTTPStatus.BAD_REQUEST, f"a JSON object of at most {MOST_BODY:,} bytes is expected")
            return None
        try:
            found = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            self._fail(HTTPStatus.BAD_REQUEST, "a JSON object is expected")
            return None
        return found

    def _answer(self, work: Any) -> None:
        try:
            found = work()
        except InputError as error:
            self._fail(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except OSError as error:
            self._fail(HTTPStatus.INSUFFICIENT_STORAGE, f"the answer could not be written ({error.strerror})")
        else:
            self._send(HTTPStatus.OK, json.dumps(found).encode(), "application/json")

    def _fail(self, status: HTTPStatus, reason: str) -> None:
        # What the body may still hold is not read, so the connection cannot be used again.
        self.close_connection = True
        self._send(status, json.dumps({"error": reason}).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(content))),
            ("Content-Security-Policy", _page().policy),
            *SAFE_HEADERS,
            *((("Connection", "close"),) if self.close_connection else ()),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the log would hold the tokens."""


def _page() -> Page:
    return page("cleartitle.labels", "label")


def _first(query: str, name: str) -> str:
    try:
        return parse_qs(query, max_num_fields=8).get(name, [""])[0]
    except ValueError:
        return ""
