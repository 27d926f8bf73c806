"""Token scores of any PyTorch model that turns token ids into logits: an LSTM, a GPT, one of your own."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from cleartitle.errors import InputError, require
from cleartitle.models.scoring_options import ScorerOptions
from cleartitle.models.scoring_rows import CHUNK, RowNumbers, row_numbers
from cleartitle.models.scoring_text import DEFAULT_WINDOW, Window, chosen_rows, readable, windows
from cleartitle.models.token_stats import Access, NextToken, ScorerCapabilities, TokenSpans, TokenStats
from cleartitle.options import as_record

__all__ = ["ALL_NUMBERS", "Tokenize", "TorchScorer", "weights_digest"]

Tokenize = Callable[[str], tuple[Sequence[int], Sequence[int], Sequence[int]]]
"""A text to its token ids and, for each, the first character and one past the last."""

ALL_NUMBERS: frozenset[Access] = frozenset({"rank", "logprob", "top1", "distribution"})
AT_ONCE = 256
"""Texts that are looked at together to make batches of like lengths."""
LOGITS_AT_ONCE = 2**26
"""Logits that one call of a model without ``head`` may return (256 MiB in 32 bits), unless one window has more."""


@dataclass(frozen=True)
class _Piece:
    text: int
    window: Window


class TorchScorer:
    """A PyTorch model behind the protocol of a `TokenScorer`; it gives every number.

    Windows of like length go through the model together, padded on the right: a causal model never looks there, so no
    mask is needed, and a model that is not causal must not be used. Memory for the numbers is bounded by a chunk of
    rows at any vocabulary. A model that returns all logits needs memory for those of one batch (`LOGITS_AT_ONCE`); with
    ``head`` even they are made a chunk at a time.
    """

    def __init__(
        self,
        model: Callable[[Any], Any],
        tokenize: Tokenize,
        *,
        head: Callable[[Any], Any] | None = None,
        name: str | None = None,
        context: int | None = None,
        prefix: int | None = None,
        vocabulary: int | None = None,
        options: ScorerOptions = ScorerOptions(),  # noqa: B008 - frozen
    ) -> None:
        """Take a model and its tokenizer.

        Args:
            model: int64 ids [batch, tokens] to logits [batch, tokens, vocabulary], as a tensor, the first member of a
                tuple, or an attribute ``logits``; with ``head``, to hidden states [batch, tokens, width] instead
                (``last_hidden_state``). Row i of the output may depend on the tokens up to i only.
            tokenize: text to ids, starts, ends.
            head: hidden states [n, width] to logits [n, vocabulary].
            name: how reports name the model; the digest of its weights is added where it has a ``state_dict``.
            context: tokens that the model takes at most, None if it sets no bound.
            prefix: id of a token to put before each window, None for none.
            vocabulary: number of logits of a row; found by a call with one token if not given.
            options: windows and batches.

        Raises:
            MissingExtraError: torch is not installed.
            InputError: options that do not fit the context, or a model without weights and without a name.
        """
        self._torch: Any = require("torch", "train")
        module: Any = model
        if hasattr(module, "eval"):
            module.eval()
        self._model, self._head, self._tokenize = model, head, tokenize
        self._prefix, self._options = prefix, options
        digest = weights_digest(module) if hasattr(module, "state_dict") else None
        if digest is None and not name:
            raise InputError("scorer: a model without weights to hash needs a name; mend: name=...")
        self._name = f"{name or type(model).__name__}" + (f" {digest[:12]}" if digest else "")
        first = next(iter(module.parameters()), None) if hasattr(module, "parameters") else None
        self._device = "cpu" if first is None else first.device
        self._context = context
        window = options.window or context or DEFAULT_WINDOW
        if context is not None and window > context:
            raise InputError(f"scorer: window={window} is over the model's context of {context} tokens")
        self._size = window - (prefix is not None)
        if self._size < 2 - (prefix is not None) or options.stride >= window:
            raise InputError(f"scorer: window={window}, stride={options.stride} leaves gaps; mend: a smaller stride")
        self._vocabulary = vocabulary or self._probe()

    @property
    def name(self) -> str:
        """Name and digest of the weights."""
        return self._name

    def describe(self) -> dict[str, Any]:
        """Everything that can change a number, as plain JSON values."""
        record = {name: value for name, value in as_record(self._options).items() if name != "batch_tokens"}
        return {
            "adapter": "torch",
            "model": self._name,
            "torch": self._torch.__version__,
            "device": str(self._device),
            "vocabulary": self._vocabulary,
            "context": self._context,
            "prefix_token": self._prefix,
            "window": self._size + (self._prefix is not None),
            "options": record,
        }

    def capabilities(self) -> ScorerCapabilities:
        """All numbers, over the whole vocabulary, one pass a text."""
        return ScorerCapabilities(
            gives=ALL_NUMBERS,
            vocabulary=self._vocabulary,
            context=self._size + (self._prefix is not None),
            scores_first_token=self._prefix is not None,
        )

    def tokenize(self, text: str) -> TokenSpans:
        """Tokens of a text, without asking the model.

        Raises:
            InputError: the tokenizer gives an id that the model does not have, or spans outside of the text.
        """
        text = readable(text)
        token, start, end = (np.asarray(values, dtype=np.int32).reshape(-1) for values in self._tokenize(text))
        if not len(token) == len(start) == len(end):
            raise InputError(f"tokenizer of {self._name}: {len(token)} ids, {len(start)} starts, {len(end)} ends")
        if len(token) and (token.min() < 0 or token.max() >= self._vocabulary):
            bad = token.max() if token.max() >= self._vocabulary else token.min()
            raise InputError(f"tokenizer of {self._name}: id {bad} is not among the {self._vocabulary} of the model")
        if len(token) and (start.min() < 0 or end.max() > len(text) or bool((start > end).any())):
            raise InputError(f"tokenizer of {self._name}: a token lies outside of its text")
        return TokenSpans(token, start, end)

    def calls(self, tokens: int, rows: int) -> int:
        """A text costs one call."""
        return 1 if tokens and rows else 0

    def score(
        self, texts: Iterable[str], *, positions: Sequence[np.ndarray | None] | None = None
    ) -> Iterator[TokenStats]:
        """One `TokenStats` for each text; texts are looked at by the hundred and need not be in memory together.

        Raises:
            InputError: the model gives NaN, or not one row of logits a token.
        """
        waiting = iter(texts)
        done = 0
        while group := list(islice(waiting, AT_ONCE)):
            wanted = [None] * len(group) if positions is None else positions[done : done + len(group)]
            yield from self._group(group, wanted)
            done += len(group)

    def close(self) -> None:
        """Nothing is held open; the model belongs to the caller."""

    def split(self, backbone: Callable[[Any], Any], head: Callable[[Any], Any]) -> None:
        """Use the model's own two halves from now on, so that logits are made a chunk at a time."""
        self._model, self._head = backbone, head

    def next_token(self, text: str) -> NextToken | None:
        """The likeliest next token after a text, for the self-test; None after a text without tokens."""
        token = self.tokenize(text).token[-self._size + 1 :]
        ids = token if self._prefix is None else np.concatenate([[self._prefix], token])
        if not len(ids):
            return None
        with self._torch.inference_mode():
            read = self._torch.tensor(ids[None, :], dtype=self._torch.int64, device=self._device)
            logp = self._torch.log_softmax(self._logits(self._forward(read)[0, -1:])[0].float(), 0)
            return NextToken(id=int(logp.argmax()), logprob=float(logp.max()))

    def _group(self, texts: Sequence[str], positions: Sequence[np.ndarray | None]) -> list[TokenStats]:
        first = self._prefix is not None
        results: list[TokenStats] = []
        pieces: list[_Piece] = []
        tokens: list[np.ndarray] = []
        for place, (text, wanted) in enumerate(zip(texts, positions, strict=True)):
            spans = self.tokenize(text)
            rows = chosen_rows(len(spans.token), first=first, positions=wanted)
            found, cut = windows(len(spans.token), self._size, self._options, rows)
            rows = rows[rows < len(spans.token) - cut]
            pieces += [_Piece(place, window) for window in found]
            tokens.append(spans.token)
            results.append(_empty(spans, rows, cut))
        for batch in self._batches(pieces):
            self._score_batch(batch, results, [tokens[piece.text] for piece in batch])
        return results

    def _batches(self, pieces: list[_Piece]) -> Iterator[list[_Piece]]:
        """Pieces of like length together, longest first, so that a lack of memory shows at once."""
        most = self._options.batch_tokens
        if self._head is None:
            most = min(most, LOGITS_AT_ONCE // self._vocabulary)
        batch: list[_Piece] = []
        for piece in sorted(pieces, key=lambda piece: piece.window.start - piece.window.stop):
            width = batch[0].window.stop - batch[0].window.start if batch else 0
            if batch and width * (len(batch) + 1) > most:
                yield batch
                batch = []
            batch.append(piece)
        if batch:
            yield batch

    def _score_batch(self, batch: list[_Piece], results: list[TokenStats], tokens: list[np.ndarray]) -> None:
        torch, shift = self._torch, int(self._prefix is not None)
        # The last token of a window is only predicted, never read.
        widths = [piece.window.stop - piece.window.start - 1 + shift for piece in batch]
        ids = np.zeros((len(batch), max(widths)), dtype=np.int64)
        for line, (piece, token) in enumerate(zip(batch, tokens, strict=True)):
            if self._prefix is not None:
                ids[line, 0] = self._prefix
            ids[line, shift : widths[line]] = token[piece.window.start : piece.window.stop - 1]
        lines = np.concatenate([np.full(len(piece.window.rows), line) for line, piece in enumerate(batch)])
        places = np.concatenate([piece.window.rows - piece.window.start - 1 + shift for piece in batch])
        given = np.concatenate([t[piece.window.rows] for piece, t in zip(batch, tokens, strict=True)])
        with torch.inference_mode():
            output = self._forward(torch.from_numpy(ids).to(self._device))
            numbers = self._numbers(output, lines, places, given)
        at = 0
        for piece in batch:
            stats, rows = results[piece.text], piece.window.rows
            here = np.searchsorted(stats.position, rows)
            for name, values in numbers.items():
                getattr(stats, name)[here] = values[at : at + len(rows)]
            at += len(rows)

    def _numbers(self, output: Any, lines: np.ndarray, places: np.ndarray, given: np.ndarray) -> dict[str, np.ndarray]:
        torch = self._torch
        step = max(1, CHUNK // self._vocabulary)
        where = [torch.from_numpy(values.astype(np.int64)).to(self._device) for values in (lines, places, given)]
        # Filled here chunk by chunk: small tensors that were kept would hold on to the memory of the large ones.
        found = {name: np.empty(len(lines), np.int32 if name == "rank" else np.float32) for name in RowNumbers._fields}
        for start in range(0, len(lines), step):
            line, place, token = (values[start : start + step] for values in where)
            # Picking rows makes a copy, which the numbers may use up.
            chunk = row_numbers(torch, self._logits(output[line, place]), token)
            for name, values in zip(chunk._fields, chunk, strict=True):
                found[name][start : start + step] = values.cpu().numpy()
        if np.isnan(found["logprob"]).any():
            raise InputError(f"{self._name}: gives NaN as a log-probability; mend: check weights and number type")
        return found

    def _logits(self, rows: Any) -> Any:
        return rows if self._head is None else self._head(rows)

    def _forward(self, ids: Any) -> Any:
        output: Any = self._model(ids)
        names = ("logits",) if self._head is None else ("last_hidden_state",)
        output = next((getattr(output, name) for name in names if hasattr(output, name)), output)
        output = output[0] if isinstance(output, tuple) else output
        if tuple(output.shape[:2]) != tuple(ids.shape):
            raise InputError(
                f"{self._name}: the model turned ids {tuple(ids.shape)} into {tuple(output.shape)};"
                " mend: one row of logits for each token, [batch, tokens, vocabulary]"
            )
        return output

    def _probe(self) -> int:
        with self._torch.inference_mode():
            ids = self._torch.zeros((1, 1), dtype=self._torch.int64, device=self._device)
            return int(self._logits(self._forward(ids)[0]).shape[-1])


def _empty(spans: TokenSpans, rows: np.ndarray, cut: int) -> TokenStats:
    """Rows whose numbers are still to be filled in."""
    count = len(rows)
    return TokenStats(
        position=rows,
        start=spans.start[rows],
        end=spans.end[rows],
        token=spans.token[rows],
        rank=np.zeros(count, dtype=np.int32),
        logprob=np.zeros(count, dtype=np.float32),
        top1=np.zeros(count, dtype=np.float32),
        mean=np.zeros(count, dtype=np.float32),
        spread=np.zeros(count, dtype=np.float32),
        tokens_in_text=len(spans.token),
        truncated=cut,
    )


def weights_digest(module: Any) -> str:
    """SHA-256 over the names, types and bytes of a module's weights, in the order of their names."""
    byte = require("torch", "train").uint8
    digest = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        if not hasattr(tensor, "dtype"):
            continue
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        digest.update(f"{name} {flat.dtype} {tuple(tensor.shape)}".encode())
        digest.update(flat.view(byte).numpy())
    return digest.hexdigest()
