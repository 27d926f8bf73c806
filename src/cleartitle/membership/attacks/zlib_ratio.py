"""Likelihood against what a general compressor makes of the text."""

import math
import zlib
from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import logprobs, mean
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["ZlibMean", "ZlibSum", "compressed_bytes"]


def compressed_bytes(text: str) -> int:
    """Length of the UTF-8 bytes of the text as zlib compresses them at its default level (8 for no text)."""
    return len(zlib.compress(text.encode("utf-8", "surrogatepass")))


@dataclass(frozen=True)
class ZlibMean:
    """Mean log-probability divided by the length of the compressed text, in nats a byte, at most 0.

    ``(1/n) sum_i log p_i / |zlib(x)|``, as the released code of Min-K %, Min-K %++ and others computes it after Carlini
    et al. 2021 section 5.2. The numerator is a mean and the denominator a total, so that longer texts score higher,
    seen or not: compare texts of one length only, or take `ZlibSum`.
    """

    name: str = "zlib (mean)"
    needs: frozenset[Need] = frozenset({"logprob"})

    def score(self, evidence: Evidence) -> float:
        """The mean over the compressed length."""
        return mean(logprobs(evidence.target)) / compressed_bytes(evidence.text)


@dataclass(frozen=True)
class ZlibSum:
    """Log-probability of the whole text divided by the length of the compressed text, in nats a byte, at most 0.

    ``sum_i log p_i / |zlib(x)|``: the two compressors compared on equal terms. Where the text was cut to the model's
    context only the scored part is compressed; where a budget chose positions the sum is scaled up to all tokens.
    """

    name: str = "zlib (sum)"
    needs: frozenset[Need] = frozenset({"logprob"})

    def score(self, evidence: Evidence) -> float:
        """The sum over the compressed length."""
        target = evidence.target
        values = logprobs(target)
        if not len(values):
            return math.nan
        total = float(values.sum())
        scorable = target.tokens_in_text - target.truncated - int(target.position[0] > 0)
        if scorable > len(values):
            total *= scorable / len(values)
        text = evidence.text[: int(target.end[-1])] if target.truncated else evidence.text
        return total / compressed_bytes(text)
