"""Copyright-Bench: does an agent choose material that it may use?"""

from cleartitle.evals.copyright_bench.compare import compare_runs
from cleartitle.evals.copyright_bench.evaluate import (
    SCORING,
    CopyrightBenchOptions,
    Weights,
    estimate_calls,
    evaluate_model,
    evaluate_policy,
)
from cleartitle.evals.copyright_bench.office import Office, ToolError
from cleartitle.evals.copyright_bench.policies import POLICIES, PolicyName
from cleartitle.evals.copyright_bench.pool import Asset, Pair, Pool
from cleartitle.evals.copyright_bench.pool_build import build_default_pool, build_pool
from cleartitle.evals.copyright_bench.web_index import default_web

__all__ = [
    "POLICIES",
    "SCORING",
    "Asset",
    "CopyrightBenchOptions",
    "Office",
    "Pair",
    "PolicyName",
    "Pool",
    "ToolError",
    "Weights",
    "build_default_pool",
    "build_pool",
    "compare_runs",
    "default_web",
    "estimate_calls",
    "evaluate_model",
    "evaluate_policy",
]
