"""Was this set of texts in the training data, taken as a whole? One p-value for many texts."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import scipy

from cleartitle.evals.statistics import Rate, rate
from cleartitle.membership.logistic import fit_logistic

__all__ = ["DatasetTest", "DatasetTestOptions", "NullCalibration", "Power", "dataset_test"]

Floats = npt.NDArray[np.float64]
LEAST_PROJECTS = 3
"""Units of a half of one side; a null calibration halves the held-out side twice."""


@dataclass(frozen=True)
class DatasetTestOptions:
    """Fixed before looking.

    Attributes:
        permutations: of the labels of projects in half B; the smallest p-value is 1 / (permutations + 1).
        null_draws: tests of held-out texts against held-out texts.
        alpha: p-value that the power is computed for.
        power: probability of reaching it.
        seed: of halves, permutations and draws.
    """

    permutations: int = 10_000
    null_draws: int = 200
    alpha: float = 0.01
    power: float = 0.8
    seed: int = 0


@dataclass(frozen=True)
class NullCalibration:
    """The same test where there is nothing to find: held-out projects against held-out projects.

    ``rejected`` counts p < .05, which should be one in twenty; ``uniform_p`` is that of a Kolmogorov-Smirnov test of
    the p-values against the uniform distribution. Draws overlap, so both are indications. ``refused`` says why there is
    none.
    """

    rejected: Rate | None
    uniform_p: float | None
    refused: str | None = None

    @property
    def is_sound(self) -> bool:
        """Whether the rejections are not clearly more than one in twenty."""
        interval = self.rejected.interval if self.rejected else None
        return interval is not None and interval.low <= 0.05


@dataclass(frozen=True)
class Power:
    """How many independent units (projects, or texts) a side reach p < ``alpha`` with probability ``power``.

    ``needed`` is by the normal approximation from the effect that half B shows: ``2 ((z_alpha + z_power) / d)^2``; None
    where the effect is not above 0. ``low`` and ``high`` are the same at the ends of the effect's 95 % interval
    (``high`` None: without end). ``needed_texts`` counts texts, at the number of texts a unit had.
    """

    alpha: float
    power: float
    needed: int | None
    low: int | None
    high: int | None
    needed_texts: int | None


@dataclass(frozen=True)
class DatasetTest:
    """The outcome. Small p-values are consistent with training on the suspect set; they do not prove it.

    ``welch_p`` and ``permutation_p`` are one-sided, suspects above held-out, one value a unit, on what no weight was
    learned from; ``weights`` are those of the scores.
    ``effect`` is Cohen's d. ``refused`` says why there is no test.
    """

    unit: str
    suspects: int
    held_out: int
    suspect_texts: int
    held_out_texts: int
    welch_p: float | None
    permutation_p: float | None
    effect: float | None
    difference: float | None
    null: NullCalibration
    power: Power | None
    refused: str | None = None
    weights: tuple[float, ...] = field(default=())

    @property
    def sentence(self) -> str:
        """The outcome in one sentence for people."""
        if self.refused is not None or self.permutation_p is None or self.welch_p is None:
            return f"No test: {self.refused}."
        p = max(self.permutation_p, self.welch_p)
        counts = f"{self.suspects} suspect and {self.held_out} held-out {self.unit}s"
        if self.null.refused is not None:
            return f"No conclusion ({counts}): {self.null.refused}; mend: more held-out {self.unit}s."
        if not self.null.is_sound:
            return (
                f"No conclusion: the test is not calibrated on these texts ({counts}); held-out texts differ as much."
            )
        if p < 0.01:
            return f"Consistent with training on the suspect texts (p = {p:.2g}, {counts}); this does not prove it."
        if p < 0.05:
            return f"Weakly consistent with training on the suspect texts (p = {p:.2g}, {counts})."
        return f"Cannot tell (p = {p:.2g}, {counts}): no difference beyond chance, which does not show absence."


def dataset_test(
    suspect: npt.ArrayLike,
    held_out: npt.ArrayLike,
    suspect_projects: Sequence[Hashable] | None = None,
    held_out_projects: Sequence[Hashable] | None = None,
    options: DatasetTestOptions | None = None,
    *,
    unit: str = "project",
) -> DatasetTest:
    """Test whether suspect texts score above held-out texts of the same kind that the model cannot have seen.

    After Maini et al. 2024 (LLM dataset inference): where there are several scores, both sets are cut into halves A and
    B by project, a logistic regression learns on A how to weigh the scores, and B alone is tested. A single score
    needs no weights, so that all texts are tested (higher is more likely a member). Values are averaged over each
    project and compared by Welch's one-sided t-test and by a permutation test. Columns are standardized with the
    held-out half A; nothing of B is fitted. The same is then done with held-out projects against each other, where
    nothing is to be found.

    It rests on one assumption that no number here can check: that the held-out texts are of the same kind as the
    suspect ones. Texts of another time, author or topic give small p-values without any training.

    Args:
        suspect: scores, shape (n,) or (n, attacks), higher is more likely a member; NaN reads as the column's mean.
        held_out: scores of texts that were not trained on, shape (m,) or (m, attacks).
        suspect_projects: the project of each suspect text; texts of one project are no independent evidence. None: each
            text for itself.
        held_out_projects: the same for the held-out texts.
        options: of the test.
        unit: what the projects are, in words.

    Raises:
        ValueError: shapes or lengths do not fit.
    """
    chosen = options or DatasetTestOptions()
    sides = [_Side.of(suspect, suspect_projects), _Side.of(held_out, held_out_projects)]
    if sides[0].rows.shape[1] != sides[1].rows.shape[1]:
        raise ValueError("suspect and held-out texts need the same scores")
    generator = np.random.default_rng(chosen.seed)
    unit = "text" if suspect_projects is None else unit
    sizes = (sides[0].units, sides[1].units, len(sides[0].rows), len(sides[1].rows))
    reason = _too_few(sides, unit)
    if reason is not None:
        empty = NullCalibration(None, None, reason)
        return DatasetTest(unit, *sizes, None, None, None, None, empty, None, reason)
    combine, weights, tested = _fit(sides[0], sides[1], generator)
    high, low = (side.means(combine) for side in tested)
    welch = _welch(high, low)
    effect = _effect(high, low)
    per_unit = len(tested[0].rows) / tested[0].units
    return DatasetTest(
        unit,
        *sizes,
        welch,
        _permutation(high, low, chosen.permutations, generator),
        effect,
        float(high.mean() - low.mean()),
        _null(sides[1], chosen, generator),
        _power(effect, len(high), len(low), chosen, per_unit),
        None,
        weights,
    )


@dataclass(frozen=True)
class _Side:
    """Scores of texts, shape (n, attacks), and the number of each text's unit."""

    rows: Floats
    unit: npt.NDArray[np.int64]

    @classmethod
    def of(cls, scores: npt.ArrayLike, projects: Sequence[Hashable] | None) -> "_Side":
        rows = np.asarray(scores, np.float64)
        rows = rows[:, None] if rows.ndim == 1 else rows
        if projects is not None and len(projects) != len(rows):
            raise ValueError(f"{len(rows)} texts and {len(projects)} projects")
        numbers: dict[Hashable, int] = {}
        names: Sequence[Hashable] = range(len(rows)) if projects is None else projects
        unit = np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), np.int64, len(rows))
        keep = np.isfinite(rows).any(axis=1)
        return cls(rows[keep], np.unique(unit[keep], return_inverse=True)[1].astype(np.int64))

    @property
    def units(self) -> int:
        return int(self.unit.max()) + 1 if len(self.unit) else 0

    def take(self, units: npt.NDArray[np.int64]) -> "_Side":
        keep = np.isin(self.unit, units)
        return _Side(self.rows[keep], np.unique(self.unit[keep], return_inverse=True)[1].astype(np.int64))

    def halves(self, generator: np.random.Generator) -> tuple["_Side", "_Side"]:
        order = generator.permutation(self.units)
        half = len(order) // 2
        return self.take(order[:half]), self.take(order[half:])

    def means(self, combine: "_Combination") -> Floats:
        values = combine.of(self.rows)
        return np.bincount(self.unit, values) / np.bincount(self.unit)


