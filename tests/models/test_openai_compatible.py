"""The OpenAI-compatible adapter against a real HTTP server that misbehaves on command."""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from cleartitle.errors import InputError
from cleartitle.models import (
    Image,
    Message,
    Model,
    ModelOptions,
    Request,
    Sampling,
    Text,
    Tool,
    ToolCall,
    open_model,
)

KEY = "sk-test-a-key-that-must-not-leak-0123456789"
Reply = tuple[int, dict[str, str], bytes]
Handler = Callable[[dict[str, Any]], "Reply | Awaitable[Reply]"]


class Endpoint:
    """Answers each call by the next handler of its script; the last one stays."""

    def __init__(self, *script: Handler) -> None:
        self.script = list(script)
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.tasks: set[asyncio.Task[Any]] = set()
        self.in_flight = 0
        self.most_in_flight = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.tasks.add(asyncio.current_task())  # type: ignore[arg-type]
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")
            )
            body = json.loads(await reader.readexactly(length))
            self.paths.append(head.split()[1])
            self.bodies.append(body)
            self.times.append(time.monotonic())
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            handler = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            reply = handler(body)
            status, headers, data = reply if isinstance(reply, tuple) else await reply
            if status:
                fields = {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}
                lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
                writer.write(f"HTTP/1.1 {status} X\r\n{lines}Connection: close\r\n\r\n".encode() + data)
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.in_flight -= 1
            writer.transport.abort()


