"""Attacks beside their published formulas: ``python benchmarks/membership_peers.py FOLDER [--lm-eval]``.

``FOLDER`` holds releases as their authors publish them, each in a folder of its own (``git clone``):
detect-pretrain-code (Min-K %), mink-plus-plus, recall, DC-PDD. Their functions are read from there and run on the same
model and texts; nothing of them is part of this project. The other attacks are computed anew in 64 bits, token by
token, from the logits of a plain forward pass. The model is a small GPT-2 with drawn weights: equal formulas give
equal values on any model. Needs the extra ``train``; ``--lm-eval`` also the package lm-eval.
"""

import argparse
import ast
import importlib
import inspect
import math
import re
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
import transformers

from cleartitle.membership.attacks import (
    DcPdd,
    EzMia,
    HighestPosterior,
    Lowercase,
    MinK,
    MinKPlusPlus,
    Neighbours,
    Perplexity,
    PolarizedNeighbours,
    Recall,
    ReferenceDifference,
    Rmia,
    Wbc,
    ZlibMean,
    ZlibSum,
)
from cleartitle.membership.attacks.wbc import WINDOWS
from cleartitle.membership.evidence import Attack, Evidence
from cleartitle.membership.frequency import FrequencyTable
from cleartitle.models import ScorerOptions, open_scorer
from cleartitle.models.token_stats import TokenStats
from cleartitle.models.training import _tokenizer

LENGTH = 500
MODULES = ("heapq", "bisect", "textwrap", "shlex", "glob", "queue", "sched", "string", "fnmatch")


def source_texts(count: int) -> list[str]:
    """Pieces of the standard library that begin with a line that is not indented, so that a prefix cuts no token."""
    modules = (importlib.import_module(name) for name in MODULES)
    whole = "".join(inspect.getsource(module) for module in modules)
    starts = [found.start() + 1 for found in re.finditer(r"\n(?=[a-zA-Z])", whole)]
    pieces: list[str] = []
    at = 0
    for start in starts:
        if start - at >= LENGTH:
            pieces.append(whole[at : at + LENGTH])
            at = start
    return pieces[:count]


def drawn_model(folder: Path, texts: Sequence[str], seed: int) -> None:
    torch.manual_seed(seed)
    tokenizer = _tokenizer(transformers, list(texts), 600)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=1024, n_embd=64, n_layer=2, n_head=4, initializer_range=0.4,
        bos_token_id=tokenizer.eos_token_id, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


class Plain:
    """What a loop over texts reads from a model, in 64 bits."""

    def __init__(self, folder: Path) -> None:
        self.model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)

    def rows(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Ids of all tokens but the first, and the log-probabilities of the vocabulary at each of them."""
        ids = self.tokenizer(text)["input_ids"]
        with torch.inference_mode():
            logits = self.model(torch.tensor([ids])).logits[0, :-1].double()
        return np.array(ids[1:]), torch.log_softmax(logits, -1).numpy()

    def own(self, text: str) -> list[float]:
        """Log-probabilities of the text's tokens."""
        ids, logp = self.rows(text)
        return logp[np.arange(len(ids)), ids].tolist()


def names_of(path: Path, wanted: Sequence[str], space: dict[str, Any]) -> dict[str, Any]:
    """Functions of a released file, run in a name space of ours: its own top level loads models from the network."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in wanted]
    exec(compile(tree, str(path), "exec"), space)
    return space


def loop_of(path: Path, space: dict[str, Any]) -> None:
    """The loop over samples of a released file, which has no functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.For) and "Samples" in ast.unparse(node.iter)]
    assert tree.body, f"{path}: has no loop over samples"
    exec(compile(tree, str(path), "exec"), space)


def bar(items: Any, **_: Any) -> Any:
    return items


