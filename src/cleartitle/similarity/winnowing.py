"""Winnowing fingerprints, and the fragments that two lists of them share."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cleartitle import _native

__all__ = ["GRAM", "WINDOW", "Fingerprints", "Fragments", "fingerprints", "longest_run", "shared_fragments"]

GRAM = 23
WINDOW = 17
STEPS = 5_000_000

Hashes = npt.NDArray[np.uint32]
Fragments = npt.NDArray[np.uint32]
"""Rows (left, right, length): runs of equal fingerprints by their numbers in both lists."""


@dataclass(frozen=True)
class Fingerprints:
    """Selected hashes of runs of ``gram`` tokens (uint32), and the token at which each begins, in order."""

    hashes: Hashes
    starts: Hashes
    gram: int

    def __len__(self) -> int:
        return len(self.hashes)


def fingerprints(token_hashes: Hashes, *, gram: int = GRAM, window: int = WINDOW) -> Fingerprints:
    """Winnow a sequence of token hashes as Dolos does (Schleimer, Wilkerson and Aiken 2003, section 3).

    Of every ``window`` neighboring hashes of ``gram`` tokens the rightmost smallest is kept, also of the shorter
    windows at the start, so that ``gram`` tokens have a fingerprint already. Hashes are below 33554393, so different
    runs collide now and then.

    Raises:
        ValueError: ``gram`` or ``window`` is below 1.
    """
    rows = _native.winnow(token_hashes, gram, window)
    return Fingerprints(np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1]), gram)


def shared_fragments(left: Hashes, right: Hashes) -> Fragments:
    """Runs of equal fingerprints that cannot be made longer, less those that lie within another one on both sides.

    In the order of the left list. Two lists with more than five million equal pairs give the tiles of greedy string
    tiling instead, which are some of the runs and do not overlap.
    """
    runs = _native.equal_runs(left, right, 1, STEPS)
    if runs is None:
        tiles = _native.tile(left, right, 1, np.inf)
        assert tiles is not None
        return tiles[np.lexsort((tiles[:, 1], tiles[:, 0]))]
    return runs[_kept(runs)] if len(runs) > 1 else runs


def _kept(runs: Fragments) -> list[int]:
    """Numbers of the runs that Dolos keeps: it compares a run with those that end before it on the left side."""
    table: list[list[int]] = runs.astype(np.int64).tolist()
    by_start = sorted(range(len(table)), key=lambda number: (table[number][0], table[number][2]))
    by_end = sorted(by_start, key=lambda number: (table[number][0] + table[number][2], table[number][0]))
    removed: set[int] = set()
    seen: set[int] = set()
    position = 0
    for number in by_start:
        if number in seen:
            continue
        left, right, length = table[number]
        while by_end[position] != number:
            other = by_end[position]
            seen.add(other)
            other_left, other_right, other_length = table[other]
            if (
                left <= other_left
                and other_left + other_length <= left + length
                and right <= other_right
                and other_right + other_length <= right + length
            ):
                removed.add(other)
            position += 1
        position += 1
    return [number for number in by_start if number not in removed]


def longest_run(left: Hashes, right: Hashes) -> int:
    """Dolos' ``longest``: fingerprints in the longest shared run.

    In the list with more shared fingerprints those that are not shared are skipped over; in the other one they end a
    run.
    """
    in_left, in_right = np.isin(left, right), np.isin(right, left)
    longer, shorter = (right[in_right], left) if in_left.sum() < in_right.sum() else (left[in_left], right)
    runs = _native.equal_runs(np.ascontiguousarray(longer), shorter, 1, STEPS)
    if runs is None:
        runs = _native.tile(np.ascontiguousarray(longer), shorter, 1, np.inf)
        assert runs is not None
    return int(runs[:, 2].max(initial=0))
