"""Unseen functions that resemble the training data are found, whatever the buckets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from striking_material import function

from cleartitle.evals.striking.exclusion import SignatureIndex, function_signature, sign
from cleartitle.similarity import minhash_jaccard

SIGNATURES = hnp.arrays(np.uint32, st.tuples(st.integers(0, 7), st.just(16)), elements=st.integers(0, 5))


@given(SIGNATURES, SIGNATURES)
def test_the_largest_overlap_is_that_of_comparing_with_every_function(known: np.ndarray, asked: np.ndarray) -> None:
    found = SignatureIndex(known).overlaps(asked)
    expected = [max((float((one == other).mean()) for other in known), default=0.0) for one in asked]
    assert found.tolist() == expected


def signatures(*texts: str) -> np.ndarray:
    found = [function_signature(text) for text in texts]
    return np.stack([one for one in found if one is not None])


def test_a_near_copy_is_above_the_threshold_and_an_unrelated_function_below() -> None:
    known = SignatureIndex(signatures(*(function(seed) for seed in range(30))))
    near = function(7).replace("return", "print('done')\n    return")
    same, close, other = known.overlaps(signatures(function(7), near, function(1000)))
    assert same == 1.0
    assert 0.6 < close < 1.0
    assert close == minhash_jaccard(reference=function(7), candidate=near)
    assert other < 0.2


def test_no_pair_at_the_threshold_is_missed_among_many() -> None:
    """Bands of one row: unlike bands of several, no pair escapes by chance."""
    generator = np.random.default_rng(0)
    known = generator.integers(0, 2**32, (300, 256), dtype=np.uint32)
    asked = generator.integers(0, 2**32, (300, 256), dtype=np.uint32)
    for row in range(300):
        places = generator.permutation(256)[:52]  # 52 of 256 is just above 0.2
        asked[row, places] = known[row, places]
    assert SignatureIndex(known).overlaps(asked).min() >= 0.2


def test_functions_of_files_are_signed_and_files_that_cannot_be_cut_are_counted() -> None:
    import pyarrow as pa

    works = pa.Table.from_pylist(
        [
            {
                "swhid": "a",
                "language": "python",
                "text": function(1) + "\n\nclass A:\n    def m(self):\n        return 1\n",
            },
            {"swhid": "b", "language": "python", "text": "def broken(:\n"},
            {"swhid": "c", "language": "python", "text": "x = 1\n"},
        ]
    )
    rows = sign(works).to_pylist()
    assert [row["signature"] is None for row in rows] == [False, False, True]
    assert rows[0]["prompt_id"].startswith("a;lines=1-") and rows[2]["prompt_id"] == "b"
    first = function_signature(function(1))
    assert first is not None and rows[0]["signature"] == first.tobytes()


def test_a_text_without_words_has_no_signature() -> None:
    assert function_signature("f()") is None
    assert function_signature("") is None
