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
