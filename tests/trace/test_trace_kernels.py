"""The kernels of the trace index equal their readable twins on random, adversarial and hostile input."""

import re
from itertools import groupby

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from native_build import chosen_build

_native = chosen_build()
U64 = 2**64 - 1
F8 = np.zeros(8, np.uint64)

WORD = re.compile(
    rb"//|/\*|\*/|[A-Za-z_$\x80-\xff][A-Za-z0-9_$\x80-\xff]*|[0-9](?:[A-Za-z0-9_$\x80-\xff]|\.(?=[0-9]))*"
    rb"|[^\x00-\x20\x7f'\"`#\\]"
)

code = st.lists(
    st.sampled_from(
        ["a", "b", "foo", "if", "return", "1", "2.5", "0x1f", "(", ")", ",", "]", "}", "//", "/*", "*/", "/", "*", "#"]
        + ["'", '"', "\n", " ", "\\", ".", "é", "=", "$x", "1.", "..", "\0"]
    ),
    max_size=80,
).map(lambda parts: "".join(parts).encode())


def words_twin(text):
    found = []
    for match in WORD.finditer(text):
        word = match.group()
        if word in (b"//", b"/*", b"*/"):
            continue
        if word in (b")", b"]", b"}") and found and found[-1][2] == b"," and found[-1][3]:
            found.pop()
        # A comma only counts as the last word if no comment sign stood after it: signs do not touch the flag.
        found.append((match.start(), match.end(), word, word == b","))
    return [(start, end, word) for start, end, word, _ in found]


def array(values, kind=np.uint64):
    return np.array(values, dtype=kind)


@given(code | st.binary(max_size=200))
@example(b"f(a, b,\n)")
@example(b"x = [1, 2, # two\n]")
@example(b"a // b /* c */ d")
@example(b"1..2 1.2.3 .5")
def test_the_word_stream_equals_its_twin(text):
    starts, ends, exact, blind = _native.trace_words(text)
    twin = words_twin(text)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [(start, end) for start, end, _ in twin]
    by_word = {}
    for word, symbol in zip((word for _, _, word in twin), exact.tolist(), strict=True):
        assert by_word.setdefault(word, symbol) == symbol
    assert len(set(by_word.values())) == len(by_word)
    for (_, _, word), symbol, hidden in zip(twin, exact.tolist(), blind.tolist(), strict=True):
        if word[:1].isdigit():
            assert hidden == 2
        else:
            assert hidden in (1, symbol)


def test_keywords_survive_and_names_do_not():
    _, _, exact, blind = _native.trace_words(b"if name in return_value: return None")
    assert [hidden == symbol for hidden, symbol in zip(blind.tolist(), exact.tolist(), strict=True)] == [
        True, False, True, False, True, True, True,
    ]  # fmt: skip


def test_layout_quotes_comment_signs_and_trailing_commas_do_not_count():
    left = _native.trace_words(b"call(a, 'b') # note\n")[2]
    right = _native.trace_words(b'call(\n    a,\n    "b",\n)  // note')[2]
    assert left.tolist() == right.tolist()


def grams_twin(symbols, k):
    return [tuple(symbols[i : i + k]) for i in range(len(symbols) - k + 1)]


@given(st.lists(st.integers(0, 3) | st.integers(0, U64), max_size=60), st.integers(1, 8))
def test_equal_runs_and_only_those_have_equal_grams(symbols, k):
    hashes = _native.trace_grams(array(symbols), k).tolist()
    runs = grams_twin(symbols, k)
    assert len(hashes) == len(runs)
    assert len(set(zip(hashes, runs, strict=True))) == len(set(hashes)) == len(set(runs))


def renamed_twin(exact, blind, k):
    runs = []
    for start in range(len(exact) - k + 1):
        seen, run = {}, []
        for place in range(start, start + k):
            if blind[place] != 1:
                run.append(("word", blind[place]))
            else:
                run.append(("name", place - seen[exact[place]] if exact[place] in seen else 0))
                seen[exact[place]] = place
        runs.append(tuple(run))
    return runs


@given(st.lists(st.tuples(st.integers(10, 14), st.sampled_from([1, 1, 2, 77, 78])), max_size=60), st.integers(1, 9))
def test_renamed_grams_are_equal_exactly_under_a_consistent_renaming(words, k):
    exact = [name if hidden == 1 else hidden + 1000 for name, hidden in words]
    blind = [hidden for _, hidden in words]
    hashes = _native.trace_renamed_grams(array(exact), array(blind), k).tolist()
    runs = renamed_twin(exact, blind, k)
    assert len(hashes) == len(runs)
    assert len(set(zip(hashes, runs, strict=True))) == len(set(hashes)) == len(set(runs))
    other = [name * 31 + 7 if hidden == 1 else name for name, hidden in zip(exact, blind, strict=True)]
    assert _native.trace_renamed_grams(array(other), array(blind), k).tolist() == hashes


