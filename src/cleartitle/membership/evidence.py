"""What is known of one text, and what an attack is: the shapes that every attack on membership shares."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from cleartitle.models.token_stats import TokenStats

__all__ = [
    "ENOUGH_REFERENCES",
    "NEEDS",
    "Attack",
    "Completion",
    "Evidence",
    "Need",
    "TrainedAttack",
    "given",
    "missing",
]

Need = Literal[
    "rank",
    "logprob",
    "top1",
    "distribution",
    "rank or top1",
    "reference",
    "eight references",
    "lowercase",
    "prefix",
    "member prefix",
    "neighbours",
    "frequency",
    "classes",
    "shadows",
    "text out",
]
"""What an attack needs. With ``reference``, ``lowercase``, ``prefix`` or ``neighbours`` the other scores must give the
same access (rank, logprob, …) as the target."""

NEEDS: tuple[Need, ...] = get_args(Need)

ENOUGH_REFERENCES = 8
"""References from which on their spread about one text says something."""


@dataclass(frozen=True)
class Completion:
    """What a model that gives text alone wrote at a place that was masked.

    ``expected`` is what stood there, ``kind`` what it is (``identifier``, ``string``, ``comment``), ``answer`` what the
    model wrote (None: the call failed).
    """

    expected: str
    kind: str
    answer: str | None


@dataclass(frozen=True)
class Evidence:
    """Everything that is known of one text. The label is not among it.

    Args:
        id: name of the text, unique in a run.
        project: what it comes from, or None; texts of one project are not independent.
        text: the text itself.
        target: scores of the model in question.
        references: scores of models that did not see the text; same tokens, same rows as ``target``.
        lowercase: scores of ``text.lower()`` by the target.
        prefixed: scores by the target of the text after a prefix of known non-members; positions count from the first
            token of the text.
        member_prefixed: the same after a prefix of known members.
        neighbours: scores by the target of rewrites of the text.
        frequency: float64 per row of ``target``: public relative frequency of the token, smoothed, above 0.
        classes: int8 per row of ``target``: class of the token (see `token_classes`).
        completions: what the target wrote at masked places of the text.
    """

    id: str
    project: str | None
    text: str
    target: TokenStats
    references: tuple[TokenStats, ...] = ()
    lowercase: TokenStats | None = None
    prefixed: TokenStats | None = None
    member_prefixed: TokenStats | None = None
    neighbours: tuple[TokenStats, ...] = ()
    frequency: np.ndarray | None = None
    classes: np.ndarray | None = None
    completions: tuple[Completion, ...] = ()

    def __post_init__(self) -> None:
        """Hold the rule that rows of the target and of what stands beside it are the same."""
        rows = len(self.target)
        for name, values in (("frequency", self.frequency), ("classes", self.classes)):
            if values is not None and len(values) != rows:
                raise ValueError(f"{self.id}: {name} has {len(values)} rows, the target {rows}")
        for reference in self.references:
            if not np.array_equal(reference.position, self.target.position):
                raise ValueError(f"{self.id}: a reference was scored at other positions than the target")


class Attack(Protocol):
    """A rule that gives one number for one text."""

    @property
    def name(self) -> str:
        """How tables name it."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What it needs of the evidence."""
        ...

    def score(self, evidence: Evidence) -> float:
        """Higher is more likely a member; NaN where this text cannot be scored."""
        ...


class TrainedAttack(Protocol):
    """An attack that is learned from shadow models, whose members are known, and never from the target."""

    @property
    def name(self) -> str:
        """How tables name it."""
        ...

    @property
    def needs(self) -> frozenset[Need]:
        """What it needs of the evidence, ``shadows`` among it."""
        ...

    def fit(self, evidence: Sequence[Evidence], member: np.ndarray, *, seed: int) -> Attack:
        """The attack that these texts (scored by shadows) and labels (bool, one a text) teach."""
        ...


def given(evidence: Evidence) -> frozenset[Need]:
    """What this text's evidence holds. ``shadows`` is not told from a text."""
    target = evidence.target
    found: set[Need] = set()
    if len(target):
        if target.rank is not None:
            found |= {"rank", "rank or top1"}
        if target.logprob is not None:
            found.add("logprob")
        if target.top1 is not None:
            found |= {"top1", "rank or top1"}
        if target.mean is not None and target.spread is not None:
            found.add("distribution")
    parts: tuple[tuple[Need, object], ...] = (
        ("reference", evidence.references),
        ("eight references", len(evidence.references) >= ENOUGH_REFERENCES),
        ("lowercase", evidence.lowercase),
        ("prefix", evidence.prefixed),
        ("member prefix", evidence.member_prefixed),
        ("neighbours", evidence.neighbours),
        ("text out", evidence.completions),
    )
    found |= {need for need, part in parts if part}
    if evidence.frequency is not None and len(evidence.frequency):
        found.add("frequency")
    if evidence.classes is not None and len(evidence.classes):
        found.add("classes")
    return frozenset(found)


def missing(attack: Attack | TrainedAttack, evidence: Iterable[Evidence], *, shadows: bool = False) -> str | None:
    """Why an attack cannot run on this evidence, in one line, or None where at least one text has all that it needs."""
    have: set[Need] = set()
    for item in evidence:
        gives = given(item)
        if attack.needs - {"shadows"} <= gives and (shadows or "shadows" not in attack.needs):
            return None
        have |= gives
    if shadows:
        have.add("shadows")
    lacking = [need for need in NEEDS if need in attack.needs and need not in have]
    has = " and ".join(need for need in NEEDS if need in have and need != "rank or top1") or "nothing"
    if not lacking:
        wanted = " and ".join(need for need in NEEDS if need in attack.needs)
        return f"{attack.name}: needs {wanted}, and no text of this run has them all"
    return f"{attack.name}: needs {' and '.join(lacking)}, this run has only {has}"
