"""One pass over many texts: budgets, the cache, and going on after a kill; the model is a table of bigrams."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.errors import InputError
from cleartitle.models import BEYOND, QueryBudget, ScorerCapabilities, TokenSpans, TokenStats, score_all, token_counts
from cleartitle.models.scoring_budget import chosen_positions
from cleartitle.models.scoring_text import chosen_rows, readable
from watching import sizes_below

TEXTS = [f"def name_{i}(a):\n    return a + {i % 7}\n" for i in range(150)]
LETTERS = 128


class Bigrams:
    """A model of characters: the next one depends on the last. Independent or not, one call a text or a token."""

    def __init__(self, *, per_token: bool = False, independent: bool = True, pause: float = 0.0) -> None:
        rng = np.random.default_rng(4)
        logits = rng.normal(size=(LETTERS, LETTERS)).astype(np.float32)
        self.logp = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        self.per_token, self.independent, self.pause = per_token, independent, pause
        self.asked: list[str] = []
        self.fails: set[str] = set()
        self.name = "bigrams"

    def describe(self) -> dict[str, Any]:
        return {"seed": 4}

    def capabilities(self) -> ScorerCapabilities:
        return ScorerCapabilities(
            frozenset({"rank", "logprob"}),
            LETTERS,
            queries_per_text="per token" if self.per_token else "one",
            independent=self.independent,
        )

    def tokenize(self, text: str) -> TokenSpans:
        token = np.array([ord(c) % LETTERS for c in readable(text)], dtype=np.int32)
        start = np.arange(len(text), dtype=np.int32)
        return TokenSpans(token, start, start + 1)

    def calls(self, tokens: int, rows: int) -> int:
        return rows if self.per_token else int(rows > 0)

    def close(self) -> None: ...

    def score(
        self, texts: Iterable[str], *, positions: Sequence[np.ndarray | None] | None = None
    ) -> Iterator[TokenStats]:
        for place, text in enumerate(texts):
            self.asked.append(text)
            time.sleep(self.pause)
            token, start, end = self.tokenize(text)
            if text in self.fails:
                none = np.zeros(0, dtype=np.int32)
                yield TokenStats(none, none, none, none, tokens_in_text=len(token), error="HTTP 500")
                continue
            rows = chosen_rows(len(token), first=False, positions=None if positions is None else positions[place])
            logp = self.logp[token[rows - 1], token[rows]]
            rank = (self.logp[token[rows - 1]] > logp[:, None]).sum(1).astype(np.int32) + 1
            yield TokenStats(rows, start[rows], end[rows], token[rows], rank, logp, tokens_in_text=len(token))


def same(left: TokenStats, right: TokenStats) -> None:
    assert (left.tokens_in_text, left.truncated) == (right.tokens_in_text, right.truncated)
    for name in ("position", "start", "end", "token", "rank", "logprob", "top1", "mean", "spread"):
        a, b = getattr(left, name), getattr(right, name)
        assert (a is None) == (b is None)
        if a is not None:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b, err_msg=name)


def test_a_second_pass_asks_nothing_and_reads_what_was_said(tmp_path: Path) -> None:
    texts = [*TEXTS, "", "x", "a\ud800b", TEXTS[0]]
    model = Bigrams()
    first = score_all(model, texts, tmp_path)
    assert len(model.asked) == len(set(texts)) == first.calls + 2
    again = score_all(model, texts, tmp_path)
    assert len(model.asked) == len(set(texts)) and again.calls == 0
    for text, one, two in zip(texts, first, again, strict=True):
        (fresh,) = Bigrams().score([text])
        same(one, fresh)
        same(two, fresh)
    assert len(first[3:5]) == 2
    same(first[-1], first[0])
    # Another list shares what it has in common.
    score_all(model, [*TEXTS[:10], "new text"], tmp_path)
    assert model.asked[-1] == "new text" and len(model.asked) == len(set(texts)) + 1


def test_another_budget_or_model_has_a_cache_of_its_own(tmp_path: Path) -> None:
    model = Bigrams()
    for budget in (QueryBudget(), QueryBudget(per_text=3), QueryBudget(per_text=3, seed=1), QueryBudget(output_size=5)):
        before = len(model.asked)
        score_all(model, TEXTS[:5], tmp_path, budget=budget)
        assert len(model.asked) == before + 5
    before = len(model.asked)
    score_all(model, TEXTS[:5], tmp_path, budget=QueryBudget(per_text=3, calls=5))
    assert len(model.asked) == before
    for number, table in enumerate([{"a": 1}, {"a": 2}]):
        score_all(model, TEXTS[:5], tmp_path, budget=QueryBudget(per_text=3, choice="rare"), frequency=table)
        assert len(model.asked) == before + 5 * (number + 1)


def test_output_size_hides_what_a_service_would_not_show(tmp_path: Path) -> None:
    full, cut = (score_all(Bigrams(), TEXTS[:4], tmp_path, budget=QueryBudget(output_size=k)) for k in (None, 10))
    for a, b in zip(full, cut, strict=True):
        assert a.rank is not None and b.rank is not None
        assert b.rank.tolist() == [rank if rank <= 10 else BEYOND for rank in a.rank]
        assert b.logprob is None and BEYOND in b.rank


def test_too_many_calls_are_refused_before_the_first(tmp_path: Path) -> None:
    model = Bigrams(per_token=True)
    tokens = sum(len(text) - 1 for text in TEXTS)
    with pytest.raises(InputError, match=f"need {tokens} calls, allowed are 1000, nothing was sent"):
        score_all(model, TEXTS, tmp_path, budget=QueryBudget(calls=1000))
    assert not model.asked
    few = QueryBudget(per_text=6, calls=6 * len(TEXTS))
    scores = score_all(model, TEXTS, tmp_path, budget=few)
    assert scores.calls == 6 * len(TEXTS) and all(len(stats) == 6 for stats in scores)
    # What is cached costs nothing.
    score_all(model, [*TEXTS, "new text"], tmp_path, budget=QueryBudget(per_text=6, calls=6))


def test_a_text_that_failed_is_told_and_asked_for_again(tmp_path: Path) -> None:
    model = Bigrams()
    model.fails = {TEXTS[2]}
    scores = score_all(model, TEXTS[:4], tmp_path)
    assert scores[2].error == "HTTP 500" and len(scores[2]) == 0 and len(scores[3]) > 0
    assert len(scores.failed) == 1
    model.fails = set()
    scores = score_all(model, TEXTS[:4], tmp_path)
    assert model.asked[4:] == [TEXTS[2]] and not scores.failed and len(scores[2]) > 0


def test_a_damaged_part_is_made_anew(tmp_path: Path) -> None:
    model = Bigrams()
    score_all(model, TEXTS, tmp_path)
    part = sorted(tmp_path.glob("*/part-*.parquet"))[1]
    part.write_bytes(part.read_bytes()[:-9])
    scores = score_all(model, TEXTS, tmp_path)
    assert model.asked[150:] == TEXTS[64:128]
    for text, stats in zip(TEXTS, scores, strict=True):
        same(stats, next(iter(Bigrams().score([text]))))


@given(st.text(max_size=40), st.integers(1, 50), st.integers(0, 3), st.sampled_from(["random", "rare"]), st.booleans())
def test_positions_fit_the_budget_and_grow_with_it(text: str, count: int, seed: int, choice: Any, first: bool) -> None:
    spans = Bigrams().tokenize(text)
    table = {"a": 3.0, "b": 1.0, "\n": 9.0}

    def choose(per_text: int) -> list[int]:
        budget = QueryBudget(per_text=per_text, choice=choice, seed=seed)
        found = chosen_positions(text, spans, budget, first=first, frequency=table)
        assert found is not None
        return found.tolist()

    found, more = choose(count), choose(count + 1)
    lowest = 0 if first else 1
    assert len(found) == min(count, max(0, len(text) - lowest)) and found == sorted(set(found))
    assert all(lowest <= place < len(text) for place in found) and set(found) <= set(more)
    if choice == "rare" and found:
        left = set(range(lowest, len(text))) - set(found)
        assert max(table.get(text[i], 0) for i in found) <= min((table.get(text[i], 0) for i in left), default=99)


def test_random_positions_are_even_and_follow_the_seed() -> None:
    text = "x" * 21
    spans = Bigrams().tokenize(text)
    counts: Counter[int] = Counter()
    for seed in range(2000):
        found = chosen_positions(text, spans, QueryBudget(per_text=5, seed=seed))
        assert found is not None
        counts.update(found.tolist())
    assert min(counts.values()) > 400 and max(counts.values()) < 600 and len(counts) == 20


def test_a_table_of_rare_tokens_comes_from_public_texts() -> None:
    counts = token_counts(Bigrams(), ["aab", "b\ud800"])
    assert counts == {"a": 2, "b": 2, "\ud800": 1}
    with pytest.raises(InputError, match="need a table"):
        chosen_positions("abc", Bigrams().tokenize("abc"), QueryBudget(per_text=1, choice="rare"))
    for wrong in ({"per_text": 0}, {"output_size": 0}, {"calls": -1}):
        with pytest.raises(InputError, match="query budget"):
            QueryBudget(**wrong)  # type: ignore[arg-type]


SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = {here!r}
from test_scoring_cache import TEXTS, Bigrams
from cleartitle.models import QueryBudget, score_all
score_all(Bigrams(independent={independent}, pause={pause}), TEXTS, Path({folder!r}), budget=QueryBudget(per_text=9))
"""


