# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportIncompatibleMethodOverride=false
"""The two-agent loop of AutoGen in the place of our own: an assistant with the tools, and a proxy of the user.

Copyright-Bench (arXiv 2607.21799) ran its episodes that way; its texts are not published, so that this is its structure
with our words. AutoGen asks whatever model the run has, through our own protocol: answers go to the same journal, and
transcripts have the same rows. Pictures come with the proxy's next message, since AutoGen's tools give text.
"""

import base64
import io
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import FunctionalTermination
from autogen_agentchat.messages import MultiModalMessage, TextMessage, ToolCallExecutionEvent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken, FunctionCall
from autogen_core import Image as AutogenImage
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    RequestUsage,
    SystemMessage,
    UserMessage,
)
from autogen_core.tools import BaseTool
from PIL import Image as PillowImage
from pydantic import BaseModel

from cleartitle.evals.copyright_bench import Office, ToolError
from cleartitle.evals.copyright_bench.conversation import NUDGE, Ask, Limits, office_tools
from cleartitle.evals.copyright_bench.transcript import Row, Transcript
from cleartitle.models import Content, Generation, Image, Message, Request, Text, Tool, ToolCall

__all__ = ["GO_ON", "converse"]

GO_ON = "Go on."
"""What the proxy of the user says after tools were called, where there is no picture to show."""


async def converse(
    ask: Ask, office: Office, episode_id: str, instruction: str, limits: Limits, pictures: Mapping[str, str]
) -> list[Row]:
    """Play one episode as `cleartitle.evals.copyright_bench.conversation.converse` does, with AutoGen's loop."""
    state = _State(ask, office, Transcript(episode_id, instruction), episode_id, limits, dict(pictures))
    assistant = AssistantAgent(
        "assistant",
        _Client(state),
        tools=[_OfficeTool(tool, state) for tool in office_tools(office)],
        system_message=None,
        reflect_on_tool_use=False,
    )
    team = RoundRobinGroupChat(
        [assistant, _Proxy(state)], termination_condition=FunctionalTermination(lambda _: state.over is not None)
    )
    try:
        async for message in team.run_stream(task=instruction):
            if isinstance(message, ToolCallExecutionEvent):
                state.executed(message.content)
    except RuntimeError:
        if state.over is None:  # a failed answer ends the loop by an exception; anything else is a fault
            raise
    return state.transcript.end(*(state.over or ("stopped", "AutoGen ended the loop")))


class _State:
    """What the parts of one episode share."""

    def __init__(
        self,
        ask: Ask,
        office: Office,
        transcript: Transcript,
        name: str,
        limits: Limits,
        pictures: dict[str, str],
    ) -> None:
        self.ask, self.office, self.transcript, self.limits = ask, office, transcript, limits
        self.name = name
        self.pictures = pictures
        self.pending: list[tuple[str, str]] = []
        self.arguments: dict[str, str] = {}
        self.seen: dict[str, str] = {}
        self.turn = self.nudged = 0
        self.called = False
        self.over: tuple[str, str] | None = None

    def executed(self, results: Sequence[Any]) -> None:
        """Record what tools gave, as AutoGen told the assistant."""
        for result in results:
            told = "error" if result.is_error else "ok"
            picture = self.seen.get(result.call_id)
            self.transcript.tool(result.name, self.arguments.get(result.call_id, ""), told, result.content, picture)

    async def answer(self, request: Request) -> Generation:
        """One answer of the model; a failed one, or one too many, ends the episode."""
        self.turn += 1
        generation = await self.ask(request)
        self.transcript.assistant(generation)
        self.called = bool(generation.tool_calls)
        if generation.status == "error":
            self.over = ("error", generation.error or "the model gave no answer")
            raise RuntimeError(self.over[1])
        if not self.called:
            self.nudged += 1
            if self.nudged > self.limits.nudges:
                self.over = ("stopped", f"the model stopped calling tools ({generation.status})")
        elif self.turn >= self.limits.steps:
            self.over = ("step limit", f"{self.limits.steps} answers without a submission")
        return generation


class _Proxy(UserProxyAgent):
    """Speaks for the user: shows pictures that were asked for, or tells the assistant to go on."""

    def __init__(self, state: _State) -> None:
        super().__init__("user_proxy", input_func=lambda _: GO_ON)
        self._state = state

    @property
    def produced_message_types(self) -> Any:
        return (TextMessage, MultiModalMessage)

    async def on_messages_stream(
        self, messages: Sequence[Any], cancellation_token: CancellationToken
    ) -> AsyncGenerator[Any, None]:
        state = self._state
        if state.pending:
            parts: list[Any] = []
            for path, encoded in state.pending:
                picture = PillowImage.open(io.BytesIO(base64.b64decode(encoded)))
                parts += [f"The image {path}:", AutogenImage.from_pil(picture)]
            state.pending = []
            yield Response(chat_message=MultiModalMessage(content=parts, source=self.name))
            return
        text = GO_ON if state.called else NUDGE
        if not state.called:
            state.transcript.nudge(text)
        yield Response(chat_message=TextMessage(content=text, source=self.name))


