"""MinHash estimate of the Jaccard similarity of word 5-grams, with the values of datasketch 1.x."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.similarity.tokens import Prepared, prepare

__all__ = ["minhash_jaccard", "minhash_prepared", "signature"]

GRAM = 5
PERMUTATIONS = 256
SEED = 1
_PRIME = (1 << 61) - 1


def minhash_jaccard(*, reference: str, candidate: str, language: str = "python") -> float:
    """Share of 256 MinHash permutations on which two texts agree, from 0 to 1 in steps of 1/256. Symmetric.

    It estimates the Jaccard similarity of the sets of word 5-grams (Broder 1997) with a standard error of at most
    0.031; LiCoEval (section III-D2) takes this estimate for the similarity. A text of under five words has no
    5-gram: two such texts give 1.0 and one gives 0.0, as in the released code; see
    :func:`cleartitle.similarity.too_short`. Renaming a variable breaks every 5-gram around it: a low value does not
    show independence.

    Raises:
        InputError: unknown language.
    """
    return minhash_prepared(prepare(reference, language), prepare(candidate, language))


def minhash_prepared(reference: Prepared, candidate: Prepared) -> float:
    """MinHash similarity of two prepared texts."""
    return int(np.count_nonzero(reference.signature == candidate.signature)) / PERMUTATIONS


def signature(words: Sequence[str]) -> npt.NDArray[np.uint32]:
    """The 256 minima of the hashed 5-grams of ``words`` (uint32; all 2^32 - 1 where there is none)."""
    a, b = _permutations()
    return _native.minhash(_gram_hashes(words), a, b)


def _gram_hashes(words: Sequence[str]) -> npt.NDArray[np.uint32]:
    """First four bytes, little-endian, of the SHA-1 of each gram: its words joined by blanks, in UTF-8."""
    text = " ".join(words).encode("utf-8", "surrogatepass")
    encoded = words if text.isascii() else [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.fromiter(map(len, encoded), dtype=np.uint64, count=len(encoded))
    ends = np.cumsum(lengths + np.uint64(1), dtype=np.uint64) - np.uint64(1)
    return _native.gram_hashes(text, ends - lengths, ends, GRAM)


@cache
def _permutations() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    draws = np.random.RandomState(SEED)
    pairs = [
        (draws.randint(1, _PRIME, dtype=np.uint64), draws.randint(0, _PRIME, dtype=np.uint64))
        for _ in range(PERMUTATIONS)
    ]
    table = np.array(pairs, dtype=np.uint64)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])
