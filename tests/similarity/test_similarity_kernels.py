"""The native kernels equal their readable twins on random and hostile arrays.

CLEARTITLE_NATIVE names another build of the kernels to test, see native/sanitize.sh.
"""

import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from native_build import chosen_build

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


small = st.lists(st.integers(0, 2), max_size=40) | st.lists(st.integers(0, 2**32 - 1), max_size=20)
SECONDS = 300.0


def run_at(left, right, i, j):
    length = 0
    while i + length < len(left) and j + length < len(right) and left[i + length] == right[j + length]:
        length += 1
    return length


def runs_twin(left, right, shortest):
    return [
        [i, j, run_at(left, right, i, j)]
        for i in range(len(left))
        for j in range(len(right))
        if run_at(left, right, i, j) >= shortest and not (i and j and left[i - 1] == right[j - 1])
    ]


def tiles_twin(left, right, shortest):
    """The longest run of uncovered values becomes a tile, of equally long ones the first, until none is left."""
    left, right, tiles = list(left), list(right), []
    while True:
        runs = [(-run_at(left, right, i, j), i, j) for i in range(len(left)) for j in range(len(right))]
        size, i, j = min(runs, default=(0, 0, 0))
        if -size < shortest:
            return tiles
        tiles.append([i, j, -size])
        left[i : i - size] = [object() for _ in range(-size)]
        right[j : j - size] = [object() for _ in range(-size)]


def winnow_twin(values, k, window):
    hashes = []
    for start in range(len(values) - k + 1):
        total = 0
        for value in values[start : start + k]:
            total = (total * 4194301 + value) % 33554393
        hashes.append(total)
    chosen = []
    for newest, value in enumerate(hashes):
        older = range(max(0, newest - window + 1), newest)
        if chosen and chosen[-1] in older:
            if value <= hashes[chosen[-1]]:
                chosen.append(newest)
        else:
            best = min((hashes[place] for place in older), default=value)
            chosen.append(newest if value < best or not older else max(p for p in older if hashes[p] == best))
    return [[hashes[place], place] for place in chosen]


@given(small, small, st.integers(1, 4))
def test_equal_runs_equal_the_twin(left, right, shortest):
    assert _native.equal_runs(array(left), array(right), shortest, 10**6).tolist() == runs_twin(left, right, shortest)


@given(small, small, st.integers(1, 4))
def test_both_ways_of_tiling_equal_the_twin(left, right, shortest):
    expected = tiles_twin(left, right, shortest)
    assert _native.tile(array(left), array(right), shortest, SECONDS).tolist() == expected
    assert _native.tile_rounds(array(left), array(right), shortest, SECONDS).tolist() == expected


@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (1, 1), (40, 40), (40, 23)])
@pytest.mark.parametrize("periods", [(1, 1), (2, 2), (2, 3), (3, 6)])
def test_tiling_of_periodic_sequences_equals_the_twin(sizes, periods):
    left, right = ([i % period for i in range(size)] for size, period in zip(sizes, periods, strict=True))
    expected = tiles_twin(left, right, 3)
    assert _native.tile(array(left), array(right), 3, SECONDS).tolist() == expected
    assert _native.tile_rounds(array(left), array(right), 3, SECONDS).tolist() == expected


def test_tiling_takes_the_same_tiles_by_runs_and_by_rounds_in_long_sequences():
    random = np.random.default_rng(1)
    left, right = (random.integers(0, 3, 3000).astype(np.uint32) for _ in range(2))
    found = _native.tile(left, right, 9, SECONDS)
    assert len(found) > 50
    assert found.tolist() == _native.tile_rounds(left, right, 9, SECONDS).tolist()


@pytest.mark.parametrize("period", [1, 2, 1000])
def test_a_million_periodic_tokens_are_tiled_in_seconds(period):
    everything = (np.arange(10**6) % period).astype(np.uint32)
    half = everything[: 5 * 10**5].copy()
    assert _native.tile(everything, everything, 12, SECONDS).tolist() == [[0, 0, 10**6]]
    assert _native.tile(everything, half, 12, SECONDS).tolist() == [[0, 0, 5 * 10**5]]