class _Anything(BaseModel):
    """Arguments are looked at by the office, not here."""


class _OfficeTool(BaseTool[_Anything, str]):
    """A tool of the office; its errors are text that the assistant reads."""

    def __init__(self, tool: Tool, state: _State) -> None:
        super().__init__(_Anything, str, tool.name, tool.description)
        self._tool, self._state = tool, state

    @property
    def schema(self) -> Any:
        return {
            "name": self._tool.name,
            "description": self._tool.description,
            "parameters": dict(self._tool.parameters),
        }

    async def run(self, args: _Anything, cancellation_token: CancellationToken) -> str:
        raise NotImplementedError("called with its arguments as they came")

    async def run_json(
        self, args: Mapping[str, Any], cancellation_token: CancellationToken, call_id: str | None = None
    ) -> str:
        office, name = self._state.office, self._tool.name
        if self._state.over is not None:
            raise ToolError("the task has ended")
        found = office.call(name, dict(args))
        if office.gives_pixels(name):
            self._state.pending.append((str(args["path"]), found))
            asset = self._state.pictures.get(str(args["path"]).removeprefix("./"))
            if call_id is not None and asset is not None:
                self._state.seen[call_id] = asset
        if office.submitted is not None:
            self._state.over = ("submitted", "")
        return office.answer_text(name, found)


class _Client(ChatCompletionClient):
    """A model of ours as a client of AutoGen."""

    component_type = "model"

    def __init__(self, state: _State) -> None:
        self._state = state
        self._usage = RequestUsage(prompt_tokens=0, completion_tokens=0)

    async def create(self, messages: Sequence[Any], *, tools: Sequence[Any] = (), **_: Any) -> CreateResult:
        state = self._state
        turn = state.turn
        request = Request(
            state.name,
            tuple(made for message in messages for made in _messages(message)),
            sampling=state.limits.sampling,
            tools=office_tools(state.office),
            turn=turn,
        )
        answer = await state.answer(request)
        calls = [
            FunctionCall(id=f"call_{turn}_{number}", name=call.name, arguments=call.arguments or "{}")
            for number, call in enumerate(answer.tool_calls)
        ]
        state.arguments |= {call.id: given.arguments for call, given in zip(calls, answer.tool_calls, strict=True)}
        self._usage = RequestUsage(answer.prompt_tokens or 0, answer.completion_tokens or 0)
        return CreateResult(
            finish_reason="function_calls" if calls else "stop",
            content=calls or answer.text or "…",
            usage=self._usage,
            cached=False,
            thought=answer.text if calls and answer.text else None,
        )

    async def create_stream(self, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        raise NotImplementedError("answers are not streamed")
        yield

    async def close(self) -> None:
        """The run closes its model."""

    def actual_usage(self) -> RequestUsage:
        return self._usage

    def total_usage(self) -> RequestUsage:
        return self._usage

    def count_tokens(self, messages: Sequence[Any], **_: Any) -> int:
        return 0

    def remaining_tokens(self, messages: Sequence[Any], **_: Any) -> int:
        return 1 << 30

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> Any:
        return {
            "vision": self._state.office.captions is None,
            "function_calling": True,
            "json_output": False,
            "family": "unknown",
            "structured_output": False,
        }


def _messages(message: Any) -> list[Message]:
    """A message of AutoGen's as ours."""
    if isinstance(message, FunctionExecutionResultMessage):
        return [
            Message("tool", f"error: {one.content}" if one.is_error else one.content, tool_call_id=one.call_id)
            for one in message.content
        ]
    if isinstance(message, AssistantMessage):
        if isinstance(message.content, str):
            return [Message("assistant", message.content)]
        calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in message.content)
        return [Message("assistant", message.thought or "", calls)]
    if isinstance(message, SystemMessage):
        return [Message("system", message.content)]
    assert isinstance(message, UserMessage)
    return [Message("user", _content(message.content))]


def _content(content: Any) -> Content:
    if isinstance(content, str):
        return content
    parts: list[Text | Image] = []
    for part in content:
        parts.append(Text(part) if isinstance(part, str) else Image(_jpeg(part.image), "image/jpeg"))
    return tuple(parts)


def _jpeg(picture: PillowImage.Image) -> bytes:
    stream = io.BytesIO()
    picture.convert("RGB").save(stream, "JPEG", quality=85)
    return stream.getvalue()
