"""What Cleartitle asks of a model, in types that every adapter shares.

An adapter turns a `Request` into exactly ``sampling.n`` `Generation` rows. A call that failed is a row with an error,
so that every rate can state its denominator.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, Protocol, runtime_checkable

from cleartitle.errors import InputError
from cleartitle.options import NOT_IN_KEY

__all__ = [
    "Capabilities",
    "Content",
    "Estimate",
    "Generation",
    "Image",
    "Message",
    "Model",
    "ModelOptions",
    "Request",
    "Role",
    "Sampling",
    "Status",
    "Style",
    "Text",
    "Tool",
    "ToolCall",
    "failed",
    "plain_text",
]

Role = Literal["system", "user", "assistant", "tool"]
Status = Literal["ok", "empty", "refusal", "truncated", "error"]
Style = Literal["auto", "chat", "completion"]


@dataclass(frozen=True)
class Text:
    """A piece of text in a message of several parts."""

    text: str


@dataclass(frozen=True)
class Image:
    """A picture in a message: encoded bytes (PNG, JPEG, …) and their media type, such as ``image/png``."""

    data: bytes = field(repr=False)
    media_type: str


Content = str | tuple[Text | Image, ...]


@dataclass(frozen=True)
class ToolCall:
    """A call that the model asks for; ``arguments`` is the JSON text as the model wrote it, perhaps not valid."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Tool:
    """A function on offer to the model; ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation. ``tool_calls`` belongs to the assistant, ``tool_call_id`` to a tool's answer."""

    role: Role
    content: Content
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True)
class Sampling:
    """How to draw answers. Temperature 0 is greedy; ``max_tokens`` bounds the answer, reasoning included.

    A seed gives the same draw again only where the runtime keeps that promise (see `Capabilities.deterministic`).
    """

    temperature: float = 0.0
    top_p: float | None = None
    max_tokens: int = 1024
    seed: int | None = 0
    stop: tuple[str, ...] = ()
    n: int = 1

    def __post_init__(self) -> None:
        """Refuse values that no model can honour."""
        if self.n < 1 or self.max_tokens < 1:
            raise InputError(f"n={self.n}, max_tokens={self.max_tokens}: both must be at least 1")
        if not 0 <= self.temperature <= 2 or (self.top_p is not None and not 0 < self.top_p <= 1):
            raise InputError(
                f"temperature={self.temperature}, top_p={self.top_p}: mend: temperature in 0..2, top_p in (0, 1]"
            )


@dataclass(frozen=True)
class Request:
    """One question to a model: a conversation (``messages``) or a text to continue (``prompt``), never both.

    ``id`` names the prompt and ``turn`` the place in its conversation (0 first answer, 1 first follow-up). A prompt in
    completion style goes to the model as it is, without a chat template.
    """

    id: str
    messages: tuple[Message, ...] = ()
    prompt: str | None = None
    sampling: Sampling = Sampling()
    tools: tuple[Tool, ...] = ()
    turn: int = 0

    def __post_init__(self) -> None:
        """Hold the rule that a request has exactly one form."""
        if bool(self.messages) == (self.prompt is not None):
            raise InputError(f"request {self.id!r}: mend: give either messages or a prompt, not both or neither")

    @property
    def style(self) -> Literal["chat", "completion"]:
        """The form of this request."""
        return "chat" if self.prompt is None else "completion"


@dataclass(frozen=True)
class Generation:
    """One answer of a model to one request.

    ``status`` is ``ok``; ``empty`` (nothing but white space and no tool call); ``refusal`` (said so by the endpoint, or
    judged so by `looks_like_refusal`); ``truncated`` (stopped by ``max_tokens``, the text up to there is kept);
    ``error`` (no usable answer, ``error`` says why in one line). Reasoning that the model showed apart from its answer
    is in ``reasoning`` and never in ``text``. Token counts are the endpoint's own and None where it gives none; with
    several samples of one call they are on the first row only where the endpoint gives only a sum. ``seconds`` is
    wall time of the call with its ``attempts``; it is not a property of the model.
    """

    text: str
    status: Status = "ok"
    finish_reason: str = "stop"
    error: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    attempts: int = 1
    seconds: float = 0.0


@dataclass(frozen=True)
class Capabilities:
    """What a model can be asked. ``token_probabilities``: gives the probabilities of the tokens of a given text.

    ``tools_by_grammar``: the model was not taught to call tools, and a grammar holds its answers to that form.
    ``concurrency`` is the number of requests worth having in flight. ``deterministic``: equal greedy requests give
    equal texts on the same machine, whatever else is in flight.
    """

    chat: bool
    completion: bool
    tools: bool = False
    tools_by_grammar: bool = False
    images: bool = False
    several_samples: bool = False
    token_probabilities: bool = False
    concurrency: int = 1
    deterministic: bool = False

    @property
    def style(self) -> Literal["chat", "completion"]:
        """The form that suits this model best: chat where it can."""
        return "chat" if self.chat else "completion"


