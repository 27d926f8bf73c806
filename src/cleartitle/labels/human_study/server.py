"""Serve a study in a browser: an invitation that all get, and a secret of their own for each who agreed."""

import secrets
from collections.abc import Mapping
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from cleartitle.errors import InputError
from cleartitle.labels.human_study.study import Person, Study
from cleartitle.labels.local import HOST, LocalHandler
from cleartitle.pages import Page, asked_by_itself, page

__all__ = ["StudyServer"]

HEADER = "X-Study-Token"


class StudyServer(ThreadingHTTPServer):
    """Listens on this machine only. ``origin`` of the options names a proxy that shows the page to others.

    The page itself is no secret; to join needs the invitation, all else the secret of a person. Both stand behind the
    ``#`` of an address, which browsers do not send, and travel in bodies and headers.

    Raises:
        InputError: the port is taken.
    """

    daemon_threads = True

    def __init__(self, study: Study) -> None:
        self.study = study
        try:
            super().__init__((HOST, study.options.port), _Handler)
        except OSError as error:
            raise InputError(f"port {study.options.port}: {error.strerror}; mend: choose another --port") from None

    @property
    def address(self) -> str:
        """The invitation, as people get it."""
        origin = self.study.options.origin or f"http://{HOST}:{self.server_port}"
        return f"{origin.rstrip('/')}/#join={self.study.invitation}"

    @property
    def hosts(self) -> set[str]:
        """What a request may name as its host, and as the place that it comes from."""
        found = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        if self.study.options.origin is not None:
            shown = self.study.options.origin.rstrip("/")
            found |= {shown, urlsplit(shown).netloc}
        return found

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is no concern of the person at the terminal."""


class _Handler(LocalHandler):
    server: StudyServer  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def page(self) -> Page:
        return page("cleartitle.labels.human_study", "study")

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if not self._own():
            return
        if path == "/":
            self.send(HTTPStatus.OK, self.page.html, "text/html; charset=utf-8")
        elif path == "/consent":
            self.answer(lambda: {"consent": self.server.study.consent})
        elif path == "/task":
            if (person := self._person()) is not None:
                self.answer(lambda: self.server.study.view(person))
        else:
            self.fail(HTTPStatus.NOT_FOUND, "no such page")

    def do_POST(self) -> None:
        study = self.server.study
        if not self._own():
            return
        if self.path not in ("/join", "/call", "/withdraw"):
            self.fail(HTTPStatus.NOT_FOUND, "no such page")
        elif self.path == "/join":
            if (given := self.body()) is not None:
                self._join(given)
        elif (person := self._person()) is not None and (given := self.body()) is not None:
            self.answer(lambda: study.call(person, given) if self.path == "/call" else study.withdraw(person))

    def _join(self, given: Mapping[str, Any]) -> None:
        study, invitation = self.server.study, given.get("invitation")
        known = isinstance(invitation, str) and secrets.compare_digest(invitation.encode(), study.invitation.encode())
        if not known:
            self.fail(HTTPStatus.FORBIDDEN, "this is not the address of the invitation")
            return
        self.answer(lambda: {"secret": study.join(given.get("agreed"))[1]})

    def _own(self) -> bool:
        if asked_by_itself(self.headers.get("Host"), self.headers.get("Origin"), self.server.hosts):
            return True
        self.fail(HTTPStatus.FORBIDDEN, "asked from another place than the page of this study")
        return False

    def _person(self) -> Person | None:
        found = self.server.study.person(self.headers.get(HEADER, ""))
        if found is None:
            self.fail(HTTPStatus.FORBIDDEN, "nobody takes part under this address")
        return found