def _fit(
    suspect: _Side, held_out: _Side, generator: np.random.Generator
) -> tuple["_Combination", tuple[float, ...], tuple[_Side, _Side]]:
    """How to weigh the scores, learned on halves A, and what is left to test."""
    if suspect.rows.shape[1] == 1:
        return *_combination(suspect, held_out), (suspect, held_out)
    (suspect_a, suspect_b), (held_out_a, held_out_b) = suspect.halves(generator), held_out.halves(generator)
    return *_combination(suspect_a, held_out_a), (suspect_b, held_out_b)


@dataclass(frozen=True)
class _Combination:
    center: Floats
    scale: Floats
    weights: Floats

    def of(self, rows: Floats) -> Floats:
        """One value a text; scores within ten spreads of the held-out mean, NaN as that mean."""
        return np.clip(np.nan_to_num((rows - self.center) / self.scale), -10.0, 10.0) @ self.weights


def _combination(suspect: _Side, held_out: _Side) -> tuple[_Combination, tuple[float, ...]]:
    finite = np.where(np.isfinite(held_out.rows), held_out.rows, np.nan)
    known = np.maximum(np.isfinite(finite).sum(axis=0), 1)
    center = np.nansum(finite, axis=0) / known
    scale = np.sqrt(np.nansum((finite - center) ** 2, axis=0) / known)
    scale = np.where(scale > 0, scale, 1.0)
    plain = _Combination(center, scale, np.ones(len(center)))
    if len(center) == 1:
        return plain, (1.0,)
    rows = np.concatenate([suspect.rows, held_out.rows])
    columns = np.clip(np.nan_to_num((rows - center) / scale), -10.0, 10.0)
    labels = np.arange(len(rows)) < len(suspect.rows)
    model = fit_logistic(columns, labels)
    weights = model.weights / model.scale
    return _Combination(center, scale, weights), tuple(map(float, weights))


