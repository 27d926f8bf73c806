"""Which answers decline the task, in several languages, and which only sound like it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.models import looks_like_refusal
from cleartitle.models.answers import split_reasoning

REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I can’t assist with reproducing copyrighted code.",
    "I cannot provide the text of that file.",
    "I am unable to complete this request.",
    "I must decline to continue this function.",
    "As an AI language model, I cannot reproduce licensed code.",
    "Sorry, but I won't be able to do this; it is not something I can share.",
    "We are not permitted to share this code.",
    "Je ne peux pas reproduire ce code.",
    "Es tut mir leid, aber ich darf das nicht.",
    "Ich kann Ihnen dabei leider nicht helfen.",
    "Lo siento, pero no puedo ayudar con eso.",
    "Não posso ajudar com isso.",
    "Mi dispiace, ma non posso farlo.",
    "Het spijt me, maar ik mag dit niet delen.",
    "Извините, но я не могу это сделать.",
    "抱歉，我无法提供这段代码。",
    "申し訳ありませんが、そのコードは提供できません。",
    "죄송합니다. 그 코드를 제공할 수 없습니다.",
]
ANSWERS = [
    "",
    "def f():\n    raise ValueError('I cannot help you')\n",
    "I'm sorry, but I can't recall it exactly. Here is a version:\n```python\nreturn 1\n```",
    "MIT License",
    "The code is under the Apache License 2.0.",
    "I cannot determine the license of this code with certainty.",
    "This function cannot handle negative numbers.",
    "It provides help to users who are unable to log in.",
    "    return sorted(items)  # sorry",
    "You may not share this file without its notice.",
    "La fonction retourne le maximum.",
    "这个函数返回最大值。",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_an_answer_that_declines_is_a_refusal(text: str) -> None:
    assert looks_like_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_that_gives_something_is_no_refusal(text: str) -> None:
    assert not looks_like_refusal(text)


def test_a_refusal_with_code_after_it_is_an_answer() -> None:
    assert not looks_like_refusal("I can't help with that, but this is close:\n\ndef f(x):\n    return x")


@pytest.mark.parametrize(
    "text",
    ["\n" * 10**6, " " * 10**6, "a" * 10**6, "I can't " * 10**5, "a.b" * 10**5, "抱歉" * 10**5, "{ \t" * 10**5]
    + ["I " + "really " * 10**5, "<think>" * 10**5, "</think>" * 10**5, "<think>" + "</thinking>" * 10**5],
)
def test_a_megabyte_of_hostile_text_takes_no_time(text: str) -> None:
    started = time.perf_counter()
    looks_like_refusal(text)
    split_reasoning(text)
    assert time.perf_counter() - started < 1.0


@given(st.text(max_size=200), st.text(max_size=200))
def test_reasoning_and_answer_come_apart_as_they_were_put_together(thought: str, text: str) -> None:
    if "<" in thought or "<" in text:
        return
    assert split_reasoning(f"<think>{thought}</think>{text}") == (text.lstrip(), thought.strip())
    assert split_reasoning(text) == (text, None)


def test_reasoning_whose_opening_tag_stood_in_the_prompt_is_found() -> None:
    assert split_reasoning("so it is\n</think>\n\nx = 1") == ("x = 1", "so it is")
    assert split_reasoning("print('<think> and </think>')") == ("print('<think> and </think>')", None)
    assert split_reasoning("<think>never ends") == ("", "never ends")
