"""Token scoring beside the bare forward pass, its memory, and its values beside a plain loop and lm-eval.

    python benchmarks/membership_scoring.py speed|memory|values|lm-eval

Needs the extra ``train``; ``values`` also ``local``, ``lm-eval`` also the package lm-eval.
"""

import argparse
import inspect
import resource
import time
from typing import Any

import numpy as np

MODULES = ("heapq", "bisect", "textwrap", "shlex", "fnmatch", "glob", "queue", "sched", "string", "stat")


def texts(count: int, length: int) -> list[str]:
    import importlib

    source = "\n".join(inspect.getsource(importlib.import_module(name)) for name in MODULES)
    return [source[i * length : (i + 1) * length] for i in range(count)]


def gpt(vocabulary: int, width: int, layers: int, context: int = 256) -> Any:
    """A model with the layout of those that ``training.train`` makes; what it says does not matter here."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=vocabulary,
        n_positions=context,
        n_embd=width,
        n_layer=layers,
        n_head=4,
        bos_token_id=None,
        eos_token_id=None,
    )
    return GPT2LMHeadModel(config).eval()


def scorer_of(model: Any, vocabulary: int, context: int = 256, *, split: bool = True) -> Any:
    from cleartitle.models.scoring_torch import TorchScorer

    rng = np.random.default_rng(0)

    def tokenize(text: str) -> tuple[Any, Any, Any]:
        count = len(text)
        return rng.integers(0, vocabulary, count), np.arange(count), np.arange(1, count + 1)

    made = TorchScorer(model, tokenize, name="gpt", context=context, vocabulary=vocabulary)
    if split:
        made.split(model.transformer, model.lm_head)
    return made


def lstm_scorer(vocabulary: int, width: int) -> tuple[Any, Any]:
    """CodeMI's LSTM, and a scorer with its two halves as a study uses them."""
    import torch

    from cleartitle.membership.lstm import new_lstm

    torch.manual_seed(0)
    model = new_lstm(vocabulary, width, 0.0).eval()
    made = scorer_of(model, vocabulary, split=False)
    made.split(model.states, model.head)
    return model, made


def speed(rounds: int, large: bool) -> None:
    """CPU seconds of scoring, of ``model(ids)`` for the same batches, and of a plain loop over texts, alternating."""
    import torch

    torch.set_num_threads(1)
    cases = ["GPT 1.8 million, vocabulary 2,048", "LSTM 4.8 million, vocabulary 8,000"]
    cases += ["GPT 44 million, vocabulary 49,152"] if large else []
    for name in cases:
        count = 4 if "44" in name else 16
        if name.startswith("LSTM"):
            vocabulary = 8000
            model, made = lstm_scorer(vocabulary, 256)
        else:
            vocabulary, width, layers = (49152, 512, 6) if "44" in name else (2048, 192, 3)
            model = gpt(vocabulary, width, layers)
            made = scorer_of(model, vocabulary)
        documents = ["x" * 256] * count
        ids = torch.randint(0, vocabulary, (count, 256))
        bare: list[float] = []
        ours: list[float] = []
        plain: list[float] = []
        for _ in range(rounds + 1):
            started = time.process_time()
            with torch.inference_mode():
                for line in range(0, count, 16):
                    model(ids[line : line + 16, :-1])
            bare.append(time.process_time() - started)
            started = time.process_time()
            list(made.score(documents))
            ours.append(time.process_time() - started)
            started = time.process_time()
            for line in range(count):
                plain_loop(model, ids[line : line + 1])
            plain.append(time.process_time() - started)
        tokens = count * 255
        best = [min(values[1:]) for values in (bare, ours, plain)]
        ratios = [a / b for a, b in zip(bare[1:], ours[1:], strict=True)]
        print(
            f"{name}: tokens per CPU second: bare {tokens / best[0]:,.0f}, ours {tokens / best[1]:,.0f}, loop with"
            f" the same numbers {tokens / best[2]:,.0f}; ours is {best[0] / best[1]:.2f} of bare at best of {rounds}"
            f" (pairs {min(ratios):.2f} to {max(ratios):.2f}), {best[2] / best[1]:.2f} times the loop",
            flush=True,
        )


def plain_loop(model: Any, ids: Any) -> None:
    """The five numbers as a script would compute them, one text at a time."""
    import torch

    with torch.inference_mode():
        logits = model(ids).logits[0, :-1]
        logp, p = torch.log_softmax(logits, -1), torch.softmax(logits, -1)
        own = logp.gather(1, ids[0, 1:, None])
        mean = (p * logp).sum(-1)
        spread = ((p * logp**2).sum(-1) - mean**2).clamp(min=0).sqrt()
        rank = (logits > logits.gather(1, ids[0, 1:, None])).sum(-1) + 1
        for values in (own, mean, spread, rank, logp.max(-1).values):
            values.numpy()


