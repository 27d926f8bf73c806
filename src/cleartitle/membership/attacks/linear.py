"""A trained attack: features of a text, and a logistic regression that shadow models taught."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cleartitle.membership.attacks.arrays import Floats
from cleartitle.membership.evidence import Evidence, Need, given
from cleartitle.membership.logistic import Logistic, fit_logistic

__all__ = ["LinearAttack", "fit_linear"]

Features = Callable[[Evidence], Floats]


@dataclass(frozen=True)
class LinearAttack:
    """Log-odds of membership of a text, in nats: above 0 the shadows' members were the more like it.

    The log-odds hold for the shadows' share of members. A target that remembers more or less than its shadows shifts
    them all: the order is worth more than the zero.

    Args:
        name: of the trained attack.
        needs: what a text must have; one that lacks it scores NaN.
        features: the numbers of a text, always as many.
        model: the regression.
    """

    name: str
    needs: frozenset[Need]
    features: Features
    model: Logistic

    def score(self, evidence: Evidence) -> float:
        """The log-odds."""
        if not self.needs <= given(evidence):
            return float("nan")
        return float(self.model.log_odds(self.features(evidence))[0])


def fit_linear(
    name: str, needs: frozenset[Need], features: Features, evidence: Sequence[Evidence], member: np.ndarray
) -> LinearAttack:
    """Teach the regression from the shadow texts that have all that is needed.

    Raises:
        ValueError: these texts hold one label only.
    """
    needs -= {"shadows"}
    usable = [number for number, item in enumerate(evidence) if needs <= given(item)]
    labels = np.asarray(member, bool)[usable]
    if not labels.any() or labels.all():
        raise ValueError(f"{name}: the shadow texts that have {', '.join(sorted(needs))} are all of one label")
    rows = np.stack([features(evidence[number]) for number in usable])
    return LinearAttack(name, needs, features, fit_logistic(rows, labels))
