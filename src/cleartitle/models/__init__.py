"""What Cleartitle asks of models: a small protocol, and one adapter a file."""

from cleartitle.models.protocol import (
    Capabilities,
    Content,
    Estimate,
    Generation,
    Image,
    Message,
    Model,
    ModelOptions,
    Request,
    Role,
    Sampling,
    Status,
    Style,
    Text,
    Tool,
    ToolCall,
    failed,
    plain_text,
)
from cleartitle.models.refusals import looks_like_refusal
from cleartitle.models.registry import open_model, open_scorer
from cleartitle.models.scoring_budget import QueryBudget, token_counts
from cleartitle.models.scoring_cache import Scores, score_all
from cleartitle.models.scoring_options import ScorerOptions
from cleartitle.models.scoring_recorded import write_scores
from cleartitle.models.scoring_selftest import self_test
from cleartitle.models.token_stats import BEYOND, Access, ScorerCapabilities, TokenScorer, TokenSpans, TokenStats
from cleartitle.models.training import Schedule, TrainOptions, fine_tune, fit, train

__all__ = [
    "BEYOND",
    "Access",
    "Capabilities",
    "Content",
    "Estimate",
    "Generation",
    "Image",
    "Message",
    "Model",
    "ModelOptions",
    "QueryBudget",
    "Request",
    "Role",
    "Sampling",
    "Schedule",
    "ScorerCapabilities",
    "ScorerOptions",
    "Scores",
    "Status",
    "Style",
    "Text",
    "TokenScorer",
    "TokenSpans",
    "TokenStats",
    "Tool",
    "ToolCall",
    "TrainOptions",
    "failed",
    "fine_tune",
    "fit",
    "looks_like_refusal",
    "open_model",
    "open_scorer",
    "plain_text",
    "score_all",
    "self_test",
    "token_counts",
    "train",
    "write_scores",
]
