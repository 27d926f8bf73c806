"""Token scores of the embedded model: the real weights under llama.cpp, called through its C interface."""

import asyncio
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.errors import InputError
from cleartitle.models import ModelOptions, Request, Sampling, ScorerOptions, open_model, open_scorer
from cleartitle.models import llama_library as library
from cleartitle.models.scoring_embedded import byte_spans
from cleartitle.models.scoring_selftest import self_test
from cleartitle.models.weights import embedded_weights

TEXT = "def add(first, second):\n    # sums two numbers, 日本🙂 too\n    return first + second\n"
VALUES = ("rank", "logprob", "top1", "mean", "spread")


@given(st.text(max_size=20), st.data())
def test_spans_of_byte_tokens_cover_whole_characters(text: str, data: st.DataObject) -> None:
    from cleartitle.models.scoring_text import readable

    text = readable(text)
    raw = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=8)) | {0, len(raw)})
    pieces = [raw[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]
    start, end = byte_spans(pieces, text)
    offsets = np.cumsum([0] + [len(c.encode()) for c in text]).tolist()
    for place, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False)):
        touched = [i for i in range(len(text)) if offsets[i] < b and offsets[i + 1] > a]
        assert (start[place], end[place]) == (touched[0], touched[-1] + 1)
    led, _ = byte_spans([b" ", *pieces], text) if text else (start, end)
    assert led[-len(pieces) or len(led) :].tolist() == start.tolist()


def test_tokens_that_do_not_make_up_the_text_are_refused() -> None:
    with pytest.raises(InputError, match="do not make up the text"):
        byte_spans([b"ab", b"d"], "abc")
    assert [values.tolist() for values in byte_spans([b"", b"a"], "a")] == [[0, 0], [0, 1]]


pytest.importorskip("xllamacpp", reason="xllamacpp is not installed (extra: local)")


@pytest.fixture(scope="module")
def scorer() -> Generator[Any]:
    opened = open_scorer("embedded", ModelOptions(threads=2, context=512))
    yield opened
    opened.close()
    opened.close()


