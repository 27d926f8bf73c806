"""What a membership study does: presets, and what may be changed of them."""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from cleartitle.errors import InputError
from cleartitle.membership.targets import TargetOptions
from cleartitle.membership.texts import DrawOptions

__all__ = ["HEADLINE", "MembershipOptions"]

HEADLINE = "fused"
"""The attack whose figure is judged for validity; chosen before any result."""


@dataclass(frozen=True)
class MembershipOptions:
    """A study of attacks on models whose training sets are known. None takes what the preset says.

    ``smoke`` shows in under two minutes that everything runs; its intervals are too wide to learn from. ``standard``
    takes under forty minutes on two cores. Neither is the scale of the paper (24,000 files a set, 100,002 words, ten
    shadows). ``mode`` and ``target``: see `TargetOptions`; ``split`` and the numbers of files: see `DrawOptions`.
    """

    preset: Literal["smoke", "standard"] = "standard"
    """Sizes of sets and models."""
    target: Literal["lstm", "gpt"] = "lstm"
    """Trained from nothing over words, or on public files first and then tuned, over byte pairs."""
    seed: int = 0
    """Of the draw of files, of weights, dropout and order."""
    mode: Literal["corrected", "paper"] = "corrected"
    """``paper``: the LSTM as released, with the vocabulary of its own training set and no dropout that acts."""
    split: Literal["file", "project"] = "file"
    """``project`` gives whole projects to a set."""
    files: int | None = None
    """Members, and as many non-members, of the target and of each shadow."""
    shadows: int | None = None
    """Shadow models."""
    pool: int | None = None
    """Public files for vocabulary, frequencies and first training."""
    words: int | None = None
    """Words of a file that count, from its first on."""
    vocabulary: int | None = None
    """Words, or byte pairs."""
    width: int | None = None
    """Of embeddings and states."""
    layers: int | None = None
    """Of the GPT."""
    dropout: float | None = None
    """Of the LSTM."""
    epochs: int | None = None
    """Over the members."""
    base_epochs: int | None = None
    """Of the GPT over the pool."""
    lr: float | None = None
    """Learning rate over the members."""
    common_in: tuple[int, ...] = (0, 1, 2, 3, 5, 10)
    """Curve of the filter: only tokens that stand in so many files of every training set count."""
    output_sizes: tuple[int, ...] = (1, 5, 20, 100, 1000)
    """Curve of RQ3: likeliest tokens that the model shows."""
    queries: tuple[int, ...] = (5, 10, 20, 40, 80, 160)
    """Curve of RQ4: tokens of a text that may be asked about."""
    permutations: int = 200
    """Relabelings behind the p-values of blind classifiers."""

    def draw(self) -> DrawOptions:
        """Which files are drawn."""
        words = 200 if self.target == "lstm" else 90
        usual: dict[str, Any] = (
            {"files": 40, "shadows": 2, "pool": 150, "words": min(words, 120), "min_words": 60}
            if self.preset == "smoke"
            else {"files": 200, "shadows": 3, "pool": 1000, "words": words, "min_words": min(words, 100)}
        )
        return DrawOptions(**{**usual, **self._given(DrawOptions)})

    def models(self) -> TargetOptions:
        """Which models are trained."""
        usual: dict[str, Any] = {"epochs": 8, "vocabulary": 3000, "width": 128} if self.preset == "smoke" else {}
        if self.preset == "smoke" and self.target == "gpt":
            usual = {"epochs": 4, "vocabulary": 2048, "width": 96, "base_epochs": 4}
        return TargetOptions(**{**usual, **self._given(TargetOptions)}).resolved()

    def _given(self, kind: type[Any]) -> dict[str, Any]:
        names = {field.name for field in fields(kind)}
        return {name: value for name, value in vars(self).items() if name in names and value is not None}

    def checked(self) -> "MembershipOptions":
        """The same options if they can be met.

        Raises:
            InputError: numbers that leave nothing to measure.
        """
        draw = self.draw()
        if draw.files < 10 or draw.shadows < 1 or draw.pool < 1:
            raise InputError("membership study: mend: at least 10 --files, 1 --shadows and 1 file in the --pool")
        return replace(self, common_in=tuple(sorted({0, *self.common_in})))
