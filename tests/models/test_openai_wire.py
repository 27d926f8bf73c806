"""Replies of any shape become rows or one kind of error."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.models import Message, Request, Sampling
from cleartitle.models.openai_wire import Adaptation, MalformedReplyError, body_of, generations_of, reply_of, usage_of

ASKED = Request("p", (Message("user", "x"),), sampling=Sampling(stop=("END",), top_p=0.9, n=4))
NAMES = ["choices", "message", "content", "text", "finish_reason", "refusal", "reasoning", "tool_calls", "function"]
NAMES += ["name", "arguments", "id", "usage", "prompt_tokens", "thinking", "type", "error"]
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=200, deadline=None)
@given(
    JSON, st.lists(st.fixed_dictionaries({"message": st.dictionaries(st.sampled_from(NAMES), JSON)}), max_size=3), JSON
)
def test_any_json_becomes_rows_or_a_malformed_reply(whole: Any, choices: list[Any], usage: Any) -> None:
    for value in (whole, {"choices": choices, "usage": usage}, {"choices": [whole]}):
        try:
            reply = reply_of(json.dumps(value).encode())
            usage_of(reply)
            rows = generations_of(reply, ASKED, Adaptation({"stop": "cut"}), attempts=1, seconds=0.0)
        except MalformedReplyError as error:
            assert str(error)
        else:
            assert rows and all(isinstance(row.text, str) for row in rows)


@given(st.binary(max_size=200))
def test_any_bytes_become_a_reply_or_a_malformed_one(data: bytes) -> None:
    try:
        assert reply_of(data)["choices"]
    except MalformedReplyError as error:
        assert len(str(error)) < 400


def test_json_nested_beyond_reason_is_a_malformed_reply() -> None:
    with pytest.raises(MalformedReplyError):
        reply_of(b'{"choices":' + b"[" * 200_000)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["temperature", "top_p", "seed", "stop", "n", "max_tokens"]))
def test_each_refusal_is_learned_once_so_that_the_body_gets_smaller(noise: str, parameter: str) -> None:
    adaptation = Adaptation()
    body = body_of("m", ASKED, adaptation, 4, 0)
    assert adaptation.learn(f"Unsupported parameter: '{parameter}'. {noise}", None, body) or "context length" in noise
    for learned in adaptation.dropped:
        assert learned not in body_of("m", ASKED, adaptation, 4, 0)
        assert not Adaptation().learn("Unsupported value", learned, body_of("m", ASKED, adaptation, 4, 0))


@pytest.mark.parametrize(
    "message",
    ["temperature must be at most 1", "Invalid model", "no support for this", "the value of n is too large", ""],
)
def test_other_complaints_change_nothing(message: str) -> None:
    adaptation = Adaptation()
    assert not adaptation.learn(message, None, body_of("m", ASKED, adaptation, 4, 0))
    assert adaptation.dropped == {}
