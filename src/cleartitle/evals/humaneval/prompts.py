"""What is asked of a model."""

from collections.abc import Mapping
from typing import Any, Literal

from cleartitle.models import Message, Request, Sampling

__all__ = ["INSTRUCTION", "problem_request"]

INSTRUCTION = "Complete this Python function. Answer with the whole function in one code block, without explanations."
"""What stands before the prompt for a chat model. HumanEval has no wording of its own for these."""


def problem_request(problem: Mapping[str, Any], style: Literal["chat", "completion"], sampling: Sampling) -> Request:
    """The question for one problem (a row of `PROBLEMS`): the prompt in a fence, or as a text to continue."""
    prompt = problem["prompt"]
    if style == "completion":
        return Request(problem["prompt_id"], prompt=prompt, sampling=sampling)
    text = f"{INSTRUCTION}\n\n```python\n{prompt.rstrip()}\n```"
    return Request(problem["prompt_id"], messages=(Message("user", text),), sampling=sampling)
