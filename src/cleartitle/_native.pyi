import numpy as np
import numpy.typing as npt

def minhash(
    grams: npt.NDArray[np.uint32], a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint32]: ...
def clipped_matches(
    reference: npt.NDArray[np.uint32], candidate: npt.NDArray[np.uint32], orders: int
) -> npt.NDArray[np.uint64]: ...
def gram_hashes(
    text: bytes, starts: npt.NDArray[np.uint64], ends: npt.NDArray[np.uint64], n: int
) -> npt.NDArray[np.uint32]: ...
def trace_words(
    text: bytes,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint64]]: ...
def trace_grams(symbols: npt.NDArray[np.uint64], k: int) -> npt.NDArray[np.uint64]: ...
def trace_renamed_grams(
    exact: npt.NDArray[np.uint64], blind: npt.NDArray[np.uint64], k: int
) -> npt.NDArray[np.uint64]: ...
def trace_winnow(grams: npt.NDArray[np.uint64], w: int) -> npt.NDArray[np.uint32]: ...
def sort_pairs(keys: npt.NDArray[np.uint64], values: npt.NDArray[np.uint32]) -> None: ...
def filter_add(filter: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64]) -> None: ...
def select_postings(
    keys: npt.NDArray[np.uint64],
    words: npt.NDArray[np.uint32],
    starts: npt.NDArray[np.uint64],
    mask: int,
    cap: int,
    per_document: int,
    filter: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]: ...
def look_up(
    keys: npt.NDArray[np.uint64],
    filter: npt.NDArray[np.uint64],
    table: npt.NDArray[np.uint64],
    bits: int,
    rests: npt.NDArray[np.uint32],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]: ...
def extend(
    left: npt.NDArray[np.uint64],
    right: npt.NDArray[np.uint64],
    left_seeds: npt.NDArray[np.uint32],
    right_seeds: npt.NDArray[np.uint32],
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.uint32]]: ...
def equal_runs(
    left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], shortest: int, steps: int
) -> npt.NDArray[np.uint32] | None: ...
def tile(
    left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], shortest: int, seconds: float
) -> npt.NDArray[np.uint32] | None: ...
def tile_rounds(
    left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], shortest: int, seconds: float
) -> npt.NDArray[np.uint32] | None: ...
def tile_pairs(
    values: npt.NDArray[np.uint32],
    offsets: npt.NDArray[np.uint64],
    shortest: int,
    first: int,
    last: int,
    seconds: float,
) -> npt.NDArray[np.uint32] | None: ...
def winnow(values: npt.NDArray[np.uint32], k: int, window: int) -> npt.NDArray[np.uint32]: ...
def shared_counts(
    hashes: npt.NDArray[np.uint32], offsets: npt.NDArray[np.uint64], first: int, last: int
) -> npt.NDArray[np.uint32]: ...
