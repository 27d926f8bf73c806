"""Train a small model on texts that are known: the control whose training set nobody has to guess.

`train` makes a GPT from scratch that ends up knowing its texts by heart; `fine_tune` teaches texts to an existing
model. Both leave a folder that ``hf:FOLDER`` opens.
"""

import hashlib
import math
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError, require
from cleartitle.files import atomic_path, read_json, write_json
from cleartitle.models.cores import cores
from cleartitle.models.transformers import quiet_transformers
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.progress import progress, warn

__all__ = ["Schedule", "TrainOptions", "fine_tune", "fit", "train"]

END, PAD = "<|end|>", "<|pad|>"
RECORD = "training.json"
INIT = 0.06
"""Standard deviation of the first weights: with GPT-2's own 0.02 a model this narrow learns its texts far later."""

SPREAD = "first epoch drawn"
"""How repetitions are spread over the epochs; a part of the key of a training that has them."""


@dataclass(frozen=True)
class Schedule:
    """How to fit a model; the defaults are those of fine-tuning.

    ``context`` bounds a text in tokens, its end is cut off. ``lr`` falls to 0 along a cosine. ``keep`` names epochs
    after which the model is saved as well, in ``epoch-N`` beside the final one.
    """

    epochs: int = 10
    lr: float = 1e-4
    batch: int = 1
    context: int = 1024
    seed: int = 0
    keep: tuple[int, ...] = ()
    checkpoint_every: int = field(default=5, metadata=NOT_IN_KEY)
    """Epochs between the points from which a killed training goes on."""
    threads: int = field(default=0, metadata=NOT_IN_KEY)


@dataclass(frozen=True)
class TrainOptions(Schedule):
    """A GPT from scratch; 1.8 million parameters by default.

    Measured: 60 functions (33 KB) took 109 CPU seconds on one thread; then 58 of the 58 that fit the context were
    reproduced verbatim from their first third, and 0 of 14 held out.
    """

    epochs: int = 45
    lr: float = 2e-3
    batch: int = 4
    context: int = 256
    d_model: int = 192
    layers: int = 3
    heads: int = 4
    vocab: int = 2048


