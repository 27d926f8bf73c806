"""Token scores of PyTorch models against plain loops in 64 bits; an LSTM and a tiny GPT made here."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cleartitle.errors import InputError
from cleartitle.models import ModelOptions, ScorerOptions, TokenStats, open_scorer
from cleartitle.models.scoring_transformers import folder_tokenizer, transformers_scorer

torch: Any = pytest.importorskip("torch", reason="torch is not installed (extra: train)")
hf: Any = pytest.importorskip("transformers", reason="transformers is not installed (extra: train)")

from cleartitle.models.scoring_rows import row_numbers  # noqa: E402
from cleartitle.models.scoring_torch import TorchScorer, weights_digest  # noqa: E402

TEXTS = [
    "def add(a, b):\n    return a + b\n",
    "",
    "x",
    "def é日本🙂(naïve):\n    return '🙂' * 3\n",
    "import os\n" * 30,
    "for index in range(10):\n\tprint(index)\n",
]
VALUES = ("rank", "logprob", "top1", "mean", "spread")


def words(text: str) -> tuple[list[int], list[int], list[int]]:
    """A word is a run of non-blanks; its id is the sum of its characters modulo 50."""
    ids: list[int] = []
    starts: list[int] = []
    at = 0
    for word in text.split(" "):
        if word:
            ids.append(sum(map(ord, word)) % 50)
            starts.append(at)
        at += len(word) + 1
    return ids, starts, [start + len(word) for start, word in zip(starts, text.split(), strict=True)]


class Lstm(torch.nn.Module):
    def __init__(self, vocabulary: int = 50) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, 16)
        self.lstm = torch.nn.LSTM(16, 24, batch_first=True)
        self.out = torch.nn.Linear(24, vocabulary)

    def forward(self, ids: Any) -> Any:
        return self.out(self.lstm(self.embed(ids))[0])


def lstm(**options: Any) -> tuple[Any, TorchScorer]:
    torch.manual_seed(3)
    model = Lstm()
    return model, TorchScorer(model, words, options=ScorerOptions(**options))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from cleartitle.models.training import _tokenizer
    from cleartitle.models.transformers import quiet_transformers

    quiet_transformers()
    torch.manual_seed(1)
    tokenizer = _tokenizer(hf, ["def add(a, b):\n    return a + b\n"] * 4, 300)
    config = hf.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        initializer_range=0.3,
    )
    path = tmp_path_factory.mktemp("tiny") / "llama"
    hf.LlamaForCausalLM(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def reference(logits: np.ndarray, given: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers by their definitions, in 64 bits and with a sort."""
    logits = logits.astype(np.float64)
    logp = logits - logits.max(1, keepdims=True)
    logp = logp - np.log(np.exp(logp).sum(1, keepdims=True))
    p = np.exp(logp)
    rows = np.arange(len(given))
    mean = (p * logp).sum(1)
    above = [
        -np.searchsorted(np.sort(row), row[token], side="right") + len(row)
        for row, token in zip(logits, given, strict=True)
    ]
    return {
        "rank": np.array(above) + 1,
        "logprob": logp[rows, given],
        "top1": logp.max(1),
        "mean": mean,
        "spread": np.sqrt(np.maximum(0, (p * logp**2).sum(1) - mean**2)),
    }


def agree(stats: TokenStats, expected: dict[str, np.ndarray], tolerance: float = 2e-5) -> None:
    assert len(stats) == len(expected["rank"])
    assert (stats.rank == expected["rank"]).all()
    for name in VALUES[1:]:
        np.testing.assert_allclose(getattr(stats, name), expected[name], atol=tolerance, rtol=1e-5, err_msg=name)


def plain(model: Any, ids: np.ndarray) -> dict[str, np.ndarray]:
    with torch.inference_mode():
        output = model(torch.tensor(ids[None, :].astype(np.int64)))
    logits = getattr(output, "logits", output)[0].double().numpy()
    return reference(logits[:-1], ids[1:])


def test_numbers_of_rows_are_those_of_their_definitions_with_ties_and_excluded_tokens() -> None:
    generator = torch.Generator().manual_seed(5)
    logits = torch.randn((40, 331), generator=generator) * 4
    logits[:, 7] = logits[:, 9]
    logits[3] = 0.0
    logits[4, 11] = 60.0
    given = torch.randint(0, 331, (40,), generator=generator)
    given[0], given[3], given[4] = 9, 330, 11
    expected = reference(logits.numpy(), given.numpy())
    assert expected["rank"][3] == 1
    found = row_numbers(torch, logits.clone(), given)
    for name in VALUES:
        np.testing.assert_allclose(getattr(found, name).numpy(), expected[name], atol=2e-5, rtol=1e-5, err_msg=name)
    # A token that is ruled out takes no part, and has probability zero itself.
    masked = logits.clone()
    masked[:, 300:] = -torch.inf
    few = reference(logits[:, :300].numpy(), given.clamp(max=299).numpy())
    found = row_numbers(torch, masked.clone(), given)
    for name in ("top1", "mean", "spread"):
        np.testing.assert_allclose(getattr(found, name).numpy(), few[name], atol=2e-5, rtol=1e-5, err_msg=name)
    outside = (given >= 300).numpy()
    assert outside.any() and (found.logprob.numpy()[outside] < -1000).all()


