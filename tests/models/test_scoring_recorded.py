"""Recorded token scores: what was written comes back, and nothing else is read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.errors import InputError
from cleartitle.models import QueryBudget, ScorerCapabilities, TokenStats, open_scorer, score_all, write_scores
from cleartitle.models.scoring_table import from_record, stats_of, table_of_stats, text_digest, to_record

FLOAT = st.one_of(st.floats(-1e4, 0, width=32), st.just(-np.inf), st.just(np.nan))


@st.composite
def stats(draw: st.DrawFn) -> TokenStats:
    rows = sorted(draw(st.sets(st.integers(0, 30), max_size=6)))
    count = len(rows)

    def some(values: Any, kind: Any) -> np.ndarray | None:
        if draw(st.booleans()):
            return None
        return np.array(draw(st.lists(values, min_size=count, max_size=count)), dtype=kind)

    position = np.array(rows, dtype=np.int32)
    return TokenStats(
        position,
        position * 2,
        position * 2 + 3,
        position + 7,
        rank=some(st.integers(0, 2**31 - 1), np.int32),
        logprob=some(FLOAT, np.float32),
        top1=some(FLOAT, np.float32),
        mean=some(FLOAT, np.float32),
        spread=some(st.floats(0, 1e4, width=32), np.float32),
        tokens_in_text=40,
        truncated=draw(st.integers(0, 9)),
    )


def same(left: TokenStats, right: TokenStats) -> None:
    assert (left.tokens_in_text, left.truncated) == (right.tokens_in_text, right.truncated)
    for name in ("position", "start", "end", "token", "rank", "logprob", "top1", "mean", "spread"):
        a, b = getattr(left, name), getattr(right, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b, err_msg=name)


@given(st.lists(stats(), max_size=4))
def test_rows_come_back_from_a_table_and_from_lines_bit_for_bit(items: list[TokenStats]) -> None:
    digests = [text_digest(str(i)) for i in range(len(items))]
    for (digest, found), expected, item in zip(stats_of(table_of_stats(digests, items)), digests, items, strict=True):
        assert digest == expected
        same(found, item)
        digest, found = from_record(json.dumps(to_record(expected, item)))
        assert digest == expected
        same(found, item)


class Origin:
    name = "model abc"

    def describe(self) -> dict[str, Any]:
        return {"adapter": "test"}

    def capabilities(self) -> ScorerCapabilities:
        return ScorerCapabilities(frozenset({"rank", "logprob"}), 100, output_size=20)


def item(count: int = 3) -> TokenStats:
    rows = np.arange(1, count + 1, dtype=np.int32)
    logprob = np.linspace(-3, -1, count, dtype=np.float32)
    return TokenStats(rows, rows, rows + 1, rows, rank=rows, logprob=logprob, tokens_in_text=count + 1)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_recording_stands_in_for_its_scorer(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"scores.{ending}"
    texts = ["abcd", "", "ab", "abcd", "failed"]
    none = np.zeros(0, dtype=np.int32)
    found = [item(), TokenStats(none, none, none, none), item(1), item(), TokenStats(none, none, none, none, error="x")]
    assert write_scores(path, Origin(), texts, found) == 3  # type: ignore[arg-type]
    scorer = open_scorer(f"recorded:{path}")
    assert scorer.name == "model abc" and scorer.describe()["recorded"] == {"adapter": "test"}
    assert scorer.capabilities().gives == {"rank", "logprob"} and scorer.capabilities().output_size == 20
    for one, two in zip(scorer.score(texts[:3]), found, strict=False):
        same(one, two)
    (missing,) = scorer.score(["failed"])
    assert missing.error == f"scores.{ending}: this text is not recorded" and len(missing) == 0
    (few,) = scorer.score(["abcd"], positions=[np.array([0, 3])])
    assert few.position.tolist() == [3]
    assert scorer.tokenize("abcd").token.tolist() == [-1, 1, 2, 3]
    scores = score_all(scorer, texts[:3], tmp_path / "cache", budget=QueryBudget(per_text=2, output_size=2, calls=0))
    assert [len(stats) for stats in scores] == [2, 0, 1]
    assert not path.read_bytes().count(b"abcd")


def test_a_position_that_was_not_recorded_is_told(tmp_path: Path) -> None:
    write_scores(tmp_path / "a.jsonl", Origin(), ["abcd"], [item().at(np.array([0, 2]))])  # type: ignore[arg-type]
    scorer = open_scorer(f"recorded:{tmp_path / 'a.jsonl'}")
    (found,) = scorer.score(["abcd"], positions=[np.array([2])])
    assert found.error == "a.jsonl: a position of this text is not recorded"


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "length": ({"rank": [1]}, "rank has not the 3 rows"),
    "order": ({"position": [2, 1, 3]}, "do not ascend"),
    "outside": ({"position": [1, 2, 4]}, "not among its tokens"),
    "rank": ({"rank": [1, -1, 2]}, "a rank is negative"),
    "positive": ({"logprob": [0.5, -1, -1]}, "logprob is positive"),
    "text": ({"logprob": ["low", -1, -1]}, "holds 'low', not a number"),
    "bool": ({"rank": [True, 1, 1]}, "not a list of integers"),
    "huge": ({"token": [2**40, 1, 1]}, "more than 32 bits"),
    "span": ({"start": [9, 9, 9]}, "ends before it starts"),
    "absent": ({"position": None}, "position is absent"),
    "hash": ({"text_sha256": "zz"}, "64 hexadecimal digits"),
    "count": ({"tokens_in_text": -1}, "tokens_in_text is not a count"),
    "cut": ({"truncated": 9}, "more tokens were cut off"),
    "more": ({"surplus": 1}, "exactly the names"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_line_that_contradicts_itself_is_named(tmp_path: Path, name: str) -> None:
    change, words = CHANGES[name]
    path = tmp_path / "a.jsonl"
    write_scores(path, Origin(), ["abcd", "ab"], [item(), item(1)])  # type: ignore[arg-type]
    head, first, second = path.read_text().splitlines()
    path.write_text("\n".join([head, json.dumps({**json.loads(first), **change}), second]) + "\n")
    with pytest.raises(InputError, match=words) as caught:
        open_scorer(f"recorded:{path}")
    assert "a.jsonl: line 2: " in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a file of token scores"),
        (b"\x00\xff\xfe\n", "line 1: not a file of token scores"),
        (b"[" * 100_000 + b"\n", "line 1: not a file of token scores"),
        (b'{"format": "other"}\n', "line 1: not a file of token scores"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(data)
    with pytest.raises(InputError, match=words):
        open_scorer(f"recorded:{tmp_path / 'a.jsonl'}")
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(InputError, match="not a whole Parquet file"):
        open_scorer(f"recorded:{tmp_path / 'a.parquet'}")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="not token scores"):
        open_scorer(f"recorded:{tmp_path / 'a.parquet'}")
    with pytest.raises(InputError, match="no such file"):
        open_scorer("recorded:nowhere.jsonl")


def test_a_torn_file_and_a_text_that_stands_twice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_scores(path, Origin(), ["abcd", "ab"], [item(), item(1)])  # type: ignore[arg-type]
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(InputError, match="line 3: not a whole line"):
        open_scorer(f"recorded:{path}")
    path.write_bytes(whole + whole.splitlines(keepends=True)[1])
    with pytest.raises(InputError, match="line 4: text .* is recorded twice"):
        open_scorer(f"recorded:{path}")
    with pytest.raises(InputError, match=r"\.jsonl or \.parquet"):
        write_scores(tmp_path / "a.csv", Origin(), [], [])  # type: ignore[arg-type]