def test_a_million_different_tokens_are_tiled_in_seconds():
    everything = np.arange(10**6, dtype=np.uint32)
    assert _native.tile(everything, everything[::-1].copy(), 2, SECONDS).tolist() == []


def test_tiling_stops_when_time_is_over():
    random = np.random.default_rng(2)
    left, right = (random.integers(0, 2, 10**6).astype(np.uint32) for _ in range(2))
    assert _native.tile(left, right, 12, 0.05) is None
    offsets = array([0, 10**6, 2 * 10**6], np.uint64)
    assert _native.tile_pairs(np.concatenate([left, right]), offsets, 12, 0, 1, 0.05) is None


def test_equal_runs_stop_when_the_steps_are_used_up():
    everything = np.zeros(10**5, dtype=np.uint32)
    assert _native.equal_runs(everything, everything, 1, 10**6) is None


@given(st.lists(small, max_size=5), st.integers(1, 4), st.data())
def test_tiles_of_all_pairs_equal_those_of_each_pair(sequences, shortest, data):
    first = data.draw(st.integers(0, len(sequences)))
    last = data.draw(st.integers(first, len(sequences)))
    offsets = array(np.cumsum([0, *map(len, sequences)]), np.uint64)
    values = array([value for sequence in sequences for value in sequence])
    expected = []
    for row in range(first, last):
        for other in sequences[row + 1 :]:
            left, right = sorted((sequences[row], other), key=len)
            expected.append(sum(size for _, _, size in tiles_twin(left, right, shortest)))
    assert _native.tile_pairs(values, offsets, shortest, first, last, SECONDS).tolist() == expected


@given(small, st.integers(1, 5), st.integers(1, 5))
def test_winnowing_equals_the_twin(values, k, window):
    assert _native.winnow(array(values), k, window).tolist() == winnow_twin(values, k, window)


@pytest.mark.parametrize("step", [0, 1, -1])
def test_winnowing_of_monotone_sequences_equals_the_twin(step):
    values = [1000 + step * place for place in range(200)]
    assert _native.winnow(array(values), 1, 17).tolist() == winnow_twin(values, 1, 17)


def test_every_gram_of_a_million_equal_tokens_is_a_fingerprint():
    assert len(_native.winnow(np.zeros(10**6, np.uint32), 23, 17)) == 10**6 - 22


@given(st.lists(small, max_size=5))
def test_shared_counts_equal_the_membership_counts(sequences):
    offsets = array(np.cumsum([0, *map(len, sequences)]), np.uint64)
    values = array([value for sequence in sequences for value in sequence])
    expected = [
        [sum(value in other for value in one), sum(value in one for value in other)]
        for row, one in enumerate(sequences)
        for other in sequences[row + 1 :]
    ]
    assert _native.shared_counts(values, offsets, 0, len(sequences)).tolist() == expected


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 1], [0, 3], [0, 2, 1, 2], [0, 2**64 - 1, 2]])
def test_offsets_that_do_not_cut_the_values_are_refused(offsets):
    with pytest.raises(ValueError, match="offsets"):
        _native.shared_counts(array([1, 2]), array(offsets, np.uint64), 0, 0)
    with pytest.raises(ValueError, match="offsets"):
        _native.tile_pairs(array([1, 2]), array(offsets, np.uint64), 1, 0, 0, SECONDS)


@pytest.mark.parametrize(("first", "last"), [(1, 0), (0, 3), (3, 3)])
def test_rows_outside_the_sequences_are_refused(first, last):
    with pytest.raises(IndexError, match="rows"):
        _native.shared_counts(array([1, 2]), array([0, 1, 2], np.uint64), first, last)


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_time_that_is_no_time_is_refused(seconds):
    with pytest.raises(ValueError, match="seconds"):
        _native.tile(array([1]), array([1]), 1, seconds)


def test_lengths_of_zero_are_refused():
    one = array([1])
    for call in (
        lambda: _native.tile(one, one, 0, SECONDS),
        lambda: _native.equal_runs(one, one, 0, 1),
        lambda: _native.winnow(one, 0, 1),
        lambda: _native.winnow(one, 1, 0),
    ):
        with pytest.raises(ValueError, match="at least one"):
            call()
