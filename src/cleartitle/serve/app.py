"""The routes of the service, as an ASGI application."""

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cleartitle.pages import SAFE_HEADERS, page
from cleartitle.serve.desk import Desk
from cleartitle.serve.guard import Guard, Refused
from cleartitle.serve.log import fault, log
from cleartitle.serve.metrics import CONTENT_TYPE, Metrics
from cleartitle.serve.options import ServeOptions
from cleartitle.serve.pool import Pool, Reply, SearchFailed
from cleartitle.serve.schema import document, problem_of
from cleartitle.trace import Question

__all__ = ["make_app"]

BODY_SECONDS = 10.0
"""Seconds in which the body of a request must have come."""

PASS_OVER, PASS_OVER_SECONDS = 32 << 20, 2.0
"""Bytes of a body that is too large, and seconds, that are read before it is refused."""

OPEN_ROUTES = frozenset({"/", "/health", "/openapi.json"})
"""What needs no token: the page, which holds no data and asks for the token itself, and what tools look for."""

ROUTES = ("/", "/v1/trace", "/health", "/metrics", "/openapi.json")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Any], Awaitable[None]]


class Routes:
    """What each address answers."""

    def __init__(self, desk: Desk, guard: Guard, options: ServeOptions, metrics: Metrics, *, has_token: bool) -> None:
        self._desk, self._guard, self._options, self._metrics = desk, guard, options, metrics
        self._problem = problem_of(options)
        self._document = json.dumps(document(options, has_token=has_token)).encode()

    async def trace(self, request: Request) -> Response:
        """``POST /v1/trace``."""
        client = request.client.host if request.client else ""
        with self._guard.admitted(client):
            try:
                async with asyncio.timeout(self._options.seconds):
                    texts, value = await self._question(request)
                    replies = await self._search(texts, value)
            except TimeoutError:
                words = f"not answered in {self._options.seconds:g} seconds; send less, or try again"
                raise Refused(503, "time", words, {"Retry-After": "5"}) from None
            except SearchFailed as error:
                log("search_failed", logging.ERROR, problem=str(error))
                raise Refused(503, "failed", "the search failed; try again", {"Retry-After": "1"}) from None
        facts = request.scope["cleartitle"]
        facts |= {"texts": len(replies), "words": sum(reply.words for reply in replies)}
        for reply in replies:
            self._metrics.count("cleartitle_texts_total", state=reply.state)
            self._metrics.count("cleartitle_words_total", reply.words)
            self._metrics.observe("cleartitle_search_seconds", reply.seconds)
        results = b", ".join(reply.result for reply in replies)
        return Response(b'{"results": [' + results + b"]}", media_type="application/json")

    async def _question(self, request: Request) -> tuple[list[str], dict[str, Any]]:
        """The texts of a request, and the whole of its body."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json" or request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Refused(415, "type", "Content-Type must be application/json, without a Content-Encoding", CLOSE)
        body = await self._body(request)
        request.scope["cleartitle"]["bytes"] = len(body)
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            raise Refused(400, "json", "the body is not JSON in UTF-8") from None
        if (problem := self._problem(value)) is not None:
            raise Refused(422, "schema", problem)
        return value.get("texts") or [value["text"]], value

    async def _body(self, request: Request) -> bytes:
        most = self._options.max_body
        too_large = Refused(413, "size", f"the body is larger than {most:,} bytes; send less text at a time", CLOSE)
        stated = request.headers.get("content-length", "0")
        if len(stated) > 15 or int(stated) > most:
            if "expect" not in request.headers:
                await _pass_over(request)
            raise too_large
        parts, size = [], 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for part in request.stream():
                    size += len(part)
                    if size > most:
                        parts.clear()
                        await _pass_over(request)
                        raise too_large
                    parts.append(part)
        except TimeoutError:
            raise Refused(408, "slow", f"the body did not come in {BODY_SECONDS:g} seconds", CLOSE) from None
        return b"".join(parts)

    async def _search(self, texts: list[str], value: Mapping[str, Any]) -> list[Reply]:
        async with self._desk.borrow() as pool:
            # A batch takes no more than one place in the queue for each worker, so that others come in between.
            places = asyncio.Semaphore(max(1, pool.alive))

            async def one(text: str) -> Reply:
                async with places:
                    return await _ask(pool, Question.of(value, text))

            if len(texts) == 1:
                return [await one(texts[0])]
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = [group.create_task(one(text)) for text in texts]
            except* SearchFailed as failed:
                raise SearchFailed(str(failed.exceptions[0])) from None
            return [task.result() for task in tasks]

    async def health(self, _: Request) -> Response:
        """``GET /health``."""
        health = self._desk.health
        if health["status"] == "ok":
            return JSONResponse(health)
        return JSONResponse(health, 503, {"Retry-After": "5"})

    async def metrics(self, _: Request) -> Response:
        """``GET /metrics``."""
        gauges = {**self._desk.gauges, "cleartitle_requests_in_flight": self._guard.in_flight}
        return Response(self._metrics.text(gauges), headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, _: Request) -> Response:
        """``GET /openapi.json``."""
        return Response(self._document, media_type="application/json")

    async def page(self, _: Request) -> Response:
        """``GET /``."""
        return Response(page("cleartitle.serve", "serve").html, media_type="text/html")


CLOSE = {"Connection": "close"}
"""What a body may still hold is not read, so that the connection cannot be used again."""


async def _pass_over(request: Request) -> None:
    """Read some of what is left of a body, so that a client that sends all before it reads gets to see the answer."""
    size = 0
    try:
        async with asyncio.timeout(PASS_OVER_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > PASS_OVER:
                    return
    except TimeoutError:
        return


async def _ask(pool: Pool, question: Question) -> Reply:
    return await pool.ask(json.dumps(vars(question)).encode())


class Front:
    """Around all routes: checks who asks, adds headers, counts, logs, and answers what went wrong."""

    def __init__(self, app: Any, guard: Guard, metrics: Metrics, seconds: float) -> None:
        self._app, self._guard, self._metrics, self._seconds = app, guard, metrics, seconds
        policy = page("cleartitle.serve", "serve").policy
        self._headers = [
            (name.lower().encode(), value.encode())
            for name, value in (*SAFE_HEADERS, ("Content-Security-Policy", policy))
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, status = time.perf_counter(), 0
        path = scope["path"] if scope["path"] in ROUTES else "other"
        method = scope["method"] if scope["method"] in METHODS else "other"
        facts: dict[str, Any] = {"id": uuid.uuid4().hex}
        scope["cleartitle"] = facts
        extra = [*self._headers, (b"x-request-id", facts["id"].encode())]

        async def told(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        try:
            # An answer that a client does not fetch is given up as well.
            async with asyncio.timeout(2 * self._seconds + BODY_SECONDS):
                await self._answer(scope, receive, told, path)
        except ClientDisconnect:
            status = status or 499
        except TimeoutError:
            log("answer_not_fetched", logging.WARNING, id=facts["id"])
        except Exception as error:
            log("fault", logging.ERROR, id=facts["id"], **fault(error))
        seconds = time.perf_counter() - start
        if "refused" in facts:
            self._metrics.count("cleartitle_refused_total", reason=facts["refused"])
        self._metrics.count("cleartitle_requests_total", route=path, method=method, status=str(status))
        self._metrics.observe("cleartitle_request_seconds", seconds, route=path)
        client = (scope.get("client") or ("",))[0]
        log("request", route=path, method=method, status=status, seconds=round(seconds, 6), client=client, **facts)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self._guard.check(headers, is_open=path in OPEN_ROUTES)
            await self._app(scope, receive, send)
        except Refused as refused:
            response = await _refused(Request(scope), refused)
            await response(scope, receive, send)


async def _refused(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, Refused)
    request.scope["cleartitle"]["refused"] = refused.reason
    return JSONResponse({"error": str(refused)}, refused.status, refused.headers)


async def _fault(_: Request, __: Exception) -> Response:
    """What the client gets; ``Front`` gets the error itself."""
    return JSONResponse({"error": "a fault of the service; its log holds more"}, 500, CLOSE)


async def _no_route(_: Request, error: Exception) -> Response:
    """What Starlette refuses by itself: 404 and 405."""
    assert isinstance(error, HTTPException)
    words = {404: "no such address; /openapi.json lists them", 405: "not with this method"}
    return JSONResponse({"error": words.get(error.status_code, "refused")}, error.status_code, error.headers)


def make_app(desk: Desk, guard: Guard, options: ServeOptions, metrics: Metrics, *, has_token: bool) -> Front:
    """The application over an open desk."""
    routes = Routes(desk, guard, options, metrics, has_token=has_token)
    app = Starlette(
        routes=[
            Route("/", routes.page),
            Route("/v1/trace", routes.trace, methods=["POST"]),
            Route("/health", routes.health),
            Route("/metrics", routes.metrics),
            Route("/openapi.json", routes.openapi),
        ],
        exception_handlers={HTTPException: _no_route, Refused: _refused, Exception: _fault},
    )
    app.router.redirect_slashes = False
    return Front(app, guard, metrics, options.seconds)
