"""HTTP for readers: bounded answers, careful redirects, patience with servers that stumble."""

import http.client
import json
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import IO, Any

from cleartitle.errors import CleartitleError
from cleartitle.files import atomic_path

__all__ = ["Reply", "Web", "WebError"]

_STEP = 2**18
_REDIRECTS = (301, 302, 303, 307, 308)
_SECRETS = ("authorization", "cookie", "proxy-authorization")


class WebError(CleartitleError):
    """No usable answer; the message names the address without what may be secret in it."""


@dataclass(frozen=True)
class Reply:
    """An answer: its status, its headers with lower-case names, its body (empty if it went to a file), its address."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            WebError: it is none.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise WebError(f"{shown(self.url)}: the answer is no JSON") from None


@dataclass
class Web:
    """How to ask.

    A connection that fails, an answer that breaks off and a status of 500 and above are tried again after ``pauses``
    (seconds). Redirects are followed to http and https alone, never from https to http, and secret headers go to no
    other host than the first.
    """

    timeout: float = 60
    pauses: tuple[float, ...] = (1, 4, 10)
    redirects: int = 5
    sleep: Callable[[float], None] = time.sleep
    _opener: urllib.request.OpenerDirector = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._opener = urllib.request.build_opener(_NoRedirects)

    def get(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        most: int = 2**25,
        target: Path | None = None,
        whole: Callable[[Path], bool] = lambda _: True,
    ) -> Reply:
        """The answer of a server, whatever its status below 500.

        ``most`` bounds the bytes that are read. With ``target`` the body of an answer 200 is put there, atomically and
        only if ``whole`` says so of the file.

        Raises:
            WebError: no answer after all tries, too many bytes, an address or a redirect that is not followed.
        """
        problem = ""
        for pause in (*self.pauses, None):
            try:
                reply = self._follow(url, dict(headers or {}), most, target, whole)
                if reply.status < 500:
                    return reply
                problem = f"status {reply.status}"
            except (http.client.HTTPException, OSError, EOFError) as error:
                problem = _reason(error)
            if pause is not None:
                self.sleep(pause)
        raise WebError(f"{shown(url)}: no answer after {len(self.pauses) + 1} tries ({problem})")

    def _follow(
        self, url: str, headers: dict[str, str], most: int, target: Path | None, whole: Callable[[Path], bool]
    ) -> Reply:
        first = _host(url)
        for _ in range(self.redirects + 1):
            kept = {k: v for k, v in headers.items() if _host(url) == first or k.lower() not in _SECRETS}
            request = urllib.request.Request(url, headers={"User-Agent": "cleartitle", **kept})
            try:
                response = self._opener.open(request, timeout=self.timeout)
            except urllib.error.HTTPError as error:
                response = error
            with response:
                status = response.status or 0
                found = _headers(response.headers)
                if status in _REDIRECTS and "location" in found:
                    url = _next(url, found["location"])
                    continue
                if target is not None and status == 200:
                    with atomic_path(target) as partial:
                        with partial.open("wb") as file:
                            _copy(response, found, file, most, url)
                        if not whole(partial):
                            raise EOFError("the answer broke off")
                    return Reply(status, found, b"", url)
                return Reply(status, found, _read(response, most, url), url)
        raise WebError(f"{shown(url)}: more than {self.redirects} redirects")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """They are ``Web``'s to follow: without a handler that takes them, they come as errors with their status."""

    def http_error_302(self, *_: Any, **__: Any) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def shown(url: str) -> str:
    """An address fit for a message: without user, password and query."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit((parts.scheme, _host(url)[1], parts.path, "", ""))[:300]


def _host(url: str) -> tuple[str, str]:
    try:
        parts = urllib.parse.urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise WebError("an address that cannot be read") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise WebError(f"{url[:60]!r}: no http or https address")
    return parts.scheme, f"{parts.hostname}{port}"


def _next(url: str, location: str) -> str:
    try:
        # Signs that do not belong into an address are encoded, those that are encoded stay.
        found = urllib.parse.urljoin(url, urllib.parse.quote(location, safe=":/?#[]@!$&'()*+,;=%~"))
    except ValueError:
        raise WebError(f"{shown(url)}: leads to an address that cannot be read") from None
    scheme, host = _host(found)
    if (_host(url)[0], scheme) == ("https", "http"):
        raise WebError(f"{shown(url)}: leads from https to http ({host}), not followed")
    return found


def _headers(message: Message) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in message.items()}


def _copy(response: Any, headers: Mapping[str, str], file: IO[bytes], most: int, url: str) -> None:
    count = 0
    while data := response.read(_STEP):
        count += len(data)
        if count > most:
            raise WebError(f"{shown(url)}: over {most} bytes")
        file.write(data)
    stated = headers.get("content-length", "")
    if stated.isdigit() and count != int(stated):
        raise EOFError("the answer broke off")


def _read(response: Any, most: int, url: str) -> bytes:
    data = response.read(most + 1)
    if len(data) > most:
        raise WebError(f"{shown(url)}: over {most} bytes")
    return data


def _reason(error: BaseException) -> str:
    if isinstance(error, (TimeoutError, socket.timeout)):
        return "no answer in time"
    reason = getattr(error, "reason", None)
    return " ".join(str(reason or error).split())[:200] or type(error).__name__
