"""How often a model may be asked, and about which tokens: settled before the first query."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from cleartitle.errors import InputError
from cleartitle.models.scoring_text import chosen_rows
from cleartitle.models.token_stats import TokenScorer, TokenSpans
from cleartitle.options import NOT_IN_KEY

__all__ = ["QueryBudget", "chosen_positions", "token_counts"]


@dataclass(frozen=True)
class QueryBudget:
    """Limits of a pass over texts.

    ``per_text`` is the number of tokens of a text that are asked about, as a service that is paid by the call allows
    (CodeMI, section 6.4); also where the model gives all of them for one call. ``output_size`` cuts what comes back to
    ranks among so many likeliest tokens (section 6.3). ``calls`` limits the queries of the whole pass: one that would
    need more is refused before anything is sent.
    """

    per_text: int | None = None
    choice: Literal["random", "rare"] = "random"
    """Which tokens: drawn at random, or those that are rarest in a public table."""
    seed: int = 0
    output_size: int | None = None
    calls: int | None = field(default=None, metadata=NOT_IN_KEY)

    def __post_init__(self) -> None:
        """Refuse limits that have no meaning."""
        named = {"per_text": self.per_text, "output_size": self.output_size}
        wrong = [f"{name}={value}" for name, value in named.items() if value is not None and value < 1]
        wrong += [f"calls={self.calls}"] if self.calls is not None and self.calls < 0 else []
        if wrong:
            raise InputError(f"query budget: {', '.join(wrong)}: mend: at least 1, or none for no limit")


def chosen_positions(
    text: str,
    spans: TokenSpans,
    budget: QueryBudget,
    *,
    first: bool = False,
    frequency: Mapping[str, float] | None = None,
) -> np.ndarray | None:
    """Token positions of one text under a budget, ascending int32; None where the budget does not limit them.

    The choice depends on seed and text alone, not on the other texts. The positions of a smaller budget are among those
    of a larger one. ``rare`` takes the tokens with the smallest ``frequency[text of the token]`` (0 if absent), ties at
    random. ``first`` says that the first token can be asked about.

    Raises:
        InputError: ``rare`` without a table.
    """
    if budget.per_text is None:
        return None
    eligible = chosen_rows(len(spans.token), first=first, positions=None)
    seed = hashlib.sha256(f"{budget.seed}/".encode() + text.encode("utf-8", "surrogatepass")).digest()
    order = np.random.default_rng(list(seed)).permutation(eligible)
    if budget.choice == "rare":
        if frequency is None:
            raise InputError("query budget: the rarest tokens need a table; mend: frequency=..., or choice random")
        counts = [frequency.get(text[spans.start[at] : spans.end[at]], 0) for at in order]
        order = order[np.argsort(counts, kind="stable")]
    return np.sort(order[: budget.per_text])


def token_counts(scorer: TokenScorer, texts: Iterable[str]) -> Counter[str]:
    """How often each token text occurs in public texts, cut by the scorer's own tokenizer: a table for ``rare``."""
    counts: Counter[str] = Counter()
    for text in texts:
        spans = scorer.tokenize(text)
        counts.update(text[start:end] for start, end in zip(spans.start, spans.end, strict=True))
    return counts
