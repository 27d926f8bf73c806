"""Does a longer prompt bring a model closer to the original? Three tests of correlation (CodeIPPrompt, section 5)."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import scipy

from cleartitle.evals.codeipprompt.metrics import Scores

__all__ = ["TESTS", "correlations"]

TESTS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}


def correlations(lengths: npt.NDArray[np.float64], scores: Scores) -> dict[str, Any]:
    """Pearson's r, Spearman's ρ and Kendall's τ-b of two arrays, with two-sided p-values for no correlation.

    NaN scores are left out. A coefficient is None where fewer than three pairs are left or one side is constant. The
    p-values take prompts for independent; those of one project are not, so that small ones are too small.
    """
    known = ~np.isnan(scores)
    x, y = np.asarray(lengths, dtype=np.float64)[known], scores[known]
    found: dict[str, Any] = {"n": len(x)}
    usable = len(x) >= 3 and np.ptp(x) > 0 and np.ptp(y) > 0
    for name, test in TESTS.items():
        result = cast("tuple[float, float]", getattr(scipy.stats, test)(x, y)) if usable else None
        found[name] = {"r": float(result[0]), "p": float(result[1])} if result is not None else {"r": None, "p": None}
    return found