def released(
    folder: Path, texts: list[str], prefix: str, target: Plain, reference: Plain, frequency: np.ndarray,
    stats: list[TokenStats],
) -> dict[tuple[str, str], list[float]]:  # fmt: skip
    """(attack, release) to its values, with the sign that makes members score higher."""
    found: dict[tuple[str, str], list[float]] = {}
    space: dict[str, Any] = {"torch": torch, "np": np, "zlib": zlib, "F": functional, "tqdm": bar}
    place = folder / "detect-pretrain-code/src/run.py"
    if place.is_file():
        names = names_of(place, ("calculatePerplexity", "inference"), dict(space))
        both = (target.model, reference.model, target.tokenizer, reference.tokenizer)
        rows = [names["inference"](*both, text, {}, "target", "reference")["pred"] for text in texts]
        who = "detect-pretrain-code"
        found["perplexity", who] = [-math.log(row["ppl"]) for row in rows]
        found["zlib (mean)", who] = [-row["ppl/zlib"] for row in rows]
        found["lowercase", who] = [-row["ppl/lowercase_ppl"] for row in rows]
        found["Min-K % (k = 20)", who] = [-row["Min_20.0% Prob"] for row in rows]
        name = "ppl/Ref_ppl (calibrate PPL to the reference model)"
        found["reference difference", who] = [-row[name] for row in rows]
    place = folder / "mink-plus-plus/run.py"
    if place.is_file():
        names = dict(space)
        names |= {"model": target.model, "tokenizer": target.tokenizer, "scores": defaultdict(list)}
        names["data"] = [{"input": text} for text in texts]
        loop_of(place, names)
        who = "mink-plus-plus"
        for ours, theirs in (
            ("perplexity", "loss"), ("zlib (mean)", "zlib"), ("Min-K % (k = 20)", "mink_0.2"),
            ("Min-K %++ (k = 20)", "mink++_0.2"),
        ):  # fmt: skip
            found[ours, who] = names["scores"][theirs]
    place = folder / "recall/src/run.py"
    if place.is_file():
        names = names_of(place, ("get_ll", "get_conditional_ll", "get_all_prob"), dict(space))
        after = [names["get_conditional_ll"](prefix, text, target.model, target.tokenizer, "cpu") for text in texts]
        alone = [names["get_ll"](text, target.model, target.tokenizer, "cpu") for text in texts]
        found["ReCaLL", "recall, its ratio"] = [a[1] / b[1] for a, b in zip(after, alone, strict=True)]
        found["ReCaLL", "recall, without the first token"] = [
            float(np.mean(a[3][-len(b[3]) :])) / b[1] for a, b in zip(after, alone, strict=True)
        ]
    place = folder / "DC-PDD/com_dec_sco.py"
    if place.is_file():
        names = names_of(place, ("cal_met",), dict(space))
        names |= {"tokenizer": target.tokenizer, "fre_dis": frequency}
        given = [
            {
                "text": text, "tar_prob": np.array(target.own(text)), "low_prob": np.ones(9), "ref_prob": np.ones(9),
                "tar_prob_mu": row.mean, "tar_prob_sigma": row.spread**2, "label": 0, "input_ids": row.token,
            }
            for text, row in zip(texts, stats, strict=True)
            if row.mean is not None and row.spread is not None
        ]  # fmt: skip
        rows = names["cal_met"](given, "en", 512, 0.01)
        found["DC-PDD", "DC-PDD"] = [-row["pred"]["DC-PDD"] for row in rows]
    return found


