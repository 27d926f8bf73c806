"""Target and shadow models of a study: trained here, so that it is known what each of them saw."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from cleartitle.files import sha256_file
from cleartitle.jobs import Shard, map_shards
from cleartitle.membership.lstm import new_lstm
from cleartitle.membership.texts import POOL, role, rows_of
from cleartitle.membership.words import WordTokenizer
from cleartitle.models import Schedule, TrainOptions, fine_tune, fit, train
from cleartitle.options import fingerprint
from cleartitle.tables import read_parts, read_table, table_of

__all__ = ["BASE", "MODELS", "TargetOptions", "model_folder", "train_models"]

BASE = "base"
"""The model that a GPT study begins with: it saw the public pool alone."""

MODELS = pa.schema(
    [
        # base, target, shadow-1, …
        ("model", pa.string()),
        ("texts", pa.int64()),
        ("parameters", pa.int64()),
        ("final_loss", pa.float64()),
        ("texts_cut_off", pa.int64()),
    ]
)


USUAL: dict[str, dict[str, Any]] = {
    "lstm": {"vocabulary": 8000, "width": 300, "epochs": 10, "lr": 2e-3},
    "gpt": {"vocabulary": 4096, "width": 192, "epochs": 4, "lr": 5e-4},
}


@dataclass(frozen=True)
class TargetOptions:
    """The models of a study; None takes what suits ``target``, see `resolved`.

    ``target`` is ``lstm`` (one layer over words, trained from nothing) or ``gpt`` (GPT-2's architecture over byte
    pairs, trained on the public pool first and then tuned, as the paper's CodeGPT). ``mode`` ``paper`` gives each LSTM
    the vocabulary of its own training set and no dropout that acts, as the released code does; ``corrected`` takes the
    vocabulary from the public pool and drops with ``dropout``.
    """

    target: Literal["lstm", "gpt"] = "lstm"
    mode: Literal["corrected", "paper"] = "corrected"
    vocabulary: int | None = None
    width: int | None = None
    layers: int = 2
    heads: int = 4
    dropout: float = 0.5
    epochs: int | None = None
    lr: float | None = None
    batch: int = 4
    base_epochs: int = 6
    context: int = 256

    def resolved(self) -> "TargetOptions":
        """The same options with every None replaced."""
        usual = USUAL[self.target]
        return replace(self, **{name: value for name, value in usual.items() if getattr(self, name) is None})


def train_models(
    run: Path, options: TargetOptions, *, shadows: int, seed: int, workers: int | None = None
) -> list[dict[str, Any]]:
    """Train the target and its shadows (and the base of a GPT) into ``run/models``; a killed call goes on.

    Each model is trained on one thread, so that the same machine gives the same weights whatever else runs. Returns
    rows of ``MODELS``: the base first where there is one, then target and shadows.

    Args:
        run: holds ``texts.parquet`` with the schema ``TEXTS``.
        options: see `TargetOptions`.
        shadows: how many shadows the texts are for.
        seed: of weights, order and dropout; each model has its own, made of this one and its number.
        workers: processes, one a processor by default.

    Raises:
        MissingExtraError: torch or transformers is not installed.
        ShardError: a training failed.
    """
    options = options.resolved()
    key = fingerprint(options, seed=seed, texts=sha256_file(run / "texts.parquet"))
    train_one = partial(_train, run=run, options=options, seed=seed)
    found: list[dict[str, Any]] = []
    if options.target == "gpt":
        found = train_one(pa.table({"number": [-1]})).to_pylist()
    shards = [Shard(number, pa.table({"number": [number]})) for number in range(shadows + 1)]
    map_shards(train_one, shards, run / "trained", key=key, workers=workers, label="training models")
    return found + read_parts(run / "trained", MODELS).to_pylist()


def model_folder(run: Path, name: str) -> Path:
    """Where a model of a study lies."""
    return run / "models" / name


def _train(numbers: pa.Table, run: Path, options: TargetOptions, seed: int) -> pa.Table:
    """Train the models with these numbers: -1 the base, 0 the target, then the shadows."""
    texts = read_table(run / "texts.parquet")
    rows: list[dict[str, Any]] = []
    for number in numbers["number"].to_pylist():
        name = BASE if number < 0 else role(number)
        shown = rows_of(texts, POOL) if number < 0 else rows_of(texts, name, member=True)
        record = _trained(
            [row["text"] for row in shown], rows_of(texts, POOL), run, name, options, 1000 * seed + number + 1
        )
        names = ("texts", "parameters", "final_loss", "texts_cut_off")
        rows.append({"model": name, **{column: record[column] for column in names}})
    return table_of(rows, MODELS)


def _trained(
    shown: list[str], pool: Sequence[dict[str, Any]], run: Path, name: str, options: TargetOptions, seed: int
) -> dict[str, Any]:
    assert options.epochs and options.lr and options.vocabulary and options.width
    folder = model_folder(run, name)
    schedule: dict[str, Any] = {"batch": options.batch, "context": options.context, "seed": seed, "threads": 1}
    if name == BASE:
        sizes = {"d_model": options.width, "layers": options.layers, "heads": options.heads}
        first = TrainOptions(epochs=options.base_epochs, vocab=options.vocabulary, **sizes, **schedule)
        return train(shown, folder, first)
    plan = Schedule(epochs=options.epochs, lr=options.lr, checkpoint_every=1, **schedule)
    if options.target == "gpt":
        return fine_tune(model_folder(run, BASE), shown, folder, plan)
    vocabulary_of = shown if options.mode == "paper" else [row["text"] for row in pool]
    width, size = options.width, options.vocabulary
    dropout = 0.0 if options.mode == "paper" else options.dropout

    def build(_: Any) -> tuple[Any, Any]:
        tokenizer = WordTokenizer.of(vocabulary_of, size)
        return new_lstm(len(tokenizer), width, dropout), tokenizer

    return fit(shown, folder, plan, build, what={"lstm": width, "words": size, "dropout": dropout})
