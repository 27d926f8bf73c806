"""Token scores of models behind OpenAI-compatible servers, in the three ways that servers offer them."""

import asyncio
import hashlib
import re
import threading
from collections import OrderedDict, deque
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import numpy as np

from cleartitle.errors import InputError
from cleartitle.models.openai_compatible import Failure, OpenAIModel
from cleartitle.models.openai_wire import MalformedReplyError
from cleartitle.models.protocol import ModelOptions
from cleartitle.models.scoring_openai_wire import Entry, NotOffered, align, echo_entries, next_entries, prompt_entries
from cleartitle.models.scoring_options import ScorerOptions
from cleartitle.models.scoring_selftest import PROBE
from cleartitle.models.scoring_text import chosen_rows, readable, windows
from cleartitle.models.token_stats import BEYOND, NextToken, ScorerCapabilities, TokenSpans, TokenStats
from cleartitle.options import as_record

__all__ = ["OpenAIScorer"]

T = TypeVar("T")
Way = Literal["prompt_logprobs", "echo", "prefix"]
WAYS: tuple[Way, ...] = ("prompt_logprobs", "echo", "prefix")
PIECES = re.compile(r"\s*(?:[^\W\d]+|\d+|[^\w\s]+|$)")
"""What is asked about where a server's tokens are not known: words, numbers, runs of signs, with the blanks before."""
REMEMBERED = 256
LONGEST_TOKEN = 64
UNUSED = "; the reply was not used"


