"""The LiCo score (LiCoEval, section V-A, formula 1)."""

from dataclasses import dataclass

__all__ = ["WEIGHTS", "LicoRange", "lico", "lico_range"]

WEIGHTS = (1.0, 2.0, 4.0)
"""Weights of few striking cases, of permissive accuracy and of copyleft accuracy."""


def lico(
    striking: int, total: int, correct_permissive: int, permissive: int, correct_copyleft: int, copyleft: int
) -> float:
    """LiCo = ((1 - N) + 2 Acc_p + 4 Acc_c) / 7, from 0 to 1, with N = ``striking`` / ``total``.

    ``permissive`` and ``copyleft`` are the striking cases of each kind, ``correct_…`` those whose license was named
    right. An accuracy without a case counts as 1, as in the paper: with no copyleft case that alone gives 0.571, so a
    high value of a model that copied little says nothing about what it would answer. `lico_range` shows the span.
    With ``total`` 0, N is 0.

    The published Table IV comes out with N = n/4187 and exact ratios, rounded to three places.

    Raises:
        ValueError: a count is negative, or a part is larger than its whole.
    """
    _check(striking, total, correct_permissive, permissive, correct_copyleft, copyleft)
    return _lico(
        striking / total if total else 0.0,
        correct_permissive / permissive if permissive else 1.0,
        correct_copyleft / copyleft if copyleft else 1.0,
    )


@dataclass(frozen=True)
class LicoRange:
    """LiCo with every accuracy that has no case set to 0 (``low``) and to 1 (``high``, the published convention)."""

    low: float
    high: float
    imputed: tuple[str, ...]
    """Which accuracies have no case: ``permissive``, ``copyleft``, or both."""


def lico_range(
    striking: int, total: int, correct_permissive: int, permissive: int, correct_copyleft: int, copyleft: int
) -> LicoRange:
    """The span of `lico` over what the missing accuracies could have been; a point where none is missing.

    Raises:
        ValueError: as `lico`.
    """
    high = lico(striking, total, correct_permissive, permissive, correct_copyleft, copyleft)
    imputed = tuple(name for name, n in (("permissive", permissive), ("copyleft", copyleft)) if n == 0)
    given_away = sum(WEIGHTS[1 if name == "permissive" else 2] for name in imputed) / sum(WEIGHTS)
    return LicoRange(high - given_away, high, imputed)


def _lico(share: float, permissive_accuracy: float, copyleft_accuracy: float) -> float:
    first, second, third = WEIGHTS
    return (first * (1 - share) + second * permissive_accuracy + third * copyleft_accuracy) / sum(WEIGHTS)


def _check(
    striking: int, total: int, correct_permissive: int, permissive: int, correct_copyleft: int, copyleft: int
) -> None:
    parts = ((striking, total), (correct_permissive, permissive), (correct_copyleft, copyleft))
    if any(not 0 <= part <= whole for part, whole in parts):
        raise ValueError(f"each count must lie between 0 and its whole: {parts}")
    if permissive + copyleft > striking:
        raise ValueError(
            f"{permissive} permissive and {copyleft} copyleft cases are more than {striking} striking ones"
        )
