"""The JSON of OpenAI-compatible endpoints: bodies from requests, generations from replies, and refused parameters."""

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any, cast

from cleartitle.models.answers import answer, cut_prompt
from cleartitle.models.protocol import Generation, Image, Message, Request, Tool, ToolCall

__all__ = ["Adaptation", "MalformedReplyError", "body_of", "generations_of", "reply_of", "usage_of"]

DROPPABLE = ("temperature", "top_p", "seed", "stop", "n")
_UNSUPPORTED = re.compile(
    r"support|unrecogni[sz]ed|unknown|unexpected|not (?:permitted|allowed|accepted|available)|extra (?:inputs|fields)"
    r"|deprecated|invalid param|not a valid param|does not accept|cannot be (?:used|set|specified)|only the default",
    re.IGNORECASE,
)


class MalformedReplyError(Exception):
    """A reply that is not what the interface promises; ``passing``: another try may help."""

    def __init__(self, reason: str, *, passing: bool = True) -> None:
        super().__init__(reason)
        self.passing = passing


@dataclass
class Adaptation:
    """What an endpoint was found to refuse, learned once and kept for the run."""

    dropped: dict[str, str] = field(default_factory=dict[str, str])
    """Parameter → what was done instead."""

    def learn(self, message: str, named: str | None, body: dict[str, Any]) -> bool:
        """Learn from the text of a 400 or 422; True if the call is worth making again with the next body."""
        if "context length" in message.lower() or not _UNSUPPORTED.search(message):
            return False
        if _names("max_tokens", message, named) and "max_tokens" in body:
            self.dropped["max_tokens"] = "renamed to max_completion_tokens"
            return True
        for parameter in DROPPABLE:
            if parameter in body and _names(parameter, message, named):
                self.dropped[parameter] = {
                    "n": "one call per sample",
                    "stop": "answers are cut here",
                }.get(parameter, "left out: the endpoint's own default holds")
                return True
        return False


def _names(parameter: str, message: str, named: str | None) -> bool:
    if named is not None and named.split(".")[-1] == parameter:
        return True
    quoted = re.search(rf"['\"`]{parameter}['\"`]", message) is not None
    return quoted or (len(parameter) > 1 and re.search(rf"(?<![\w.]){parameter}(?!\w)", message) is not None)


