"""Standards: the rules that turn measures of one answer into a verdict."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Criterion", "StrikingStandard", "Verdict"]


@dataclass(frozen=True)
class Criterion:
    """One condition of a standard: ``value`` has to exceed ``threshold``."""

    name: str
    value: float
    threshold: float

    @property
    def met(self) -> bool:
        """Whether the value is above the threshold (strictly)."""
        return self.value > self.threshold


@dataclass(frozen=True)
class Verdict:
    """The outcome for one answer, with every criterion that led to it."""

    state: Literal["striking", "not striking", "too short"]
    criteria: tuple[Criterion, ...]

    @property
    def striking(self) -> bool:
        """Whether the state is ``striking``; ``too short`` is neither striking nor its opposite."""
        return self.state == "striking"


@dataclass(frozen=True)
class StrikingStandard:
    """LiCoEval's standard of striking similarity (section III-E): all four conditions, each strict.

    Body lines and complexity are those of the original function, similarity is the largest of BLEU-4, MinHash Jaccard
    and edit similarity of the two bodies, shared comments are those that the prompt does not hold. The thresholds were
    read from the answers of one Python model (WizardCoder-15B) to 10,000 functions it was trained on and 10,000 it was
    not. The standard is meant to have few false positives and says nothing of its recall. It cannot see a copy whose
    comments were removed, and it does not establish copying, infringement or a derived work in law; not meeting it
    does not establish independent creation.
    """

    body_lines_gt: int = 10
    complexity_gt: int = 3
    similarity_gt: float = 0.6
    shared_comments_gt: int = 0

    def judge(
        self,
        *,
        body_lines: int,
        complexity: int,
        similarity: float,
        shared_comments: int,
        too_short: bool = False,
    ) -> Verdict:
        """Judge one answer; with ``too_short`` the state is that, whatever the numbers are.

        Args:
            body_lines: lines of the original body.
            complexity: cyclomatic complexity of the original function.
            similarity: largest of the three text measures, from 0 to 1.
            shared_comments: number of distinct comments that both texts have and the prompt has not.
            too_short: one of the texts has too few words to compare.
        """
        criteria = (
            Criterion("body_lines", body_lines, self.body_lines_gt),
            Criterion("complexity", complexity, self.complexity_gt),
            Criterion("similarity", similarity, self.similarity_gt),
            Criterion("shared_comments", shared_comments, self.shared_comments_gt),
        )
        if too_short:
            return Verdict("too short", criteria)
        return Verdict("striking" if all(criterion.met for criterion in criteria) else "not striking", criteria)
