"""The embedded model: llama.cpp in this process (`xllamacpp`), with SmolLM2-135M-Instruct or another GGUF file."""

import asyncio
import importlib.metadata
import json
import queue
import secrets
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError, require
from cleartitle.models.answers import PROMPT_CUT, answer, cut_prompt, unfit
from cleartitle.models.cores import cores
from cleartitle.models.protocol import (
    Capabilities,
    Estimate,
    Generation,
    Message,
    ModelOptions,
    Request,
    Text,
    failed,
)
from cleartitle.models.tool_grammar import call_of, call_schema, plain_messages
from cleartitle.models.weights import EMBEDDED_LICENSE, EMBEDDED_NAME, embedded_weights, gguf_hash

__all__ = ["EmbeddedModel"]


class EmbeddedModel:
    """A GGUF model on the CPU, in chat and in completion style.

    Greedy texts depend on the runtime, its version and the processor, not on what else is in flight. For that each
    worker has one thread and decodes one request at a time with an empty cache: llama.cpp's batches of several
    requests, and prompts taken from its cache, round differently and end in other texts. Workers share the weights
    (memory mapped), and single threads do not wait for each other, so a busy machine slows them down evenly.
    Sample ``i`` of a request is drawn with ``seed + i``, from the plain softmax at the given temperature
    (no top-k, no min-p), so more samples only add to those that fewer would have given. A request with tools is
    answered with one call, under a grammar (`cleartitle.models.tool_grammar`).
    """

    def __init__(self, options: ModelOptions = ModelOptions(), path: Path | None = None) -> None:  # noqa: B008 - frozen
        """Load the weights, fetching the embedded ones if they are not in the cache.

        Raises:
            MissingExtraError: xllamacpp is not installed.
            InputError: ``path`` is not a GGUF file that llama.cpp can load.
        """
        self._runtime: Any = require("xllamacpp", "local")
        self._options = options
        self._own = path is None
        self._path = embedded_weights() if path is None else path
        self._workers = options.threads or cores()
        self._key = secrets.token_urlsafe(16)
        self._sha256 = gguf_hash(self._path)
        self._servers: list[Any] = [self._load() for _ in range(self._workers)]
        self._free: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for server in self._servers:
            self._free.put(server)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="embedded-model")

    def _load(self) -> Any:
        params = self._runtime.CommonParams()
        params.model.path = str(self._path)
        params.n_parallel = 1
        params.n_ctx = self._options.context
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        params.cache_prompt = False
        params.cache_ram_mib = 0
        params.verbosity = -1
        params.ui = False
        # llama.cpp opens a port on the loopback interface whether we use it or not: nobody else gets in.
        params.api_keys = [self._key]
        try:
            return self._runtime.Server(params)
        except (RuntimeError, ValueError) as error:
            raise InputError(f"{self._path}: llama.cpp cannot load it ({str(error)[:200]})") from None

    @property
    def name(self) -> str:
        """Name of the weights."""
        return EMBEDDED_NAME if self._own else self._path.stem

    def describe(self) -> dict[str, Any]:
        """Runtime, weights and settings, for the run record."""
        return {
            "adapter": "embedded",
            "model": self.name,
            "license": EMBEDDED_LICENSE if self._own else None,
            "weights_sha256": self._sha256,
            "runtime": "xllamacpp",
            "runtime_version": importlib.metadata.version("xllamacpp"),
            "processor": " ".join(str(self._runtime.get_system_info()).split()),
            "workers": self._workers,
            "threads_of_a_worker": 1,
            "context": self._options.context,
            "chat_template": "of the GGUF file, in chat style only",
            "prompt_cut": PROMPT_CUT,
            "samplers": "temperature and top-p only",
        }

    def capabilities(self) -> Capabilities:
        """Chat and completion, unless ``style`` says otherwise."""
        return Capabilities(
            chat=self._options.style != "completion",
            completion=self._options.style != "chat",
            tools=self._options.style != "completion",
            tools_by_grammar=True,
            several_samples=True,
            concurrency=self._workers,
            deterministic=True,
        )

    def estimate(self, requests: tuple[Request, ...]) -> Estimate:
        """Exact prompt tokens by the model's own tokenizer and template; nothing is generated and nothing costs."""
        calls = sum(request.sampling.n for request in requests)
        prompt = sum(self._count(request) * request.sampling.n for request in requests)
        completion = sum(request.sampling.n * request.sampling.max_tokens for request in requests)
        return Estimate(calls, prompt, completion, 0.0, "tokenizer of the model")

    async def generate(self, request: Request) -> list[Generation]:
        """Answers of the model, or error rows: a prompt longer than the context is one."""
        reason = "the model is closed" if not self._servers else unfit(request, self.capabilities())
        if reason:
            return failed(request, reason, attempts=0)
        # Greedy samples are equal, so one is enough.
        count = 1 if request.sampling.temperature == 0 else request.sampling.n
        cancel = threading.Event()
        loop = asyncio.get_running_loop()
        jobs = [loop.run_in_executor(self._pool, self._ask, request, index, cancel) for index in range(count)]
        try:
            rows = list(await asyncio.gather(*jobs))
        finally:
            cancel.set()
        return rows if len(rows) == request.sampling.n else rows * request.sampling.n

    async def aclose(self) -> None:
        """Wait for answers in flight, then free the model."""
        if not self._servers:
            return
        self._servers = []
        await asyncio.to_thread(self._pool.shutdown)
        while not self._free.empty():
            self._free.get()

    def _ask(self, request: Request, index: int, cancel: threading.Event) -> Generation:
        started = time.monotonic()
        collected = _Collected(cancel)
        server = self._free.get()
        try:
            if cancel.is_set():
                raise RuntimeError("cancelled before it began")
            body = self._body(request, index)
            ask = server.handle_chat_completions if request.style == "chat" else server.handle_completions
            ask(json.dumps(body), collected.take)
            if collected.error:
                raise RuntimeError(collected.error)
        except Exception as error:  # whatever the runtime raises becomes a row
            return failed(request, self._reason(error), seconds=time.monotonic() - started)[0]
        finally:
            self._free.put(server)
        text = "".join(collected.text)
        calls = call_of(text) if request.tools else ()
        row = answer(
            "" if calls else text,
            collected.finish_reason,
            reasoning="".join(collected.reasoning) or None,
            tool_calls=calls,
            chat=request.style == "chat",
            prompt_tokens=collected.usage.get("prompt_tokens"),
            completion_tokens=collected.usage.get("completion_tokens"),
        )
        return replace(row, seconds=time.monotonic() - started)

    def _reason(self, error: Exception) -> str:
        text = " ".join(str(error).split())[:300]
        if "exceeds the available context size" in text:
            return f"{text}; mend: a larger context (now {self._options.context} tokens) or a shorter prompt"
        return text or type(error).__name__

    def _body(self, request: Request, index: int) -> dict[str, Any]:
        sampling = request.sampling
        body: dict[str, Any] = {
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": 1.0 if sampling.top_p is None else sampling.top_p,
            "top_k": 0,
            "min_p": 0.0,
            "seed": secrets.randbits(31) if sampling.seed is None else sampling.seed + index,
            "stop": list(sampling.stop),
            "cache_prompt": False,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.prompt is not None:
            return {**body, "prompt": cut_prompt(request.prompt)}
        if request.tools:
            return {**body, "messages": plain_messages(request), "json_schema": call_schema(request.tools)}
        return {**body, "messages": [_message(message) for message in request.messages]}

    def _count(self, request: Request) -> int:
        if request.prompt is not None:
            text = cut_prompt(request.prompt)
        else:
            plain = [_message(message) for message in request.messages]
            messages = plain_messages(request) if request.tools else plain
            text = self._post("/apply-template", {"messages": messages})["prompt"]
        return len(self._post("/tokenize", {"content": text, "add_special": True, "parse_special": True})["tokens"])

    def _post(self, route: str, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        call = urllib.request.Request(self._servers[0].listening_address + route, json.dumps(body).encode(), headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(call, timeout=60) as reply:
            return json.loads(reply.read())


class _Collected:
    """Pieces of one streamed answer; `take` returns True to stop the stream."""

    def __init__(self, cancel: threading.Event) -> None:
        self._cancel = cancel
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.finish_reason: str | None = None
        self.usage: dict[str, int] = {}
        self.error: str | None = None

    def take(self, chunk: Any) -> bool:
        """Take one chunk of a stream, as text or as parsed JSON."""
        for value in _parsed(chunk):
            if "error" in value:
                self.error = str(value["error"].get("message", value["error"]))
            self.usage = value.get("usage") or self.usage
            for choice in value.get("choices", []):
                delta = choice.get("delta") or {}
                self.text.append(choice.get("text") or delta.get("content") or "")
                self.reasoning.append(delta.get("reasoning_content") or "")
                self.finish_reason = choice.get("finish_reason") or self.finish_reason
        return self._cancel.is_set()


def _parsed(chunk: Any) -> list[dict[str, Any]]:
    if isinstance(chunk, (str, bytes)):
        chunk = json.loads(chunk)
    return chunk if isinstance(chunk, list) else [chunk]


def _message(message: Message) -> dict[str, Any]:
    content = message.content
    if not isinstance(content, str):
        content = "\n".join(part.text for part in content if isinstance(part, Text))
    return {"role": message.role, "content": content}
