"""Models in the format of Hugging Face transformers, on PyTorch: full precision, batches, and what training saves."""

import asyncio
import contextlib
import importlib.metadata
import io
import itertools
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError, require
from cleartitle.files import cache_dir, sha256_file
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
from cleartitle.models.weights import GGUF_SHA256, embedded_weights

__all__ = ["TransformersModel", "context_of", "embedded_folder", "load_folder", "quiet_transformers"]

GATHER = 0.02
"""Seconds in which requests are gathered into one batch."""
TAIL = 24
"""Tokens at the end of an answer that are looked at for a stop text."""


def quiet_transformers() -> Any:
    """The transformers package, with its progress bars and remarks off.

    Raises:
        MissingExtraError: it is not installed.
    """
    hf: Any = require("transformers", "train")
    hf.utils.logging.set_verbosity_error()
    hf.utils.logging.disable_progress_bar()
    return hf


def embedded_folder() -> Path:
    """The embedded model's weights as a folder that transformers opens (542 MB, 32 bits), converted once and kept.

    The 4-bit weights are expanded, not restored: figures of this folder are those of the quantized model. The tokenizer
    is mended: the one that transformers makes of the GGUF file lacks the model's rule that each digit stands alone.

    Raises:
        MissingExtraError: torch, transformers or gguf is not installed.
    """
    folder = cache_dir("models") / f"smollm2-135m-instruct-{GGUF_SHA256[:12]}-digits"
    if (folder / "config.json").is_file():
        return folder
    torch, hf = require("torch", "train"), quiet_transformers()
    require("gguf", "train")
    source = embedded_weights()
    names = {"pretrained_model_name_or_path": str(source.parent), "gguf_file": source.name}
    # The loader draws a progress bar of its own, terminal or not.
    with contextlib.redirect_stderr(io.StringIO()):
        tokenizer = hf.AutoTokenizer.from_pretrained(**names)
        model = hf.AutoModelForCausalLM.from_pretrained(**names, dtype=torch.float32)
    cut: Any = require("tokenizers", "train").pre_tokenizers
    tokenizer.backend_tokenizer.pre_tokenizer = cut.Sequence(
        [cut.Digits(individual_digits=True), cut.ByteLevel(add_prefix_space=False)]
    )
    # The loader marks the model as quantized although its weights are floats now, and then refuses to save it.
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".convert-") as temporary:
        target = Path(temporary) / "model"
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
        try:
            target.rename(folder)
        except OSError:
            # Another process was faster.
            if not (folder / "config.json").is_file():
                shutil.rmtree(folder, ignore_errors=True)
                target.rename(folder)
    return folder


def load_folder(source: str) -> tuple[Path, Any, Any, bool]:
    """Folder, tokenizer, model in 32 bits, and whether it is an encoder-decoder, of what ``hf:SOURCE`` names.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        InputError: not a model that transformers can load.
    """
    torch, hf = require("torch", "train"), quiet_transformers()
    place = str(embedded_folder()) if source == "embedded" else source
    try:
        tokenizer = hf.AutoTokenizer.from_pretrained(place, padding_side="left")
        # An encoder-decoder (T5) reads the prompt and writes an answer of its own; a causal model goes on with it.
        encoder_decoder = bool(hf.AutoConfig.from_pretrained(place).is_encoder_decoder)
        kind = hf.AutoModelForSeq2SeqLM if encoder_decoder else hf.AutoModelForCausalLM
        model = kind.from_pretrained(place, dtype=torch.float32, use_safetensors=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"hf:{source}: transformers cannot load it ({reason}); mend: a saved folder") from None
    return Path(place), tokenizer, model, encoder_decoder


@dataclass(eq=False)
class _Job:
    request: Request
    tokens: list[int]
    result: asyncio.Future[list[Generation]]


