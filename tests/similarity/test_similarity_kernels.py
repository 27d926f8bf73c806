"""The native kernels equal their readable twins on random and hostile arrays.

CLEARTITLE_NATIVE names another build of the kernels to test, see native/sanitize.sh.
"""

import hashlib
import importlib.util
import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle import _native as installed


def chosen_build():
    path = os.environ.get("CLEARTITLE_NATIVE")
    if path is None:
        return installed
    spec = importlib.util.spec_from_file_location("_native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_native = chosen_build()
PRIME = (1 << 61) - 1
tokens = st.lists(st.integers(0, 5) | st.integers(0, 2**32 - 1), max_size=60)
words = st.lists(st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), max_size=40), max_size=40)


def matches_twin(reference, candidate, orders):
    result = []
    for n in range(1, orders + 1):
        grams = [Counter(tuple(side[i : i + n]) for i in range(len(side) - n + 1)) for side in (reference, candidate)]
        result.append((grams[0] & grams[1]).total())
    return result


def minhash_twin(grams, a, b):
    return [
        min(((x * gram + y) % 2**64 % PRIME % 2**32 for gram in grams), default=2**32 - 1)
        for x, y in zip(a, b, strict=True)
    ]


def array(values, dtype=np.uint32):
    return np.array(values, dtype=dtype)


@given(tokens, tokens, st.integers(0, 6))
def test_clipped_matches_equal_the_counter_intersection(reference, candidate, orders):
    found = _native.clipped_matches(array(reference), array(candidate), orders)
    assert found.tolist() == matches_twin(reference, candidate, orders)


@pytest.mark.parametrize("period", [1, 2, 3, 7])
def test_clipped_matches_of_periodic_arrays_equal_the_twin(period):
    reference = [i % period for i in range(500)]
    candidate = [i % (period + 1) for i in range(431)]
    found = _native.clipped_matches(array(reference), array(candidate), 4)
    assert found.tolist() == matches_twin(reference, candidate, 4)


def test_clipped_matches_of_a_million_equal_tokens_count_every_position():
    everything = np.full(10**6, 2**32 - 1, dtype=np.uint32)
    assert _native.clipped_matches(everything, everything, 4).tolist() == [10**6 - n for n in range(4)]


def test_clipped_matches_of_a_million_different_tokens_need_no_more_than_seconds():
    everything = np.arange(10**6, dtype=np.uint32)
    assert _native.clipped_matches(everything, everything[::-1].copy(), 4).tolist() == [10**6, 0, 0, 0]


def test_grams_longer_than_the_limit_are_refused():
    with pytest.raises(ValueError, match="at most 64"):
        _native.clipped_matches(array([1]), array([1]), 65)


@given(
    st.lists(st.integers(0, 2**32 - 1), max_size=20),
    st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)), max_size=40),
)
def test_minhash_equals_the_formula_in_whole_numbers(grams, parameters):
    a, b = [x for x, _ in parameters], [y for _, y in parameters]
    found = _native.minhash(array(grams), array(a, np.uint64), array(b, np.uint64))
    assert found.tolist() == minhash_twin(grams, a, b)


@pytest.mark.parametrize("x", [0, PRIME - 1, PRIME, PRIME + 1, 2 * PRIME, 7 * PRIME + 7, 2**64 - 1, 2**61, 2**63])
def test_minhash_reduces_exactly_at_multiples_of_the_prime(x):
    found = _native.minhash(array([1]), array([x] * 17, np.uint64), array([0] * 17, np.uint64))
    assert found.tolist() == [x % PRIME % 2**32] * 17


def test_minhash_refuses_parameters_of_different_lengths():
    with pytest.raises(ValueError, match="same length"):
        _native.minhash(array([1]), array([1, 2], np.uint64), array([1], np.uint64))


def test_kernels_refuse_arrays_of_another_type_or_shape():
    with pytest.raises(TypeError):
        _native.clipped_matches(np.array([1, 2], dtype=np.int64), array([1]), 2)
    with pytest.raises(TypeError):
        _native.clipped_matches(np.zeros((2, 2), dtype=np.uint32), array([1]), 2)
    with pytest.raises(TypeError):
        _native.clipped_matches(np.zeros(8, dtype=np.uint32)[::2], array([1]), 2)


@given(words, st.integers(1, 6))
def test_gram_hashes_equal_hashlib(values, n):
    encoded = [word.encode() for word in values]
    text = b" ".join(encoded)
    lengths = [len(word) for word in encoded]
    ends = [sum(lengths[: i + 1]) + i for i in range(len(lengths))]
    starts = [end - length for end, length in zip(ends, lengths, strict=True)]
    expected = [
        int.from_bytes(hashlib.sha1(b" ".join(encoded[i : i + n])).digest()[:4], "little")
        for i in range(len(encoded) - n + 1)
    ]
    assert _native.gram_hashes(text, array(starts, np.uint64), array(ends, np.uint64), n).tolist() == expected


@pytest.mark.parametrize("size", [0, 1, 54, 55, 56, 63, 64, 65, 118, 119, 120, 128, 1000, 100_000])
def test_gram_hashes_pad_every_length_right(size):
    text = bytes(i % 251 for i in range(size))
    expected = int.from_bytes(hashlib.sha1(text).digest()[:4], "little")
    assert _native.gram_hashes(text, array([0], np.uint64), array([size], np.uint64), 1).tolist() == [expected]


@pytest.mark.parametrize(
    ("starts", "ends"), [([0], [4]), ([2], [1]), ([0, 0], [2, 3]), ([2**64 - 1], [1]), ([0], [2**64 - 1])]
)
def test_gram_hashes_refuse_words_outside_the_text(starts, ends):
    with pytest.raises(IndexError, match="within the text"):
        _native.gram_hashes(b"abc", array(starts, np.uint64), array(ends, np.uint64), 1)


def test_gram_hashes_refuse_grams_of_no_words():
    with pytest.raises(ValueError, match="at least one"):
        _native.gram_hashes(b"", array([], np.uint64), array([], np.uint64), 0)
