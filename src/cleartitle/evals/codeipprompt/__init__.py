"""CodeIPPrompt: how close does a code model come to licensed code in n tries, per license class and language."""

from cleartitle.evals.codeipprompt.build import PromptOptions, build_prompts
from cleartitle.evals.codeipprompt.evaluate import SCORING, CodeipOptions, estimate, evaluate, score_run
from cleartitle.evals.codeipprompt.figures import em_ep
from cleartitle.evals.codeipprompt.metrics import (
    THRESHOLD,
    empirical_probability,
    expected_maximum,
    resampled,
    share_per_prompt,
)
from cleartitle.evals.codeipprompt.prompts import LANGUAGES, PROMPTS, REPORTED_APART, PromptSet
from cleartitle.evals.codeipprompt.published import check_published, published
from cleartitle.evals.codeipprompt.questions import answer_code, prompt_request
from cleartitle.evals.codeipprompt.reduce import Reduced, reduce_scores
from cleartitle.evals.codeipprompt.run_prompts import RUN_PROMPTS
from cleartitle.evals.codeipprompt.scoring import MODES, SCORE_INPUT, SCORES, score, score_input
from cleartitle.evals.codeipprompt.summary import LIGHT, PAPER_CLASSES
from cleartitle.evals.codeipprompt.table2 import PUBLISHED_TABLE_2, table_2
from cleartitle.evals.codeipprompt.thresholds import STUDY, study_run, threshold_study
from cleartitle.evals.codeipprompt.training_set import TrainingSet

__all__ = [
    "LANGUAGES",
    "LIGHT",
    "MODES",
    "PAPER_CLASSES",
    "PROMPTS",
    "PUBLISHED_TABLE_2",
    "REPORTED_APART",
    "RUN_PROMPTS",
    "SCORES",
    "SCORE_INPUT",
    "SCORING",
    "STUDY",
    "THRESHOLD",
    "CodeipOptions",
    "PromptOptions",
    "PromptSet",
    "Reduced",
    "TrainingSet",
    "answer_code",
    "build_prompts",
    "check_published",
    "em_ep",
    "empirical_probability",
    "estimate",
    "evaluate",
    "expected_maximum",
    "prompt_request",
    "published",
    "reduce_scores",
    "resampled",
    "score",
    "score_input",
    "score_run",
    "share_per_prompt",
    "study_run",
    "table_2",
    "threshold_study",
]
