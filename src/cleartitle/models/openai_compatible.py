"""Any endpoint that speaks the OpenAI interface: hosted, or a server of your own."""

import asyncio
import email.utils
import importlib.metadata
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import openai

from cleartitle.errors import InputError
from cleartitle.models.answers import PROMPT_CUT, unfit
from cleartitle.models.openai_wire import (
    Adaptation,
    MalformedReplyError,
    body_of,
    generations_of,
    reply_of,
    usage_of,
)
from cleartitle.models.protocol import Capabilities, Estimate, Generation, ModelOptions, Request, failed, plain_text
from cleartitle.models.spending import Budget, tokens_of

__all__ = ["Failure", "OpenAIModel"]

R = TypeVar("R")

DEFAULT_URL = "https://api.openai.com/v1"
CONCURRENCY = 8
MAX_REPLY = 32 * 2**20
MAX_WAIT = 120.0
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""Statuses after which another try may help."""
ADAPTATIONS = 8


@dataclass(frozen=True)
class _Problem:
    """Why an attempt gave no answer."""

    reason: str
    again: bool
    """Another try may help."""
    wait: float | None = None
    """Seconds the endpoint asked us to wait."""
    adapted: bool = False
    """A parameter was refused and the next body does without it."""
    status: int | None = None
    """HTTP status of a refusal."""


@dataclass(frozen=True)
class Failure:
    """Why a call gave nothing, after so many attempts and seconds; ``status`` where the endpoint refused it."""

    reason: str
    attempts: int = 0
    seconds: float = 0.0
    status: int | None = None


class OpenAIModel:
    """A model behind ``/chat/completions`` or, for base models, ``/completions``.

    Calls are made again after errors that may pass, with exponential back-off and jitter, and after the time that the
    endpoint asks for. A parameter that the endpoint refuses is left out or renamed for the rest of the run, and
    `describe` says so. The key is read from the environment and appears in no record, message or log.
    """

    def __init__(
        self,
        model: str,
        options: ModelOptions = ModelOptions(),  # noqa: B008 - frozen
        *,
        completions: bool = False,
    ) -> None:
        """Prepare a client; nothing is sent yet.

        Raises:
            InputError: no key for the default endpoint, a bad address, or a cap without prices.
        """
        if completions and options.style == "chat":
            raise InputError(f"openai-completions:{model} with style chat; mend: openai:{model}")
        self._model = model
        self._options = options
        self._completions = completions or options.style == "completion"
        self._url = options.base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL
        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("base_url: not a web address; mend: https://HOST/v1")
        self._host = parts.hostname + (f":{parts.port}" if parts.port else "")
        key = os.environ.get(options.api_key_env, "")
        if not key and self._url == DEFAULT_URL:
            raise InputError(f"no key for {self._host}; mend: set {options.api_key_env} or give a base_url")
        self._has_key = bool(key)
        self._secrets = tuple(secret for secret in (key, parts.password) if secret)
        # Servers of one's own often want no key, but the client does.
        self._client = openai.AsyncOpenAI(
            api_key=key or "none", base_url=self._url, max_retries=0, timeout=options.timeout
        )
        self._budget = Budget(options)
        self._adaptation = Adaptation()
        self._concurrency = options.concurrency or CONCURRENCY
        self._gate = asyncio.Semaphore(self._concurrency)
        self._served: set[str] = set()
        self._random = random.Random()

    def __repr__(self) -> str:
        """Without the client, which knows the key."""
        return f"OpenAIModel({self._model!r}, host={self._host!r})"

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._model

    def describe(self) -> dict[str, Any]:
        """Host, model as named by the endpoint, parameters it refused, and what was spent (None without prices)."""
        return {
            "adapter": "openai",
            "model": self._model,
            "host": self._host,
            "interface": "completions" if self._completions else "chat completions",
            "served_as": sorted(self._served),
            "client": f"openai {importlib.metadata.version('openai')}",
            "key_from": self._options.api_key_env if self._has_key else None,
            "refused_parameters": dict(sorted(self._adaptation.dropped.items())),
            "prompt_cut": PROMPT_CUT if self._completions else None,
            "spent": None if self._budget.price is None else round(self._budget.spent, 6),
        }

    def capabilities(self) -> Capabilities:
        """What the interface offers; whether the model behind it sees images is known only when asked."""
        chat = not self._completions
        return Capabilities(
            chat=chat,
            completion=self._completions,
            tools=chat,
            images=chat,
            several_samples=True,
            concurrency=self._concurrency,
        )

    def estimate(self, requests: tuple[Request, ...]) -> Estimate:
        """Tokens by the rule of thumb of four characters a token, the answer at its upper bound."""
        prompt = sum(tokens_of(plain_text(request)) for request in requests)
        completion = sum(request.sampling.n * request.sampling.max_tokens for request in requests)
        price = self._budget.price
        return Estimate(
            calls=len(requests),
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=None if price is None else price.of(prompt, completion),
            method="four characters a token",
        )

    async def generate(self, request: Request) -> list[Generation]:
        """Answers of the endpoint, or error rows."""
        reason = unfit(request, self.capabilities())
        if reason:
            return failed(request, reason, attempts=0)
        wanted = request.sampling.n
        if wanted == 1 or "n" in self._adaptation.dropped:
            return await self._singles(request, 0)
        rows = await self._call(request, wanted, 0)
        if len(rows) < wanted:
            # The endpoint refused n in this very call, or took it and gave fewer.
            self._adaptation.dropped.setdefault("n", "one call per sample")
            rows += await self._singles(request, len(rows))
        return rows[:wanted]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _singles(self, request: Request, start: int) -> list[Generation]:
        calls = [self._call(request, 1, index) for index in range(start, request.sampling.n)]
        return [rows[0] for rows in await asyncio.gather(*calls)]

    async def _call(self, request: Request, n: int, index: int) -> list[Generation]:
        """One call with its further attempts: at least one row."""
        promise = 0.0
        if self._budget.price is not None:
            promise = self._budget.price.of(tokens_of(plain_text(request)), n * request.sampling.max_tokens)

        def read(reply: dict[str, Any], tries: int, seconds: float) -> list[Generation]:
            return generations_of(reply, request, self._adaptation, attempts=tries, seconds=seconds)

        found = await self.exchange(lambda: body_of(self._model, request, self._adaptation, n, index), read, promise)
        if isinstance(found, Failure):
            return failed(request, found.reason, attempts=found.attempts, seconds=found.seconds)[:n]
        return found

    def adapted(self, body: dict[str, Any]) -> dict[str, Any]:
        """A body without the parameters that the endpoint was found to refuse."""
        dropped = self._adaptation.dropped
        kept = {name: value for name, value in body.items() if name not in dropped}
        if "max_tokens" in dropped and "max_tokens" in body:
            kept["max_completion_tokens"] = body["max_tokens"]
        return {"model": self._model, **kept}

    async def exchange(
        self,
        make_body: Callable[[], dict[str, Any]],
        read: Callable[[dict[str, Any], int, float], R],
        promise: float = 0.0,
    ) -> "R | Failure":
        """Send a body, again if that may help, and what ``read`` makes of the reply, the attempts and the seconds.

        ``make_body`` is called for each attempt, since parameters may have been refused; ``read`` raises
        `MalformedReplyError` for a reply that is not what the interface promises. ``promise`` is the most that the call
        may cost.
        """
        started = time.monotonic()
        attempts = adaptations = 0
        while True:
            async with self._gate:
                if not await self._budget.reserve(promise):
                    reason = f"not asked: the spending cap of {self._budget.cap} leaves no room"
                    return Failure(reason, attempts, time.monotonic() - started)
                attempts += 1
                cost = 0.0
                try:
                    outcome, cost = await self._attempt(make_body(), promise)
                finally:
                    await self._budget.settle(promise, cost)
            seconds = time.monotonic() - started
            if isinstance(outcome, dict):
                try:
                    return read(outcome, attempts - adaptations, seconds)
                except MalformedReplyError as error:
                    outcome = _Problem(str(error), again=error.passing)
            if outcome.adapted and adaptations < ADAPTATIONS:
                adaptations += 1
                continue
            tries = attempts - adaptations
            if not outcome.again or tries > self._options.retries:
                suffix = f" ({tries} attempts)" if tries > 1 else ""
                return Failure(self._scrub(outcome.reason) + suffix, tries, seconds, outcome.status)
            await asyncio.sleep(self._pause(tries, outcome.wait))

    async def _attempt(self, body: dict[str, Any], promise: float) -> tuple[dict[str, Any] | _Problem, float]:
        """One attempt: the reply or a problem, and what it cost."""
        try:
            async with asyncio.timeout(self._options.timeout):
                reply = reply_of(await self._send(body))
        except TimeoutError:
            return _Problem(f"no answer within {self._options.timeout:g} s", again=True), promise
        except MalformedReplyError as error:
            return _Problem(str(error), again=error.passing), promise
        except openai.APIStatusError as error:
            return self._status(error, body), 0.0
        except openai.APITimeoutError:
            return _Problem(f"no answer within {self._options.timeout:g} s", again=True), promise
        except Exception as error:  # whatever the network does, it becomes a row
            cause = error.__cause__ or error
            return _Problem(f"connection failed: {type(cause).__name__}: {str(cause)[:200]}", again=True), promise
        self._remember(reply)
        if self._budget.price is None:
            return reply, 0.0
        prompt, completion = usage_of(reply)
        if prompt is None or completion is None:
            return reply, promise
        return reply, self._budget.price.of(prompt, completion)

    async def _send(self, body: dict[str, Any]) -> bytes:
        extra = {name: value for name, value in body.items() if name not in ("model", "messages", "prompt")}
        if self._completions:
            create = self._client.completions.with_streaming_response.create
            call = create(model=self._model, prompt=body["prompt"], extra_body=extra)
        else:
            create = self._client.chat.completions.with_streaming_response.create
            call = create(model=self._model, messages=body["messages"], extra_body=extra)
        data = bytearray()
        async with call as response:
            async for block in response.iter_bytes():
                data += block
                if len(data) > MAX_REPLY:
                    raise MalformedReplyError(f"the reply is over {MAX_REPLY} bytes", passing=False)
        return bytes(data)

    def _status(self, error: openai.APIStatusError, body: dict[str, Any]) -> _Problem:
        status = error.status_code
        message, named, code = _details(error)
        if status in (400, 422):
            # Another request may have learned it while this one was under way.
            known = any(name in body for name in self._adaptation.dropped)
            if known or self._adaptation.learn(message, named, body):
                return _Problem(f"HTTP {status}: {message}", again=False, adapted=True)
        said = f"HTTP {status} from {self._host}: {message}"
        if status in (401, 403):
            mend = f"; mend: a valid key in the environment variable {self._options.api_key_env}"
            return _Problem(said + mend, again=False, status=status)
        if status == 404:
            return _Problem(f"{said}; mend: check base_url and model name", again=False, status=status)
        again = status in PASSING and code != "insufficient_quota"
        return _Problem(said, again, _retry_after(error.response.headers), status=status)

    def _remember(self, reply: dict[str, Any]) -> None:
        served, fingerprint = reply.get("model"), reply.get("system_fingerprint")
        if isinstance(served, str) and len(self._served) < 20:
            text = served if not isinstance(fingerprint, str) else f"{served} ({fingerprint})"
            self._served.add(self._scrub(text[:200]))

    def _pause(self, tries: int, asked: float | None) -> float:
        backoff = min(60.0, 0.5 * 2 ** (tries - 1)) * self._random.uniform(0.5, 1.0)
        return backoff if asked is None else min(MAX_WAIT, asked) + backoff * 0.1

    def _scrub(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text


def _details(error: openai.APIStatusError) -> tuple[str, str | None, str | None]:
    """Message, parameter and code of an error reply, whatever its layout."""
    body: Any = error.body
    if isinstance(body, dict):
        inner: Any = body.get("error", body)
        if isinstance(inner, dict):
            message = inner.get("message") or inner.get("detail") or inner
            named, code = inner.get("param"), inner.get("code")
            return (
                " ".join(str(message).split())[:300],
                named if isinstance(named, str) else None,
                code if isinstance(code, str) else None,
            )
    return " ".join(str(body or error.message).split())[:300], None, None


def _retry_after(headers: Any) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``Retry-After`` (seconds or a date)."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
