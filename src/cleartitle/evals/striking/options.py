"""Options of the study."""

from dataclasses import dataclass, field

from cleartitle.errors import InputError
from cleartitle.evals.licoeval.units import Mode
from cleartitle.options import NOT_IN_KEY

__all__ = ["StrikingOptions", "TeachOptions"]


@dataclass(frozen=True)
class StrikingOptions:
    """How groups are drawn and a model is asked."""

    mode: Mode = "corrected"
    """paper: count all lines of a body, as published; corrected: nonblank lines. Figures are given in both modes."""
    language: str = "python"
    per_group: int = 100
    """Functions in each of the four groups; the paper takes 10,000."""
    jaccard: float = 0.2
    """An unseen function is kept if no training function is as similar as this (5-grams, MinHash)."""
    body_lines_gt: int = 6
    """Least length of a body; the paper takes the median of all functions."""
    prompt_lines_max: int = 188
    """Longest prompt; 188 lines is the longest of Table II."""
    max_tokens: int = 512
    """Longest answer, in tokens of the model."""
    temperature: float = 0.0
    """0 is greedy, as in the paper."""
    seed: int = 0
    """Of the draw of functions, and of the model where it samples."""
    workers: int = field(default=1, metadata=NOT_IN_KEY)
    """Processes that cut functions and score answers; worth more than 1 from some thousand on."""

    def __post_init__(self) -> None:
        """Refuse what no study can honor."""
        lowest = {"per_group": 1, "body_lines_gt": 0, "prompt_lines_max": 1, "max_tokens": 1, "workers": 1}
        wrong = [f"{name}={getattr(self, name)}" for name, least in lowest.items() if getattr(self, name) < least]
        wrong += [] if 0 <= self.temperature <= 2 else [f"temperature={self.temperature}"]
        wrong += [] if 0 < self.jaccard <= 1 else [f"jaccard={self.jaccard}"]
        if wrong:
            raise InputError(f"study options: {', '.join(wrong)}: out of range")


@dataclass(frozen=True)
class TeachOptions:
    """How a model is taught functions a known number of times (`--teach`)."""

    repetitions: tuple[int, ...] = (1, 2, 5, 10)
    """How often functions are seen; each number is one arm."""
    per_arm: int = 4
    """Functions of each arm in each of the two pairs; as many unseen ones are drawn as are taught in all."""
    longest: int = 1200
    """Most characters of prompt and body together, so that small models can learn them."""
    base: str = "embedded"
    """Model to teach: embedded, or a folder that transformers opens."""
    learning_rate: float = 1e-4
    """Of the fine-tuning; it falls to 0."""
    scratch_epochs: int = 45
    """Epochs of a second model that is trained from scratch on the same functions; 0 for none."""

    def __post_init__(self) -> None:
        """Refuse what no training can honor."""
        wrong = [] if self.repetitions and min(self.repetitions) >= 1 else [f"repetitions={self.repetitions}"]
        wrong += [] if len(set(self.repetitions)) == len(self.repetitions) else [f"repetitions={self.repetitions}"]
        lowest = {"per_arm": 1, "longest": 1, "scratch_epochs": 0}
        wrong += [f"{name}={getattr(self, name)}" for name, least in lowest.items() if getattr(self, name) < least]
        wrong += [] if 0 < self.learning_rate < 1 else [f"learning_rate={self.learning_rate}"]
        if wrong:
            raise InputError(f"teach options: {', '.join(wrong)}: out of range")
