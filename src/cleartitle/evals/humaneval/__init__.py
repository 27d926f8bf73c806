"""HumanEval: does a model write functions that pass their tests (Chen et al. 2021)."""

from cleartitle.evals.humaneval.capability import capability_of
from cleartitle.evals.humaneval.evaluate import SCORING, HumanevalOptions, estimate, evaluate, run_tests
from cleartitle.evals.humaneval.execute import CONTROLS, RESULTS, execute
from cleartitle.evals.humaneval.pass_at import estimate_pass, pass_at
from cleartitle.evals.humaneval.problems import DATASET, PROBLEMS, problems
from cleartitle.evals.humaneval.program import Program, assemble
from cleartitle.evals.humaneval.prompts import problem_request
from cleartitle.evals.humaneval.sandbox import (
    Confinement,
    Limits,
    SandboxError,
    Verdict,
    confinement,
    run_program,
)

__all__ = [
    "CONTROLS",
    "DATASET",
    "PROBLEMS",
    "RESULTS",
    "SCORING",
    "Confinement",
    "HumanevalOptions",
    "Limits",
    "Program",
    "SandboxError",
    "Verdict",
    "assemble",
    "capability_of",
    "confinement",
    "estimate",
    "estimate_pass",
    "evaluate",
    "execute",
    "pass_at",
    "problem_request",
    "problems",
    "run_program",
    "run_tests",
]
