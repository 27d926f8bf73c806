"""What the runs of LiCoEval and CodeIPPrompt share: figures in two modes, one of which is the headline's."""

from typing import Any

from cleartitle.evals.licoeval import MODES

__all__ = ["InTwoModes"]


class InTwoModes:
    """A run with the summary of an evaluation that is scored in both modes."""

    summary: dict[str, Any]

    @property
    def mode(self) -> str:
        """The mode of the headline."""
        return self.summary["headline_mode"]

    @property
    def modes(self) -> tuple[str, ...]:
        """Both modes, that of the headline first."""
        return tuple(sorted(MODES, key=lambda mode: mode != self.mode))

    @property
    def figures(self) -> dict[str, Any]:
        """Figures of the model in the mode of the headline."""
        return self.summary["modes"][self.mode]

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.summary["model"]["name"]
