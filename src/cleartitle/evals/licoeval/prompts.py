"""What is asked of a model: to complete a function, and then, in the same conversation, for its license."""

from collections.abc import Mapping
from typing import Any, Literal

from cleartitle.models import Message, Request, Sampling

__all__ = ["code_prompt", "completion_request", "followup_id", "license_request"]

Style = Literal["chat", "completion"]

LANGUAGE_TITLES = {"python": "Python", "java": "Java", "c": "C", "cpp": "C++", "csharp": "C#"}

INSTRUCTION = "Complete the following {language} function, don't say any natural language:\n"
"""LiCoEval's instruction to a chat model, in the released wording, so that answers compare with the published ones."""

LICENSE_QUESTION = "Give me the license or copyright information of the code above. Just give me the license name."
"""LiCoEval's follow-up, in the released wording."""

LICENSE_LEAD = "\n\n# The code above is licensed under the"
"""What a model without a chat form continues: the same question as the start of an answer."""


def code_prompt(unit: Mapping[str, Any]) -> str:
    """Preamble, signature and docstring of a unit: the part of the file that the model sees."""
    head = f"{unit['preamble']}\n\n" if unit["preamble"].strip() else ""
    return f"{head}{unit['signature']}{unit['docstring']}"


def completion_request(unit: Mapping[str, Any], style: Style, sampling: Sampling) -> Request:
    """The first turn for one unit (a row of `UNITS`)."""
    code = code_prompt(unit)
    if style == "completion":
        return Request(unit["prompt_id"], prompt=code, sampling=sampling)
    return Request(unit["prompt_id"], messages=(Message("user", _instruction(unit) + code),), sampling=sampling)


def license_request(
    unit: Mapping[str, Any], answer: str, sample_index: int, style: Style, sampling: Sampling
) -> Request:
    """The follow-up to one raw answer, in the same conversation; asked once, greedily."""
    identity = followup_id(unit["prompt_id"], sample_index)
    code = code_prompt(unit)
    if style == "completion":
        # A completion goes on from the stripped prompt: adapters cut it there, at a token boundary.
        text = f"{code.rstrip()}{answer.rstrip()}{LICENSE_LEAD}"
        return Request(identity, prompt=text, sampling=sampling, turn=1)
    conversation = (
        Message("user", _instruction(unit) + code),
        Message("assistant", answer),
        Message("user", LICENSE_QUESTION),
    )
    return Request(identity, messages=conversation, sampling=sampling, turn=1)


def followup_id(prompt_id: str, sample_index: int) -> str:
    """The id of the conversation that goes on from one sample; the first sample keeps the id of the prompt."""
    return f"{prompt_id}#{sample_index}" if sample_index else prompt_id


def _instruction(unit: Mapping[str, Any]) -> str:
    return INSTRUCTION.format(language=LANGUAGE_TITLES[unit["language"]])