def body_of(model: str, request: Request, adaptation: Adaptation, n: int, index: int) -> dict[str, Any]:
    """The body of one call for ``n`` samples, the first of which is sample ``index`` of the request."""
    sampling = request.sampling
    wanted: dict[str, Any] = {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": None if sampling.seed is None else sampling.seed + index,
        "stop": list(sampling.stop) or None,
        "n": n if n > 1 else None,
    }
    body: dict[str, Any] = {"model": model}
    for parameter, value in wanted.items():
        if value is not None and parameter not in adaptation.dropped:
            body[parameter] = value
    if "max_tokens" in adaptation.dropped:
        body["max_completion_tokens"] = sampling.max_tokens
    if request.prompt is not None:
        return {**body, "prompt": cut_prompt(request.prompt)}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    return {**body, "messages": [_message(message) for message in request.messages]}


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _message(message: Message) -> dict[str, Any]:
    content: Any = message.content
    if not isinstance(content, str):
        content = [_image(part) if isinstance(part, Image) else {"type": "text", "text": part.text} for part in content]
    result: dict[str, Any] = {"role": message.role, "content": content}
    if message.tool_calls:
        result["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        result["content"] = content or None
    if message.tool_call_id is not None:
        result["tool_call_id"] = message.tool_call_id
    return result


def _image(image: Image) -> dict[str, Any]:
    url = f"data:{image.media_type};base64,{base64.b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def reply_of(data: bytes) -> dict[str, Any]:
    """The reply as JSON.

    Raises:
        MalformedReplyError: HTML, half a body, no JSON object, or an error reported with status 200.
    """
    try:
        value = json.loads(data)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        start = " ".join(data[:80].decode("utf-8", "replace").split())
        kind = "HTML" if data.lstrip()[:1] == b"<" else "no JSON"
        raise MalformedReplyError(f"the endpoint answered with {kind}: {start!r}") from None
    if not isinstance(value, dict):
        raise MalformedReplyError("the endpoint answered with JSON that is not an object")
    reply = cast("dict[str, Any]", value)
    error = reply.get("error")
    if error:
        text = cast("dict[str, Any]", error).get("message", error) if isinstance(error, dict) else error
        raise MalformedReplyError(f"the endpoint reported an error: {str(text)[:300]}")
    if not isinstance(reply.get("choices"), list) or not reply["choices"]:
        raise MalformedReplyError("the endpoint answered without choices")
    return reply


def usage_of(reply: dict[str, Any]) -> tuple[int | None, int | None]:
    """Prompt and completion tokens as the endpoint counts them; None where it does not."""
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return None, None
    counts = [cast("dict[str, Any]", usage).get(name) for name in ("prompt_tokens", "completion_tokens")]
    prompt, completion = (count if isinstance(count, int) and count >= 0 else None for count in counts)
    return prompt, completion


def generations_of(
    reply: dict[str, Any], request: Request, adaptation: Adaptation, *, attempts: int, seconds: float
) -> list[Generation]:
    """One row per choice of a reply.

    Raises:
        MalformedReplyError: a choice holds neither a message nor a text.
    """
    counts = usage_of(reply)
    rows: list[Generation] = []
    for choice in cast("list[Any]", reply["choices"]):
        if not isinstance(choice, dict):
            raise MalformedReplyError("a choice of the reply is not an object")
        content = _content(cast("dict[str, Any]", choice))
        text, reason = content.text, content.finish_reason
        if "stop" in adaptation.dropped:
            text, reason = _cut(text, request.sampling.stop, reason)
        rows.append(
            answer(
                text,
                reason,
                reasoning=content.reasoning,
                refused=content.refused,
                chat=request.style == "chat",
                tool_calls=content.tool_calls,
                prompt_tokens=counts[0] if not rows else None,
                completion_tokens=counts[1] if not rows else None,
                attempts=attempts,
                seconds=seconds,
            )
        )
    return rows


@dataclass(frozen=True)
class _Content:
    text: str
    finish_reason: str | None
    reasoning: str | None = None
    refused: bool = False
    tool_calls: tuple[ToolCall, ...] = ()


def _content(choice: dict[str, Any]) -> _Content:
    reason = choice.get("finish_reason")
    reason = reason if isinstance(reason, str) else None
    if isinstance(choice.get("text"), str):
        return _Content(choice["text"], reason)
    found = choice.get("message")
    if not isinstance(found, dict):
        raise MalformedReplyError("a choice of the reply holds neither a message nor a text")
    message = cast("dict[str, Any]", found)
    text, thinking = _joined(message.get("content"))
    stated = [message.get(name) for name in ("reasoning_content", "reasoning")]
    reasoning = next((item for item in stated if isinstance(item, str) and item), thinking)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return _Content(text or refusal, reason, reasoning, refused=True)
    return _Content(text, reason, reasoning, tool_calls=_calls(message.get("tool_calls")))


def _joined(content: Any) -> tuple[str, str | None]:
    """Text and thinking of a content that is a string, nothing, or a list of typed parts."""
    if isinstance(content, str):
        return content, None
    texts: list[str] = []
    thoughts: list[str] = []
    for part in cast("list[Any]", content) if isinstance(content, list) else []:
        if isinstance(part, dict):
            typed = cast("dict[str, Any]", part)
            if isinstance(typed.get("text"), str):
                texts.append(typed["text"])
            elif "thinking" in typed:
                thoughts.append(_joined(typed["thinking"])[0])
    return "".join(texts), "".join(thoughts) or None


def _calls(value: Any) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else []:
        function = cast("dict[str, Any]", item).get("function") if isinstance(item, dict) else None
        if isinstance(function, dict):
            typed = cast("dict[str, Any]", function)
            calls.append(ToolCall(str(item.get("id", "")), str(typed.get("name")), str(typed.get("arguments", ""))))
    return tuple(calls)


def _cut(text: str, stops: tuple[str, ...], reason: str | None) -> tuple[str, str | None]:
    places = [place for stop in stops if stop and (place := text.find(stop)) >= 0]
    return (text[: min(places)], "stop") if places else (text, reason)
