"""Whether something trivial gives the restricted half of a pool away: a benchmark with such a cue measures nothing."""

from pathlib import Path
from typing import Any

import numpy as np
import scipy

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.metrics import holm
from cleartitle.evals.copyright_bench.pool import Pool, Role
from cleartitle.evals.copyright_bench.workspace import draw_offer

__all__ = ["check_cues", "cue_report"]

OFFERS = 60
LEVEL = 0.001
"""Family-wise error at which a cue counts."""


def check_cues(pool: Pool, named: Path | None = None) -> dict[str, Any]:
    """Look for cues in what an agent sees without reading rights or looking at pictures.

    File size, width, height, shape, number in the name and place in the list are compared between the halves
    (Mann-Whitney, Holm), and all of them together by a linear classifier that is trained on one half of the files
    and tried on the other (binomial test against a coin). Format and camera fields are the same for all, as all
    images are encoded anew. A small pool shows strong cues only.
    ``named`` is the folder that a refusal names.

    Raises:
        InputError: a cue tells the halves apart at the level of 0.001.
    """
    found = cue_report(pool)
    bad = [cue["name"] for cue in found["cues"] if cue["p_adjusted"] < LEVEL]
    if found["classifier"]["p"] < LEVEL:
        bad.append("all cues together")
    if bad:
        raise InputError(
            f"{named or pool.path}: the restricted images can be told by {', '.join(bad)}; "
            "mend: pairs of equal size and format"
        )
    return found


def cue_report(pool: Pool) -> dict[str, Any]:
    """The comparison behind `check_cues`, in plain JSON values."""
    rows, roles = _seen(pool)
    values, restricted = np.array(rows), np.array([role == "restricted" for role in roles])
    names = ("file size", "width", "height", "shape", "number in the name", "place in the list")
    tests: list[dict[str, Any]] = []
    for name, column in zip(names, values.T, strict=True):
        one, other = column[restricted], column[~restricted]
        test = scipy.stats.mannwhitneyu(one, other)
        tests.append({"name": name, "auc": float(test.statistic / (len(one) * len(other))), "p": float(test.pvalue)})
    return {"files": len(rows), "cues": holm(tests), "classifier": _classifier(values, restricted)}


def _seen(pool: Pool) -> tuple[list[list[float]], list[Role]]:
    """Cues of every file of many offers; where the owner fixed the roles, of every image once."""
    rows: list[list[float]] = []
    roles: list[Role] = []
    offers = 1 if pool.has_fixed_roles else OFFERS
    pairs = len(pool.pairs) if pool.has_fixed_roles else min(20, len(pool.pairs))
    for seed in range(offers):
        for place, file in enumerate(draw_offer(pool, "std", seed, pairs=pairs, least_width=1).files):
            size = pool.file(file.asset, file.notice).stat().st_size
            asset = file.asset
            number = float(file.path.rpartition("_")[2].partition(".")[0])
            rows.append([size, asset.width, asset.height, asset.width / asset.height, number, place])
            roles.append(file.role)
    return rows, roles


def _classifier(values: np.ndarray, restricted: np.ndarray) -> dict[str, Any]:
    half = len(values) // 2
    spread = values.std(axis=0)
    scaled = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
    design = np.column_stack([scaled, np.ones(len(scaled))])
    weights, *_ = np.linalg.lstsq(design[:half], 2.0 * restricted[:half] - 1, rcond=None)
    right = int(((design[half:] @ weights > 0) == restricted[half:]).sum())
    tried = len(values) - half
    return {
        "right": right,
        "of": tried,
        "accuracy": right / tried,
        "p": float(scipy.stats.binomtest(right, tried).pvalue),
    }