class TransformersModel:
    """A causal or encoder-decoder language model in PyTorch, in chat style where its tokenizer has a chat template.

    Greedy requests in flight are decoded together, padded on the left. Batches of another size round differently, so
    only ``concurrency`` 1 promises equal texts whatever else is in flight. Sampled requests are drawn one by one, each
    with its own seed. Only safetensors are read and no code of a model's repository is run.
    """

    def __init__(self, source: str, options: ModelOptions = ModelOptions()) -> None:  # noqa: B008 - frozen
        """Load a folder, a name that transformers has in its own cache, or ``embedded``.

        Raises:
            MissingExtraError: torch or transformers is not installed.
            InputError: not a model that transformers can load.
        """
        self._torch: Any = require("torch", "train")
        self._hf: Any = quiet_transformers()
        self._source = source
        self._options = options
        self._batch = options.concurrency or 8
        self._torch.set_num_threads(options.threads or cores())
        self._device = "cuda" if self._torch.cuda.is_available() else "cpu"
        place, tokenizer, model, self._encoder_decoder = load_folder(source)
        self._tokenizer: Any = tokenizer
        self._model: Any = model
        self._model.to(self._device).eval()
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token or self._tokenizer.convert_ids_to_tokens(0)
        self._hashes = {path.name: sha256_file(path) for path in sorted(place.glob("*.safetensors"))}
        self._parameters = sum(parameter.numel() for parameter in self._model.parameters())
        self._limit = context_of(self._model.config) or options.context
        self._waiting: list[_Job] = []
        self._runner: asyncio.Task[None] | None = None
        self._stop = threading.Event()

    @property
    def name(self) -> str:
        """Name of the folder."""
        return Path(self._source).name

    def describe(self) -> dict[str, Any]:
        """Runtime, weights and settings, for the run record."""
        versions = {package: importlib.metadata.version(package) for package in ("torch", "transformers")}
        return {
            "adapter": "transformers",
            "model": self.name,
            "weights_sha256": self._hashes,
            "runtime_version": versions,
            "device": self._device,
            "dtype": "float32",
            "threads": self._torch.get_num_threads(),
            "batch": self._batch,
            "context": self._limit,
            "parameters": self._parameters,
            "kind": "encoder-decoder" if self._encoder_decoder else "causal",
            "chat_template": bool(self._tokenizer.chat_template),
            "prompt_cut": PROMPT_CUT,
        }

    def capabilities(self) -> Capabilities:
        """Chat where there is a template, completion always, unless ``style`` says otherwise."""
        style = self._options.style
        return Capabilities(
            chat=bool(self._tokenizer.chat_template) and style != "completion",
            completion=style != "chat",
            several_samples=True,
            concurrency=self._batch,
            deterministic=self._batch == 1,
        )

    def estimate(self, requests: tuple[Request, ...]) -> Estimate:
        """Exact prompt tokens; nothing costs."""
        prompt = sum(len(self._tokens(request)) for request in requests)
        completion = sum(request.sampling.n * request.sampling.max_tokens for request in requests)
        return Estimate(len(requests), prompt, completion, 0.0, "tokenizer of the model")

    async def generate(self, request: Request) -> list[Generation]:
        """Answers of the model, or error rows."""
        reason = "the model is closed" if self._model is None else unfit(request, self.capabilities())
        if reason:
            return failed(request, reason, attempts=0)
        try:
            tokens = self._tokens(request)
        except Exception as error:  # a template may raise anything of its own
            return failed(request, f"the chat template does not take this conversation: {str(error)[:200]}")
        if not 0 < len(tokens) < self._limit:
            reason = f"{len(tokens)} tokens do not fit the context of {self._limit} tokens; mend: another prompt"
            return failed(request, reason)
        job = _Job(request, tokens, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._work())
        return await job.result

    async def aclose(self) -> None:
        """Stop decoding and free the weights."""
        self._stop.set()
        if self._runner is not None:
            await self._runner
        self._model = None

    async def _work(self) -> None:
        while self._waiting:
            await asyncio.sleep(GATHER)
            jobs = self._take()
            if not jobs:
                continue
            started = time.monotonic()
            try:
                results = await asyncio.to_thread(self._decode, jobs)
            except Exception as error:  # a request must never wait for ever
                results = [failed(job.request, f"{type(error).__name__}: {str(error)[:200]}") for job in jobs]
            if self._stop.is_set():
                results = [failed(job.request, "the model was closed before the answer was whole") for job in jobs]
            seconds = time.monotonic() - started
            for job, rows in zip(jobs, results, strict=True):
                if not job.result.done():
                    job.result.set_result([replace(row, seconds=seconds) for row in rows])

    def _take(self) -> list[_Job]:
        """The next batch: requests with the same sampling, in order.

        Sampled requests go alone, and so do those whose answer may reach the end of the context, because the longest
        prompt of a batch decides how much room there is.
        """
        self._waiting = [job for job in self._waiting if not job.result.done()]
        if not self._waiting:
            return []
        first = self._waiting[0]
        jobs = [first]
        if first.request.sampling.temperature == 0 and self._roomy(first):
            same = (job for job in self._waiting if job.request.sampling == first.request.sampling and self._roomy(job))
            jobs = list(itertools.islice(same, self._batch))
        self._waiting = [job for job in self._waiting if job not in jobs]
        return jobs

    def _roomy(self, job: _Job) -> bool:
        """Whether the answer fits whatever else is in its batch; an encoder-decoder has its own room for it."""
        tokens = 0 if self._encoder_decoder else len(job.tokens)
        return tokens + job.request.sampling.max_tokens <= self._limit

    def _decode(self, jobs: list[_Job]) -> list[list[Generation]]:
        torch, sampling = self._torch, jobs[0].request.sampling
        prompts = [job.tokens for job in jobs]
        batch = self._tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(self._device)
        # What stands before the answer in the output: the prompt, or the one token that starts a decoder.
        width = 1 if self._encoder_decoder else batch["input_ids"].shape[1]
        drawn = sampling.temperature > 0
        copies = sampling.n if drawn else 1
        settings: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        if drawn:
            top_p = 1.0 if sampling.top_p is None else sampling.top_p
            settings = {"do_sample": True, "temperature": sampling.temperature, "top_p": top_p, "top_k": 0}
            if sampling.seed is not None:
                torch.manual_seed(sampling.seed)
        with torch.inference_mode():
            output = self._model.generate(
                input_ids=batch["input_ids"],
                attention_mask=batch["attention_mask"],
                max_new_tokens=min(sampling.max_tokens, self._limit - width),
                num_return_sequences=copies,
                pad_token_id=self._tokenizer.pad_token_id,
                stopping_criteria=[self._criterion(jobs, sampling.stop, width)],
                **settings,
            )
        results: list[list[Generation]] = []
        for place, job in enumerate(jobs):
            ends = [output[place * copies + copy][width:].tolist() for copy in range(copies)]
            before = [] if self._encoder_decoder else job.tokens
            rows = [self._row(job.request, before, tokens, len(job.tokens)) for tokens in ends]
            results.append(rows if drawn else rows * sampling.n)
        return results

    def _row(self, request: Request, before: list[int], tokens: list[int], asked: int) -> Generation:
        ends = self._model.generation_config.eos_token_id
        ends = {ends} if isinstance(ends, int) else set(ends or ())
        end = next((place for place, token in enumerate(tokens) if token in ends), None)
        kept = tokens if end is None else tokens[:end]
        # Decoded together with the prompt, because some tokenizers drop a blank at the start of a text.
        start = self._text(before)
        whole = self._text(before + kept)
        text = whole[len(start) :] if whole.startswith(start) else self._text(kept)
        places = [place for stop in request.sampling.stop if stop and (place := text.find(stop)) >= 0]
        if places:
            text = text[: min(places)]
        return answer(
            text,
            "stop" if places or end is not None else "length",
            chat=request.style == "chat",
            prompt_tokens=asked,
            completion_tokens=len(kept),
        )

    def _text(self, tokens: list[int]) -> str:
        return self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)

    def _tokens(self, request: Request) -> list[int]:
        if request.prompt is not None:
            return list(self._tokenizer(cut_prompt(request.prompt))["input_ids"])
        messages = [{"role": message.role, "content": _content(message)} for message in request.messages]
        text = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _criterion(self, jobs: list[_Job], stops: tuple[str, ...], width: int) -> Any:
        torch, tokenizer, closing = self._torch, self._tokenizer, self._stop

        def done(input_ids: Any, scores: Any, **_: Any) -> Any:
            if closing.is_set() or all(job.result.cancelled() for job in jobs):
                return torch.ones(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)
            tails = [row[max(width, row.shape[0] - TAIL) :].tolist() for row in input_ids] if stops else []
            found = [any(stop in tokenizer.decode(tail) for stop in stops) for tail in tails]
            flags = found or [False] * input_ids.shape[0]
            return torch.tensor(flags, dtype=torch.bool, device=input_ids.device)

        return done


def context_of(config: Any) -> int:
    """Tokens that a model takes, 0 where it sets no bound (T5 calls the length it was trained on n_positions)."""
    named = (getattr(config, name, None) for name in ("max_position_embeddings", "n_positions"))
    return next((int(length) for length in named if length), 0)


def _content(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text for part in message.content if isinstance(part, Text))