def anew(
    text: str, prefix: str, rewrites: Sequence[str], target: Plain, reference: Plain, frequency: np.ndarray
) -> dict[str, float]:
    """The formulas of the papers, token by token."""
    ids, logp = target.rows(text)
    own, other = logp[np.arange(len(ids)), ids].tolist(), reference.own(text)
    mean, low = sum(own) / len(own), target.own(text.lower())
    z: list[float] = []
    for value, row in zip(own, logp, strict=True):
        p = np.exp(row)
        mu = float((p * row).sum())
        z.append((value - mu) / math.sqrt(float((p * row**2).sum()) - mu * mu))
    seen: set[int] = set()
    calibrated: list[float] = []
    free: list[float] = []
    for value, token in zip(own, ids, strict=True):
        if token not in seen:
            seen.add(token)
            free.append(math.exp(value) * math.log(1 / frequency[token]))
            calibrated.append(min(free[-1], 0.01))
    votes = []
    for width in WINDOWS:
        width = min(width, len(own))
        wins = [sum(own[i : i + width]) > sum(other[i : i + width]) for i in range(len(own) - width + 1)]
        votes.append(sum(wins) / len(wins))
    change = [a - b for i, (a, b) in enumerate(zip(own, other, strict=True)) if logp[i].argmax() != ids[i]]
    gain, loss = sum(max(d, 0) for d in change), sum(max(-d, 0) for d in change)
    ratio = math.exp(mean) / (0.5 * (1.3 * math.exp(sum(other) / len(other)) + 0.7))
    k = max(1, int(0.2 * len(own)))
    changed = [target.own(rewrite) for rewrite in rewrites]

    def far(values: list[float]) -> float:
        ranked = sorted(values)
        near, top = max(1, int(0.3 * len(ranked))), max(1, int(0.05 * len(ranked)))
        return float(np.mean(ranked[-top:]) - np.mean(ranked[:near]))

    start = len(target.tokenizer(prefix)["input_ids"])
    joined = target.tokenizer(prefix)["input_ids"] + target.tokenizer(text)["input_ids"]
    with torch.inference_mode():
        after = torch.log_softmax(target.model(torch.tensor([joined])).logits[0].double(), -1)
    shown = [float(after[i - 1, joined[i]]) for i in range(start + 1, len(joined))]
    packed = len(zlib.compress(text.encode()))
    return {
        "highest posterior": float(np.mean([math.exp(row.max()) for row in logp])),
        "perplexity": mean,
        "zlib (mean)": mean / packed,
        "zlib (sum)": sum(own) / packed,
        "lowercase": (sum(low) / len(low)) / mean,
        "Min-K % (k = 20)": sum(sorted(own)[:k]) / k,
        "Min-K %++ (k = 20)": sum(sorted(z)[:k]) / k,
        "DC-PDD": sum(calibrated) / len(calibrated),
        "DC-PDD (no bound)": sum(free) / len(free),
        "ReCaLL": (sum(shown) / len(shown)) / mean,
        "neighbours": mean - float(np.mean([np.mean(values) for values in changed])),
        "neighbours (polarized)": float(np.mean([far(values) for values in changed])) - far(own),
        "reference difference": sum(a - b for a, b in zip(own, other, strict=True)) / len(own),
        "WBC": sum(votes) / len(votes),
        "EZ-MIA": gain / (gain + loss) if loss else 1.0,
        "RMIA (offline ratio)": math.log(ratio),
    }


def after_prefix(scorer: Any, prefix: str, texts: list[str]) -> list[TokenStats]:
    """Scores of each text behind the prefix, positions counted from its own first token."""
    cut = len(scorer.tokenize(prefix).token)
    found: list[TokenStats] = []
    for text, stats in zip(texts, scorer.score([prefix + text for text in texts]), strict=True):
        behind = stats.at(stats.position >= cut)
        spans = scorer.tokenize(text)
        assert np.array_equal(behind.token, spans.token), "the prefix changes how the text is cut"
        found.append(TokenStats(**{**vars(behind), "position": behind.position - cut}))
    return found


def rewritten(text: str) -> list[str]:
    return [text.replace("self", "this"), text.replace("return", "yield")]


