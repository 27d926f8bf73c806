"""Options of token scoring: how much of a text a model sees, and how a server is asked."""

from dataclasses import dataclass, field
from typing import Literal

from cleartitle.errors import InputError
from cleartitle.options import NOT_IN_KEY

__all__ = ["ScorerOptions", "ServerAccess"]

ServerAccess = Literal["auto", "prompt_logprobs", "echo", "prefix"]
"""How a server is asked: ``prompt_logprobs`` (an extension of /completions with ranks), ``echo`` of the prompt with the
likeliest tokens, ``prefix`` (one query for each token), or whichever of these it turns out to answer."""


@dataclass(frozen=True)
class ScorerOptions:
    """How texts are shown to a model. Everything but ``batch_tokens`` can change a number."""

    window: int = 0
    """Tokens that the model sees at once; 0 means its own context, or 1,000 (CodeMI) where it has none."""
    stride: int = 0
    """Tokens from one window to the next; 0 means half a window. Only the unseen part of a window is scored."""
    long_texts: Literal["windows", "cut"] = "windows"
    """A text longer than a window is scored by overlapping windows, or cut after the first."""
    prefix: Literal["auto", "yes", "no"] = "auto"
    """Whether the model's own first token is put before each window, so that the first token of a text has a row;
    ``auto`` does what the model's tokenizer does."""
    access: ServerAccess = "auto"
    """How a server is asked."""
    top_k: int = 20
    """Likeliest tokens that a server is asked to list; a rank beyond them is unknown where it gives no rank."""
    tokenizer: str | None = None
    """Folder with the tokenizer of a served model: prompts go as token ids and positions are exact."""
    batch_tokens: int = field(default=4096, metadata=NOT_IN_KEY)
    """Tokens of one batch, padding counted."""

    def __post_init__(self) -> None:
        """Refuse numbers that have no meaning."""
        if self.window < 0 or self.window == 1 or self.stride < 0 or self.batch_tokens < 1 or self.top_k < 1:
            raise InputError(
                f"scorer options: window={self.window}, stride={self.stride}, batch_tokens={self.batch_tokens},"
                f" top_k={self.top_k}: mend: a window of 0 or at least 2, a stride of 0 or more, the others at least 1"
            )
        if self.window and self.stride >= self.window:
            raise InputError(f"scorer options: stride={self.stride} leaves gaps; mend: less than window={self.window}")
