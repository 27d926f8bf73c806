"""Near-duplicates between members and non-members: texts that stand on both sides tell nothing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cleartitle.evals.statistics import Rate, rate
from cleartitle.similarity import prepare

__all__ = ["Duplicates", "near_duplicates", "signatures"]

THRESHOLD = 0.8
BANDS = 64
"""Bands of four minima: a pair at the threshold shares one with probability above 1 - 1e-14, one at 0.5 with .98."""


@dataclass(frozen=True)
class Duplicates:
    """Non-members with a near-duplicate among the members, and up to ten such pairs (member, other, similarity)."""

    threshold: float
    non_members: Rate
    pairs: tuple[tuple[int, int, float], ...]


def signatures(texts: Sequence[str], language: str = "python") -> npt.NDArray[np.uint32]:
    """MinHash signatures of the texts' word 5-grams, shape (n, 256)."""
    found = [prepare(text, language).signature for text in texts]
    return np.stack(found) if found else np.empty((0, 256), np.uint32)


def near_duplicates(hashes: npt.NDArray[np.uint32], member: npt.ArrayLike, threshold: float = THRESHOLD) -> Duplicates:
    """Which non-members resemble a member, by MinHash estimates of the Jaccard similarity of word 5-grams.

    Candidates share a band of four minima and are then compared in all 256. Texts of under five words have no 5-gram
    and are passed over. A renamed copy falls below the threshold.

    Args:
        hashes: see `signatures`.
        member: bool, one a text.
        threshold: least estimate of a near-duplicate, 0 to 1.
    """
    labels = np.asarray(member, bool)
    has_grams = (hashes != np.iinfo(np.uint32).max).any(axis=1)
    width = hashes.shape[1] // BANDS
    buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for number in np.flatnonzero(labels & has_grams):
        row = hashes[number]
        for band in range(BANDS):
            buckets[band, row[band * width : (band + 1) * width].tobytes()].append(int(number))
    found: list[tuple[int, int, float]] = []
    others = np.flatnonzero(~labels)
    for number in others[has_grams[others]]:
        row = hashes[number]
        keys = ((band, row[band * width : (band + 1) * width].tobytes()) for band in range(BANDS))
        candidates = sorted({other for key in keys for other in buckets.get(key, ())})
        if candidates:
            alike = (hashes[candidates] == row).mean(axis=1)
            best = int(alike.argmax())
            if alike[best] >= threshold:
                found.append((candidates[best], int(number), float(alike[best])))
    pairs = sorted(found, key=lambda pair: -pair[2])[:10]
    return Duplicates(threshold, rate(len(found), len(others)), tuple(pairs))