class Dripper(Endpoint):
    """Sends its head at once and then a blank now and again."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.tasks.add(asyncio.current_task())  # type: ignore[arg-type]
        try:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
            while not writer.is_closing():
                writer.write(b" ")
                await asyncio.sleep(0.05)
        finally:
            writer.transport.abort()


@asynccontextmanager
async def serving(served: Endpoint) -> AsyncGenerator[Endpoint]:
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield served
    finally:
        server.close()
        for task in served.tasks:
            task.cancel()
        await asyncio.gather(*served.tasks, return_exceptions=True)
        await asyncio.sleep(0)


def endpoint(*script: Handler) -> AbstractAsyncContextManager[Endpoint]:
    return serving(Endpoint(*script))


def says(text: str | None, *, finish: str = "stop", **extra: Any) -> Handler:
    def handler(body: dict[str, Any]) -> Reply:
        content = {"role": "assistant", "content": text, **extra}
        return good([{"index": 0, "message": content, "finish_reason": finish}])

    return handler


def good(choices: list[dict[str, Any]], **extra: Any) -> Reply:
    usage = {"prompt_tokens": 10, "completion_tokens": 20}
    return 200, {}, json.dumps({"model": "served", "choices": choices, "usage": usage, **extra}).encode()


def fails(status: int, message: str = "no", headers: dict[str, str] | None = None, **extra: Any) -> Handler:
    data = json.dumps({"error": {"message": message, **extra}}).encode()
    return lambda body: (status, headers or {}, data)


def raw(data: bytes, status: int = 200, **headers: str) -> Handler:
    return lambda body: (status, headers, data)


def refuses(parameter: str, message: str, then: Handler) -> Handler:
    return lambda body: fails(400, message)(body) if parameter in body else then(body)


async def hangs(body: dict[str, Any]) -> Reply:
    await asyncio.sleep(30)
    return 200, {}, b"{}"


def ask(text: str = "Complete the function.", **sampling: Any) -> Request:
    return Request("p", (Message("user", text),), sampling=Sampling(**sampling))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@asynccontextmanager
async def opened(served: Endpoint, spec: str = "openai:m", **options: Any) -> AsyncGenerator[Model]:
    model = open_model(spec, ModelOptions(base_url=served.url, **{"timeout": 5, "retries": 2, **options}))
    try:
        yield model
    finally:
        await model.aclose()


async def test_an_answer_comes_back_with_its_token_counts() -> None:
    async with endpoint(says("def f(): pass")) as served, opened(served) as model:
        (row,) = await model.generate(ask(max_tokens=7, stop=("\n\n",)))
    assert (row.text, row.status, row.prompt_tokens, row.completion_tokens) == ("def f(): pass", "ok", 10, 20)
    assert row.attempts == 1
    body = served.bodies[0]
    assert (body["model"], body["max_tokens"], body["temperature"], body["stop"]) == ("m", 7, 0.0, ["\n\n"])
    assert served.paths == ["/v1/chat/completions"]
    assert model.describe()["served_as"] == ["served"]


async def test_completion_style_sends_the_prompt_without_trailing_blanks() -> None:
    reply = good([{"index": 0, "text": "\n    return 1", "finish_reason": "stop"}])
    async with endpoint(lambda body: reply) as served, opened(served, "openai-completions:base") as model:
        (row,) = await model.generate(Request("p", prompt="def f():\n    "))
        (wrong,) = await model.generate(ask())
    assert row.text == "\n    return 1"
    assert served.bodies == [
        {"model": "base", "prompt": "def f():", "max_tokens": 1024, "temperature": 0.0, "seed": 0},
    ]
    assert served.paths == ["/v1/completions"]
    assert wrong.status == "error" and "completion style" in str(wrong.error)


async def test_429_waits_as_long_as_the_endpoint_asks() -> None:
    async with endpoint(fails(429, headers={"Retry-After": "1"}), says("ok")) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert (row.status, row.attempts) == ("ok", 2)
    assert served.times[1] - served.times[0] >= 1.0


@pytest.mark.parametrize(
    "bad",
    [
        fails(500),
        fails(503),
        raw(b"<html><body>Bad gateway</body></html>", 502),
        raw(b"<html><body>Welcome</body></html>"),
        raw(b'{"choices": [{"mess'),
        lambda body: (200, {"Content-Length": "5000"}, b'{"choices": ['),
        lambda body: (0, {}, b""),
        raw(b'{"choices": []}'),
        raw(b'{"error": {"message": "overloaded"}}'),
        raw(b'{"choices": [{"index": 0}]}'),
        raw(b"[1, 2]"),
    ],
    ids=[
        "500",
        "503",
        "html-502",
        "html-200",
        "half-json",
        "short-body",
        "reset",
        "no-choices",
        "error-200",
        "no-message",
        "list",
    ],
)
async def test_a_passing_failure_is_tried_again_and_then_told(bad: Handler) -> None:
    async with endpoint(bad, says("ok")) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert (row.text, row.status, row.attempts) == ("ok", "ok", 2)
    async with endpoint(bad) as served, opened(served, retries=1) as model:
        (row,) = await model.generate(ask())
    assert (row.status, row.attempts, len(served.bodies)) == ("error", 2, 2)
    assert row.error and "\n" not in row.error and "2 attempts" in row.error


async def test_an_endpoint_that_hangs_times_out() -> None:
    async with endpoint(hangs) as served, opened(served, timeout=0.2, retries=0) as model:
        (row,) = await model.generate(ask())
    assert (row.status, row.error) == ("error", "no answer within 0.2 s")


async def test_an_endpoint_that_drips_for_ever_times_out_as_a_whole() -> None:
    async with serving(Dripper(says(""))) as served, opened(served, timeout=0.3, retries=0) as model:
        started = time.monotonic()
        (row,) = await model.generate(ask())
    assert row.error == "no answer within 0.3 s" and time.monotonic() - started < 2


async def test_a_reply_without_end_is_cut_off_and_not_asked_for_again() -> None:
    async with endpoint(raw(b" " * (33 * 2**20))) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert row.status == "error" and "over 33554432 bytes" in str(row.error) and len(served.bodies) == 1


async def test_an_endpoint_that_nobody_serves_is_an_error_row() -> None:
    async with endpoint(says("")) as served:
        pass
    async with opened(served, retries=0) as model:
        (row,) = await model.generate(ask())
    assert row.status == "error" and str(row.error).startswith("connection failed")


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_lasting_failure_is_not_tried_again(status: int) -> None:
    async with endpoint(fails(status, f"bad key {KEY}")) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert len(served.bodies) == 1
    assert row.status == "error" and ("OPENAI_API_KEY" in str(row.error) or status == 404)
    assert KEY not in str(row)


async def test_a_spent_quota_is_not_tried_again() -> None:
    async with endpoint(fails(429, "quota", code="insufficient_quota")) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert (row.status, len(served.bodies)) == ("error", 1)


async def test_the_key_is_in_no_record_message_or_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    script = [fails(400, f"you sent {KEY}"), raw(f"<p>{KEY}".encode()), raw(b"{", 500), says("fine")]
    async with endpoint(*script) as served, opened(served) as model:
        rows = [await model.generate(ask()) for _ in range(3)]
        texts = [repr(rows), repr(model), json.dumps(model.describe()), caplog.text]
    assert all(KEY not in text for text in texts)
    assert "[key]" in texts[0]


@pytest.mark.parametrize(
    ("parameter", "message", "done"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0.0 with this model.", "left out"),
        ("temperature", "temperature: Extra inputs are not permitted", "left out"),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "renamed"),
        ("seed", "Unrecognized request argument supplied: seed", "left out"),
        ("stop", "Unsupported parameter: 'stop' is not supported with this model.", "cut here"),
    ],
)
async def test_a_refused_parameter_is_left_out_for_the_rest_of_the_run(parameter: str, message: str, done: str) -> None:
    script = refuses(parameter, message, says("abc\n\nxyz"))
    async with endpoint(script) as served, opened(served) as model:
        first = await model.generate(ask(stop=("\n\n",)))
        second = await model.generate(ask(stop=("\n\n",)))
    assert len(served.bodies) == 3
    assert all(parameter not in body for body in served.bodies[1:])
    assert first[0].status == second[0].status == "ok"
    assert first[0].attempts == 1
    assert first[0].text == ("abc" if parameter == "stop" else "abc\n\nxyz")
    assert done in model.describe()["refused_parameters"][parameter]
    if parameter == "max_tokens":
        assert served.bodies[-1]["max_completion_tokens"] == 1024


async def test_several_refused_parameters_are_learned_one_after_the_other() -> None:
    inner = refuses("temperature", "temperature is not supported", says("ok"))
    script = refuses("max_tokens", "max_tokens is not supported", inner)
    async with endpoint(script) as served, opened(served) as model:
        rows = await asyncio.gather(*(model.generate(ask()) for _ in range(4)))
    assert [row[0].status for row in rows] == ["ok"] * 4
    assert set(model.describe()["refused_parameters"]) == {"max_tokens", "temperature"}


async def test_an_answer_over_the_context_is_no_refused_parameter() -> None:
    message = "This model's maximum context length is 8192 tokens, max_tokens is not supported beyond it"
    async with endpoint(fails(400, message)) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert len(served.bodies) == 1 and "context length" in str(row.error)
    assert model.describe()["refused_parameters"] == {}


async def test_several_samples_come_from_one_call_where_the_endpoint_can() -> None:
    def handler(body: dict[str, Any]) -> Reply:
        return good([{"message": {"content": f"a{i}"}, "finish_reason": "stop"} for i in range(body.get("n", 1))])

    async with endpoint(handler) as served, opened(served) as model:
        rows = await model.generate(ask(n=3, temperature=1.0))
    assert [row.text for row in rows] == ["a0", "a1", "a2"]
    assert len(served.bodies) == 1
    assert [row.completion_tokens for row in rows] == [20, None, None]


async def test_several_samples_are_asked_one_by_one_where_n_is_ignored_or_refused() -> None:
    for script in (says("x"), refuses("n", "Unsupported parameter: 'n'", says("x"))):
        async with endpoint(script) as served, opened(served) as model:
            rows = await model.generate(ask(n=3, temperature=1.0))
            again = await model.generate(ask(n=2, temperature=1.0))
        assert [row.status for row in rows + again] == ["ok"] * 5
        assert model.describe()["refused_parameters"] == {"n": "one call per sample"}
        seeds = [body["seed"] for body in served.bodies if "n" not in body]
        assert sorted(seeds[-2:]) == [0, 1], "samples of one prompt must not share a seed"


@pytest.mark.parametrize(
    ("handler", "status", "text", "reasoning"),
    [
        (says(""), "empty", "", None),
        (says(None), "empty", "", None),
        (says(None, refusal="I can't help with that."), "refusal", "I can't help with that.", None),
        (says("", finish="content_filter"), "refusal", "", None),
        (says("I'm sorry, but I can't help with that."), "refusal", "I'm sorry, but I can't help with that.", None),
        (says("def f(", finish="length"), "truncated", "def f(", None),
        (says("x = 1", reasoning_content="hmm"), "ok", "x = 1", "hmm"),
        (says("x = 1", reasoning="hmm"), "ok", "x = 1", "hmm"),
        (says("<think>\nhmm\n</think>\n\nx = 1"), "ok", "x = 1", "hmm"),
        (says("<think>hmm", finish="length"), "truncated", "", "hmm"),
    ],
)
async def test_each_kind_of_answer_has_its_status(
    handler: Handler, status: str, text: str, reasoning: str | None
) -> None:
    async with endpoint(handler) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert (row.status, row.text, row.reasoning) == (status, text, reasoning)


async def test_content_in_typed_parts_is_joined_and_thinking_kept_apart() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]}, {"type": "text", "text": "x = 1"}]
    async with endpoint(says(None, content=parts)) as served, opened(served) as model:
        (row,) = await model.generate(ask())
    assert (row.text, row.reasoning) == ("x = 1", "hmm")


async def test_tools_and_images_travel_in_the_interface_of_the_endpoint() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
    async with endpoint(says(None, tool_calls=[call])) as served, opened(served) as model:
        messages = (
            Message("user", (Text("see"), Image(b"\x89PNG", "image/png"))),
            Message("assistant", "", tool_calls=(ToolCall("c0", "look", "{}"),)),
            Message("tool", "nothing", tool_call_id="c0"),
        )
        (row,) = await model.generate(Request("p", messages, tools=(Tool("look", "looks", {"type": "object"}),)))
    assert row.status == "ok" and row.tool_calls == (ToolCall("c1", "look", '{"a": 1}'),)
    user, assistant, tool = served.bodies[0]["messages"]
    assert user["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORw=="
    assert assistant["tool_calls"][0]["function"]["name"] == "look" and assistant["content"] is None
    assert tool["tool_call_id"] == "c0"
    assert served.bodies[0]["tools"][0]["function"]["parameters"] == {"type": "object"}


async def test_no_more_calls_are_in_flight_than_allowed() -> None:
    async def slow(body: dict[str, Any]) -> Reply:
        await asyncio.sleep(0.02)
        return good([{"message": {"content": "x"}, "finish_reason": "stop"}])

    async with endpoint(slow) as served, opened(served, concurrency=3) as model:
        await asyncio.gather(*(model.generate(ask()) for _ in range(12)))
    assert served.most_in_flight == 3


async def test_the_spending_cap_stops_calls_before_it_is_passed() -> None:
    # 10 prompt and 20 completion tokens at 1 each per million: 30e-6 a call.
    prices = {"price_prompt": 1.0, "price_completion": 1.0}
    async with endpoint(says("x")) as served, opened(served, max_cost=100e-6, **prices) as model:
        rows = [(await model.generate(ask("1234", max_tokens=20)))[0] for _ in range(5)]
        spent = model.describe()["spent"]
    assert [row.status for row in rows] == ["ok", "ok", "ok", "error", "error"]
    assert len(served.bodies) == 3 and spent == pytest.approx(90e-6)
    assert "spending cap" in str(rows[-1].error)


async def test_calls_in_flight_cannot_pass_the_cap_together() -> None:
    prices = {"price_prompt": 0.0, "price_completion": 1.0}
    async with endpoint(says("x")) as served, opened(served, max_cost=100e-6, **prices) as model:
        rows = await asyncio.gather(*(model.generate(ask(max_tokens=20)) for _ in range(9)))
    assert len(served.bodies) == 5
    assert sorted(row[0].status for row in rows) == ["error"] * 4 + ["ok"] * 5


async def test_an_attempt_without_an_answer_counts_at_its_upper_bound() -> None:
    prices = {"price_prompt": 0.0, "price_completion": 1.0}
    async with endpoint(hangs) as served, opened(served, max_cost=1.0, timeout=0.1, retries=0, **prices) as model:
        await model.generate(ask(max_tokens=1000))
        assert model.describe()["spent"] == pytest.approx(1e-3)


async def test_cancelling_raises_and_frees_the_place() -> None:
    async with endpoint(hangs, says("ok")) as served, opened(served, concurrency=1, timeout=20) as model:
        task = asyncio.create_task(model.generate(ask()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        (row,) = await model.generate(ask())
    assert row.status == "ok"


async def test_an_estimate_asks_nothing_and_is_an_upper_bound() -> None:
    async with endpoint(says("x")) as served, opened(served, price_prompt=2.0, price_completion=10.0) as model:
        found = model.estimate((ask("a" * 400, max_tokens=50, n=2),))
    assert (found.prompt_tokens, found.completion_tokens, found.calls) == (100, 100, 1)
    assert found.cost == pytest.approx(100 * 2e-6 + 100 * 10e-6)
    assert served.bodies == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (ModelOptions(base_url="ftp://x"), "base_url"),
        (ModelOptions(base_url="http://h/v1", max_cost=1.0), "price_prompt"),
        (ModelOptions(api_key_env="NO_SUCH_KEY"), "NO_SUCH_KEY"),
    ],
)
def test_wrong_options_name_the_mend(options: ModelOptions, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_model("openai:m", options)


def test_a_password_in_the_address_is_refused_or_stays_out_of_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="api_key_env") as caught:
        ModelOptions(base_url="http://me:hush@localhost:1/v1")
    assert "hush" not in str(caught.value)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hush@localhost:1/v1")
    model = open_model("openai:m")
    assert model.describe()["host"] == "localhost:1"
    assert "hush" not in repr(model.describe()) + repr(model)
