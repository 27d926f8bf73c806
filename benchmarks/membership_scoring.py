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
        vocab_size=vocabulary, n_positions=context, n_embd=width, n_layer=layers, n_head=4, bos_token_id=None
    )
    return GPT2LMHeadModel(config).eval()


def scorer_of(model: Any, vocabulary: int, context: int = 256) -> Any:
    from cleartitle.models.scoring_torch import TorchScorer

    rng = np.random.default_rng(0)

    def tokenize(text: str) -> tuple[Any, Any, Any]:
        count = len(text)
        return rng.integers(0, vocabulary, count), np.arange(count), np.arange(1, count + 1)

    made = TorchScorer(model, tokenize, name="gpt", context=context, vocabulary=vocabulary)
    made.split(model.transformer, model.lm_head)
    return made


def speed(rounds: int) -> None:
    """CPU seconds of scoring and of ``model(ids).logits`` for the same batches, alternating."""
    import torch

    torch.set_num_threads(1)
    cases = {
        "GPT 1.8 million, vocabulary 2,048": (2048, 192, 3, 32),
        "GPT 35 million, vocabulary 49,152": (49152, 512, 6, 8),
    }
    for name, (vocabulary, width, layers, count) in cases.items():
        model = gpt(vocabulary, width, layers)
        made = scorer_of(model, vocabulary)
        documents = ["x" * 256] * count
        ids = torch.randint(0, vocabulary, (count, 255))
        ratios: list[float] = []
        rate = 0.0
        for _ in range(rounds + 1):
            started = time.process_time()
            with torch.inference_mode():
                for line in range(0, count, 4):
                    model(ids[line : line + 4])
            bare = time.process_time() - started
            started = time.process_time()
            list(made.score(documents))
            ours = time.process_time() - started
            ratios.append(bare / ours)
            rate = count * 255 / ours
        spread = f"{min(ratios[1:]):.2f} to {max(ratios[1:]):.2f}"
        print(f"{name}: {rate:.0f} tokens per CPU second; {np.median(ratios[1:]):.2f} of the bare pass ({spread})")


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
    chosen = parser.parse_args()
    if chosen.what == "speed":
        speed(chosen.rounds)
    elif chosen.what == "memory":
        memory(chosen.vocabulary)
    elif chosen.what == "values":
        values()
    else:
        lm_eval()


if __name__ == "__main__":
    main()
