"""From the raw answer of a runtime to a `Generation`: reasoning apart, and one status for each case."""

import re

from cleartitle.models.protocol import Capabilities, Generation, Image, Request, Status, ToolCall
from cleartitle.models.refusals import looks_like_refusal

__all__ = ["PROMPT_CUT", "answer", "cut_prompt", "split_reasoning", "unfit"]

PROMPT_CUT = "white space at the end of a completion prompt is removed"

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


def unfit(request: Request, can: Capabilities) -> str | None:
    """Why this model cannot be asked this, in one line; None if it can."""
    if request.style == "chat" and not can.chat:
        return "this model takes a text to continue, not a conversation; mend: ask in completion style"
    if request.style == "completion" and not can.completion:
        return "this model takes a conversation, not a text to continue; mend: ask in chat style"
    if request.tools and not can.tools:
        return "this model takes no tools"
    contents = [message.content for message in request.messages if not isinstance(message.content, str)]
    images = any(isinstance(part, Image) for content in contents for part in content)
    if images and not can.images:
        return "this model takes no images"
    return None


def cut_prompt(prompt: str) -> str:
    """The prompt without white space at its end, so that it ends at a token boundary.

    A tokenizer joins white space to the word that follows it. A prompt that ends in a blank or a newline asks the model
    for a token that it never saw in training at that place, which moves figures of memorization in both directions.
    The continuation then starts with the white space itself. A prompt of nothing but white space stays as it is.
    """
    return prompt.rstrip() or prompt