def _too_few(sides: Sequence[_Side], unit: str) -> str | None:
    least = min(side.units for side in sides)
    needed = 2 * LEAST_PROJECTS
    if least >= needed:
        return None
    return (
        f"it needs {needed} {unit}s on each side, this run has {sides[0].units} suspect and {sides[1].units} held-out; "
        "mend: more of them, or take texts as units where they can pass for independent"
    )


def _welch(high: Floats, low: Floats) -> float:
    sides = [(float(side.mean()), float(side.std(ddof=1)), len(side)) for side in (high, low)]
    if not any(spread for _, spread, _ in sides):
        return 1.0 if sides[0][0] <= sides[1][0] else 0.0
    return float(scipy.stats.ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False, alternative="greater").pvalue)


def _effect(high: Floats, low: Floats) -> float:
    pooled = math.sqrt((high.var(ddof=1) * (len(high) - 1) + low.var(ddof=1) * (len(low) - 1)) / _freedom(high, low))
    return float((high.mean() - low.mean()) / pooled) if pooled > 0 else 0.0


def _freedom(high: Floats, low: Floats) -> int:
    return len(high) + len(low) - 2


def _permutation(high: Floats, low: Floats, draws: int, generator: np.random.Generator) -> float:
    """Share of relabelings, the given one among them, with a difference of means at least as large."""
    pool = np.concatenate([high, low])
    seen = high.mean() - low.mean()
    at_least = 1
    for start in range(0, draws, 1000):
        count = min(1000, draws - start)
        shuffled = generator.permuted(np.broadcast_to(pool, (count, len(pool))).copy(), axis=1)
        sums = shuffled[:, : len(high)].sum(axis=1)
        difference = sums / len(high) - (pool.sum() - sums) / len(low)
        at_least += int((difference >= seen - 1e-12).sum())
    return at_least / (draws + 1)


def _null(held_out: _Side, options: DatasetTestOptions, generator: np.random.Generator) -> NullCalibration:
    if held_out.units < 4 * LEAST_PROJECTS:
        return NullCalibration(
            None, None, f"null calibration needs {4 * LEAST_PROJECTS} held-out units, this run has {held_out.units}"
        )
    values: list[float] = []
    for _ in range(options.null_draws):
        combine, _, (one, two) = _fit(*held_out.halves(generator), generator)
        values.append(_welch(one.means(combine), two.means(combine)))
    found = np.array(values)
    return NullCalibration(
        rate(int((found < 0.05).sum()), len(found)), float(scipy.stats.kstest(found, "uniform").pvalue)
    )


def _power(effect: float, high: int, low: int, options: DatasetTestOptions, per_unit: float) -> Power:
    error = math.sqrt((high + low) / (high * low) + effect**2 / (2 * (high + low)))
    reach = float(scipy.stats.norm.isf(options.alpha) + scipy.stats.norm.ppf(options.power))

    def needed(size: float) -> int | None:
        return max(LEAST_PROJECTS, math.ceil(2 * (reach / size) ** 2)) if size > 0 else None

    units = needed(effect)
    return Power(
        options.alpha,
        options.power,
        units,
        needed(effect + 1.96 * error),
        needed(effect - 1.96 * error),
        None if units is None else math.ceil(units * per_unit),
    )
