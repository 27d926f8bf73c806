"""How common each token is in public code: the only frequencies that an attack may know."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cleartitle.errors import InputError
from cleartitle.models.token_stats import TokenStats

__all__ = ["FrequencyTable"]


@dataclass(frozen=True)
class FrequencyTable:
    """Counts of model tokens in public text that is in no member or non-member set.

    A table of the members and another of the non-members (as the released code of CodeMI reads) would tell the label.

    Args:
        counts: int64, one a token id.
    """

    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, tokens: Iterable[npt.ArrayLike | TokenStats], vocabulary: int) -> "FrequencyTable":
        """The table of public texts, each given as token ids or as scores that hold them.

        Raises:
            InputError: a token id outside of 0 to ``vocabulary`` - 1.
        """
        counts = np.zeros(vocabulary, np.int64)
        for item in tokens:
            ids = np.asarray(item.token if isinstance(item, TokenStats) else item, np.int64)
            if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < vocabulary:
                raise InputError(
                    f"frequency table: token id {int(ids.max())} is outside of a vocabulary of {vocabulary}; "
                    "mend: count with the tokenizer of the model that is tested"
                )
            counts += np.bincount(ids, minlength=vocabulary)
        return cls(counts)

    def relative(self, tokens: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Relative frequency of each token with one added to every count: above 0, at most 1, float64.

        Add-one smoothing as in DC-PDD; an id beyond the table counts as never seen.
        """
        ids = np.asarray(tokens, np.int64)
        known = (ids >= 0) & (ids < len(self.counts))
        counts = np.where(known, self.counts[np.where(known, ids, 0)], 0) if len(self.counts) else np.zeros(len(ids))
        return (counts + 1) / (int(self.counts.sum()) + max(len(self.counts), 1))

    def rarest(self, tokens: npt.ArrayLike, budget: int) -> npt.NDArray[np.int64]:
        """Places of the ``budget`` tokens that are rarest in public, ascending (CodeMI, section 6.4)."""
        order = np.argsort(self.relative(tokens), kind="stable")
        return np.sort(order[:budget])
