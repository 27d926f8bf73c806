"""Greedy string tiling of two token sequences."""

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.code.streams import DeadlineError

__all__ = ["Tiles", "tiles"]

Tiles = npt.NDArray[np.uint32]
"""Rows (left, right, length) in the order in which they were taken, the longest first."""


def tiles(
    left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], minimum: int, *, seconds: float = np.inf
) -> Tiles:
    """Cover two sequences with equal runs of at least ``minimum`` tokens that do not overlap (Wise 1993).

    The longest run that no tile covers yet becomes the next tile, of equally long ones the first by its left and then
    by its right place. JPlag takes the shorter sequence as the left one. Exact on any input; on two million tokens
    with long repetitions it can take minutes.

    Raises:
        DeadlineError: ``seconds`` were not enough.
        ValueError: ``minimum`` is below 1.
    """
    found = _native.tile(left, right, minimum, seconds)
    if found is None:
        raise DeadlineError("no time left for the tiling")
    return found
