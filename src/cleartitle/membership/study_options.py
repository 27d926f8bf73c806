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
    target: Literal["lstm", "gpt"] = "lstm"
    seed: int = 0
    mode: Literal["corrected", "paper"] = "corrected"
    split: Literal["file", "project"] = "file"
    files: int | None = None
    shadows: int | None = None
    pool: int | None = None
    words: int | None = None
    vocabulary: int | None = None
    width: int | None = None
    layers: int | None = None
    dropout: float | None = None
    epochs: int | None = None
    base_epochs: int | None = None
    lr: float | None = None
    common_in: tuple[int, ...] = (0, 1, 2, 3, 5, 10)
    """Curve of the filter: only tokens that stand in so many files of every training set count."""
    output_sizes: tuple[int, ...] = (1, 5, 20, 100, 1000)
    queries: tuple[int, ...] = (5, 10, 20, 40, 80, 160)
    permutations: int = 200

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
