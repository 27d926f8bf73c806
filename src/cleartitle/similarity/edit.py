"""Similarity by edit distance over the tokens of a code model's tokenizer, or of a stand-in for it."""

from rapidfuzz.distance import Levenshtein

from cleartitle.similarity.tokens import Prepared, Tokenizer, prepare

__all__ = ["edit_prepared", "edit_similarity"]


def edit_similarity(
    *, reference: str, candidate: str, language: str = "python", tokenizer: Tokenizer | None = None
) -> float:
    """One minus the Levenshtein distance over the longer length, from 0 to 1. Symmetric.

    Both texts are stripped and cut into tokens, of which the first 4,096 count (LiCoEval, section III-D2 and its
    released code, which uses the StarCoder tokenizer). ``tokenizer`` maps a text to tokens or ids; the default is
    :func:`cleartitle.similarity.regex_tokens`, named by ``REGEX_TOKENIZER`` in run records. Two empty texts give 0,
    as in the release. Moved blocks count as a deletion and an insertion, so a low value does not show independence.

    Raises:
        InputError: unknown language.
    """
    return edit_prepared(prepare(reference, language), prepare(candidate, language), tokenizer)


def edit_prepared(reference: Prepared, candidate: Prepared, tokenizer: Tokenizer | None = None) -> float:
    """Edit similarity of two prepared texts."""
    left, right = reference.edit_tokens(tokenizer), candidate.edit_tokens(tokenizer)
    longer = max(len(left), len(right))
    return 1 - Levenshtein.distance(left, right) / longer if longer else 0.0
