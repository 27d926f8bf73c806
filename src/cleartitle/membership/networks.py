"""Small classifiers in PyTorch that shadow texts teach: one way to train them, the same on every machine and run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cleartitle.errors import require

__all__ = ["log_odds", "taught"]


def taught(
    build: Callable[[Any], Any],
    inputs: np.ndarray,
    member: np.ndarray,
    *,
    seed: int,
    rate: float,
    epochs: int,
    batch: int,
    decay: float = 0.0,
) -> Any:
    """Train a network with two outputs by cross-entropy and Adam, on one thread, and return it for use.

    Args:
        build: makes the network from the module ``torch``, with the seed set.
        inputs: one row a text, as float32.
        member: bool, one a text.
        seed: of weights, order and dropout; the global generator is left as it was.
        rate: of learning.
        epochs: passes over the texts.
        batch: texts a step.
        decay: of weights (L2).

    Raises:
        MissingExtraError: torch is not installed.
    """
    torch = require("torch", "membership")
    generator = torch.Generator().manual_seed(seed)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # Sums in another order give other last digits.
    rows = torch.from_numpy(inputs.astype(np.float32))
    labels = torch.from_numpy(np.asarray(member).astype(np.int64))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = build(torch)
        optimizer = torch.optim.Adam(network.parameters(), lr=rate, weight_decay=decay)
        for _ in range(epochs):
            for chosen in torch.randperm(len(rows), generator=generator).split(batch):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(network(rows[chosen]), labels[chosen]).backward()
                optimizer.step()
    torch.set_num_threads(threads)
    return network.eval()


def log_odds(network: Any, row: np.ndarray) -> float:
    """Second output less the first for one text, in nats."""
    torch = require("torch", "membership")
    with torch.inference_mode():
        outputs = network(torch.from_numpy(row[None].astype(np.float32)))[0]
    return float(outputs[1] - outputs[0])