def winnow_twin(values, w):
    if not values:
        return []
    w = min(w, len(values))
    kept, least = [], None
    for start in range(len(values) - w + 1):
        window = range(start, start + w)
        if least is None or least < start:
            least = max(window, key=lambda i: (-values[i], i))
            kept.append(least)
        elif values[start + w - 1] < values[least]:
            least = start + w - 1
            kept.append(least)
    return kept


@given(st.lists(st.integers(0, 4) | st.integers(0, U64), max_size=80), st.integers(1, 12))
@example([7] * 80, 5)
@example(list(range(80)), 9)
@example(list(range(80, 0, -1)), 9)
def test_winnowing_equals_its_twin_and_leaves_no_window_empty(values, w):
    kept = _native.trace_winnow(array(values), w).tolist()
    assert kept == winnow_twin(values, w)
    for start in range(len(values) - w + 1):
        assert any(start <= place < start + w for place in kept)


def test_a_run_of_equal_words_keeps_one_in_a_window():
    assert len(_native.trace_winnow(np.full(10**6, 3, np.uint64), 10)) == 10**5


@given(st.lists(st.tuples(st.integers(0, 9) | st.integers(0, U64), st.integers(0, 2**32 - 1)), max_size=200))
def test_sorting_pairs_is_stable_and_right(pairs):
    keys, values = array([key for key, _ in pairs]), array([value for _, value in pairs], np.uint32)
    _native.sort_pairs(keys, values)
    assert list(zip(keys.tolist(), values.tolist(), strict=True)) == sorted(pairs, key=lambda pair: pair[0])


@given(st.sets(st.integers(0, 2**36 - 1), max_size=300), st.integers(1, 20))
def test_the_filter_knows_every_key_it_was_given(numbers, blocks):
    keys = sorted(number << 28 for number in numbers)
    table, bits = build_table(keys, 4)
    filter_ = np.zeros(8 * blocks, np.uint64)
    _native.filter_add(filter_, array(keys))
    _, lengths = _native.look_up(array(keys), filter_, table, bits, rests(keys, bits))
    assert (lengths > 0).all()


def test_the_filter_turns_most_other_keys_away():
    random = np.random.default_rng(0)
    held = np.sort(random.integers(0, 2**36, 10_000, dtype=np.uint64)) << np.uint64(28)
    filter_ = np.zeros(8 * (10_000 * 9 // 512 + 1), np.uint64)
    _native.filter_add(filter_, held)
    every = np.zeros(len(filter_), np.uint64) + np.uint64(U64)
    asked = random.integers(0, 2**36, 10_000, dtype=np.uint64) << np.uint64(28)
    # One bucket that holds a posting for whatever is asked shows which keys the filter let through.
    passed = 0
    for key in asked[:2000].tolist():
        rest = array([(key >> 32) & 0xFFFFFFFF], np.uint32)
        passed += int(_native.look_up(array([key]), filter_, array([0, 1]), 0, rest)[1][0])
        assert _native.look_up(array([key]), every, array([0, 1]), 0, rest)[1][0] == 1
    assert passed / 2000 < 0.05


def selected_twin(pairs, starts, mask, cap, per_document):
    groups = {}
    for key, word in pairs:
        groups.setdefault(key & mask, []).append(word)
    kept, common = [], []
    for key, words in groups.items():
        documents = [sum(start <= word for start in starts) for word in words]
        runs = [list(run) for _, run in groupby(zip(documents, words, strict=True), key=lambda pair: pair[0])]
        if len(runs) > cap:
            common.append((key, len(runs)))
        else:
            kept += [(key, word) for run in runs for _, word in run[:per_document]]
    return kept, common


@given(
    st.lists(st.tuples(st.integers(0, 5) | st.integers(0, 5).map(lambda n: n << 40), st.integers(0, 60)), max_size=80),
    st.lists(st.integers(0, 60), max_size=12).map(sorted),
    st.integers(0, 4),
    st.integers(1, 3),
)
def test_selecting_postings_equals_its_twin(pairs, starts, cap, per_document):
    pairs = sorted(pairs)
    mask = U64 << 1 & U64
    filter_ = np.zeros(8, np.uint64)
    keys, words = array([key for key, _ in pairs]), array([word for _, word in pairs], np.uint32)
    kept, places, common, counts = _native.select_postings(keys, words, array(starts), mask, cap, per_document, filter_)
    twin_kept, twin_common = selected_twin(pairs, starts, mask, cap, per_document)
    assert list(zip(kept.tolist(), places.tolist(), strict=True)) == twin_kept
    assert list(zip(common.tolist(), counts.tolist(), strict=True)) == twin_common
    expected = np.zeros(8, np.uint64)
    _native.filter_add(expected, keys & np.uint64(mask))
    assert filter_.tolist() == expected.tolist()


def rests(keys, bits):
    return array([((key << bits) & U64) >> 32 for key in keys], np.uint32)


def build_table(keys, bits):
    counts = [0] * (1 << bits)
    for key in keys:
        counts[key >> (64 - bits) if bits else 0] += 1
    table = [0]
    for count in counts:
        table.append(table[-1] + count)
    return array(table), bits


@given(
    st.lists(st.integers(0, 20).map(lambda n: n << 58 | n << 20) | st.integers(0, U64), max_size=100),
    st.lists(st.integers(0, U64), max_size=20),
    st.integers(0, 6),
)
def test_look_up_gives_the_range_of_each_key(held, others, bits):
    held = sorted(held)
    table, bits = build_table(held, bits)
    kept = rests(held, bits)
    asked = held + others
    starts, lengths = _native.look_up(array(asked), np.empty(0, np.uint64), table, bits, kept)
    known = [key >> (32 - bits) for key in held]
    for key, start, length in zip(asked, starts.tolist(), lengths.tolist(), strict=True):
        places = [i for i, value in enumerate(known) if value == key >> (32 - bits)]
        assert length == len(places)
        assert not places or start == places[0]


def test_a_damaged_table_matches_nothing_and_reads_nothing_outside():
    table = array([0, 2**63, 5, U64, 3])
    starts, lengths = _native.look_up(
        array([0, 1 << 62, 2 << 62, 3 << 62]), np.empty(0, np.uint64), table, 2, np.zeros(4, np.uint32)
    )
    assert lengths.tolist() == [0, 0, 0, 0] and starts.tolist() == [0, 0, 0, 0]


def extend_twin(left, right, seeds):
    runs = set()
    for a, b in seeds:
        if a >= len(left) or b >= len(right) or left[a] != right[b]:
            continue
        length = 0
        while a > 0 and b > 0 and left[a - 1] == right[b - 1]:
            a, b = a - 1, b - 1
        while a + length < len(left) and b + length < len(right) and left[a + length] == right[b + length]:
            length += 1
        runs.add((a, b, length))
    return runs


@given(
    st.lists(st.integers(0, 2), max_size=40),
    st.lists(st.integers(0, 2), max_size=40),
    st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), max_size=30),
)
@example([1] * 40, [1] * 40, [(i, j) for i in range(0, 40, 7) for j in range(0, 40, 7)])
def test_extension_finds_each_maximal_run_once(left, right, seeds):
    found = _native.extend(
        array(left), array(right), array([a for a, _ in seeds], np.uint32), array([b for _, b in seeds], np.uint32)
    )
    runs = list(zip(*(column.tolist() for column in found), strict=True))
    assert len(runs) == len(set(runs))
    assert set(runs) == extend_twin(left, right, seeds)