class OpenAIScorer:
    """A served model behind the protocol of a `TokenScorer`, through ``/completions``.

    ``prompt_logprobs`` (vLLM) gives rank, log-probability and the likeliest token's for one call a text; ``echo`` the
    same with ranks up to ``top_k``; ``prefix`` asks for the next token after each beginning, one call a position, with
    numbers for the ``top_k`` likeliest tokens alone. With ``tokenizer`` prompts go as token ids and spans are exact.
    Without, spans come from the texts of the server's tokens, and in the way of prefixes the positions are words: the
    given token is then the longest listed one with which the rest of the text begins.

    Every reply is checked: as many numbers as asked for, no impossible one, ranks that fit likelihoods, tokens that
    make up the text. A text whose reply fails is an empty `TokenStats` with an error. ``sent`` counts the calls.
    """

    def __init__(
        self,
        model: str,
        options: ModelOptions = ModelOptions(),  # noqa: B008 - frozen
        scoring: ScorerOptions = ScorerOptions(),  # noqa: B008 - frozen
    ) -> None:
        """Connect: find out which way the server answers, unless it was chosen (one to three calls).

        Raises:
            InputError: the server answers in no way, or wrongly.
        """
        self._endpoint = OpenAIModel(model, replace(options, style="auto"), completions=True)
        self._scoring, self._k = scoring, scoring.top_k
        self._concurrency = self._endpoint.capabilities().concurrency
        self._tokenizer, self._prefix, self._tokenizer_digest = _local_tokenizer(scoring)
        self.sent = 0
        self._known: OrderedDict[str, tuple[TokenSpans, list[Entry | None]]] = OrderedDict()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="openai-scorer", daemon=True)
        self._thread.start()
        self._way: Way = "prefix"
        self._first = self._prefix is not None
        try:
            self._connect()
        except BaseException:
            self.close()
            raise
        self._served = self._endpoint.describe()["served_as"]

    @property
    def name(self) -> str:
        """Model, host and way of access."""
        return f"{self._endpoint.name} at {self._endpoint.describe()['host']} by {self._way}"

    def describe(self) -> dict[str, Any]:
        """Everything that can change a number, as plain JSON values, never the key."""
        known = self._endpoint.describe()
        record = {name: value for name, value in as_record(self._scoring).items() if name != "batch_tokens"}
        return {
            "adapter": "openai",
            "model": known["model"],
            "host": known["host"],
            "served_as": self._served,
            "way": self._way,
            "tokenizer_sha256": self._tokenizer_digest,
            "prefix_token": self._prefix,
            "options": {**record, "tokenizer": None},
        }

    def capabilities(self) -> ScorerCapabilities:
        """Rank, log-probability and the likeliest token's, by the way of access."""
        return ScorerCapabilities(
            gives=frozenset({"rank", "logprob", "top1"}),
            vocabulary=None,
            output_size=None if self._way == "prompt_logprobs" else self._k,
            context=self._scoring.window or None,
            scores_first_token=self._first,
            queries_per_text="per token" if self._way == "prefix" else "one",
            deterministic=False,
            independent=True,
            tokenizes=self._tokenizer is not None or self._way == "prefix",
        )

    def tokenize(self, text: str) -> TokenSpans:
        """Tokens by the local tokenizer, words in the way of prefixes, else those that the server echoes (one call).

        Raises:
            InputError: the server did not answer.
        """
        text = readable(text)
        if self._tokenizer is not None:
            return TokenSpans(*(np.asarray(part, dtype=np.int32).reshape(-1) for part in self._tokenizer(text)))
        if self._way == "prefix":
            return _words(text)
        if not text:
            return _spans([], np.zeros((0, 2), dtype=np.int32))
        if text not in self._known:
            found = self._run(self._prompt(text))
            if isinstance(found, str):
                raise InputError(f"{self.name}: {found}")
            self._known[text] = found
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[text][0]

    def calls(self, tokens: int, rows: int) -> int:
        """A call for each row in the way of prefixes, else one for each window."""
        if not tokens or not rows:
            return 0
        if self._way == "prefix":
            return rows
        if self._tokenizer is None or not self._scoring.window:
            return 1
        size = self._scoring.window - (self._prefix is not None)
        everything = chosen_rows(tokens, first=self._first, positions=None)
        return min(rows, len(windows(tokens, size, self._scoring, everything)[0]))

    def score(
        self, texts: Iterable[str], *, positions: Sequence[np.ndarray | None] | None = None
    ) -> Iterator[TokenStats]:
        """One `TokenStats` for each text, in order; several calls are in flight."""
        waiting: deque[Future[TokenStats]] = deque()
        try:
            for place, text in enumerate(texts):
                task = self._text(readable(text), None if positions is None else positions[place])
                waiting.append(asyncio.run_coroutine_threadsafe(task, self._loop))
                if len(waiting) >= self._concurrency:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()

    def next_token(self, text: str) -> NextToken | None:
        """What the server generates after a text, for the self-test; nothing new in the way of prefixes."""
        if self._way == "prefix":
            return None
        body = {"prompt": self._given(text), "max_tokens": 1, "temperature": 0, "logprobs": 1}
        choice = self._run(self._ask(body))
        if isinstance(choice, str) or not isinstance(choice.get("text"), str):
            return None
        try:
            likeliest = next_entries(choice, 1)[0][1]
        except MalformedReplyError:
            likeliest = None
        return NextToken(text=choice["text"], logprob=likeliest)

    def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        if self._loop.is_closed():
            return
        self._run(self._endpoint.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _connect(self) -> None:
        chosen = self._scoring.access
        refused: list[str] = []
        for way in WAYS if chosen == "auto" else (chosen,):
            self._way = way
            problem = self._run(self._try())
            if problem is None:
                return
            refused.append(f"{way}: {problem}")
            if problem.endswith(UNUSED):
                # It answers in this way, but wrongly: another way would hide that.
                break
        raise InputError(
            f"{self._endpoint.name}: gives no log-probabilities of a text ({'; '.join(refused)[:600]});"
            " mend: a server with /completions and logprobs, --access, or --top-k"
        )

    async def _try(self) -> str | None:
        """Why the present way does not work, None if it does."""
        if self._way == "prefix":
            found = await self._next("def ")
            return found if isinstance(found, str) else None
        found = await self._prompt(PROBE)
        if isinstance(found, str):
            return found
        spans, entries = found
        self._first = entries[0] is not None and entries[0].logprob is not None and len(spans.token) == len(entries)
        return None

    async def _ask(self, body: dict[str, Any]) -> dict[str, Any] | str:
        """The first choice of a reply, or why there is none."""
        self.sent += 1

        def read(reply: dict[str, Any], _: int, __: float) -> dict[str, Any]:
            choice: Any = reply["choices"][0]
            if not isinstance(choice, dict):
                raise MalformedReplyError("a choice of the reply is not an object")
            found = cast("dict[str, Any]", choice)
            # Some servers put what they say of the prompt beside the choices.
            return {"prompt_logprobs": reply.get("prompt_logprobs"), **found}

        found = await self._endpoint.exchange(lambda: self._endpoint.adapted(body), read)
        return found.reason if isinstance(found, Failure) else found

    def _given(self, text: str) -> str | list[int]:
        return text if self._tokenizer is None else self._ids(self.tokenize(text).token)

    def _ids(self, token: np.ndarray) -> list[int]:
        return [*([] if self._prefix is None else [self._prefix]), *(int(value) for value in token)]

    async def _prompt(self, text: str, ids: list[int] | None = None) -> tuple[TokenSpans, list[Entry | None]] | str:
        """Tokens of a text and an entry for each, by one call; without a number where the server gives none."""
        if ids is None and self._tokenizer is not None:
            ids = self._ids(self.tokenize(text).token)
        body: dict[str, Any] = {"prompt": text if ids is None else ids, "max_tokens": 1, "temperature": 0}
        more = {"prompt_logprobs": 1} if self._way == "prompt_logprobs" else {"echo": True, "logprobs": self._k}
        choice = await self._ask({**body, **more})
        if isinstance(choice, str):
            return choice
        try:
            if self._way == "prompt_logprobs":
                return _told(prompt_entries(choice, ids), ids, text)
            for generated in (1, 0):
                try:
                    return _told(echo_entries(choice, self._k, generated)[0], ids, text)
                except MisalignedError:
                    if not generated:
                        raise
            raise AssertionError
        except NotOffered as error:
            return str(error)
        except MalformedReplyError as error:
            return f"{error}{UNUSED}"

    async def _text(self, text: str, wanted: np.ndarray | None) -> TokenStats:
        """All rows of a text, or an empty result with an error."""
        try:
            if self._way == "prefix":
                return await self._by_prefixes(text, wanted)
            return await self._by_prompt(text, wanted)
        except MalformedReplyError as error:
            return _failed(str(error))

    async def _by_prompt(self, text: str, wanted: np.ndarray | None) -> TokenStats:
        if not text:
            return _stats(_spans([], np.zeros((0, 2), dtype=np.int32)), {}, 0)
        if self._tokenizer is not None:
            return await self._by_ids(self.tokenize(text), wanted)
        found = self._known.pop(text, None) or await self._prompt(text)
        if isinstance(found, str):
            return _failed(found)
        spans, entries = found
        rows = chosen_rows(len(spans.token), first=self._first, positions=wanted)
        return _stats(spans, {int(row): _filled(entries[row], int(row)) for row in rows}, 0)

    async def _by_ids(self, spans: TokenSpans, wanted: np.ndarray | None) -> TokenStats:
        count, shift = len(spans.token), int(self._prefix is not None)
        rows = chosen_rows(count, first=self._first, positions=wanted)
        size = (self._scoring.window or count + shift) - shift
        found, cut = windows(count, max(1, size), self._scoring, rows)
        told: dict[int, Entry] = {}
        for window in found:
            reply = await self._prompt("", self._ids(spans.token[window.start : window.stop]))
            if isinstance(reply, str):
                return _failed(reply)
            for row in window.rows:
                told[int(row)] = _filled(reply[1][int(row) - window.start + shift], int(row))
        return _stats(spans, told, cut)

    async def _by_prefixes(self, text: str, wanted: np.ndarray | None) -> TokenStats:
        spans = self.tokenize(text)
        rows = chosen_rows(len(spans.token), first=self._first, positions=wanted)
        found = await asyncio.gather(*(self._row(text, spans, int(row)) for row in rows))
        problems = [item for item in found if isinstance(item, str)]
        if problems:
            return _failed(problems[0])
        return _stats(spans, {int(row): cast("Entry", item) for row, item in zip(rows, found, strict=True)}, 0)

    async def _row(self, text: str, spans: TokenSpans, row: int) -> Entry | str:
        before: str | list[int] = text[: spans.start[row]]
        if self._tokenizer is not None:
            before = self._ids(spans.token[:row])
        likeliest = await self._next(before)
        if isinstance(likeliest, str):
            return likeliest
        start, end = int(spans.start[row]), int(spans.end[row])
        if self._tokenizer is not None:
            matches = [token for token, _ in likeliest if token == text[start:end]]
        else:
            matches = sorted((token for token, _ in likeliest if token and text.startswith(token, start)), key=len)
        top1 = likeliest[0][1]
        if not matches:
            return Entry(text[start:end], BEYOND, float("nan"), top1)
        logprob = dict(reversed(likeliest))[matches[-1]]
        return Entry(text[start:end], 1 + sum(value > logprob for _, value in likeliest), logprob, top1)

    async def _next(self, before: str | list[int]) -> list[tuple[str, float]] | str:
        choice = await self._ask({"prompt": before, "max_tokens": 1, "temperature": 0, "logprobs": self._k})
        if isinstance(choice, str):
            return choice
        try:
            return next_entries(choice, self._k)
        except MalformedReplyError as error:
            return str(error)


class MisalignedError(MalformedReplyError):
    """The texts of the server's tokens do not make up the text that was sent."""


def _local_tokenizer(scoring: ScorerOptions) -> tuple[Any, int | None, str | None]:
    if scoring.tokenizer is None:
        return None, None, None
    from cleartitle.models.scoring_transformers import folder_tokenizer
    from cleartitle.models.transformers import quiet_transformers

    folder = Path(scoring.tokenizer)
    try:
        tokenizer = quiet_transformers().AutoTokenizer.from_pretrained(str(folder))
        digest = hashlib.sha256((folder / "tokenizer.json").read_bytes()).hexdigest()
    except (OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"tokenizer {folder}: cannot be loaded ({reason}); mend: a folder with tokenizer.json"
        ) from None
    tokenize, prefix = folder_tokenizer(tokenizer, str(folder), scoring)
    return tokenize, prefix, digest


def _told(entries: list[Entry | None], ids: list[int] | None, text: str) -> tuple[TokenSpans, list[Entry | None]]:
    """Spans of the tokens of a reply; with ids they are those that were sent and need no spans."""
    if ids is not None:
        if len(entries) != len(ids):
            raise MisalignedError(f"{len(entries)} tokens came for {len(ids)} that were sent", passing=False)
        none = np.zeros((len(ids), 2), dtype=np.int32)
        return _spans(ids, none), entries
    texts = ["" if entry is None else entry.text for entry in entries]
    known = [-1 if entry is None or entry.id is None else entry.id for entry in entries]
    if len(entries) > 1 and (entries[0] is None or entries[0].logprob is None):
        spans = align(texts[1:], text)
        if spans is not None:
            # The first token is the model's own, before the text.
            return _spans(known[1:], np.stack(spans, 1)), entries[1:]
    starts = [texts[0]] if entries and entries[0] is not None else [text[:j] for j in range(1, LONGEST_TOKEN)]
    for start in starts:
        spans = align([start, *texts[1:]], text)
        if spans is not None:
            return _spans(known, np.stack(spans, 1)), entries
    raise MisalignedError("the server's tokens do not make up the text", passing=False)


def _spans(ids: Sequence[int], spans: np.ndarray) -> TokenSpans:
    return TokenSpans(np.array(ids, dtype=np.int32), spans[:, 0].astype(np.int32), spans[:, 1].astype(np.int32))


def _words(text: str) -> TokenSpans:
    found = [match.span() for match in PIECES.finditer(text) if match.group()]
    return _spans([-1] * len(found), np.array(found, dtype=np.int32).reshape(-1, 2))


def _filled(entry: Entry | None, row: int) -> Entry:
    if entry is None or entry.logprob is None:
        raise MalformedReplyError(f"token {row} has no log-probability", passing=False)
    return entry


def _failed(reason: str) -> TokenStats:
    none = np.zeros(0, dtype=np.int32)
    return TokenStats(none, none, none, none, error=" ".join(reason.split())[:400])


def _stats(spans: TokenSpans, told: dict[int, Entry], cut: int) -> TokenStats:
    rows = np.array(sorted(told), dtype=np.int32)
    entries = [told[int(row)] for row in rows]

    def numbers(values: list[float | None]) -> np.ndarray:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float32)

    return TokenStats(
        rows,
        spans.start[rows],
        spans.end[rows],
        spans.token[rows],
        rank=np.array([BEYOND if entry.rank is None else entry.rank for entry in entries], dtype=np.int32),
        logprob=numbers([entry.logprob for entry in entries]),
        top1=numbers([entry.top1 for entry in entries]),
        tokens_in_text=len(spans.token),
        truncated=cut,
    )
