"""Run attacks over the evidence of many texts, and say which could not run and why."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cleartitle.errors import MissingExtraError
from cleartitle.membership.attacks.arrays import Floats
from cleartitle.membership.evidence import Attack, Evidence, TrainedAttack, missing

__all__ = ["AttackScores", "fit_attacks", "run_attacks"]


@dataclass(frozen=True)
class AttackScores:
    """One number for each text and attack.

    Args:
        ids: the texts, in order.
        projects: what each comes from, or None.
        scores: float64 arrays, one an attack, one number a text; higher is more likely a member, NaN where the text
            could not be scored.
        left_out: attacks that could not run, each with a line that says what it needs and what there is.
    """

    ids: tuple[str, ...]
    projects: tuple[str | None, ...]
    scores: dict[str, Floats]
    left_out: dict[str, str]

    @property
    def unscored(self) -> dict[str, int]:
        """How many texts each attack that ran could not score."""
        return {name: int(np.isnan(values).sum()) for name, values in self.scores.items()}

    def as_table(self) -> pa.Table:
        """A row a text: ``id``, ``project`` and a column for each attack (null where there is no score)."""
        columns: dict[str, pa.Array] = {
            "id": pa.array(self.ids, pa.string()),
            "project": pa.array(self.projects, pa.string()),
        }
        for name, values in self.scores.items():
            columns[name] = pa.array(values, pa.float64(), mask=np.isnan(values))
        return pa.table(columns)


def run_attacks(attacks: Sequence[Attack], evidence: Sequence[Evidence]) -> AttackScores:
    """The score of every attack for every text.

    An attack that no text has the evidence for is left out and named in ``left_out``. One that only some texts have the
    evidence for runs, with NaN for the others.

    Raises:
        ValueError: two attacks or two texts share a name.
    """
    for what, names in (("attacks", [attack.name for attack in attacks]), ("texts", [item.id for item in evidence])):
        if len(set(names)) < len(names):
            raise ValueError(f"two {what} have one name")
    scores: dict[str, Floats] = {}
    left_out: dict[str, str] = {}
    for attack in attacks:
        reason = missing(attack, evidence)
        if reason is not None:
            left_out[attack.name] = reason
            continue
        scores[attack.name] = np.fromiter((attack.score(item) for item in evidence), np.float64, len(evidence))
    return AttackScores(tuple(item.id for item in evidence), tuple(item.project for item in evidence), scores, left_out)


def fit_attacks(
    attacks: Sequence[TrainedAttack],
    evidence: Sequence[Evidence],
    member: np.ndarray,
    *,
    seed: int,
) -> tuple[list[Attack], dict[str, str]]:
    """The attacks that shadow evidence teaches, and a line for each that it cannot teach.

    ``evidence`` and ``member`` (bool) are of shadow models alone. With no shadow evidence every attack is left out.

    Raises:
        ValueError: as many labels as texts are needed, and both labels.
    """
    labels = np.asarray(member, bool)
    if len(labels) != len(evidence):
        raise ValueError(f"{len(evidence)} shadow texts and {len(labels)} labels")
    if len(labels) and labels.all() | ~labels.any():
        raise ValueError("shadow texts must hold members and non-members")
    fitted: list[Attack] = []
    left_out: dict[str, str] = {}
    for attack in attacks:
        reason = missing(attack, evidence, shadows=bool(evidence))
        if reason is None:
            try:
                fitted.append(attack.fit(evidence, labels, seed=seed))
            except MissingExtraError as error:
                reason = f"{attack.name}: {error}"
        if reason is not None:
            left_out[attack.name] = reason
    return fitted, left_out