def memory(vocabulary: int) -> None:
    """Peak resident memory of scoring 16 texts of 256 tokens, beyond that of the loaded model."""
    import torch

    torch.set_num_threads(1)
    model = gpt(vocabulary, 64, 2)
    made = scorer_of(model, vocabulary)
    list(made.score(["x" * 8]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    list(made.score(["x" * 256] * 16))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    whole = 16 * 255 * vocabulary * 4 / 2**20
    print(f"vocabulary {vocabulary:,}: {(after - before) / 1024:.0f} MiB more (all logits at once: {whole:.0f} MiB)")


def values() -> None:
    """Largest differences on 20 texts: our numbers, a plain loop in 64 bits, and the embedded runtime."""
    import torch

    from cleartitle.models import open_scorer
    from cleartitle.models.transformers import load_folder

    documents = texts(20, 400)
    ours = open_scorer("hf:embedded")
    _, tokenizer, model, _ = load_folder("embedded")
    worst: dict[str, float] = dict.fromkeys(("logprob", "top1", "mean", "spread"), 0.0)
    ranks = rows = 0
    scored = list(ours.score(documents))
    for document, stats in zip(documents, scored, strict=True):
        ids = tokenizer(document)["input_ids"]
        with torch.inference_mode():
            logits = model(torch.tensor([ids])).logits[0, :-1].double()
        logp = torch.log_softmax(logits, -1)
        own = logp.gather(1, torch.tensor(ids[1:])[:, None])
        mean = (logp.exp() * logp).sum(-1)
        expected = {
            "logprob": own[:, 0],
            "top1": logp.max(-1).values,
            "mean": mean,
            "spread": ((logp.exp() * logp**2).sum(-1) - mean**2).clamp(min=0).sqrt(),
        }
        for name, value in expected.items():
            worst[name] = max(worst[name], float(np.abs(getattr(stats, name) - value.numpy()).max()))
        ranks += int((stats.rank != ((logp > own).sum(-1) + 1).numpy()).sum())
        rows += len(stats)
    print(f"plain loop, {rows} tokens of 20 texts:", {k: f"{v:.1e}" for k, v in worst.items()}, f"{ranks} other ranks")
    try:
        embedded = open_scorer("embedded")
    except Exception as error:
        print(f"embedded runtime: not compared ({error})")
        return
    pairs = [(a.logprob, b.logprob) for a, b in zip(scored, embedded.score(documents), strict=True)]
    differences = np.concatenate([a - b for a, b in pairs])
    sums = [abs(float(a.mean() - b.mean())) for a, b in pairs]
    print(
        f"embedded runtime: mean difference of a token {np.abs(differences).mean():.3f} nats, largest"
        f" {np.abs(differences).max():.2f}; of the mean of a text at most {max(sums):.3f}"
    )


def lm_eval() -> None:
    """Log-likelihoods of 20 texts beside ``loglikelihood_rolling`` of lm-eval, which puts one token first."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from cleartitle.models import ScorerOptions, open_scorer
    from cleartitle.models.transformers import embedded_folder

    documents = texts(20, 400)
    peer = HFLM(pretrained=str(embedded_folder()), dtype="float32", device="cpu", batch_size=1)
    requests = [
        Instance(request_type="loglikelihood_rolling", doc={}, arguments=(document,), idx=i)
        for i, document in enumerate(documents)
    ]
    theirs = peer.loglikelihood_rolling(requests)
    scorer = open_scorer(f"hf:{embedded_folder()}", scoring=ScorerOptions(prefix="yes"))
    first = scorer.describe()["prefix_token"]
    ours = [float(stats.logprob.sum(dtype=np.float64)) for stats in scorer.score(documents)]
    worst = max(abs(a - float(b)) for a, b in zip(ours, theirs, strict=True))
    print(
        f"lm-eval, 20 texts, prefix token {first} (theirs {peer.prefix_token_id}): sums differ by {worst:.1e} at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("speed", "memory", "values", "lm-eval"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--vocabulary", type=int, default=49152)
    parser.add_argument("--large", action="store_true", help="also a model of 44 million weights")
    chosen = parser.parse_args()
    if chosen.what == "speed":
        speed(chosen.rounds, chosen.large)
    elif chosen.what == "memory":
        memory(chosen.vocabulary)
    elif chosen.what == "values":
        values()
    else:
        lm_eval()


if __name__ == "__main__":
    main()