@dataclass(frozen=True)
class Estimate:
    """What a set of requests would ask for, before any call.

    ``completion_tokens`` is the upper bound that ``max_tokens`` sets. ``cost`` is an upper bound in the currency of the
    prices, None without prices. ``method`` says how prompt tokens were counted.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    method: str


@dataclass(frozen=True)
class ModelOptions:
    """Options of `open_model`; an adapter ignores those that have no meaning for it."""

    base_url: str | None = None
    """Address of an OpenAI-compatible endpoint, up to /v1; by default OPENAI_BASE_URL, else OpenAI."""
    api_key_env: str = field(default="OPENAI_API_KEY", metadata=NOT_IN_KEY)
    """Name of the environment variable that holds the key."""
    concurrency: int = field(default=0, metadata=NOT_IN_KEY)
    """Requests in flight (for transformers the size of a batch); 0 means the adapter's own default."""
    timeout: float = field(default=120.0, metadata=NOT_IN_KEY)
    """Seconds for one attempt at an endpoint."""
    retries: int = field(default=5, metadata=NOT_IN_KEY)
    """Further attempts after the first, for errors that may pass."""
    style: Style = "auto"
    """Limit a model that takes both conversations and texts to continue to one of them."""
    threads: int = field(default=0, metadata=NOT_IN_KEY)
    """Processor cores for a model that runs here; 0 means all, at most 8."""
    context: int = 4096
    """Tokens of prompt and answer together, for the embedded model."""
    max_cost: float | None = field(default=None, metadata=NOT_IN_KEY)
    """Most that a run may cost, in the currency of the prices; calls beyond it are not made."""
    price_prompt: float | None = field(default=None, metadata=NOT_IN_KEY)
    """Price of a million prompt tokens."""
    price_completion: float | None = field(default=None, metadata=NOT_IN_KEY)
    """Price of a million tokens of answers."""

    def __post_init__(self) -> None:
        """Refuse numbers that have no meaning."""
        counts = {name: getattr(self, name) for name in ("concurrency", "retries", "threads")}
        wrong = [f"{name}={value}" for name, value in counts.items() if value < 0]
        prices = {name: getattr(self, name) for name in ("max_cost", "price_prompt", "price_completion")}
        wrong += [f"{name}={value}" for name, value in prices.items() if value is not None and not 0 <= value < inf]
        wrong += [f"timeout={self.timeout}"] if not 0 < self.timeout < inf else []
        wrong += [f"context={self.context}"] if self.context < 16 else []
        if wrong:
            raise InputError(f"model options: {', '.join(wrong)}: out of range")
        if self.base_url is not None and "@" in self.base_url:
            # Options are recorded as they are.
            raise InputError("base_url: holds credentials, which would be recorded; mend: use api_key_env")


@runtime_checkable
class Model(Protocol):
    """A model that can be asked. Close it when done; it may hold memory, threads or connections."""

    @property
    def name(self) -> str:
        """A short name for tables."""
        ...

    def describe(self) -> dict[str, Any]:
        """Plain JSON values for the run record: runtime, version, weight hash or endpoint host, never a secret."""
        ...

    def capabilities(self) -> Capabilities:
        """What this model can be asked."""
        ...

    def estimate(self, requests: tuple[Request, ...]) -> Estimate:
        """Tokens and cost of these requests, without asking anything."""
        ...

    async def generate(self, request: Request) -> list[Generation]:
        """Exactly ``request.sampling.n`` answers, in sample order; only cancellation raises."""
        ...

    async def aclose(self) -> None:
        """Free what the model holds; calling it again does nothing."""
        ...


def failed(request: Request, error: str, *, attempts: int = 1, seconds: float = 0.0) -> list[Generation]:
    """The rows of a request that got no answer: one per sample, each with the reason in one line."""
    line = " ".join(error.split())
    row = Generation("", "error", "error", line, attempts=attempts, seconds=seconds)
    return [row] * request.sampling.n


def plain_text(request: Request) -> str:
    """All text of a request in order, for counting and estimating; images do not count."""
    if request.prompt is not None:
        return request.prompt
    parts: list[str] = []
    for message in request.messages:
        if isinstance(message.content, str):
            parts.append(message.content)
        else:
            parts.extend(part.text for part in message.content if isinstance(part, Text))
    return "\n".join(parts)
