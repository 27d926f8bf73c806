"""Keep from the unseen functions all that resemble the training data (LiCoEval, section III-D1)."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cleartitle.code import UnparsableError, units
from cleartitle.similarity import Prepared
from cleartitle.tables import table_of

__all__ = ["SIGNATURES", "SignatureIndex", "function_signature", "sign"]

Signatures = npt.NDArray[np.uint32]

SIGNATURES = pa.schema(
    [
        ("prompt_id", pa.string()),
        # 256 minima, uint32, in the byte order of the machine; null for a file that cannot be cut
        ("signature", pa.binary()),
    ]
)
"""The MinHash signature of one function of the training data."""


def function_signature(text: str, language: str = "python") -> Signatures | None:
    """The 256 MinHash minima of the 5-grams of a whole function (uint32), or None under five words."""
    prepared = Prepared(text, language)
    return None if prepared.too_short else prepared.signature


def sign(works: pa.Table) -> pa.Table:
    """Signatures of all functions of ``works``, methods and nested ones too; functions under five words have none.

    A file that cannot be parsed gives one row without a signature. Pure, so that `jobs` can map it over shards.
    """
    rows: list[dict[str, Any]] = []
    for work in works.to_pylist():
        try:
            found = units(work["text"], work["language"])
        except UnparsableError:
            rows.append({"prompt_id": work["swhid"], "signature": None})
            continue
        for unit in found:
            signature = function_signature(unit.source, work["language"])
            if signature is not None:
                identity = f"{work['swhid']};lines={unit.start_line}-{unit.end_line}"
                rows.append({"prompt_id": identity, "signature": signature.tobytes()})
    return table_of(rows, SIGNATURES)


class SignatureIndex:
    """Locality-sensitive hashing over MinHash signatures, with bands of one row: a bucket for each minimum.

    Two functions whose signatures agree in one place meet in a bucket, and the buckets that they share are counted, so
    the estimate itself decides and no pair at the threshold is missed. Bands of several rows promise less: what
    datasketch 1.9 chooses for 0.2 and 256 permutations (85 bands of 3 rows) finds a pair at the threshold with a chance
    of 0.49. A look-up costs about 256 times the mean Jaccard similarity of the collection for each of its functions;
    memory is 2 KiB a function. What is left is the error of MinHash itself, at most 0.031 at one standard error.
    """

    def __init__(self, signatures: Signatures) -> None:
        """Index signatures of shape (functions, 256)."""
        self.signatures = signatures
        self._order = np.argsort(signatures, axis=0, kind="stable").astype(np.uint32)
        self._values = np.take_along_axis(signatures, self._order, axis=0)

    def __len__(self) -> int:
        return len(self.signatures)

    def overlaps(self, queries: Signatures) -> npt.NDArray[np.float64]:
        """For each query, of shape (queries, 256), the largest Jaccard estimate over the index; 0 where it is empty."""
        found = np.zeros(len(queries))
        if len(self) == 0 or len(queries) == 0:
            return found
        permutations = queries.shape[1]
        lows, highs = (
            np.column_stack([np.searchsorted(self._values[:, c], queries[:, c], side) for c in range(permutations)])
            for side in ("left", "right")
        )
        for number, (low, high) in enumerate(zip(lows, highs, strict=True)):
            buckets = [self._order[low[c] : high[c], c] for c in np.flatnonzero(high > low)]
            if buckets:
                found[number] = np.bincount(np.concatenate(buckets)).max() / permutations
        return found
