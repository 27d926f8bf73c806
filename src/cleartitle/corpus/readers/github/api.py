"""The REST API of GitHub: answers kept with their ETag, rate limits waited for, a token that is never shown."""

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from cleartitle.corpus.options import CorpusOptions
from cleartitle.errors import CleartitleError, InputError
from cleartitle.files import cache_dir, read_json, write_json
from cleartitle.progress import warn
from cleartitle.tarballs import is_whole_gzip
from cleartitle.web import Reply, Web

__all__ = ["GitHub", "GitHubError"]

_GONE = {404: "not there (removed, renamed away or private)", 409: "an empty repository", 451: "taken down"}
_LONGEST = 3700  # seconds; the longest limit of the API is an hour
_WAITS = 20  # in a row, for one answer
_SECONDARY = 60  # seconds, where a secondary limit states none
_LARGEST_TARBALL = 2**30
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class GitHubError(CleartitleError):
    """The API refuses, or does not have what was asked for."""


@dataclass
class GitHub:
    """How to ask the API.

    Answers are kept in the cache and believed from there, so that a killed collection goes on without asking twice;
    with ``refresh`` they are asked for anew, by ETag, which costs nothing of the limit where nothing has changed.
    A limit that is spent is waited for, as ``Retry-After`` or ``X-RateLimit-Reset`` say.

    Raises:
        InputError: a token would travel over an unencrypted connection.
    """

    api: str = "https://api.github.com"
    token: str = field(default="", repr=False)
    refresh: bool = False
    web: Web = field(default_factory=Web)
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    _until: dict[str, float] = field(default_factory=dict[str, float], init=False, repr=False)

    def __post_init__(self) -> None:
        self.api = self.api.rstrip("/")
        parts = urlsplit(self.api)
        if self.token and parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise InputError(f"{parts.hostname}: a token is not sent over http; mend: an https address, or no token")

    @classmethod
    def by(cls, options: CorpusOptions) -> "GitHub":
        """The API that the options name, with the token of the environment variable that they name."""
        token = os.environ.get(options.github_token_variable, "").strip()
        if not re.fullmatch(r"[!-~]*", token):
            raise InputError(f"{options.github_token_variable}: holds no token; mend: the bare token, or unset it")
        return cls(options.github_api, token, options.refresh)

    def json(self, path: str, parameters: Mapping[str, str | int] | None = None) -> Any:
        """The answer for a path, from the cache or the API.

        Raises:
            GitHubError: the API does not have it or refuses.
            WebError: no answer.
        """
        url = f"{self.api}{path}" + (f"?{urlencode(parameters)}" if parameters else "")
        place = cache_dir("github", "answers") / f"{hashlib.sha256(url.encode()).hexdigest()}.json"
        kept = _kept(place, url)
        if kept is not None and not self.refresh:
            return kept["body"]
        tag = {"If-None-Match": kept["etag"]} if kept and kept["etag"] else {}
        reply = self._ask(url, tag)
        if reply.status == 304 and kept is not None:
            return kept["body"]
        if reply.status != 200:
            raise GitHubError(_refusal(path, reply))
        body = reply.json()
        write_json(place, {"url": url, "etag": reply.headers.get("etag", ""), "body": body})
        return body

    def tarball(self, name: str, revision: str) -> Path:
        """The tarball of a repository at a commit, whole, from the cache or the API.

        Raises:
            GitHubError: the API does not have it or refuses.
            WebError: no whole answer.
        """
        place = cache_dir("github", "tarballs") / f"{name.replace('/', '+')}-{revision}.tar.gz"
        if place.is_file():
            return place
        path = f"/repos/{name}/tarball/{revision}"
        reply = self._ask(self.api + path, {}, place)
        if reply.status != 200:
            raise GitHubError(_refusal(path, reply))
        return place

    def _ask(self, url: str, headers: Mapping[str, str], target: Path | None = None) -> Reply:
        """One answer, after all the waiting that it takes."""
        resource = "search" if urlsplit(url).path.startswith(f"{urlsplit(self.api).path}/search/") else "core"
        sent = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28", **headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        for _ in range(_WAITS):
            if (rest := self._until.pop(resource, 0.0) - self.now()) > 0:
                self._wait(rest)
            reply = self.web.get(
                url, sent, most=_LARGEST_TARBALL if target else 2**25, target=target, whole=is_whole_gzip
            )
            limits = reply.headers
            if limits.get("x-ratelimit-remaining") == "0":
                self._until[resource] = _number(limits.get("x-ratelimit-reset"), 0.0)
            if not _is_limited(reply):
                return reply
            if "retry-after" in limits:
                self._until[resource] = self.now() + _number(limits["retry-after"], _SECONDARY)
            elif limits.get("x-ratelimit-remaining") != "0":
                self._until[resource] = self.now() + _SECONDARY
        raise GitHubError(f"{urlsplit(url).path}: the rate limit did not end after {_WAITS} waits; try again later")

    def _wait(self, seconds: float) -> None:
        seconds = min(seconds + 1, _LONGEST)
        if seconds > 5:
            mend = "" if self.token else "; a token raises the limit"
            warn(f"GitHub's rate limit is spent, going on in {seconds:.0f} s{mend}")
        self.sleep(seconds)


def _kept(place: Path, url: str) -> dict[str, Any] | None:
    try:
        found = read_json(place)
    except InputError:
        return None
    return found if isinstance(found, dict) and found.get("url") == url and "body" in found else None


def _is_limited(reply: Reply) -> bool:
    if reply.status not in (403, 429):
        return False
    headers = reply.headers
    spent = headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers
    return spent or reply.status == 429 or "rate limit" in _message(reply).lower()


def _refusal(path: str, reply: Reply) -> str:
    known = _GONE.get(reply.status)
    said = _message(reply)
    return f"{path}: {known}" if known else f"{path}: status {reply.status}" + (f" ({said})" if said else "")


def _message(reply: Reply) -> str:
    try:
        body = json.loads(reply.body)
    except (ValueError, RecursionError):
        return ""
    text = body.get("message") if isinstance(body, dict) else ""
    return " ".join(str(text or "").split())[:200]


def _number(text: str | None, otherwise: float) -> float:
    return float(text) if text and re.fullmatch(r"\d{1,12}", text) else otherwise
