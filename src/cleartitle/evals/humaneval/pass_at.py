"""pass@k, with an interval over problems."""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from cleartitle.evals.statistics import bootstrap, rate

__all__ = ["by_problem", "estimate_pass", "pass_at"]


def estimate_pass(samples: int, passed: int, k: int) -> float:
    """The chance that one of ``k`` samples passes, estimated without bias from ``passed`` of ``samples``.

    1 - C(n - c, k) / C(n, k) (Chen et al. 2021, section 2.1, formula 1).

    Raises:
        ValueError: not ``0 <= passed <= samples`` or not ``1 <= k <= samples``.
    """
    if not 0 <= passed <= samples or not 1 <= k <= samples:
        raise ValueError(f"pass@{k} cannot be estimated from {passed} of {samples}")
    return 1 - comb(samples - passed, k) / comb(samples, k)


def pass_at(counts: Mapping[str, tuple[int, int]], k: int) -> dict[str, Any]:
    """pass@k over problems with at least ``k`` samples, as plain JSON values.

    ``counts`` maps a problem to its samples and how many of them passed. Problems are the trials: with one value 0 or 1
    for each the interval is Wilson's, with ``count`` and the exact bound ``at_most``; with values between, a bootstrap
    over problems. The interval tells how far other problems of this kind would move the figure. It does not tell what
    the model does with other code, nor whether it saw the problems in training.
    """
    values = [estimate_pass(samples, passed, k) for samples, passed in counts.values() if samples >= k]
    whole = [value for value in values if value in (0.0, 1.0)]
    if len(whole) == len(values):
        return {**rate(round(sum(values)), len(values)).as_json(), "k": k}
    share = sum(values) / len(values)
    interval = bootstrap(_mean, np.asarray(values)[:, None], range(len(values))) if len(values) > 1 else None
    record = interval and {"low": interval.low, "high": interval.high, "method": interval.method}
    return {"count": None, "total": len(values), "value": share, "interval": record, "at_most": None, "k": k}


def _mean(sums: np.ndarray, n: int) -> float:
    return float(sums[0] / n)


def by_problem(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """Samples and passes of each problem, from rows of results; calls that failed are no samples."""
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        samples, passed = counts.get(row["prompt_id"], (0, 0))
        if row["outcome"] != "no answer":
            counts[row["prompt_id"]] = (samples + 1, passed + (row["outcome"] == "passed"))
    return counts
