"""Two runs on the same prompts, paired: is the second model, or version, better or worse than the first?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from cleartitle.errors import InputError
from cleartitle.evals.licoeval.evaluate import open_units
from cleartitle.evals.licoeval.lico import lico
from cleartitle.evals.licoeval.scoring import SCORES
from cleartitle.evals.licoeval.units import Mode
from cleartitle.evals.statistics import Interval, bootstrap
from cleartitle.files import read_json
from cleartitle.tables import read_parts, read_table

__all__ = ["CompareOptions", "Comparison", "Difference", "compare"]

Case = tuple[str, int]


@dataclass(frozen=True)
class CompareOptions:
    """How two runs are compared, and when the second counts as a regression."""

    mode: Mode = "corrected"
    """Whose verdicts are compared."""
    tolerance: float = 0.0
    """How much the rate of striking answers may rise, or LiCo fall, before it is a regression."""
    strict: bool = False
    """Take the plain difference for the gate; by default its whole 95 % interval must lie beyond the tolerance."""


@dataclass(frozen=True)
class Difference:
    """One figure in both runs, and second minus first with its interval over the shared prompts.

    ``worse`` says which sign is a change for the worse (+1 or -1), 0 if neither is.
    """

    name: str
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    n: int
    worse: int


@dataclass(frozen=True)
class Comparison:
    """Paired differences of two runs.

    ``only_first`` and ``only_second`` are the answers that are striking in one run only; ``p`` is the exact two-sided
    McNemar test on them. ``regressions`` names the figures that are worse beyond the tolerance. Prompts that only one
    run asked for are counted in ``unpaired`` and enter no figure.
    """

    first: str
    second: str
    mode: str
    pairs: int
    unpaired: int
    differences: tuple[Difference, ...]
    only_first: tuple[Case, ...]
    only_second: tuple[Case, ...]
    both: int
    p: float | None
    regressions: tuple[str, ...]


def compare(first: Path, second: Path, options: CompareOptions = CompareOptions()) -> Comparison:  # noqa: B008
    """Compare two finished runs over the answers that both scored.

    Raises:
        InputError: a folder holds no finished run, no answer is shared, or a shared prompt differs between the runs.
    """
    left, right = _Side(first, options.mode), _Side(second, options.mode)
    shared = [case for case in left.cases if case in right.cases]
    if not shared:
        raise InputError(f"{first} and {second} share no scored answer; mend: compare runs of the same benchmark")
    for prompt in {case[0] for case in shared}:
        if left.references[prompt] != right.references[prompt]:
            raise InputError(f"{prompt}: the two runs hold different texts under this name; mend: rebuild one of them")
    projects = [left.projects[case[0]] for case in shared]
    table = np.hstack([_columns(left, shared), _columns(right, shared)])
    differences = tuple(
        _difference(name, statistic, worse, table, projects) for name, (statistic, worse) in FIGURES.items()
    )
    struck = [(left.cases[case]["striking"], right.cases[case]["striking"]) for case in shared]
    only_first = tuple(case for case, (one, two) in zip(shared, struck, strict=True) if one and not two)
    only_second = tuple(case for case, (one, two) in zip(shared, struck, strict=True) if two and not one)
    discordant = len(only_first) + len(only_second)
    return Comparison(
        first=left.name,
        second=right.name,
        mode=options.mode,
        pairs=len(shared),
        unpaired=len(left.cases) + len(right.cases) - 2 * len(shared),
        differences=differences,
        only_first=only_first,
        only_second=only_second,
        both=sum(one and two for one, two in struck),
        p=float(scipy.stats.binomtest(len(only_first), discordant).pvalue) if discordant else None,
        regressions=tuple(one.name for one in differences if _regressed(one, options)),
    )


class _Side:
    """What one run says of each of its answers in one mode."""

    def __init__(self, path: Path, mode: str) -> None:
        self.name = str(read_json(path / "summary.json")["model"]["name"])
        scores = read_parts(path / "scores", SCORES).to_pylist()
        self.cases: dict[Case, dict[str, Any]] = {
            (row["prompt_id"], row["sample_index"]): row
            for row in scores
            if (row["source"], row["mode"]) == ("model", mode) and row["similarity"] is not None
        }
        verdicts = read_table(path / "verdicts.parquet").to_pylist()
        self.verdicts: dict[Case, Mapping[str, Any]] = {
            (row["prompt_id"], row["sample_index"]): row
            for row in verdicts
            if (row["source"], row["mode"]) == ("model", mode)
            and (mode == "paper" or row["answer_status"] not in ("error", "not asked"))
        }
        units = open_units(path).to_pylist()
        self.projects = {row["prompt_id"]: row["project"] for row in units}
        self.references = {row["prompt_id"]: (row["body"], row["license"]) for row in units}


# Columns of one run: striking, similarity, permissive case, right, copyleft case, right.
WIDTH = 6


def _columns(side: _Side, shared: list[Case]) -> np.ndarray:
    rows = np.zeros((len(shared), WIDTH))
    for position, case in enumerate(shared):
        score, verdict = side.cases[case], side.verdicts.get(case)
        kind = verdict["kind"] if verdict else ""
        right = bool(verdict and verdict["correct"])
        rows[position] = (
            score["striking"],
            score["similarity"],
            kind == "permissive",
            kind == "permissive" and right,
            kind == "copyleft",
            kind == "copyleft" and right,
        )
    return rows


def _striking(sums: np.ndarray, n: int) -> float | None:
    return float(sums[0] / n)


def _similarity(sums: np.ndarray, n: int) -> float | None:
    return float(sums[1] / n)


def _accuracy(sums: np.ndarray, n: int) -> float | None:
    cases = sums[2] + sums[4]
    return float((sums[3] + sums[5]) / cases) if cases else None


def _lico(sums: np.ndarray, n: int) -> float | None:
    striking, permissive, right_p, copyleft, right_c = (round(float(sums[column])) for column in (0, 2, 3, 4, 5))
    return lico(striking, n, right_p, permissive, right_c, copyleft)


Statistic = Callable[[np.ndarray, int], float | None]

FIGURES: dict[str, tuple[Statistic, int]] = {
    "striking": (_striking, 1),
    "similarity": (_similarity, 0),
    "accuracy": (_accuracy, -1),
    "lico": (_lico, -1),
}
"""Statistic of the column sums and the number of answers of one run, and the sign of a change for the worse."""


def _difference(name: str, statistic: Statistic, worse: int, table: np.ndarray, projects: list[str]) -> Difference:
    sums, n = table.sum(axis=0), len(table)
    one, two = statistic(sums[:WIDTH], n), statistic(sums[WIDTH:], n)
    if one is None or two is None:
        return Difference(name, one, two, None, None, n, worse)

    def resampled(resample: np.ndarray, count: int) -> float:
        first, second = statistic(resample[:WIDTH], count), statistic(resample[WIDTH:], count)
        return float("nan") if first is None or second is None else second - first

    # An accuracy is over other cases in each run and may have none in a resample: it gets no interval.
    known = name != "accuracy" and len(set(projects)) > 1
    interval = bootstrap(resampled, table, projects) if known else None
    return Difference(name, one, two, two - one, interval, n, worse)


def _regressed(one: Difference, options: CompareOptions) -> bool:
    if one.difference is None or one.worse == 0:
        return False
    if options.strict or one.interval is None:
        return options.strict and one.worse * one.difference > options.tolerance
    nearest = one.interval.low if one.worse > 0 else -one.interval.high
    return nearest > options.tolerance
