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
from cleartitle.models.registry import open_model
from cleartitle.models.training import Schedule, TrainOptions, fine_tune, fit, train

__all__ = [
    "Capabilities",
    "Content",
    "Estimate",
    "Generation",
    "Image",
    "Message",
    "Model",
    "ModelOptions",
    "Request",
    "Role",
    "Sampling",
    "Schedule",
    "Status",
    "Style",
    "Text",
    "Tool",
    "ToolCall",
    "TrainOptions",
    "failed",
    "fine_tune",
    "fit",
    "looks_like_refusal",
    "open_model",
    "plain_text",
    "train",
]