def start(folder: Path, independent: bool, pause: float) -> "subprocess.Popen[bytes]":
    code = SCRIPT.format(
        here=[str(folder) for folder in Path(__file__).parents[:2]],
        folder=str(folder),
        independent=independent,
        pause=pause,
    )
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("independent", [True, False])
def test_a_killed_pass_goes_on_and_leaves_the_same_bytes(tmp_path: Path, independent: bool) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole, independent, 0).wait(60) == 0
    process = start(killed, independent, 0.01)
    deadline = time.monotonic() + 60
    sign = "journal.jsonl" if independent else "part-00000.parquet"
    while not any(size > 4000 for size in sizes_below(killed, sign)) and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (folder,) = killed.iterdir()
    assert not (folder / "part-00002.parquet").exists()
    if independent:
        with (folder / "journal.jsonl").open("a") as stream:
            stream.write('{"text_sha256": "torn')
        noted = (folder / "journal.jsonl").read_text().count("\n")
    assert start(killed, independent, 0).wait(60) == 0

    def digests(folder: Path) -> dict[str, str]:
        found = sorted(path for path in folder.glob("*/*") if path.name != ".lock")
        return {os.fspath(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    assert digests(whole) == digests(killed) and len(digests(whole)) == 4
    if independent:
        assert noted > 5


def test_what_a_killed_pass_noted_is_not_asked_for_again(tmp_path: Path) -> None:
    class Dies(Bigrams):
        def score(self, texts: Iterable[str], **more: Any) -> Iterator[TokenStats]:
            for number, stats in enumerate(super().score(texts, **more)):
                if number == 5:
                    raise RuntimeError("the line is cut")
                yield stats

    with pytest.raises(RuntimeError, match="cut"):
        score_all(Dies(), TEXTS[:20], tmp_path)
    model = Bigrams()
    # A shorter list than that of the killed pass: what was paid for stays.
    score_all(model, TEXTS[:1] + TEXTS[10:12], tmp_path)
    assert model.asked == TEXTS[10:12]
    score_all(model, TEXTS[:5], tmp_path)
    assert model.asked == TEXTS[10:12]