def test_a_million_words_on_one_line_take_linear_time():
    text = b"x " * 10**6
    _, _, exact, blind = _native.trace_words(text)
    assert len(exact) == 10**6
    assert len(_native.trace_renamed_grams(exact, blind, 16)) == 10**6 - 15
    ends = np.arange(10**6, dtype=np.uint32)
    assert [len(part) for part in _native.extend(exact, exact, ends, ends)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("trace_grams", (np.zeros(3, np.uint32), 2)),
        ("trace_grams", (np.zeros(3, np.uint64)[::2], 2)),
        ("sort_pairs", (np.zeros(3, np.uint64), np.zeros(3, np.int64))),
        ("extend", (np.zeros(3), np.zeros(3), np.zeros(0, np.uint32), np.zeros(0, np.uint32))),
    ],
)
def test_arrays_of_another_kind_are_refused(name, arguments):
    with pytest.raises(TypeError):
        getattr(_native, name)(*arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("trace_grams", (np.zeros(3, np.uint64), 0)),
        ("trace_winnow", (np.zeros(3, np.uint64), 0)),
        ("trace_renamed_grams", (np.zeros(3, np.uint64), np.zeros(2, np.uint64), 2)),
        ("sort_pairs", (np.zeros(3, np.uint64), np.zeros(2, np.uint32))),
        ("select_postings", (np.zeros(2, np.uint64), np.zeros(1, np.uint32), *(np.zeros(8, np.uint64), 1, 1, 1), F8)),
        (
            "select_postings",
            (np.zeros(1, np.uint64), np.zeros(1, np.uint32), *(np.zeros(8, np.uint64), 1, 1, 1), F8[:7]),
        ),
        ("filter_add", (np.zeros(7, np.uint64), np.zeros(1, np.uint64))),
        ("look_up", (*(np.zeros(n, np.uint64) for n in (1, 8, 4)), 2, np.zeros(1, np.uint32))),
        ("extend", (*(np.zeros(1, np.uint64),) * 2, np.zeros(1, np.uint32), np.zeros(2, np.uint32))),
    ],
)
def test_lengths_that_do_not_fit_are_refused(name, arguments):
    with pytest.raises(ValueError):
        getattr(_native, name)(*arguments)