def test_an_lstm_gives_the_numbers_of_a_plain_loop_in_any_batch() -> None:
    texts = ["a b c d e f g", "one two", "", "z", "p q r s t u v w x y z " * 20]
    model, scorer = lstm()
    _, narrow = lstm(batch_tokens=1)
    alone = [next(iter(scorer.score([text]))) for text in texts]
    for text, together, single, thin in zip(texts, scorer.score(texts), alone, narrow.score(texts), strict=True):
        ids = np.array(words(text)[0])
        assert together.tokens_in_text == len(ids)
        if len(ids) < 2:
            assert len(together) == len(single) == len(thin) == 0
            continue
        for stats in (together, single, thin):
            agree(stats, plain(model, ids))
        assert [text[s:e] for s, e in zip(together.start, together.end, strict=True)] == text.split()[1:]


def test_a_head_gives_the_numbers_of_the_whole_model() -> None:
    model, scorer = lstm()
    halves = TorchScorer(
        lambda ids: model.lstm(model.embed(ids))[0], words, head=model.out, name="halves", vocabulary=50
    )
    text = "a b c d e f g h"
    for name in VALUES:
        left, right = (getattr(next(iter(s.score([text]))), name) for s in (scorer, halves))
        np.testing.assert_allclose(left, right, atol=1e-6)


def test_a_transformers_folder_gives_the_numbers_of_a_plain_loop(folder: Path) -> None:
    scorer = open_scorer(f"hf:{folder}", ModelOptions(threads=1))
    model = hf.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    texts = [text for text in TEXTS if len(text) < 60]
    for text, stats in zip(texts, scorer.score(texts), strict=True):
        ids = np.array(tokenizer(text)["input_ids"])
        assert stats.tokens_in_text == len(ids) and stats.truncated == 0
        if len(ids) > 1:
            agree(stats, plain(model, ids))
            assert (stats.token == ids[1:]).all()
            assert stats.end[-1] == len(text)
    assert scorer.capabilities().gives == {"rank", "logprob", "top1", "distribution"}
    assert scorer.capabilities().context == 64 and scorer.capabilities().vocabulary == len(tokenizer)


def test_a_token_of_a_part_of_a_character_covers_the_whole_character(folder: Path) -> None:
    scorer = open_scorer(f"hf:{folder}", ModelOptions(threads=1))
    text = TEXTS[3]
    spans = scorer.tokenize(text)
    pieces = list(dict.fromkeys(zip(spans.start.tolist(), spans.end.tolist(), strict=True)))
    assert "".join(text[start:end] for start, end in pieces) == text
    smile = text.index("🙂")
    assert [(s, e) for s, e in zip(spans.start, spans.end, strict=True) if s == smile] == [(smile, smile + 1)] * 4


def test_a_long_text_is_scored_by_half_overlapping_windows(folder: Path) -> None:
    scorer = open_scorer(f"hf:{folder}", ModelOptions(threads=1), ScorerOptions(window=20))
    model = hf.AutoModelForCausalLM.from_pretrained(folder)
    ids = scorer.tokenize(TEXTS[4]).token
    assert len(ids) > 64
    (stats,) = scorer.score([TEXTS[4]])
    assert stats.position.tolist() == list(range(1, len(ids))) and stats.truncated == 0
    seen = 1
    for start in range(0, len(ids), 10):
        window = ids[start : start + 20]
        stop = min(start + 20, len(ids))
        if stop <= seen:
            break
        expected = {name: values[seen - start - 1 :] for name, values in plain(model, window).items()}
        agree(stats.at(np.arange(seen - 1, stop - 1)), expected)
        seen = stop
    assert seen == len(ids)
    cut = open_scorer(f"hf:{folder}", ModelOptions(threads=1), ScorerOptions(window=20, long_texts="cut"))
    (short,) = cut.score([TEXTS[4]])
    assert (len(short), short.truncated, short.tokens_in_text) == (19, len(ids) - 20, len(ids))
    agree(short, plain(model, ids[:20]))


def test_a_prefix_token_gives_the_first_token_a_row(folder: Path) -> None:
    scorer = open_scorer(f"hf:{folder}", ModelOptions(threads=1), ScorerOptions(prefix="yes"))
    model = hf.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    (stats,) = scorer.score([TEXTS[0]])
    ids = np.array([tokenizer.eos_token_id, *tokenizer(TEXTS[0])["input_ids"]])
    agree(stats, plain(model, ids))
    assert stats.position[0] == 0 and scorer.capabilities().scores_first_token
    (one,) = scorer.score(["x"])
    assert len(one) == 1
    # A window is a token shorter for its prefix, and every window has it.
    long = open_scorer(f"hf:{folder}", ModelOptions(threads=1), ScorerOptions(prefix="yes", window=21))
    (stats,) = long.score([TEXTS[4]])
    ids = long.tokenize(TEXTS[4]).token
    assert stats.position.tolist() == list(range(len(ids)))
    second = np.array([tokenizer.eos_token_id, *ids[10:30]])
    expected = {name: values[10:] for name, values in plain(model, second).items()}
    agree(stats.at(np.arange(20, 30)), expected)