def lm_eval(folder: Path, texts: list[str]) -> None:
    """Log-likelihoods of whole texts, and of continuations after a context, by lm-eval's own functions."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    peer: Any = HFLM(pretrained=str(folder), dtype="float32", device="cpu", batch_size=1, max_length=1024)

    def asked(kind: Any, arguments: list[tuple[str, ...]]) -> list[Any]:
        requests: Any = [
            Instance(request_type=kind, doc={}, arguments=item, idx=i)  # pyright: ignore[reportArgumentType]
            for i, item in enumerate(arguments)
        ]
        return getattr(peer, kind)(requests)

    whole = asked("loglikelihood_rolling", [(text,) for text in texts])
    first = open_scorer(f"hf:{folder}", scoring=ScorerOptions(prefix="yes"))
    assert first.describe()["prefix_token"] == peer.prefix_token_id
    rows = [s.logprob for s in first.score(texts) if s.logprob is not None]
    print_row("log-likelihood", "lm-eval, whole text", [float(r.sum(dtype=np.float64)) for r in rows], whole)
    # lm-eval counts blanks at the end of a context to what follows it.
    cuts = [len(text[: LENGTH // 2].rstrip()) for text in texts]
    halves = [(text[:cut], text[cut:]) for text, cut in zip(texts, cuts, strict=True)]
    found = asked("loglikelihood", halves)
    plain = open_scorer(f"hf:{folder}", scoring=ScorerOptions(prefix="no"))
    ours: list[float] = []
    theirs: list[float] = []
    top: list[bool] = []
    for (before, after), (value, greedy), stats in zip(
        halves, found, plain.score([a + b for a, b in halves]), strict=True
    ):
        assert stats.logprob is not None and stats.rank is not None
        cut = len(plain.tokenize(before).token)
        if not np.array_equal(plain.tokenize(before).token, plain.tokenize(before + after).token[:cut]):
            continue
        behind = stats.position >= cut
        ours.append(float(stats.logprob[behind].sum(dtype=np.float64)))
        theirs.append(value)
        top.append(bool((stats.rank[behind] == 1).all()) == greedy)
    assert all(top)
    print_row("log-likelihood", "lm-eval, second half", ours, theirs)


def print_row(name: str, peer: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    worst = float(np.abs(a - b).max())
    relative = float((np.abs(a - b) / np.maximum(np.abs(b), 1e-9)).max())
    print(f"| {name} | {peer} | {len(a)} | {a.min():.4g} to {a.max():.4g} | {worst:.1e} | {relative:.1e} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", type=Path)
    parser.add_argument("--texts", type=int, default=10)
    parser.add_argument("--lm-eval", action="store_true")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    texts, prefix = source_texts(options.texts), "\n" + "import os\n" * 6
    attacks: list[Attack] = [
        HighestPosterior(), Perplexity(), ZlibMean(), ZlibSum(), Lowercase(), MinK(), MinKPlusPlus(), DcPdd(),
        DcPdd(bound=None), Recall(), Neighbours(), PolarizedNeighbours(), ReferenceDifference(), Wbc(), EzMia(), Rmia(),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place) / name for name in ("target", "reference")]
        for seed, folder in enumerate(folders):
            drawn_model(folder, texts, seed)
        scorer, beside = (open_scorer(f"hf:{f}", scoring=ScorerOptions(prefix="no")) for f in folders)
        stats, others = list(scorer.score(texts)), list(beside.score(texts))
        table = FrequencyTable.of(stats[::2], int(scorer.capabilities().vocabulary or 0))
        lower = list(scorer.score([text.lower() for text in texts]))
        behind = after_prefix(scorer, prefix, texts)
        forms = [list(scorer.score(rewritten(text))) for text in texts]
        evidence = [
            Evidence(
                str(i), None, texts[i], stats[i], (others[i],), lower[i], behind[i], neighbours=tuple(forms[i]),
                frequency=table.relative(stats[i].token),
            )
            for i in range(len(texts))
        ]  # fmt: skip
        ours = {attack.name: [attack.score(item) for item in evidence] for attack in attacks}
        target, reference = Plain(folders[0]), Plain(folders[1])
        frequency = table.relative(np.arange(len(table.counts)))
        print("| attack | peer | texts | our values | largest difference | relative |\n|---|---|---|---|---|---|")
        theirs = released(options.releases, texts, prefix, target, reference, frequency, stats)
        for (name, peer), values in theirs.items():
            print_row(name, peer, ours[name], values)
        loop = [anew(text, prefix, rewritten(text), target, reference, frequency) for text in texts]
        for name, values in ours.items():
            print_row(name, "computed anew in 64 bits", values, [row[name] for row in loop])
        if options.lm_eval:
            lm_eval(folders[0], texts)


if __name__ == "__main__":
    main()
