"""LiCoEval: does a code model reproduce licensed functions with striking similarity, and does it name the license."""

from cleartitle.evals.licoeval.benchmark import (
    STATISTICS,
    Benchmark,
    BenchmarkOptions,
    build_benchmark,
    open_benchmark,
    sample,
)
from cleartitle.evals.licoeval.compare import CompareOptions, Comparison, compare
from cleartitle.evals.licoeval.controls import CONTROLS
from cleartitle.evals.licoeval.evaluate import SCORING, LicoevalOptions, estimate, evaluate, open_units, score_run
from cleartitle.evals.licoeval.lico import LicoRange, lico, lico_range
from cleartitle.evals.licoeval.published import check_published, published
from cleartitle.evals.licoeval.scoring import MODES, SCORES, score
from cleartitle.evals.licoeval.units import UNITS, Eligibility
from cleartitle.evals.licoeval.verdicts import VERDICTS

__all__ = [
    "CONTROLS",
    "MODES",
    "SCORES",
    "SCORING",
    "STATISTICS",
    "UNITS",
    "VERDICTS",
    "Benchmark",
    "BenchmarkOptions",
    "CompareOptions",
    "Comparison",
    "Eligibility",
    "LicoRange",
    "LicoevalOptions",
    "build_benchmark",
    "check_published",
    "compare",
    "estimate",
    "evaluate",
    "lico",
    "lico_range",
    "open_benchmark",
    "open_units",
    "published",
    "sample",
    "score",
    "score_run",
]
