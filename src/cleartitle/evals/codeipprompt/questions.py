"""What is asked of a model, and the code in its answer."""

from collections.abc import Mapping
from typing import Any, Literal

from cleartitle.code import fenced_blocks, without_thoughts
from cleartitle.evals.codeipprompt.prompts import Mode
from cleartitle.evals.licoeval.prompts import LANGUAGE_TITLES
from cleartitle.models import Message, Request, Sampling

__all__ = ["INSTRUCTION", "answer_code", "prompt_request"]

INSTRUCTION = "Complete the following {language} {kind}. Write all of it, and nothing but code:\n\n"
"""What a chat model reads before the prompt; the paper does not tell its wording."""


def prompt_request(prompt: Mapping[str, Any], style: Literal["chat", "completion"], sampling: Sampling) -> Request:
    """The question for one prompt (``prompt_id``, ``text``, ``language`` and ``kind`` of `PROMPTS`)."""
    if style == "completion":
        return Request(prompt["prompt_id"], prompt=prompt["text"], sampling=sampling)
    lead = INSTRUCTION.format(language=LANGUAGE_TITLES[prompt["language"]], kind=prompt["kind"])
    return Request(prompt["prompt_id"], messages=(Message("user", lead + prompt["text"]),), sampling=sampling)


def answer_code(answer: str, language: str, mode: Mode) -> str:
    """The code of an answer: all of it in ``paper`` mode, as released.

    ``corrected`` leaves reasoning out, and what stands around fenced blocks where there are any: those marked as the
    language, else all.
    """
    if mode == "paper":
        return answer
    text = without_thoughts(answer)
    marked, others = fenced_blocks(text, language)
    return "\n".join(marked or others) or text
