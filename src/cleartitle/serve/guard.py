"""Who may ask, and how many at a time."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from cleartitle.pages import asked_by_itself
from cleartitle.serve.options import ServeOptions

__all__ = ["Guard", "Refused"]


class Refused(Exception):
    """An answer other than the one that was asked for: its status, a line for the client, a word for the metrics."""

    def __init__(self, status: int, reason: str, words: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.status, self.reason, self.headers = status, reason, dict(headers or {})


class Guard:
    """Checks token or host of a request, and counts what is in flight."""

    def __init__(self, options: ServeOptions, token: str | None, port: int) -> None:
        self._options = options
        self._token = None if token is None else _digest(token.encode())
        names = {options.host, "127.0.0.1", "localhost", "[::1]"}
        self._hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())
        self._clients: Counter[str] = Counter()
        self.in_flight = 0

    def check(self, headers: Mapping[str, str], *, is_open: bool) -> None:
        """Let a request through; ``is_open`` marks what needs no token.

        With a token the host does not matter: a page of another site does not have it. Without one only this machine's
        own programs and pages are let in.

        Raises:
            Refused: 401 or 403.
        """
        if self._token is not None:
            if is_open:
                return
            kind, _, given = headers.get("authorization", "").partition(" ")
            # Compared by hash: neither what is wrong with a token nor its length shows in the time.
            if not hmac.compare_digest(_digest(given.strip().encode("latin-1", "replace")), self._token) or (
                kind.lower() != "bearer"
            ):
                raise Refused(401, "token", "the token is missing or wrong", {"WWW-Authenticate": "Bearer"})
        elif not asked_by_itself(headers.get("host"), headers.get("origin"), self._hosts):
            words = "asked from another place than this machine's own page; behind a proxy, give the service a token"
            raise Refused(403, "host", words)

    @contextmanager
    def admitted(self, client: str) -> Generator[None]:
        """Take a request in while the block runs.

        Raises:
            Refused: 429 or 503.
        """
        later = {"Retry-After": "1"}
        if self._clients[client] >= self._options.per_client:
            words = f"{self._options.per_client} requests of this client are in flight; wait for their answers"
            raise Refused(429, "client", words, later)
        if self.in_flight >= self._options.requests:
            raise Refused(503, "full", f"{self._options.requests} requests are in flight; try again", later)
        self._clients[client] += 1
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()