@pytest.mark.model
@pytest.mark.network
class TestTheRealWeights:
    def test_the_self_test_passes(self, scorer: Any) -> None:
        found = self_test(scorer)
        assert found["repetition"] == "two runs differ by 0 nats at most"
        assert found["next token"] == "equal at 4 places"

    def test_likeliest_tokens_are_those_that_the_runtime_generates(self, scorer: Any) -> None:
        """The other route: llama.cpp's own server, which decodes greedily."""
        model = open_model("embedded", ModelOptions(threads=1, context=512))
        prompt = "def add(first, second):\n    return first"
        request = Request("p", prompt=prompt, sampling=Sampling(max_tokens=12))
        (row,) = asyncio.run(model.generate(request))
        asyncio.run(model.aclose())
        (stats,) = scorer.score([prompt + row.text])
        written = stats.at(stats.start >= len(prompt))
        assert len(written) == 12 and row.text
        assert (written.rank == 1).all() and (written.logprob == written.top1).all()

    def test_numbers_do_not_depend_on_company_or_on_which_rows_are_wanted(self, scorer: Any) -> None:
        long = TEXT * 5
        together = list(scorer.score([TEXT, long, "x", "", TEXT]))
        (alone,) = scorer.score([TEXT])
        (long_alone,) = scorer.score([long])
        some = np.array([1, 63, 64, 65, 100])
        (few,) = scorer.score([long], positions=[some])
        for name in VALUES:
            for other in (together[0], together[4]):
                np.testing.assert_array_equal(getattr(other, name), getattr(alone, name))
            np.testing.assert_array_equal(getattr(together[1], name), getattr(long_alone, name))
            np.testing.assert_allclose(getattr(few, name), getattr(long_alone, name)[some - 1], atol=1e-3)
        assert [len(together[2]), len(together[3])] == [0, 0]
        assert (together[2].tokens_in_text, together[3].tokens_in_text) == (1, 0)

    def test_rows_are_those_of_their_definitions(self, scorer: Any) -> None:
        (stats,) = scorer.score([TEXT])
        ids = scorer.tokenize(TEXT).token
        kept: list[np.ndarray] = []
        context = scorer._free.get()
        context.logits(ids[:-1], np.arange(len(ids) - 1), lambda logits, _: kept.append(logits.copy()))
        scorer._free.put(context)
        logits = np.concatenate(kept).astype(np.float64)
        logp = logits - logits.max(1, keepdims=True)
        logp -= np.log(np.exp(logp).sum(1, keepdims=True))
        own = logp[np.arange(len(logp)), ids[1:]]
        mean = (np.exp(logp) * logp).sum(1)
        np.testing.assert_allclose(stats.logprob, own, atol=1e-4)
        np.testing.assert_allclose(stats.top1, logp.max(1), atol=1e-4)
        np.testing.assert_allclose(stats.mean, mean, atol=1e-4)
        np.testing.assert_allclose(stats.spread, np.sqrt((np.exp(logp) * logp**2).sum(1) - mean**2), atol=1e-4)
        assert (stats.rank == (logp > own[:, None]).sum(1) + 1).all()

    def test_long_texts_go_by_windows_or_are_cut(self) -> None:
        long = TEXT * 5
        for mode in ("windows", "cut"):
            options = ScorerOptions(window=100, long_texts=mode)  # type: ignore[arg-type]
            opened = open_scorer(f"gguf:{embedded_weights()}", ModelOptions(threads=1), options)
            (stats,) = opened.score([long])
            (first,) = opened.score([long[: opened.tokenize(long).end[63]]])
            opened.close()
            count = 99 if mode == "cut" else stats.tokens_in_text - 1
            assert len(stats) == count and stats.truncated == stats.tokens_in_text - 1 - count
            np.testing.assert_allclose(stats.logprob[:63], first.logprob, atol=1e-3)

    def test_a_prefix_token_gives_the_first_token_a_row(self) -> None:
        opened: Any = open_scorer("embedded", ModelOptions(threads=1, context=64), ScorerOptions(prefix="yes"))
        (stats,) = opened.score(["def f(x):"])
        assert stats.position.tolist() == list(range(stats.tokens_in_text))
        self_test(opened)
        opened.close()

    def test_odd_texts_have_rows(self, scorer: Any) -> None:
        odd, same, nul = scorer.score(["a\ud800b", "a\ufffdb", "a\x00b\x00"])
        np.testing.assert_array_equal(odd.logprob, same.logprob)
        assert nul.end[-1] == 4 and np.isfinite(nul.logprob).all()

    def test_a_file_that_is_no_model_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "cut.gguf").write_bytes(embedded_weights().read_bytes()[:100_000])
        (tmp_path / "text.gguf").write_text("hello")
        for name, words in (("cut.gguf", "cannot load it"), ("text.gguf", "not a GGUF"), ("no.gguf", "cannot be read")):
            with pytest.raises(InputError, match=words):
                open_scorer(f"gguf:{tmp_path / name}")
        with pytest.raises(InputError, match="over the context of 64"):
            open_scorer("embedded", ModelOptions(context=64), ScorerOptions(window=65))

    def test_a_process_that_forgets_to_close_ends_and_prints_nothing_of_the_runtime(self) -> None:
        code = (
            "from cleartitle.models import *\n"
            "s = open_scorer('embedded', ModelOptions(threads=2, context=64))\n"
            "print(len(next(iter(s.score(['def f(x): return x'])))) > 3)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_another_layout_of_the_runtime_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "DEFAULTS", (*library.DEFAULTS[:-1], 7))
    with pytest.raises(InputError, match="another layout.*hf:embedded"):
        library.LlamaWeights(Path("x"))
    monkeypatch.undo()
    monkeypatch.setitem(library._SIGNATURES, "llama_no_such_function", (None, ()))
    with pytest.raises(InputError, match=r"does not export llama_no_such_function.*hf:embedded"):
        library.LlamaWeights(Path("x"))
