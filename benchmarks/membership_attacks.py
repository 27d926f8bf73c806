"""Speed of the attacks on membership, and how often their statistics err: ``python benchmarks/membership_attacks.py``.

``speed``: texts a second of every attack, from drawn token scores of 300 tokens a text with two references.
``errors``: how often intervals hold the true area, and how often the dataset test and the blind check cry wolf where
nothing is to be found; and how often they find what is there.
``blind FOLDER``: the blind check on real Python files under a folder, parted by a coin, by project and by era.
"""

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import norm

from cleartitle.evals.statistics import rate
from cleartitle.membership.attacks import ATTACKS, TRAINED_ATTACKS, fit_attacks, run_attacks
from cleartitle.membership.blind import BlindOptions, blind_report
from cleartitle.membership.dataset_test import DatasetTestOptions, dataset_test
from cleartitle.membership.evidence import Evidence
from cleartitle.membership.statistics import delong, project_auc_interval
from cleartitle.models.token_stats import TokenStats

TOKENS = 300
LINES = "total = 0\nfor price in prices:\n    total += price  # sum\nreturn total\n" * 18


def drawn(generator: np.random.Generator, memory: float) -> TokenStats:
    hardness = generator.exponential(1.5, TOKENS)
    logprob = -hardness * math.exp(-memory)
    rank = 1 + np.floor(np.expm1(np.minimum(-logprob, 10))).astype(np.int32)
    place = np.arange(TOKENS, dtype=np.int32)
    return TokenStats(
        place, 4 * place, 4 * place + 4, generator.integers(0, 8000, TOKENS).astype(np.int32), rank,
        logprob.astype(np.float32), np.maximum(logprob, -0.7).astype(np.float32), (-hardness).astype(np.float32),
        generator.uniform(0.5, 2, TOKENS).astype(np.float32), TOKENS,
    )  # fmt: skip


def evidence(count: int, seed: int) -> list[Evidence]:
    generator = np.random.default_rng(seed)
    return [
        Evidence(
            str(number),
            f"p{number // 10}",
            LINES,
            drawn(generator, 0.1 * (number % 2)),
            (drawn(generator, 0), drawn(generator, 0)),
            drawn(generator, 0),
            drawn(generator, 0),
            (drawn(generator, 0),) * 3,
            generator.uniform(1e-6, 1e-2, TOKENS),
            generator.integers(0, 7, TOKENS).astype(np.int8),
        )  # fmt: skip
        for number in range(count)
    ]


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def speed(count: int) -> None:
    texts = evidence(count, 0)
    for attack in ATTACKS:
        spent = seconds(lambda attack=attack: run_attacks([attack], texts))
        print(f"{attack.name:40} {count / spent:>9,.0f} texts/s")
    spent = seconds(lambda: run_attacks(ATTACKS, texts))
    print(f"all {len(ATTACKS)} on {count:,} texts: {spent:.1f} s of processor, {count / spent:,.0f} texts/s")
    shadow, member = texts[: min(count, 1000)], np.arange(min(count, 1000)) % 2 == 1
    spent = seconds(lambda: fit_attacks(TRAINED_ATTACKS, shadow, member, seed=0))
    print(f"teaching {len(TRAINED_ATTACKS)} attacks on {len(shadow)} shadow texts: {spent:.1f} s")
    fitted, _ = fit_attacks(TRAINED_ATTACKS, shadow, member, seed=0)
    spent = seconds(lambda: run_attacks(fitted, shadow))
    print(f"running them: {len(shadow) / spent:,.0f} texts/s")


def errors(draws: int) -> None:
    generator = np.random.default_rng(0)
    member = np.arange(200) % 2 == 0
    truth = float(norm.cdf(0.7 / math.sqrt(2)))
    held = sum(interval.low <= truth <= interval.high for _ in range(draws)
               if (interval := delong(generator.normal(0.7 * member, 1), member)))  # fmt: skip
    print("DeLong holds the true area:", rate(held, draws))
    project = np.arange(400) // 10
    label, spread = project % 2 == 0, 0.7
    truth, held = float(norm.cdf(0.7 / math.sqrt(2 * (1 + spread**2)))), 0
    for _ in range(draws):
        scores = generator.normal(0.7 * label, 1) + generator.normal(0, spread, 40)[project]
        interval = project_auc_interval(scores, label, list(project), draws=500)
        held += interval is not None and interval.low <= truth <= interval.high
    print("bootstrap over 20 + 20 projects holds it:", rate(held, draws))
    options = DatasetTestOptions(permutations=1000, null_draws=1)
    for shift in (0.0, 0.5):
        found = [0, 0]
        for _ in range(draws):
            sides = [shift * first + generator.normal(0, 1, 200) + generator.normal(0, 0.7, 40)[np.arange(200) // 5]
                     for first in (True, False)]  # fmt: skip
            groups = list(np.arange(200) // 5)
            outcome = dataset_test(sides[0], sides[1], groups, groups, options)
            for place, p in enumerate((outcome.welch_p, outcome.permutation_p)):
                found[place] += p is not None and p < 0.05
        for name, count in zip(("Welch", "permutation"), found, strict=True):
            print(f"dataset test, shift {shift}, 40 + 40 projects, {name} p < .05:", rate(count, draws))


def blind(folder: Path, count: int, draws: int) -> None:
    files = sorted(path for path in folder.rglob("*.py") if 2000 < path.stat().st_size < 60_000)
    generator = np.random.default_rng(0)
    chosen = [files[number] for number in generator.permutation(len(files))[:count]]
    texts = [path.read_text(encoding="utf-8", errors="replace")[:1500] for path in chosen]
    projects = [path.relative_to(folder).parts[0] for path in chosen]
    names = sorted(set(projects))
    print(f"{len(texts)} files of {len(names)} projects")
    for kind in ("coin", "project"):
        alarms, spent = 0, 0.0
        for seed in range(draws):
            coin = generator.random(len(names)) < 0.5
            member = (
                generator.random(count) < 0.5 if kind == "coin" else np.array([coin[names.index(p)] for p in projects])
            )
            start = time.process_time()
            alarms += blind_report(texts, member[: len(texts)], projects, options=BlindOptions(seed=seed)).p < 0.05
            spent += time.process_time() - start
        print(f"parted by {kind}: p < .05 in {rate(alarms, draws)}, {spent / draws:.1f} s each")
    report = blind_report(texts, np.array(["->" in text for text in texts]), projects)
    print(f"parted by annotations: AUC {report.best.auc:.3f} ({report.best.name}), p = {report.p:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "errors", "blind"))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=400)
    options = parser.parse_args()
    if options.what == "speed":
        speed(options.texts)
    elif options.what == "errors":
        errors(options.draws)
    elif options.folder is None:
        parser.error("blind needs a folder of projects")
    else:
        blind(options.folder, options.texts, options.draws)


if __name__ == "__main__":
    main()
