"""Tools for a model whose chat template knows none: told in words, called under a grammar that allows nothing else."""

import json
from collections.abc import Sequence
from typing import Any

from cleartitle.models.protocol import Message, Request, Text, Tool, ToolCall

__all__ = ["TOOL_FORM", "call_of", "call_schema", "plain_messages"]

TOOL_FORM = "every answer is one call of a tool, as JSON under a grammar; the chat template of the model knows no tools"

_WORDS = "You work with tools. Each of your answers is one call of a tool, as JSON.\nTools:\n"


def call_schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """JSON schema of one call of any of the tools, from which the runtime makes its grammar."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"name": {"const": tool.name}, "arguments": dict(tool.parameters)},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for tool in tools
        ]
    }


def plain_messages(request: Request) -> list[dict[str, str]]:
    """The conversation in roles that every template knows.

    Tools stand in the system message, calls are the assistant's JSON, and what a tool gave is a message of the user.
    """
    messages = [{"role": "system", "content": _told(request.tools)}]
    for message in request.messages:
        if message.role == "system":
            messages[0]["content"] += "\n\n" + _text(message)
        elif message.tool_calls:
            calls = [{"name": call.name, "arguments": _parsed(call.arguments)} for call in message.tool_calls]
            messages.append({"role": "assistant", "content": "\n".join(map(json.dumps, calls))})
        else:
            role = "user" if message.role == "tool" else message.role
            messages.append({"role": role, "content": _text(message)})
    return messages


def call_of(text: str) -> tuple[ToolCall, ...]:
    """The call in an answer; none where it is not whole, as one that ``max_tokens`` cut off."""
    try:
        found = json.loads(text)
        return (ToolCall("", str(found["name"]), json.dumps(found["arguments"], ensure_ascii=False)),)
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()


def _told(tools: Sequence[Tool]) -> str:
    lines: list[str] = []
    for tool in tools:
        arguments = dict.fromkeys(tool.parameters.get("properties", {}), "...")
        lines.append(f"{json.dumps({'name': tool.name, 'arguments': arguments})}  {tool.description}")
    return _WORDS + "\n".join(lines)


def _text(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text for part in message.content if isinstance(part, Text))


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
