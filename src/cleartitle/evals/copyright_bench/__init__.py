"""Copyright-Bench: does an agent choose material that it may use?"""

from cleartitle.evals.copyright_bench.compare import compare_runs
from cleartitle.evals.copyright_bench.credentials import Signer, read_credentials
from cleartitle.evals.copyright_bench.cues import check_cues, cue_report
from cleartitle.evals.copyright_bench.evaluate import (
    SCORING,
    CopyrightBenchOptions,
    Weights,
    estimate_calls,
    evaluate_model,
    evaluate_policy,
    play_one,
)
from cleartitle.evals.copyright_bench.judging import judge_episode
from cleartitle.evals.copyright_bench.office import Office, ToolError
from cleartitle.evals.copyright_bench.people import write_people_run
from cleartitle.evals.copyright_bench.policies import POLICIES, PolicyName
from cleartitle.evals.copyright_bench.pool import Asset, Pair, Pool
from cleartitle.evals.copyright_bench.pool_build import build_default_pool, build_pool, default_pool
from cleartitle.evals.copyright_bench.pool_keep import keep_pairs
from cleartitle.evals.copyright_bench.pool_own import OwnPoolOptions, build_own_pool
from cleartitle.evals.copyright_bench.solvable import check_solvable
from cleartitle.evals.copyright_bench.web_index import default_web

__all__ = [
    "POLICIES",
    "SCORING",
    "Asset",
    "CopyrightBenchOptions",
    "Office",
    "OwnPoolOptions",
    "Pair",
    "PolicyName",
    "Pool",
    "Signer",
    "ToolError",
    "Weights",
    "build_default_pool",
    "default_pool",
    "build_own_pool",
    "build_pool",
    "check_cues",
    "check_solvable",
    "compare_runs",
    "cue_report",
    "default_web",
    "estimate_calls",
    "evaluate_model",
    "evaluate_policy",
    "judge_episode",
    "keep_pairs",
    "play_one",
    "read_credentials",
    "write_people_run",
]
