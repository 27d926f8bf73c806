"""Numbers about next-token distributions, a chunk of rows at a time, in PyTorch and in NumPy."""

from typing import Any, NamedTuple

import numpy as np

__all__ = ["CHUNK", "RowNumbers", "plain_row_numbers", "row_numbers"]

CHUNK = 2**22
"""Logits of one chunk (16 MiB in 32 bits): few enough to stay near the processor, whatever the vocabulary."""


class RowNumbers(NamedTuple):
    """One value a row, as tensors on the device: see `cleartitle.models.token_stats.TokenStats`."""

    rank: Any
    logprob: Any
    top1: Any
    mean: Any
    spread: Any


def row_numbers(torch: Any, logits: Any, given: Any) -> RowNumbers:
    """Rank, log-probability and moments of each row of ``logits`` [n, vocabulary] for the tokens ``given`` [n].

    With p the softmax in 32 bits and y = logits - max: log p = y + log p_max, so that mu = sum p y + log p_max and
    sigma^2 = sum p y^2 - (sum p y)^2 (mu and sigma as in Min-K%++, Zhang et al. 2025, section 3). Rank is 1 + the
    number of strictly greater logits (CodeMI, released code), counted without a sort; ties go to the better rank. A
    logit of negative infinity (a token that the model rules out) has probability 0 and adds nothing. ``logits`` is
    used up as scratch space.
    """
    logits = logits.float()
    own = logits.gather(1, given[:, None])
    rank = (logits > own).view(torch.uint8).sum(1, dtype=torch.int32) + 1
    most = logits.amax(1, keepdim=True)
    p = torch.softmax(logits, 1)
    top1 = p.amax(1).log()
    # Finite, so that 0 x -inf cannot arise; exp(-1e4) is 0 in 32 bits.
    y = logits.sub_(most).clamp_(min=-1e4)
    first = torch.linalg.vecdot(p, y)
    second = torch.linalg.vecdot(p.mul_(y), y)
    spread = (second - first * first).clamp_(min=0).sqrt_()
    return RowNumbers(rank, (own - most)[:, 0] + top1, top1, first + top1, spread)


def plain_row_numbers(logits: np.ndarray, given: np.ndarray) -> dict[str, np.ndarray]:
    """The numbers of `row_numbers` for float32 logits in NumPy, by name; ``logits`` is used up as scratch space."""
    rows = np.arange(len(given))
    own = logits[rows, given][:, None]
    rank = np.count_nonzero(logits > own, axis=1).astype(np.int32) + 1
    logits -= logits.max(1, keepdims=True)
    np.maximum(logits, -1e4, out=logits)
    given_y = logits[rows, given].copy()
    p = np.exp(logits)
    total = p.sum(1)
    top1 = -np.log(total)
    first = np.einsum("nv,nv->n", p, logits) / total
    p *= logits
    second = np.einsum("nv,nv->n", p, logits) / total
    spread = np.sqrt(np.maximum(second - first * first, 0))
    return {"rank": rank, "logprob": given_y + top1, "top1": top1, "mean": first + top1, "spread": spread}
