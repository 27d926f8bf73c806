# pyright: reportMissingImports=false
"""What our tasks of Inspect AI share: how a request is put to the model under test, and what is checked before."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.solver import TaskState

from cleartitle.errors import CleartitleError, InputError
from cleartitle.models import Request
from cleartitle.models.answers import cut_prompt
from cleartitle.models.inspect_log import generation_of

__all__ = ["Mode", "Style", "check", "form_of", "messages_of", "prerequisites", "turn"]

Mode = Literal["corrected", "paper"]
Style = Literal["auto", "chat", "completion"]
ROLES: dict[str, Callable[..., ChatMessage]] = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}


@contextmanager
def prerequisites() -> Generator[None]:
    """Turn our errors of one line into what Inspect prints as one line."""
    try:
        yield
    except CleartitleError as error:
        # Not a public name, so that it is looked up only where it is needed.
        from inspect_ai._util.error import PrerequisiteError

        raise PrerequisiteError(str(error)) from error


def check(mode: str, style: str) -> None:
    """Refuse arguments that no task takes.

    Raises:
        InputError: another mode or style.
    """
    if mode not in ("corrected", "paper") or style not in ("auto", "chat", "completion"):
        raise InputError(f"mode={mode}, style={style}: mend: mode corrected or paper; style auto, chat or completion")


def form_of(state: TaskState, style: Style) -> Literal["chat", "completion"]:
    """The form of a request; ``auto`` takes completion for providers whose name ends in ``completions``."""
    if style != "auto":
        return style
    return "completion" if state.model.api.endswith("completions") else "chat"


def messages_of(request: Request) -> list[ChatMessage]:
    """The messages of a request; a text to continue is one message of the user, as raw providers take it."""
    if request.prompt is not None:
        return [ChatMessageUser(content=cut_prompt(request.prompt))]
    return [ROLES[message.role](content=message.content) for message in request.messages]


async def turn(state: TaskState, request: Request, config: GenerateConfig) -> dict[str, Any]:
    """Put one request to the model under test; the conversation in the log shows each message once."""
    asked = messages_of(request)
    shown = state.messages if request.turn else []
    output = await get_model().generate(asked, config=config)
    fresh = asked if request.style == "completion" else asked[len(shown) :]
    state.messages = [*shown, *fresh, *([output.message] if output.choices else [])]
    state.output = output
    identity = {"prompt_id": request.id, "sample_index": 0 if request.turn else state.epoch - 1, "turn": request.turn}
    return {**identity, **asdict(generation_of(output, chat=request.style == "chat"))}
