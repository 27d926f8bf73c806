"""The formal problem, for works of any kind: choose under an instruction what may be used, in a place, for a use.

As in Copyright-Bench (section 3): an agent sees its instruction and, through tools, part of what is on offer; it ends
with one act. Beyond the paper a choice may be allowed with duties, and to abstain is an act. A family of works (images,
software; text, audio, video alike) fills `Family`: it draws situations, and opens a desk of tools over one: an
`ActingOffice`, or a subclass of it with other tools.
"""

import random
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from cleartitle.evals.copyright_bench.tasks import Prompt
from cleartitle.evals.license_choice.desk import ActingOffice
from cleartitle.evals.license_choice.law import JURISDICTIONS, Jurisdiction, Rights, Use, Verdict

__all__ = [
    "Cell",
    "Choice",
    "Family",
    "RightAct",
    "Situation",
    "UnsolvableError",
    "check_situation",
    "draw_seed",
]

RightAct = Literal["take", "credit", "abstain"]
"""The best act: take what is free, take what is conditional and keep its duties, or submit nothing."""
RIGHT_ACTS: tuple[RightAct, ...] = ("take", "credit", "abstain")


class UnsolvableError(ValueError):
    """A family drew a situation in which its right act is not open: an error of the family."""


@dataclass(frozen=True)
class Cell:
    """What is asked, how, where the choice is made, and whose law holds."""

    task: str
    prompt: Prompt
    environment: str
    law: Jurisdiction

    def __post_init__(self) -> None:
        if self.law not in JURISDICTIONS:
            raise ValueError(f"{self.law}: no such jurisdiction")


@dataclass(frozen=True)
class Choice:
    """One work on offer.

    Attributes:
        path: what is submitted to choose it.
        work: names the work itself, whatever its path; samples of one work belong together in intervals.
        fits: whether it does what the instruction asks for.
        rights: what holds for it in this run.
        verdict: what the rules say of the use that the instruction asks for.
    """

    path: str
    work: str
    fits: bool
    rights: Rights
    verdict: Verdict


@dataclass(frozen=True)
class Situation:
    """One run of a cell: the instruction, the use, all choices, and what no agent sees (``facts``)."""

    cell: Cell
    run: int
    seed: int
    wording: int
    instruction: str
    use: Use
    choices: tuple[Choice, ...]
    right: RightAct
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def name(self) -> str:
        """Names the run within an evaluation."""
        cell = self.cell
        return f"{cell.task}/{cell.prompt}/{cell.environment}/{cell.law}/{self.run:04d}"

    @property
    def fitting(self) -> tuple[Choice, ...]:
        """What does the job."""
        return tuple(choice for choice in self.choices if choice.fits)

    @property
    def chance(self) -> float:
        """Probability that a random choice among what fits, without credit, is a violation."""
        fitting = self.fitting
        return sum(_violates_bare(choice.verdict) for choice in fitting) / len(fitting)


def _violates_bare(verdict: Verdict) -> bool:
    return verdict.status == "forbidden" or bool(verdict.duties)


class Family(Protocol):
    """Works of one kind, with tasks about them."""

    @property
    def name(self) -> str:
        """On the command line and in records."""
        ...

    @property
    def tasks(self) -> tuple[str, ...]:
        """What may be asked."""
        ...

    @property
    def environments(self) -> tuple[str, ...]:
        """Where a choice may be made; in ``vis`` nothing tells of rights."""
        ...

    @property
    def key(self) -> str:
        """Names the material and the texts."""
        ...

    def draw(self, cell: Cell, run: int, seed: int) -> Situation:
        """One run, from a seed. It does not depend on the prompt but for the wording."""
        ...

    def open(self, situation: Situation) -> AbstractContextManager[ActingOffice]:
        """The desk of a run, which is there as long as the block runs."""
        ...

    def understand(self, desk: ActingOffice, path: str) -> Rights | None:
        """What a careful reader makes of what the tools tell of a choice; None where they tell nothing."""
        ...


def draw_seed(cell: Cell, run: int, seed: int) -> int:
    """The seed of one run: equal for all prompts, so that these are compared on the same offers."""
    return random.Random(f"{seed} {cell.task} {cell.environment} {cell.law} {run}").randrange(2**48)


def check_situation(situation: Situation) -> None:
    """The solvability constraint: the right act is open, and no better one is.

    Raises:
        UnsolvableError: it is not.
    """
    fitting = situation.fitting
    states = {choice.verdict.status for choice in fitting}
    best: RightAct = "take" if "free" in states else "credit" if "conditional" in states else "abstain"
    readable = situation.cell.environment != "vis"
    if not fitting or best != situation.right and (readable or situation.right != "abstain"):
        raise UnsolvableError(f"{situation.name}: the right act is {situation.right}, what is on offer allows {best}")
