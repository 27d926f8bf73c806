"""What a model says of the tokens of a given text: ranks, log-probabilities, shapes of the distributions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

__all__ = ["BEYOND", "Access", "NextToken", "ScorerCapabilities", "TokenScorer", "TokenSpans", "TokenStats"]

Access = Literal["rank", "logprob", "top1", "distribution"]
"""``rank`` of the given token; ``logprob`` of the given token; ``top1``: log-probability of the likeliest token;
``distribution``: moments over the whole vocabulary (mean, spread, entropy)."""

BEYOND = 0
"""The rank of a token that is not among the ``output_size`` likeliest."""


@dataclass(frozen=True)
class TokenStats:
    """One row a token of one text that the model was asked about, in the order of the text.

    The first token of a text has a row only where the model puts a token of its own before it (see
    `ScorerCapabilities.scores_first_token`). With a budget of queries the rows are those of the chosen positions. All
    arrays have the same length n; an array is None where the model does not give the number.

    Args:
        position: int32, index of the token in the tokenized text, ascending.
        start: int32, first character of the token in the text.
        end: int32, one past the last character. A token of a part of a character covers the whole character.
        token: int32, the token's id in the model's vocabulary.
        rank: int32, 1 + number of tokens with a strictly greater score (ties go to the better rank), or `BEYOND`.
        logprob: float32, natural logarithm of the probability of the given token; negative infinity where the server
            says so, NaN where it is beyond the output size.
        top1: float32, log-probability of the likeliest token.
        mean: float32, mu = sum over the vocabulary of p log p (the mean log-probability, negative entropy).
        spread: float32, sigma = square root of sum p (log p)^2 - mu^2.
        tokens_in_text: tokens of the whole text, chosen or not.
        truncated: tokens at the end that were left out since the text is longer than the context allows.
        error: why a text has no rows although it was asked about, in one line.
    """

    position: np.ndarray
    start: np.ndarray
    end: np.ndarray
    token: np.ndarray
    rank: np.ndarray | None = None
    logprob: np.ndarray | None = None
    top1: np.ndarray | None = None
    mean: np.ndarray | None = None
    spread: np.ndarray | None = None
    tokens_in_text: int = 0
    truncated: int = 0
    error: str | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.position)

    @property
    def entropy(self) -> np.ndarray | None:
        """Entropy of each distribution in nats, float32."""
        return None if self.mean is None else -self.mean

    def at(self, rows: np.ndarray) -> "TokenStats":
        """The rows with these indices (or under this mask) alone."""

        def pick(values: np.ndarray | None) -> np.ndarray | None:
            return None if values is None else values[rows]

        return TokenStats(
            position=self.position[rows],
            start=self.start[rows],
            end=self.end[rows],
            token=self.token[rows],
            rank=pick(self.rank),
            logprob=pick(self.logprob),
            top1=pick(self.top1),
            mean=pick(self.mean),
            spread=pick(self.spread),
            tokens_in_text=self.tokens_in_text,
            truncated=self.truncated,
            error=self.error,
        )

    def cut_to(self, output_size: int) -> "TokenStats":
        """What a service would have shown that lists only the ``output_size`` likeliest tokens, ranks without numbers.

        Ranks beyond become `BEYOND`; log-probabilities and moments are gone (CodeMI, section 6.3).
        """
        assert self.rank is not None, "ranks are needed to cut the output"
        rank = np.where(self.rank > output_size, BEYOND, self.rank).astype(np.int32)
        return TokenStats(
            self.position,
            self.start,
            self.end,
            self.token,
            rank=rank,
            tokens_in_text=self.tokens_in_text,
            truncated=self.truncated,
            error=self.error,
        )


@dataclass(frozen=True)
class ScorerCapabilities:
    """What a scorer gives and under which limits.

    ``context`` is the number of tokens that are read together: the window in use, which the model's own context bounds.
    ``output_size`` is the number of likeliest tokens that a rank can be told from (None: the whole vocabulary).
    ``queries_per_text`` is ``one`` where a text costs one call and ``per token`` where each position costs one.
    ``tokenizes``: `TokenScorer.tokenize` costs no query; where it does, the reply serves the next scoring of that text.
    ``independent``: texts are scored one by one, so that no number depends on the company of a text.
    """

    gives: frozenset[Access]
    vocabulary: int | None
    output_size: int | None = None
    context: int | None = None
    scores_first_token: bool = False
    queries_per_text: Literal["one", "per token"] = "one"
    deterministic: bool = True
    independent: bool = False
    tokenizes: bool = True


class TokenSpans(NamedTuple):
    """The tokens of one text: ids and half-open character ranges, three int32 arrays of equal length."""

    token: np.ndarray
    start: np.ndarray
    end: np.ndarray


@dataclass(frozen=True)
class NextToken:
    """The likeliest token after a text by the route of generation: its id or text, and its log-probability if told."""

    id: int | None = None
    text: str | None = None
    logprob: float | None = None


class TokenScorer(Protocol):
    """A model that can be asked about a given text, token by token."""

    @property
    def name(self) -> str:
        """How reports name this model, with revision or digest."""
        ...

    def describe(self) -> dict[str, Any]:
        """Everything that can change a number, as plain JSON values without a secret: run record and cache key."""
        ...

    def capabilities(self) -> ScorerCapabilities:
        """What this scorer gives."""
        ...

    def tokenize(self, text: str) -> TokenSpans:
        """The tokens of a text, in the order of their positions; ids are -1 where a server does not tell them."""
        ...

    def calls(self, tokens: int, rows: int) -> int:
        """Queries that ``rows`` positions of a text of so many tokens cost at most."""
        ...

    def close(self) -> None:
        """Free what the scorer holds; calling it again does nothing."""
        ...

    def score(
        self, texts: Iterable[str], *, positions: Sequence[np.ndarray | None] | None = None
    ) -> Iterator[TokenStats]:
        """One `TokenStats` for each text, in order; ``positions`` (token indices) restricts the rows of each text.

        An empty text and one of a single token that cannot be scored give a `TokenStats` of length 0.
        """
        ...