def train(texts: Sequence[str], folder: Path, options: TrainOptions = TrainOptions()) -> dict[str, Any]:  # noqa: B008
    """Train a byte-level tokenizer and a GPT on ``texts``, one text per window from position 0, into ``folder``.

    Returns the record that is also in ``training.json``: options, epochs, final loss (nats per token), texts cut off.
    A call that finds its own finished folder returns at once; one that finds its own checkpoint goes on from there.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        InputError: no texts, or the folder holds something else.
    """

    def build(_: Any) -> tuple[Any, Any]:
        hf = quiet_transformers()
        tokenizer = _tokenizer(hf, texts, options.vocab)
        config = hf.GPT2Config(
            vocab_size=len(tokenizer),
            n_positions=options.context,
            n_embd=options.d_model,
            n_layer=options.layers,
            n_head=options.heads,
            initializer_range=INIT,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
        return hf.GPT2LMHeadModel(config), tokenizer

    return fit(texts, folder, options, build, what={"from scratch": INIT})


def fine_tune(
    source: Path | str,
    texts: Sequence[str],
    folder: Path,
    options: Schedule = Schedule(),  # noqa: B008 - frozen
    *,
    repetitions: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Teach ``texts`` to the model in ``source`` (full precision, all weights) and save it in ``folder``.

    ``repetitions[i]`` says how often text ``i`` is seen in all, at most once in an epoch; without it every text is seen
    in every epoch. The epochs of a text are evenly apart, and the first one is drawn by seed: the learning rate falls,
    so that texts of equal repetitions must not all be met at the same one. Returns the record that is also in
    ``training.json``.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        InputError: no texts, repetitions that do not fit, or the folder holds something else.
    """
    counts = [options.epochs] * len(texts) if repetitions is None else list(repetitions)
    if len(counts) != len(texts) or any(not 0 <= count <= options.epochs for count in counts):
        raise InputError(f"repetitions: mend: one number from 0 to {options.epochs} (epochs) for each text")

    def build(torch: Any) -> tuple[Any, Any]:
        hf = quiet_transformers()
        tokenizer = hf.AutoTokenizer.from_pretrained(str(source))
        return hf.AutoModelForCausalLM.from_pretrained(
            str(source), dtype=torch.float32, use_safetensors=True
        ), tokenizer

    what: dict[str, object] = {"source": str(source), "repetitions": counts}
    if repetitions is not None:
        what["spread"] = SPREAD
    return fit(texts, folder, options, build, what=what, repetitions=counts)


def fit(
    texts: Sequence[str],
    folder: Path,
    options: Schedule,
    build: Callable[[Any], tuple[Any, Any]],
    *,
    what: object,
    repetitions: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Fit a model of any kind to ``texts`` and save it in ``folder``; a killed call goes on from its checkpoint.

    Args:
        texts: one window from position 0 for each.
        folder: takes the model and ``training.json``.
        options: see `Schedule`.
        build: is given ``torch`` with its seed set, and returns the model and its tokenizer. The model's call takes
            ``input_ids``, ``attention_mask`` and ``labels`` (-100 where nothing is asked) and returns an object with
            ``loss``; it has ``device`` and ``save_pretrained``, as transformers models do.
        what: names the model beside texts and options: its part in the key of the folder.
        repetitions: see `fine_tune`.

    Raises:
        MissingExtraError: torch is not installed.
        InputError: no texts, or the folder holds something else.
    """
    torch = require("torch", "train")
    run = _Run(folder, options, texts, what)
    if run.finished is not None:
        return run.finished
    torch.set_num_threads(options.threads or cores())
    torch.manual_seed(options.seed)
    model, tokenizer = build(torch)
    return run.fit(torch, model, tokenizer, list(repetitions or [options.epochs] * len(texts)))


def _tokenizer(hf: Any, texts: Sequence[str], vocab: int) -> Any:
    tokenizers = require("tokenizers", "train")
    raw = tokenizers.Tokenizer(tokenizers.models.BPE())
    raw.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab, special_tokens=[PAD, END], initial_alphabet=sorted(alphabet), show_progress=False
    )
    raw.train_from_iterator(texts, trainer)
    return hf.PreTrainedTokenizerFast(tokenizer_object=raw, eos_token=END, pad_token=PAD)


class _Run:
    """A folder with one training in it: not begun, under way, or finished."""

    def __init__(self, folder: Path, options: Schedule, texts: Sequence[str], what: object) -> None:
        if not texts:
            raise InputError("training: no texts")
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
        self.folder, self.options, self.texts = folder, options, texts
        self.key = fingerprint(options, texts=digest, what=what)
        self.finished = self._found()
        self.checkpoint = folder / "checkpoint.pt"

    def _found(self) -> dict[str, Any] | None:
        record = self.folder / RECORD
        if not record.is_file():
            if self.folder.is_dir() and any(self.folder.glob("*.safetensors")):
                raise InputError(f"{self.folder}: holds another model; mend: name a new folder")
            return None
        found = read_json(record)
        if found.get("key") != self.key:
            raise InputError(f"{self.folder}: holds a training with other options or texts; mend: name a new folder")
        return found

    def fit(self, torch: Any, model: Any, tokenizer: Any, repetitions: list[int]) -> dict[str, Any]:
        """Fit, save, and leave the record last: its presence means that the rest is whole."""
        options = self.options
        windows, cut = self._windows(tokenizer)
        plan = [_epoch(repetitions, epoch, options) for epoch in range(options.epochs)]
        steps = sum(len(batches) for batches in plan)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        model.to(device).train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr, weight_decay=0.0)
        first, losses = self._resume(torch, model, optimizer)
        done = sum(len(batches) for batches in plan[:first])
        with progress("training", steps, "steps") as advance:
            advance(done)
            for epoch in range(first, options.epochs):
                total = 0.0
                for batch in plan[epoch]:
                    for group in optimizer.param_groups:
                        group["lr"] = options.lr * 0.5 * (1 + math.cos(math.pi * done / max(steps, 1)))
                    total += _step(torch, model, optimizer, [windows[i] for i in batch])
                    done += 1
                    advance(1)
                losses.append(total / max(len(plan[epoch]), 1))
                if epoch + 1 in options.keep:
                    self._save(model, tokenizer, self.folder / f"epoch-{epoch + 1}")
                if (epoch + 1) % options.checkpoint_every == 0 and epoch + 1 < options.epochs:
                    self._mark(torch, model, optimizer, losses)
        model.eval()
        self._save(model, tokenizer, self.folder)
        record = {
            "key": self.key,
            "options": as_record(options),
            "texts": len(self.texts),
            "texts_cut_off": cut,
            "tokens": sum(len(window) for window in windows),
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "loss_per_epoch": losses,
            "final_loss": losses[-1] if losses else None,
            "torch": torch.__version__,
        }
        write_json(self.folder / RECORD, record)
        self.checkpoint.unlink(missing_ok=True)
        return record

    def _windows(self, tokenizer: Any) -> tuple[list[list[int]], int]:
        end = tokenizer.eos_token_id
        whole = [[*tokenizer(text, add_special_tokens=False)["input_ids"], end] for text in self.texts]
        cut = sum(len(tokens) > self.options.context for tokens in whole)
        if cut:
            warn(
                f"training: {cut} of {len(whole)} texts are longer than {self.options.context} tokens and were cut off"
            )
        return [tokens[: self.options.context] for tokens in whole], cut

    def _resume(self, torch: Any, model: Any, optimizer: Any) -> tuple[int, list[float]]:
        if not self.checkpoint.is_file():
            return 0, []
        state = torch.load(self.checkpoint, weights_only=True)
        if state["key"] != self.key:
            warn(f"{self.checkpoint}: of a training with other options or texts, not used")
            return 0, []
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        return len(state["losses"]), list(state["losses"])

    def _mark(self, torch: Any, model: Any, optimizer: Any, losses: list[float]) -> None:
        state = {
            "key": self.key,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "losses": losses,
            "random": torch.get_rng_state(),
        }
        with atomic_path(self.checkpoint) as temporary:
            torch.save(state, temporary)

    def _save(self, model: Any, tokenizer: Any, folder: Path) -> None:
        temporary = self.folder / ".saving"
        shutil.rmtree(temporary, ignore_errors=True)
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(temporary.iterdir()):
            path.replace(folder / path.name)
        temporary.rmdir()


def _epoch(repetitions: list[int], epoch: int, options: Schedule) -> list[list[int]]:
    """Indices of the texts of one epoch in batches: shuffled by seed and epoch alone, so that a resumed run agrees."""
    draws = random.Random(f"{options.seed}/phases")
    phases = [draws.randrange(options.epochs) for _ in repetitions]

    def seen(count: int, phase: int) -> bool:
        return (count * (epoch + 1) + phase) // options.epochs > (count * epoch + phase) // options.epochs

    order = [index for index, both in enumerate(zip(repetitions, phases, strict=True)) if seen(*both)]
    random.Random(f"{options.seed}/{epoch}").shuffle(order)
    return [order[start : start + options.batch] for start in range(0, len(order), options.batch)]


def _step(torch: Any, model: Any, optimizer: Any, windows: list[list[int]]) -> float:
    device = model.device
    width = max(len(window) for window in windows)
    rows = [window + [0] * (width - len(window)) for window in windows]
    mask = torch.tensor([[1] * len(window) + [0] * (width - len(window)) for window in windows], device=device)
    tokens = torch.tensor(rows, device=device)
    labels = tokens.masked_fill(mask == 0, -100)
    loss = model(input_ids=tokens, attention_mask=mask, labels=labels).loss
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())
