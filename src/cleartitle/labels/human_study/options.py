"""What a study of people looks like."""

from dataclasses import dataclass, field
from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import CopyrightBenchOptions
from cleartitle.evals.copyright_bench.tasks import PROMPTS, Environment, Prompt
from cleartitle.options import NOT_IN_KEY

__all__ = ["StudyOptions"]


@dataclass(frozen=True)
class StudyOptions:
    """Who gets which tasks.

    Each person gets one of ``prompt``, so that nobody learns from one way of asking what another is about, and with it
    each of the three tasks once, in an order of their own, in ``environment``. Offers are those of
    `CopyrightBenchOptions` with the same ``pairs`` and ``seed``. ``people`` may join at most. ``consent`` is a file
    with a text in the place of the built-in one; ``origin`` the address under which a proxy shows the page to others.
    """

    prompt: tuple[Prompt, ...] = PROMPTS
    environment: Environment = "std"
    people: int = 176
    pairs: int = 20
    seed: int = 0
    consent: Path | None = field(default=None, metadata=NOT_IN_KEY)
    origin: str | None = field(default=None, metadata=NOT_IN_KEY)
    port: int = field(default=0, metadata=NOT_IN_KEY)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompt", tuple(self.prompt))
        if not self.prompt or len(set(self.prompt)) < len(self.prompt):
            raise InputError("--prompt: at least one, each once")
        if not 1 <= self.people <= 100_000:
            raise InputError(f"--people {self.people}: must be from 1 to 100,000")
        if self.pairs < 1:
            raise InputError(f"--pairs {self.pairs}: must be at least 1")
        if self.origin is not None and not self.origin.startswith(("http://", "https://")):
            raise InputError(f"--origin {self.origin}: must start with https://")

    @property
    def cells(self) -> CopyrightBenchOptions:
        """The cells of the benchmark that the study fills; with one prompt only, or all of them."""
        prompt = self.prompt[0] if len(self.prompt) == 1 else None
        return CopyrightBenchOptions(
            prompt=prompt, environment=self.environment, runs=self.people, pairs=self.pairs, seed=self.seed, workers=1
        )
