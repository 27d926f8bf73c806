"""Token scores of a GGUF model on the CPU: the embedded one, or another file."""

import importlib.metadata
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from cleartitle.errors import InputError
from cleartitle.models.cores import cores
from cleartitle.models.llama_library import LlamaContext, LlamaWeights
from cleartitle.models.protocol import ModelOptions
from cleartitle.models.scoring_options import ScorerOptions
from cleartitle.models.scoring_rows import plain_row_numbers
from cleartitle.models.scoring_text import chosen_rows, readable, windows
from cleartitle.models.scoring_torch import ALL_NUMBERS
from cleartitle.models.token_stats import NextToken, ScorerCapabilities, TokenSpans, TokenStats
from cleartitle.models.weights import EMBEDDED_NAME, embedded_weights, gguf_hash
from cleartitle.options import as_record

__all__ = ["EmbeddedScorer", "byte_spans"]

BATCH = 64
"""Tokens that are read at a time: their logits are 13 MB with the embedded model, 67 MB with 262,144 tokens."""


class EmbeddedScorer:
    """A GGUF model under llama.cpp behind the protocol of a `TokenScorer`; it gives every number.

    Each worker reads one text at a time on one thread, so that no number depends on what else is scored. Numbers are
    those of the quantized weights with llama.cpp's quantized activations: transformers gives others for the same file
    (see the docs).
    """

    def __init__(
        self,
        options: ModelOptions = ModelOptions(),  # noqa: B008 - frozen
        scoring: ScorerOptions = ScorerOptions(),  # noqa: B008 - frozen
        path: Path | None = None,
    ) -> None:
        """Load the weights, fetching the embedded ones if they are not in the cache.

        Raises:
            MissingExtraError: xllamacpp is not installed.
            InputError: not a GGUF file of a causal model, or a window that does not fit.
        """
        self._scoring = scoring
        own = path is None
        self._path = embedded_weights() if path is None else path
        self._sha256 = gguf_hash(self._path)
        self._name = EMBEDDED_NAME if own else self._path.stem
        self._weights = LlamaWeights(self._path)
        context = min(options.context, self._weights.trained_context or options.context)
        window = scoring.window or context
        if window > context:
            raise InputError(f"scorer: window={window} is over the context of {context} tokens")
        wanted = None if scoring.prefix == "auto" else scoring.prefix == "yes"
        self._prefix = self._weights.first_token(wanted)
        if scoring.prefix == "yes" and self._prefix is None:
            raise InputError(f"{self._path}: has no token to put first; mend: prefix auto or no")
        self._size = window - (self._prefix is not None)
        if self._size < 2 - (self._prefix is not None) or scoring.stride >= window:
            raise InputError(f"scorer: window={window}, stride={scoring.stride} leaves gaps; mend: a smaller stride")
        self._workers = options.threads or cores()
        self._free: SimpleQueue[LlamaContext] = SimpleQueue()
        self._contexts = [self._weights.context(window, BATCH) for _ in range(self._workers)]
        for made in self._contexts:
            self._free.put(made)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="embedded-scorer")

    @property
    def name(self) -> str:
        """Name and digest of the weights."""
        return f"{self._name} {self._sha256[:12]}"

    def describe(self) -> dict[str, Any]:
        """Everything that can change a number, as plain JSON values."""
        record = {name: value for name, value in as_record(self._scoring).items() if name != "batch_tokens"}
        return {
            "adapter": "embedded",
            "model": self._name,
            "weights_sha256": self._sha256,
            "runtime": "xllamacpp",
            "runtime_version": importlib.metadata.version("xllamacpp"),
            "machine": os.uname().machine,
            "vocabulary": self._weights.vocabulary,
            "prefix_token": self._prefix,
            "window": self._size + (self._prefix is not None),
            "tokens_at_a_time": BATCH,
            "options": record,
        }

    def capabilities(self) -> ScorerCapabilities:
        """All numbers, over the whole vocabulary, one pass a text."""
        return ScorerCapabilities(
            gives=ALL_NUMBERS,
            vocabulary=self._weights.vocabulary,
            context=self._size + (self._prefix is not None),
            scores_first_token=self._prefix is not None,
            independent=True,
        )

    def tokenize(self, text: str) -> TokenSpans:
        """Tokens of a text.

        Raises:
            InputError: the bytes of the tokens are not those of the text.
        """
        data = readable(text).encode()
        ids = self._weights.tokenize(data)
        start, end = byte_spans([self._weights.piece(int(token)) for token in ids], readable(text))
        return TokenSpans(ids, start, end)

    def calls(self, tokens: int, rows: int) -> int:
        """A text costs one call."""
        return 1 if tokens and rows else 0

    def score(
        self, texts: Iterable[str], *, positions: Sequence[np.ndarray | None] | None = None
    ) -> Iterator[TokenStats]:
        """One `TokenStats` for each text, in order; a few texts are read at the same time."""
        waiting: deque[Future[TokenStats]] = deque()
        try:
            for place, text in enumerate(texts):
                waiting.append(self._pool.submit(self._one, text, None if positions is None else positions[place]))
                if len(waiting) > 2 * self._workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()

    def next_token(self, text: str) -> NextToken | None:
        """The likeliest next token after a text, for the self-test; None after a text without tokens."""
        ids = self._read(self.tokenize(text).token[-self._size + 1 :])
        if not len(ids):
            return None
        found: list[NextToken] = []

        def take(logits: np.ndarray, _: np.ndarray) -> None:
            best = logits.argmax(1)
            numbers = plain_row_numbers(logits, best)
            found.append(NextToken(id=int(best[0]), logprob=float(numbers["top1"][0])))

        context = self._free.get()
        try:
            context.logits(ids, np.array([len(ids) - 1]), take)
        finally:
            self._free.put(context)
        return found[0]

    def close(self) -> None:
        """Wait for texts that are being read, then free the model."""
        self._pool.shutdown()
        for made in self._contexts:
            made.free()
        self._contexts = []
        self._weights.free()

    def _read(self, token: np.ndarray) -> np.ndarray:
        return token if self._prefix is None else np.concatenate([[self._prefix], token]).astype(np.int32)

    def _one(self, text: str, wanted: np.ndarray | None) -> TokenStats:
        spans = self.tokenize(text)
        tokens, shift = spans.token, int(self._prefix is not None)
        rows = chosen_rows(len(tokens), first=bool(shift), positions=wanted)
        found, cut = windows(len(tokens), self._size, self._scoring, rows)
        rows = rows[rows < len(tokens) - cut]
        numbers = {
            name: np.zeros(len(rows), dtype=np.int32 if name == "rank" else np.float32)
            for name in ("rank", "logprob", "top1", "mean", "spread")
        }
        context = self._free.get()
        try:
            for window in found:
                # The last token of a window is only predicted, never read.
                ids = self._read(tokens[window.start : window.stop - 1])

                def take(logits: np.ndarray, places: np.ndarray, start: int = window.start) -> None:
                    position = places + start + 1 - shift
                    here = np.searchsorted(rows, position)
                    for name, values in plain_row_numbers(logits, tokens[position]).items():
                        numbers[name][here] = values

                context.logits(ids, window.rows - window.start - 1 + shift, take)
        finally:
            self._free.put(context)
        if np.isnan(numbers["logprob"]).any():
            raise InputError(f"{self.name}: gives NaN as a log-probability; mend: another GGUF file")
        return TokenStats(
            rows,
            spans.start[rows],
            spans.end[rows],
            tokens[rows],
            rank=numbers["rank"],
            logprob=numbers["logprob"],
            top1=numbers["top1"],
            mean=numbers["mean"],
            spread=numbers["spread"],
            tokens_in_text=len(tokens),
            truncated=cut,
        )


def byte_spans(pieces: Sequence[bytes], text: str) -> tuple[np.ndarray, np.ndarray]:
    """Character spans of tokens whose bytes make up a text in UTF-8; a part of a character covers the whole of it.

    A blank that the tokenizer put before the text is left out of the first span.

    Raises:
        InputError: the bytes are not those of the text.
    """
    data, joined = text.encode(), b"".join(pieces)
    lead = 1 if joined == b" " + data and data else 0
    if joined[lead:] != data:
        raise InputError(f"tokenizer: the tokens do not make up the text again, which starts with {text[:30]!r}")
    sizes = np.array([len(piece) for piece in pieces], dtype=np.int64)
    ends = np.cumsum(sizes) - lead
    starts = np.maximum(ends - sizes, 0)
    ends = np.maximum(ends, 0)
    codes = np.frombuffer(data, dtype=np.uint8)
    # Number of characters that begin before each byte, and before the end.
    begun = np.concatenate([[0], np.cumsum((codes & 0xC0) != 0x80)])
    inside = begun[np.minimum(starts + 1, len(data))] - 1 if len(data) else starts
    start = np.where(sizes > 0, inside, begun[starts]).astype(np.int32)
    return start, begun[ends].astype(np.int32)
