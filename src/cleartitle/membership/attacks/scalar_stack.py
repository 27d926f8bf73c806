"""The scores of the untrained attacks together, weighted as shadow models teach."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import Floats
from cleartitle.membership.attacks.linear import LinearAttack, fit_linear
from cleartitle.membership.evidence import Attack, Evidence, Need, missing

__all__ = ["ScalarStack", "usable_parts"]


def usable_parts(parts: Sequence[Attack], evidence: Sequence[Evidence]) -> tuple[Attack, ...]:
    """The attacks that this evidence suffices for."""
    return tuple(part for part in parts if missing(part, evidence) is None)


@dataclass(frozen=True)
class ScalarStack:
    """Logistic regression over the scores of ``parts``, taught by shadows.

    Those parts count that the shadow evidence suffices for, so score shadows and target in one way. What a part cannot
    say of a text (no literal in it, say) is read as the shadows' mean.
    """

    parts: tuple[Attack, ...]
    name: str = "shadow-trained stack"
    needs: frozenset[Need] = frozenset({"logprob", "shadows"})

    def fit(self, evidence: Sequence[Evidence], member: np.ndarray, *, seed: int) -> LinearAttack:
        """Teach it; the seed does not matter, the objective is convex."""
        parts = usable_parts(self.parts, evidence)

        def features(item: Evidence) -> Floats:
            return np.array([part.score(item) for part in parts])

        needs = self.needs.union(*(part.needs for part in parts))
        return fit_linear(self.name, needs, features, evidence, member)
