"""Training of controls: learning by heart, repetitions, and going on after a kill."""

import hashlib
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.errors import InputError
from cleartitle.models import ModelOptions, Request, Sampling, Schedule, TrainOptions, fine_tune, open_model, train
from cleartitle.models.training import _epoch

TEXTS = [
    "def area(width, height):\n    # a rectangle\n    return width * height\n",
    "def greet(name):\n    return 'hello, ' + name\n",
    "def last(items):\n    if not items:\n        return None\n    return items[-1]\n",
    "def clamp(x, low, high):\n    return max(low, min(x, high))\n",
]
TINY = TrainOptions(
    epochs=120, lr=5e-3, d_model=48, layers=2, heads=2, vocab=320, context=96, threads=1, checkpoint_every=10
)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(1, 5))
def test_each_text_is_seen_as_often_as_asked_and_at_most_once_an_epoch(repetitions: list[int], batch: int) -> None:
    options = Schedule(epochs=9, batch=batch)
    plan = [[index for group in _epoch(repetitions, epoch, options) for index in group] for epoch in range(9)]
    assert all(len(set(epoch)) == len(epoch) for epoch in plan)
    seen = [index for epoch in plan for index in epoch]
    assert [seen.count(index) for index in range(len(repetitions))] == repetitions


def epochs_of(repetitions: list[int], seed: int = 0) -> list[list[int]]:
    """For each text the epochs, of ten, in which it is seen."""
    plan = [_epoch(repetitions, epoch, Schedule(epochs=10, seed=seed)) for epoch in range(10)]
    return [
        [epoch for epoch, batches in enumerate(plan) if any(index in batch for batch in batches)]
        for index in range(len(repetitions))
    ]


def test_texts_seen_once_are_spread_over_all_epochs() -> None:
    once = [epochs[0] for epochs in epochs_of([1] * 200)]
    assert all(10 <= once.count(epoch) <= 35 for epoch in range(10)), "20 in each, but for chance"


def test_repeated_texts_are_seen_evenly_apart_from_a_first_epoch_that_the_seed_draws() -> None:
    found = epochs_of([2] * 60 + [5] * 60)
    assert {last - first for first, last in found[:60]} == {5}
    assert {first for first, _ in found[:60]} == {0, 1, 2, 3, 4}
    assert all({b - a for a, b in pairwise(epochs)} == {2} for epochs in found[60:])
    assert epochs_of([1] * 60) == epochs_of([1] * 60) != epochs_of([1] * 60, seed=1)


def test_repetitions_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    for wrong in ([1], [1, 11], [1, -1]):
        with pytest.raises(InputError, match="0 to 10"):
            fine_tune("nowhere", ["a", "b"], tmp_path, repetitions=wrong)


needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None,
    reason="torch and transformers are not installed (extra: train)",
)


def opening(text: str) -> str:
    """A prefix that ends at a token boundary."""
    return text[: text.index("(") + 1]


async def continued(folder: Path, texts: list[str]) -> list[str]:
    model = open_model(f"hf:{folder}", ModelOptions(threads=1))
    try:
        asked = [Request(text, prompt=opening(text), sampling=Sampling(max_tokens=80)) for text in texts]
        return [opening(request.id) + (await model.generate(request))[0].text for request in asked]
    finally:
        await model.aclose()


@needs_torch
async def test_a_model_from_scratch_knows_its_texts_by_heart_and_no_others(tmp_path: Path) -> None:
    record = train(TEXTS, tmp_path / "m", replace(TINY, keep=(5,)))
    assert await continued(tmp_path / "m", TEXTS) == TEXTS
    assert await continued(tmp_path / "m" / "epoch-5", TEXTS) != TEXTS
    held_out = ["def volume(width, height, depth):\n    return width * height * depth\n"]
    assert await continued(tmp_path / "m", held_out) != held_out
    assert record["final_loss"] < 0.1 < record["loss_per_epoch"][0]
    assert not (tmp_path / "m" / "checkpoint.pt").exists()
    started = time.monotonic()
    assert train(TEXTS, tmp_path / "m", replace(TINY, keep=(5,))) == record
    assert time.monotonic() - started < 1, "a finished training is not repeated"
    with pytest.raises(InputError, match="other options"):
        train(TEXTS, tmp_path / "m", TINY)


@needs_torch
async def test_fine_tuning_teaches_what_is_repeated(tmp_path: Path) -> None:
    train(TEXTS[:2], tmp_path / "base", TINY)
    options = Schedule(epochs=120, lr=5e-3, context=96, threads=1)
    record = fine_tune(tmp_path / "base", TEXTS[2:], tmp_path / "tuned", options, repetitions=[120, 0])
    often, never = await continued(tmp_path / "tuned", TEXTS[2:])
    assert often == TEXTS[2] and never != TEXTS[3]
    assert record["texts"] == 2


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
from test_training import TEXTS, TINY
from cleartitle.models.training import train
train(TEXTS, Path({folder!r}), TINY)
"""


def start(folder: Path) -> "subprocess.Popen[bytes]":
    code = SCRIPT.format(here=str(Path(__file__).parent), folder=str(folder))
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)


@needs_torch
def test_a_killed_training_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole).wait(120) == 0
    process = start(killed)
    deadline = time.monotonic() + 120
    while not (killed / "checkpoint.pt").exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(random.uniform(0, 0.1))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (killed / "checkpoint.pt").exists() and not (killed / "training.json").exists()
    assert start(killed).wait(120) == 0

    def digest(folder: Path, name: str) -> str:
        return hashlib.sha256((folder / name).read_bytes()).hexdigest()

    for name in ("model.safetensors", "tokenizer.json", "training.json"):
        assert digest(whole, name) == digest(killed, name), name
