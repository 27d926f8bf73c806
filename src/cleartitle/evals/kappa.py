"""Agreement of people beyond chance."""

import numpy as np
import numpy.typing as npt

__all__ = ["cohen_kappa", "fleiss_kappa"]

Counts = npt.NDArray[np.float64]


def cohen_kappa(confusion: npt.ArrayLike) -> float | None:
    """Cohen's kappa of two raters, at most 1; 0 is what chance gives. None where nothing was rated or nothing varies.

    kappa = (p_o - p_e) / (1 - p_e) with the observed agreement p_o and p_e from the raters' own shares (Cohen 1960,
    formula 1). ``confusion`` holds counts, shape (k, k): row the answer of the first rater, column that of the second.
    Where one answer is rare, kappa is low although raters agree on nearly all items; read it beside the plain share.
    Agreement does not show that the raters are right.

    Raises:
        ValueError: not a square table of counts.
    """
    table = np.asarray(confusion, dtype=float)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or (table < 0).any():
        raise ValueError("a confusion table is square and holds counts")
    total = float(table.sum())
    if total == 0:
        return None
    observed = float(np.trace(table)) / total
    expected = float(table.sum(axis=1) @ table.sum(axis=0)) / total**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def fleiss_kappa(counts: npt.ArrayLike) -> float | None:
    """Fleiss' kappa of several raters, at most 1; None where no item has two ratings or nothing varies.

    ``counts`` has one row per item and one column per answer: how many raters gave it. kappa = (P - P_e) / (1 - P_e)
    with P the mean over items of the share of agreeing pairs of ratings, and P_e the sum of the squared shares of the
    answers (Fleiss 1971, formulas 2 to 7). Items may have different numbers of ratings, those with fewer than two are
    left out; with equal numbers it is Fleiss' own statistic. Who the raters are does not enter.

    Raises:
        ValueError: not a table of counts.
    """
    table = np.asarray(counts, dtype=float)
    if table.ndim != 2 or (table < 0).any():
        raise ValueError("a table of counts has rows of items and columns of answers")
    table = table[table.sum(axis=1) >= 2]
    return None if len(table) == 0 else _kappa(_sums(table), len(table))


def fleiss_rows(counts: Counts) -> Counts:
    """Per item: its share of agreeing pairs, then its ratings by answer; column sums give `fleiss_of_sums`."""
    ratings = counts.sum(axis=1)
    pairs = (np.square(counts).sum(axis=1) - ratings) / (ratings * (ratings - 1))
    return np.column_stack([pairs, counts])


def fleiss_of_sums(sums: Counts, items: int) -> float:
    """Fleiss' kappa of a resample; 1 where all of its answers are the same one."""
    found = _kappa(sums, items)
    return 1.0 if found is None else found


def cohen_of_sums(sums: Counts, _: int) -> float:
    """Cohen's kappa of a resample whose summed rows are the flat confusion table; 1 where all answers are the same."""
    size = round(len(sums) ** 0.5)
    found = cohen_kappa(sums.reshape(size, size))
    return 1.0 if found is None else found


def _sums(table: Counts) -> Counts:
    return fleiss_rows(table).sum(axis=0)


def _kappa(sums: Counts, items: int) -> float | None:
    observed = float(sums[0]) / items
    shares = sums[1:] / sums[1:].sum()
    expected = float(shares @ shares)
    return None if expected == 1 else (observed - expected) / (1 - expected)
