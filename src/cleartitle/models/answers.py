"""From the raw answer of a runtime to a `Generation`: reasoning apart, and one status for each case."""

import re

from cleartitle.models.protocol import Generation, Status, ToolCall
from cleartitle.models.refusals import looks_like_refusal

__all__ = ["answer", "split_reasoning"]

_THINK = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)


def split_reasoning(text: str) -> tuple[str, str | None]:
    """Take a reasoning block off the start of an answer: ``(text, reasoning)``.

    A block that never ends is all reasoning and no answer. A closing tag without its opening one counts when it is
    ``</think>``, because some chat templates put the opening tag into the prompt.
    """
    opening = _THINK.match(text)
    if opening is None:
        before, closing, after = text.partition("</think>")
        return (after.lstrip(), before.strip()) if closing and "<think>" not in before else (text, None)
    closing = re.compile(rf"</{opening.group(1)}>", re.IGNORECASE).search(text, opening.end())
    if closing is None:
        return "", text[opening.end() :].strip()
    return text[closing.end() :].lstrip(), text[opening.end() : closing.start()].strip()


def answer(
    text: str,
    finish_reason: str | None,
    *,
    reasoning: str | None = None,
    refused: bool = False,
    chat: bool = True,
    tool_calls: tuple[ToolCall, ...] = (),
    prompt_tokens: int | None = None,
    completion_tokens: int | None = None,
    attempts: int = 1,
    seconds: float = 0.0,
) -> Generation:
    """A `Generation` with its status.

    In order: what the endpoint itself calls a refusal, an answer cut by ``max_tokens``, an empty one, and in chat style
    a text that reads like a refusal. Continuations of code are never judged by their wording.
    """
    thought = None
    if chat:
        text, thought = split_reasoning(text)
    reason = finish_reason or "unknown"
    status: Status = "ok"
    if refused or reason == "content_filter":
        status = "refusal"
    elif reason == "length":
        status = "truncated"
    elif not text.strip() and not tool_calls:
        status = "empty"
    elif chat and looks_like_refusal(text):
        status = "refusal"
    return Generation(
        text=text,
        status=status,
        finish_reason=reason,
        reasoning=reasoning or thought or None,
        tool_calls=tool_calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        attempts=attempts,
        seconds=seconds,
    )