def test_chosen_positions_have_the_numbers_of_a_full_pass(folder: Path) -> None:
    scorer = open_scorer(f"hf:{folder}", ModelOptions(threads=1))
    full = list(scorer.score(TEXTS))
    wanted = [np.array([0, 3, 5]), None, np.array([0]), np.array([], dtype=np.int32), np.array([99, 2]), np.array([1])]
    for few, all_rows, rows in zip(scorer.score(TEXTS, positions=wanted), full, wanted, strict=True):
        keep = np.ones(len(all_rows), dtype=bool) if rows is None else np.isin(all_rows.position, rows)
        assert few.position.tolist() == all_rows.position[keep].tolist()
        for name in VALUES:
            np.testing.assert_allclose(getattr(few, name), getattr(all_rows, name)[keep], atol=1e-5)
    with pytest.raises(IndexError, match="position 500 of a text of"):
        list(scorer.score(["x y z"], positions=[np.array([500])]))


def test_text_that_no_encoding_takes_is_scored_with_a_replacement(folder: Path) -> None:
    scorer = open_scorer(f"hf:{folder}", ModelOptions(threads=1))
    (odd,) = scorer.score(["a\ud800b\x00c"])
    (mended,) = scorer.score(["a\ufffdb\x00c"])
    assert odd.token.tolist() == mended.token.tolist() and odd.end[-1] == 5
    np.testing.assert_array_equal(odd.logprob, mended.logprob)


def test_half_precision_ranks_by_the_values_the_model_gave(folder: Path) -> None:
    model = hf.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    tokenize, _ = folder_tokenizer(tokenizer, "x", ScorerOptions())
    scorer = TorchScorer(model, tokenize, context=64)
    ids = np.array(tokenizer(TEXTS[0])["input_ids"])
    # One row at a time, as the scorer's batch of one does: the values of 16 bits have many ties.
    (stats,) = scorer.score([TEXTS[0]])
    with torch.inference_mode():
        logits = model(torch.tensor(ids[None, :-1])).logits[0].double().numpy()
    agree(stats, reference(logits, ids[1:]))


def test_a_model_whose_logits_are_reshaped_is_not_split(folder: Path) -> None:
    scorer: Any = transformers_scorer(str(folder), threads=1)
    assert scorer._head is not None
    model = hf.AutoModelForCausalLM.from_pretrained(folder)
    inner = model.forward

    def capped(*args: Any, **more: Any) -> Any:
        output = inner(*args, **more)
        output.logits = 5 * torch.tanh(output.logits / 5)
        return output

    model.forward = capped
    from cleartitle.models.scoring_transformers import _head

    assert _head(torch, model, [1, 2, 3]) is None


def test_what_the_model_cannot_take_is_named() -> None:
    model, _ = lstm()
    with pytest.raises(InputError, match="id 50 is not among the 50"):
        list(TorchScorer(model, lambda text: ([50], [0], [1])).score(["a"]))
    with pytest.raises(InputError, match="2 ids, 1 starts"):
        list(TorchScorer(model, lambda text: ([1, 2], [0], [1])).score(["a"]))
    with pytest.raises(InputError, match="outside of its text"):
        list(TorchScorer(model, lambda text: ([1], [0], [9])).score(["a"]))
    with pytest.raises(InputError, match="over the model's context of 10"):
        TorchScorer(model, words, context=10, options=ScorerOptions(window=11))
    with pytest.raises(InputError, match="needs a name"):
        TorchScorer(lambda ids: ids, words)
    with pytest.raises(InputError, match="leaves gaps"):
        TorchScorer(model, words, context=10, options=ScorerOptions(stride=10))
    with pytest.raises(InputError, match="leaves gaps"):
        ScorerOptions(window=8, stride=8)
    broken = Lstm()
    torch.nn.init.constant_(broken.out.bias, float("nan"))
    with pytest.raises(InputError, match="NaN"):
        list(TorchScorer(broken, words).score(["a b"]))
    with pytest.raises(InputError, match="one row of logits for each token"):
        TorchScorer(lambda ids: ids[:, :0, None].float(), words, name="short")
    with pytest.raises(InputError, match="hf:FOLDER, a causal model"):
        open_scorer("hf:")


def test_the_name_changes_with_the_weights() -> None:
    model, scorer = lstm()
    _, same = lstm()
    assert scorer.name == same.name and scorer.name.startswith("Lstm ")
    with torch.no_grad():
        model.out.bias[0] += 1
    assert weights_digest(model)[:12] != scorer.name.split()[-1]
