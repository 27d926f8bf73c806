"""What servers of pages for people on this machine share: JSON in and out within limits, headers, and no log."""

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs

from cleartitle.errors import InputError
from cleartitle.pages import SAFE_HEADERS, Page

__all__ = ["HOST", "LocalHandler", "first"]

HOST = "127.0.0.1"
MOST_BODY = 64 * 1024


class LocalHandler(BaseHTTPRequestHandler):
    """Answers of a server with one page."""

    server_version = "cleartitle"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    @property
    def page(self) -> Page:
        """The page, whose content security policy goes with every answer."""
        raise NotImplementedError

    def body(self) -> Mapping[str, Any] | None:
        """The JSON object of a request, or None after a refusal was sent."""
        length = self.headers.get("Content-Length", "")
        kind = self.headers.get_content_type()
        if not length.isdecimal() or len(length) > 9 or int(length) > MOST_BODY or kind != "application/json":
            self.fail(HTTPStatus.BAD_REQUEST, f"a JSON object of at most {MOST_BODY:,} bytes is expected")
            return None
        try:
            found = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            self.fail(HTTPStatus.BAD_REQUEST, "a JSON object is expected")
            return None
        return found

    def answer(self, work: Callable[[], Any]) -> None:
        """Send what ``work`` gives as JSON, or its InputError as a reason."""
        try:
            found = work()
        except InputError as error:
            self.fail(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except OSError as error:
            self.fail(HTTPStatus.INSUFFICIENT_STORAGE, f"the answer could not be written ({error.strerror})")
        else:
            self.send(HTTPStatus.OK, json.dumps(found).encode(), "application/json")

    def fail(self, status: HTTPStatus, reason: str) -> None:
        """Refuse."""
        # What the body may still hold is not read, so the connection cannot be used again.
        self.close_connection = True
        self.send(status, json.dumps({"error": reason}).encode(), "application/json")

    def send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(content))),
            ("Content-Security-Policy", self.page.policy),
            *SAFE_HEADERS,
            *((("Connection", "close"),) if self.close_connection else ()),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the log would hold the tokens."""


def first(query: str, name: str) -> str:
    """The first value of a name in the query of an address; empty where there is none."""
    try:
        return parse_qs(query, max_num_fields=8).get(name, [""])[0]
    except ValueError:
        return ""
