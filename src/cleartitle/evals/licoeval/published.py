"""The published figures of LiCoEval, and the check that our formula gives them."""

import json
from importlib.resources import files
from typing import Any

from cleartitle.evals.licoeval.lico import lico, lico_range

__all__ = ["check_published", "published"]


def published() -> dict[str, Any]:
    """Tables III and IV and the license distribution, as printed in the paper."""
    return json.loads((files("cleartitle.evals.licoeval") / "data" / "published.json").read_text(encoding="utf-8"))


def check_published() -> list[dict[str, Any]]:
    """One row per model of Table IV: the printed LiCo, the LiCo of its counts, and whether they agree to three places.

    The counts of right answers are the only whole numbers that the printed ratios allow.
    """
    record = published()
    rows: list[dict[str, Any]] = []
    for row in record["rows"]:
        counts = (
            row["striking"],
            record["benchmark_size"],
            row["correct_permissive"] or 0,
            row["permissive"],
            row["correct_copyleft"] or 0,
            row["copyleft"],
        )
        value, span = lico(*counts), lico_range(*counts)
        rows.append(
            {
                **row,
                "computed": value,
                "agrees": f"{value:.3f}" == f"{row['lico']:.3f}",
                "low": span.low,
                "high": span.high,
                "ranked": row["copyleft"] > 0,
            }
        )
    return rows
