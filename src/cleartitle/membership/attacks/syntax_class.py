"""Likelihood of one class of tokens alone."""

import math
from dataclasses import dataclass

from cleartitle.membership.attacks.arrays import logprobs, mean
from cleartitle.membership.evidence import Evidence, Need
from cleartitle.membership.token_classes import COMMENT, IDENTIFIER, KEYWORD, NUMBER, OPERATOR, STRING, rows_in

__all__ = ["SYNTAX_CLASSES", "SyntaxClass"]


@dataclass(frozen=True)
class SyntaxClass:
    """Mean log-probability of the tokens of some classes, in nats, at most 0; NaN where the text has none.

    ``(1/|C|) sum_{i in C} log p(x_i | x_<i)``: SynPrune (2026) leaves out the tokens that syntax dictates, which is
    here `identifiers and literals`; the other sets show where the evidence sits. The share of a class differs from text
    to text, so that a set with few tokens is a noisy mean.
    """

    label: str
    classes: tuple[int, ...]
    needs: frozenset[Need] = frozenset({"logprob", "classes"})

    @property
    def name(self) -> str:
        """Which tokens."""
        return f"likelihood of {self.label}"

    def score(self, evidence: Evidence) -> float:
        """The mean over the class."""
        values = logprobs(evidence.target)
        if evidence.classes is None or not len(values):
            return math.nan
        return mean(values[rows_in(evidence.classes, self.classes)])


SYNTAX_CLASSES = (
    SyntaxClass("identifiers", (IDENTIFIER,)),
    SyntaxClass("literals", (STRING, NUMBER)),
    SyntaxClass("identifiers and literals", (IDENTIFIER, STRING, NUMBER)),
    SyntaxClass("keywords and operators", (KEYWORD, OPERATOR)),
    SyntaxClass("comments", (COMMENT,)),
)
