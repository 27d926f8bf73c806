"""The small embedded model plays real episodes: in this process, and behind a server that speaks the chat protocol."""

import asyncio
import threading

import pytest
from agent_server import calls, says, serving
from office_material import make_pool

from cleartitle.evals.copyright_bench import CopyrightBenchOptions, evaluate_model
from cleartitle.evals.copyright_bench.judging import EPISODES
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS
from cleartitle.models import Message, ModelOptions, Request, Sampling, Tool, ToolCall, open_model
from cleartitle.tables import read_parts

pytest.importorskip("xllamacpp", reason="xllamacpp is not installed (extra: local)")
pytestmark = [pytest.mark.model, pytest.mark.network]

OPTIONS = CopyrightBenchOptions(
    task="webdev",
    prompt="neutral",
    environment="std",
    runs=2,
    pairs=2,
    captions=True,
    steps=2,
    max_tokens=60,
    workers=1,
)
ASKING = ModelOptions(threads=1, context=2048)


def request_of(body):
    """The request behind a body of the chat protocol."""
    messages = []
    for message in body["messages"]:
        made = tuple(
            ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls") or ()
        )
        messages.append(Message(message["role"], message["content"] or "", made, message.get("tool_call_id")))
    tools = tuple(
        Tool(function["name"], function["description"], function["parameters"])
        for function in (tool["function"] for tool in body["tools"])
    )
    sampling = Sampling(body["temperature"], max_tokens=body["max_tokens"], seed=body["seed"])
    return Request("served", tuple(messages), sampling=sampling, tools=tools)


def test_episodes_are_equal_in_this_process_and_over_http(tmp_path):
    pool = make_pool(tmp_path / "pool", pairs=4)
    direct = evaluate_model(open_model("embedded", ASKING), pool, tmp_path / "direct", OPTIONS)
    (cell,) = direct["cells"]
    assert sum(cell["outcomes"].values()) == OPTIONS.runs and cell["outcomes"]["error"] == 0
    assert direct["chooser"]["tools_by_grammar"] and any("grammar" in note for note in direct["notes"])
    served = open_model("embedded", ASKING)
    gate = threading.Lock()

    def answer(body):
        with gate:
            (row,) = asyncio.run(served.generate(request_of(body)))
        reply = calls(*((call.name, call.arguments) for call in row.tool_calls)) if row.tool_calls else says(row.text)
        usage = {"prompt_tokens": row.prompt_tokens, "completion_tokens": row.completion_tokens}
        return {**reply, "usage": {**usage, "total_tokens": sum(usage.values())}}

    with serving(lambda messages: says("")) as server:
        server.answer = answer
        asking = ModelOptions(base_url=server.url, concurrency=1)
        remote = evaluate_model(open_model("openai:small", asking), pool, tmp_path / "remote", OPTIONS)
    asyncio.run(served.aclose())
    rows = [read_parts(tmp_path / name / "transcripts", TRANSCRIPTS).to_pylist() for name in ("direct", "remote")]
    for row in [row for both in rows for row in both]:
        row.pop("finish_reason")
    assert rows[0] == rows[1] and any(row["role"] == "tool" for row in rows[0])
    judged = [read_parts(tmp_path / name / "episodes", EPISODES).to_pylist() for name in ("direct", "remote")]
    assert [row["outcome"] for row in judged[0]] == [row["outcome"] for row in judged[1]]
    assert direct["cost"]["prompt"] == remote["cost"]["prompt"] > 0
