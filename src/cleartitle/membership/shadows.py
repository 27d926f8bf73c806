"""Shadows of a study for a model that somebody else trained: what they teach is made to fit what the model tells."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cleartitle.evals.run_folder import RunFolder
from cleartitle.membership.codemi import CodeMi
from cleartitle.membership.evidence import Evidence, Need, given
from cleartitle.membership.study import CAPABILITY, recorded_options
from cleartitle.membership.study_scores import StudyScores, study_scorer
from cleartitle.membership.study_tables import Side, joined, unknown_word
from cleartitle.membership.texts import TARGET
from cleartitle.models import BEYOND, ModelOptions, ScorerOptions, TokenScorer, TokenStats, open_scorer

__all__ = ["Shadows", "no_shadows", "open_subject"]

STUDY = "study:"


def no_shadows() -> Side:
    """Nothing that could teach an attack."""
    return Side([], np.empty(0, bool))


@dataclass(frozen=True)
class Shadows:
    """The shadow models of a finished study with their texts and labels.

    ``vocabulary`` counts their words or byte pairs, ``unknown`` is the word that stands for all unknown ones.
    """

    folder: Path
    kind: str
    side: Side
    vocabulary: int
    unknown: int | None

    @classmethod
    def open(cls, folder: Path) -> "Shadows":
        """Read the shadows of a study; their models are opened, and not asked any more.

        Raises:
            InputError: no finished membership study.
            MissingExtraError: torch is not installed.
        """
        record = RunFolder.open(folder, CAPABILITY).record()
        options = recorded_options(record["options"])
        count = options.draw().shadows
        scores = StudyScores(folder, options.target, shadows=count)
        vocabulary = scores.scorers[TARGET].capabilities().vocabulary
        assert vocabulary is not None
        sides = [Side(scores.evidence(number), scores.labels(number)) for number in range(1, count + 1)]
        return cls(folder, options.target, joined(sides), vocabulary, unknown_word(options))

    def fitted(self, evidence: list[Evidence], output_size: int | None) -> Side:
        """The shadows' texts with no more evidence than the model's texts have, so that what is taught can be used.

        ``output_size``: largest rank that the model shows, None where it shows all.
        """
        have: set[Need] = set()
        for item in evidence:
            have |= given(item)

        def stats(found: TokenStats) -> TokenStats:
            rank = found.rank if "rank" in have else None
            if rank is not None and output_size is not None:
                rank = np.where(rank > output_size, BEYOND, rank).astype(np.int32)
            distribution = "distribution" in have
            return replace(
                found,
                rank=rank,
                logprob=found.logprob if "logprob" in have else None,
                top1=found.top1 if "top1" in have else None,
                mean=found.mean if distribution else None,
                spread=found.spread if distribution else None,
            )

        def fit(item: Evidence) -> Evidence:
            return replace(
                item,
                target=stats(item.target),
                references=tuple(map(stats, item.references)) if "reference" in have else (),
                frequency=item.frequency if "frequency" in have else None,
                classes=item.classes if "classes" in have else None,
            )

        return self.side.map(fit)

    def codemi(self, output_size: int, *, whole: bool) -> tuple[CodeMi, CodeMi]:
        """CodeMI for a model that shows ``output_size`` ranks; ``whole``: these are all of its vocabulary.

        Bins are shares of each side's own vocabulary, so that shadows of another architecture can teach it.
        """
        size = self.vocabulary if whole else min(output_size, self.vocabulary)
        return (
            CodeMi("paper", output_size, None, size, self.unknown),
            CodeMi("corrected", output_size, None, size, self.unknown),
        )

    def describe(self, vocabulary: int | None) -> dict[str, Any]:
        """What they are, and what carries over to a model with this vocabulary."""
        unit = "words" if self.kind == "lstm" else "byte pairs"
        other = "an unknown number of tokens" if vocabulary is None else f"{vocabulary:,} tokens"
        note = (
            f"The shadows read {self.vocabulary:,} {unit}, the model {other}. Histograms of ranks, shares and means "
            "carry over from one to the other; a threshold need not, since the shadows may remember more or less."
        )
        record = RunFolder.open(self.folder).record()
        return {"study": record["key"], "kind": self.kind, "vocabulary": self.vocabulary, "note": note}


def open_subject(spec: str, asking: ModelOptions, scoring: ScorerOptions) -> TokenScorer:
    """A model to be asked: the specs of `open_scorer`, or ``study:FOLDER`` for the target that a study trained.

    ``study:FOLDER/shadow-1`` is its first shadow, which saw none of the target's texts.

    Raises:
        InputError: no such model.
    """
    if not spec.startswith(STUDY):
        return open_scorer(spec, asking, scoring)
    folder, name = Path(spec.removeprefix(STUDY)), TARGET
    if not (folder / "run.json").is_file() and (folder.parent / "run.json").is_file():
        folder, name = folder.parent, folder.name
    options = recorded_options(RunFolder.open(folder, CAPABILITY).record()["options"])
    return study_scorer(folder, name, options.target)
