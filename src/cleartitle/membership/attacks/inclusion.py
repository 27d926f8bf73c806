"""Masked-name inclusion: how often the model writes the author's names, for models that give text alone."""

import math
import re
from dataclasses import dataclass

from cleartitle.membership.evidence import Completion, Evidence, Need

__all__ = ["Inclusion", "is_hit"]

_FIRST_WORD = re.compile(r"\W*(\w+)")


def is_hit(completion: Completion) -> bool:
    """Whether the first word of the answer is the word that stood there, letter by letter."""
    found = _FIRST_WORD.match(completion.answer or "")
    return found is not None and found[1] == completion.expected


@dataclass(frozen=True)
class Inclusion:
    """Share of the answered places where the model wrote what the author wrote, from 0 to 1; NaN without an answer.

    ``hits / answered`` over the masked places of `masked_places`: Majdinasab et al. 2025 ("TraWiC", sections 3.2 and
    3.3), with exact matches of names. TraWiC hands its hit rates by kind to a random forest; here the share itself is
    the score, so that no labels are needed. Common names are guessed without any memory, and copies of a text in other
    projects give hits too: the share means something only beside that of comparable non-members.
    """

    kind: str | None = None
    needs: frozenset[Need] = frozenset({"text out"})

    @property
    def name(self) -> str:
        """With its kind."""
        return f"masked {self.kind or 'place'} inclusion"

    def score(self, evidence: Evidence) -> float:
        """The share of hits."""
        answered = [
            item
            for item in evidence.completions
            if item.answer is not None and (self.kind is None or item.kind == self.kind)
        ]
        return sum(map(is_hit, answered)) / len(answered) if answered else math.nan
