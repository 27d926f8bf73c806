"""Con-ReCaLL: what a prefix of non-members does to the likelihood, less what one of members does."""

import math
from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import common_means
from cleartitle.membership.evidence import Evidence, Need

__all__ = ["ConRecall"]

SMALLEST = 1e-10


@dataclass(frozen=True)
class ConRecall:
    """``(LL(x | N) - c LL(x | M)) / LL(x)`` with a prefix N of known non-members and M of known members.

    Means over the tokens that all three scored; Wang et al. 2025 ("Con-ReCall"), section 3, with their c between 0 and
    1 fixed at 1 before looking. It needs files that are known to be members, which an author with a question does not
    have: it runs where both sets are the user's. What was said of the prefix in `Recall` holds for both.
    """

    contrast: float = 1.0
    name: str = "Con-ReCaLL"
    needs: frozenset[Need] = frozenset({"logprob", "prefix", "member prefix"})

    def score(self, evidence: Evidence) -> float:
        """The ratio; near 0 for a text that neither prefix moves."""
        if evidence.prefixed is None or evidence.member_prefixed is None:
            return math.nan
        means = common_means(evidence.target, evidence.prefixed, evidence.member_prefixed)
        if means is None:
            return math.nan
        own, after, after_members = means
        return -(after - self.contrast * after_members) / (-own + SMALLEST)
