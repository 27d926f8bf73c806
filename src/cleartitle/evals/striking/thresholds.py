"""Where the thresholds of striking similarity may lie, read from the two groups (LiCoEval, section III-E)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle.similarity import StrikingStandard

__all__ = ["CRITERIA", "Answer", "Found", "curves", "find", "passes", "without"]

CRITERIA = ("body_lines_gt", "complexity_gt", "similarity_gt", "shared_comments_gt")
OFF = -1
"""A threshold that everything exceeds."""

GRID: dict[str, tuple[float, ...]] = {
    "body_lines_gt": (OFF, *range(6, 31)),
    "complexity_gt": (OFF, *range(1, 11)),
    "similarity_gt": (OFF, *(round(0.2 + 0.02 * step, 2) for step in range(39))),
    "shared_comments_gt": (OFF, *range(5)),
}
"""Values that `find` tries for each threshold; the published ones are among them."""

CURVES: dict[str, tuple[float, ...]] = {**GRID, "similarity_gt": tuple(round(0.01 * step, 2) for step in range(100))}


@dataclass(frozen=True)
class Answer:
    """The four features of one scored answer: two of the original, two of the pair (section III-D2)."""

    body_lines: int
    complexity: int
    similarity: float
    shared_comments: int


@dataclass(frozen=True)
class Found:
    """The outcome of `find`.

    ``accessed`` and ``unseen`` are how many answers of each group meet ``standard``. ``plateau`` gives for each
    threshold the range over which, with the others fixed, both numbers stay the same: the data cannot tell the values
    of a plateau apart. ``equivalent`` is how many combinations of the grid do as well.
    """

    standard: StrikingStandard
    accessed: int
    unseen: int
    plateau: dict[str, tuple[float, float]]
    equivalent: int

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``summary.json``."""
        return {**asdict(self), "plateau": {name: list(ends) for name, ends in self.plateau.items()}}


def find(accessed: Sequence[Answer], unseen: Sequence[Answer]) -> Found | None:
    """The standard that the data favor: fewest unseen answers, then most accessed, then nearest to the published one.

    All combinations of `GRID` are counted. The paper read its thresholds from figures, with the same aim: no false
    positive first, recall second. Where many combinations do equally well the data give no reason to leave the
    published one, and the nearest is taken (fewest steps of the grid). None where that standard finds no accessed
    answer: these answers say nothing about where the thresholds lie.
    """
    hits, false = _counts(accessed, GRID), _counts(unseen, GRID)
    best = false == false.min()
    most = int(hits[best].max())
    if most == 0:
        return None
    best &= hits == most
    published = [GRID[name].index(value) for name, value in asdict(StrikingStandard()).items()]
    places = np.argwhere(best)
    chosen = tuple(int(index) for index in places[np.abs(places - published).sum(axis=1).argmin()])
    values = {name: GRID[name][index] for name, index in zip(CRITERIA, chosen, strict=True)}
    same = (hits == most) & (false == false[chosen])
    plateau = {name: _plateau(same, chosen, axis) for axis, name in enumerate(CRITERIA)}
    return Found(_standard(values), most, int(false[chosen]), plateau, int(best.sum()))


def curves(accessed: Sequence[Answer], unseen: Sequence[Answer], standard: StrikingStandard) -> dict[str, Any]:
    """For each threshold, with the others as in ``standard``, how many answers of each group pass at every value."""
    found: dict[str, Any] = {}
    for name in CRITERIA:
        grid = {other: (value,) for other, value in asdict(standard).items()} | {name: CURVES[name]}
        counts = {group: _counts(rows, grid).ravel().tolist() for group, rows in _groups(accessed, unseen)}
        found[name] = {"thresholds": list(CURVES[name]), **counts}
    return found


def without(accessed: Sequence[Answer], unseen: Sequence[Answer], standard: StrikingStandard) -> dict[str, Any]:
    """How many answers of each group pass when one criterion is left out: what that criterion is good for."""
    found: dict[str, Any] = {}
    for name in (None, *CRITERIA):
        values = asdict(standard) if name is None else {**asdict(standard), name: OFF}
        found[name or "all"] = {
            group: sum(passes(row, _standard(values)) for row in rows) for group, rows in _groups(accessed, unseen)
        }
    return found


def passes(answer: Answer, standard: StrikingStandard) -> bool:
    """Whether an answer is striking by this standard."""
    return standard.judge(**asdict(answer)).striking


def _groups(accessed: Sequence[Answer], unseen: Sequence[Answer]) -> tuple[tuple[str, Sequence[Answer]], ...]:
    return ("accessed", accessed), ("unseen", unseen)


def _counts(answers: Sequence[Answer], grid: Mapping[str, Sequence[float]]) -> npt.NDArray[np.int64]:
    """How many answers exceed all four thresholds, for every combination of the grid.

    A histogram over the place of each value in the grid, summed up from the top along each axis.
    """
    axes = [np.asarray(grid[name], dtype=float) for name in CRITERIA]
    rows = np.asarray([tuple(asdict(answer).values()) for answer in answers], dtype=float).reshape(len(answers), 4)
    below = tuple(np.searchsorted(axis, rows[:, number], side="left") for number, axis in enumerate(axes))
    counts = np.zeros([len(axis) + 1 for axis in axes], dtype=np.int64)
    np.add.at(counts, below, 1)
    for axis in range(4):
        counts = np.flip(np.cumsum(np.flip(counts, axis), axis), axis)
    return counts[1:, 1:, 1:, 1:]


def _plateau(same: npt.NDArray[np.bool_], chosen: tuple[int, ...], axis: int) -> tuple[float, float]:
    line = same[tuple(slice(None) if number == axis else index for number, index in enumerate(chosen))]
    low = high = chosen[axis]
    while low > 0 and line[low - 1]:
        low -= 1
    while high + 1 < len(line) and line[high + 1]:
        high += 1
    grid = GRID[CRITERIA[axis]]
    return grid[low], grid[high]


def _standard(values: Mapping[str, float]) -> StrikingStandard:
    return StrikingStandard(
        int(values["body_lines_gt"]),
        int(values["complexity_gt"]),
        float(values["similarity_gt"]),
        int(values["shared_comments_gt"]),
    )
