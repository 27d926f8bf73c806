"""The loop between a model and the office: the chat protocol with tools, until a file is submitted."""

import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cleartitle.evals.copyright_bench.office import Office, ToolError
from cleartitle.evals.copyright_bench.transcript import Row, Transcript
from cleartitle.models import Content, Generation, Image, Message, Request, Sampling, Text, Tool, ToolCall

__all__ = ["NUDGE", "Ask", "Converse", "Limits", "converse", "office_tools"]

NUDGE = "No file is submitted yet. Go on with the tools; submit_selection ends the task."
MOST_CALLS = 16
"""Calls of one answer that are carried out."""

Ask = Callable[[Request], Awaitable[Generation]]


@dataclass(frozen=True)
class Limits:
    """How a conversation is drawn and when it ends.

    ``steps`` answers of the model at most. An answer without a call is followed by `NUDGE`, ``nudges`` times in an
    episode; the next one ends it without a submission.
    """

    steps: int = 30
    nudges: int = 1
    temperature: float = 0.1
    max_tokens: int = 1024
    seed: int = 0

    @property
    def sampling(self) -> Sampling:
        """For every answer of the conversation."""
        return Sampling(temperature=self.temperature, max_tokens=self.max_tokens, seed=self.seed)


Converse = Callable[[Ask, Office, str, str, Limits, Mapping[str, str]], Awaitable[list[Row]]]
"""`converse`, or another loop that takes and gives the same."""


def office_tools(office: Office) -> tuple[Tool, ...]:
    """The tools of an office as a model is told of them."""
    return tuple(Tool(name, office.description(name), office.parameters(name)) for name in office.tools())


async def converse(
    ask: Ask, office: Office, episode_id: str, instruction: str, limits: Limits, pictures: Mapping[str, str]
) -> list[Row]:
    """Put the instruction to a model, carry out its calls, and return the transcript (rows of ``TRANSCRIPTS``).

    A picture follows the answers of the tools as a message of the user, since the protocol has no pictures in the
    answer of a tool. A call that fails is an answer that the model can read. A failed request to the model ends the
    episode with an error. ``pictures`` names the asset of each path, for the record.
    """
    transcript = Transcript(episode_id, instruction)
    messages = [Message("user", instruction)]
    tools, sampling, nudged = office_tools(office), limits.sampling, 0
    for step in range(limits.steps):
        request = Request(episode_id, tuple(messages), sampling=sampling, tools=tools, turn=step)
        generation = await ask(request)
        transcript.assistant(generation)
        if generation.status == "error":
            return transcript.end("error", generation.error or "the model gave no answer")
        # Ids of an endpoint differ from run to run, and some give none.
        calls = tuple(
            ToolCall(f"call_{step}_{number}", call.name, call.arguments)
            for number, call in enumerate(generation.tool_calls[:MOST_CALLS])
        )
        messages.append(Message("assistant", generation.text or ("" if calls else "…"), calls))
        if calls:
            messages += _carry_out(calls, office, transcript, pictures)
            if office.submitted is not None:
                return transcript.end("submitted")
        elif nudged < limits.nudges:
            nudged += 1
            transcript.nudge(NUDGE)
            messages.append(Message("user", NUDGE))
        else:
            return transcript.end("stopped", f"the model stopped calling tools ({generation.status})")
    return transcript.end("step limit", f"{limits.steps} answers without a submission")


def _carry_out(
    calls: tuple[ToolCall, ...], office: Office, transcript: Transcript, pictures: Mapping[str, str]
) -> list[Message]:
    answers: list[Message] = []
    seen: list[Text | Image] = []
    for call in calls:
        picture: str | None = None
        try:
            arguments = _arguments(call.arguments)
            found = office.call(call.name, arguments)
            state, text = "ok", office.answer_text(call.name, found)
            if office.gives_pixels(call.name):
                seen += [Text(f"The image {arguments['path']}:"), _image(found)]
                picture = pictures.get(str(arguments["path"]).removeprefix("./"))
        except ToolError as error:
            state, text = "error", str(error)
        transcript.tool(call.name, call.arguments, state, text, picture)
        answers.append(Message("tool", text if state == "ok" else f"error: {text}", tool_call_id=call.id))
        if office.submitted is not None:
            break
    content: Content = tuple(seen)
    return [*answers, *([Message("user", content)] if seen else [])]


def _arguments(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ToolError("the arguments are not valid JSON") from None
    if not isinstance(found, dict):
        raise ToolError("the arguments must be a JSON object")
    return found


def _image(encoded: str) -> Image:
    return Image(base64.b64decode(encoded), "image/jpeg")
