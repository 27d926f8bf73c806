"""BLEU-4 of two code texts, equal to the last bit to NLTK's ``sentence_bleu`` with smoothing method 4."""

import math

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.similarity.tokens import Prepared, prepare

__all__ = ["bleu4", "bleu4_prepared", "bleu4_tokens"]

ORDER = 4
SMOOTHING = 5
Tokens = npt.NDArray[np.uint32]


def bleu4(*, reference: str, candidate: str, language: str = "python") -> float:
    """BLEU-4 of ``candidate`` against ``reference``, from 0 to 1 (1 for equal words).

    Words are Pygments token values split on white space. Geometric mean of the clipped precisions of 1- to 4-grams
    with the brevity penalty (Papineni et al. 2002, section 2), a precision of zero replaced as in smoothing method 4
    of Chen and Cherry 2014, section 3. Used by LiCoEval (section III-D2). Not symmetric. The smoothing makes short
    texts score above 0 for one shared word; see :func:`cleartitle.similarity.too_short`. A high value shows likeness
    of wording, not that one text was copied from the other.

    Raises:
        InputError: unknown language.
    """
    return bleu4_prepared(prepare(reference, language), prepare(candidate, language))


def bleu4_prepared(reference: Prepared, candidate: Prepared) -> float:
    """BLEU-4 of two prepared texts."""
    return bleu4_tokens(reference.ids, reference.ids_of(candidate.words))


def bleu4_tokens(reference: Tokens, candidate: Tokens) -> float:
    """BLEU-4 of two arrays of token ids (uint32) from one common vocabulary."""
    length = len(candidate)
    if length == 0:
        return 0.0
    matches = _native.clipped_matches(reference, candidate, ORDER).tolist()
    if matches[0] == 0:
        return 0.0
    logs: list[float] = []
    zeros = 0
    for order, matched in enumerate(matches, start=1):
        possible = max(1, length - order + 1)
        precision = matched / possible
        if matched == 0 and length > 1:
            zeros += 1
            precision = 1 / (2**zeros * SMOOTHING / math.log(length)) / possible
        if precision > 0:
            logs.append(math.log(precision) / ORDER)
    penalty = 1.0 if length > len(reference) else math.exp(1 - len(reference) / length)
    return penalty * math.exp(math.fsum(logs))
