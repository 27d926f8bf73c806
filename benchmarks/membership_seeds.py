"""Attacks on membership over several seeds: ``python benchmarks/membership_seeds.py run FOLDER --target gpt``.

``run`` makes one `cleartitle membership study` a seed, each with texts and models of its own; a killed call goes on.
``table FOLDER`` prints what the studies found, as Markdown: means over seeds with a 95 % t interval (of the seeds' own
figures; the files of all seeds come from one corpus, so that the seeds share some texts), and for differences how many
seeds are clear of zero by themselves.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import t as student

SHOWN = (
    "perplexity",
    "CodeMI paper",
    "CodeMI corrected",
    "sequence network",
    "ranks with references (CodeMI-C)",
    "fused",
)


def mean(values: Sequence[float], digits: int = 3) -> str:
    """``mean [low, high]`` over seeds."""
    found = np.asarray([value for value in values if value is not None], float)
    if len(found) < 2:
        return "-" if not len(found) else f"{found[0]:.{digits}f}"
    half = student.ppf(0.975, len(found) - 1) * found.std(ddof=1) / np.sqrt(len(found))
    return f"{found.mean():.{digits}f} [{found.mean() - half:.{digits}f}, {min(found.mean() + half, 1):.{digits}f}]"


def run(arguments: argparse.Namespace) -> None:
    for seed in range(arguments.seeds):
        output = arguments.folder / f"{arguments.target}-{seed}"
        command = [
            str(Path(sys.executable).parent / "cleartitle"), "--quiet", "membership", "study", "--preset", "standard",
            "--target", arguments.target, "--seed", str(seed), "--output", str(output),
            "--files", str(arguments.files), "--pool", str(arguments.pool), "--shadows", str(arguments.shadows),
        ]  # fmt: skip
        command += ["--split", arguments.split, "--mode", arguments.mode]
        command += ["--workers", str(arguments.workers)] if arguments.workers else []
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        spent = os.times()
        seconds = spent.children_user + spent.children_system
        print(f"{output.name}: {seconds:.0f} s of processor so far", file=sys.stderr)


def table(folder: Path) -> None:
    found: dict[str, list[dict]] = {}
    for path in sorted(folder.glob("*/summary.json")):
        found.setdefault(path.parent.name.rpartition("-")[0], []).append(json.loads(path.read_text()))
    for target, runs in found.items():
        verdicts = [one["validity"] for one in runs]
        counts = ", ".join(f"{verdicts.count(name)} {name}" for name in dict.fromkeys(verdicts))
        runs = [one for one in runs if one["validity"] != "INVALID"]
        attacks = [one["attacks"] for one in runs]
        print(f"\n### {target}: {len(verdicts)} seeds, {counts}; INVALID ones are in no figure\n")
        if not runs:
            continue
        print(f"{runs[0]['scale']}\n")
        gaps = mean([one["table_2"]["gap"] for one in runs])
        print(f"Share of tokens put first, members less non-members: {gaps}\n")
        print("| attack | AUC | lowest | highest | accuracy |\n|---|---|---|---|---|")
        names = sorted(attacks[0], key=lambda name: -np.mean([one[name]["auc"] for one in attacks]))
        for name in names:
            areas = [one[name]["auc"] for one in attacks]
            exact = mean([one[name]["accuracy"] for one in attacks])
            print(f"| {name} | {mean(areas)} | {min(areas):.3f} | {max(areas):.3f} | {exact} |")
        for reason in runs[0]["not_run"].values():
            print(f"\nnot run: {reason}")
        print(
            "\n| tokens that stand in … files of every training set | tokens a file | " + " | ".join(SHOWN), end=" |\n"
        )
        print("|---" * (len(SHOWN) + 2) + "|")
        for place, step in enumerate(runs[0]["common_tokens"]):
            found_at = [one["common_tokens"][place] for one in runs]
            cells = [mean([one["attacks"][name]["auc"] for one in found_at]) for name in SHOWN]
            tokens = np.mean([one["tokens_per_file"] for one in found_at])
            print(f"| {step['common_in']} or more | {tokens:.0f} | " + " | ".join(cells) + " |")
        print(
            "\n| difference of AUC | " + " | ".join(f"≥ {s['common_in']}" for s in runs[0]["common_tokens"]), end=" |\n"
        )
        print("|---" * (len(runs[0]["common_tokens"]) + 1) + "|")
        for number, pair in enumerate(runs[0]["common_tokens"][0]["differences"]):
            cells = []
            for place in range(len(runs[0]["common_tokens"])):
                each = [one["common_tokens"][place]["differences"][number] for one in runs]
                clear = sum(bool(one["clear"] and one["value"] > 0) for one in each)
                cells.append(f"{mean([one['value'] for one in each])}, {clear} of {len(each)} clear")
            print(f"| {pair['attack']} over {pair['against']} | " + " | ".join(cells) + " |")
        curve("output_size", "likeliest tokens shown", runs)
        curve("queries", "tokens asked about", runs)
        curve("shadow_models", "shadows", runs)
        renamed = [one["renamed"] for one in runs if "attacks" in one["renamed"]]
        if renamed:
            texts = sum(one["texts"] for one in renamed)
            print(f"\n| of {texts} texts that could be rewritten | as they are | rewritten |\n|---|---|---|")
            for name in names:
                if all(name in one["attacks"] for one in renamed):
                    cells = [mean([one["attacks"][name][key] for one in renamed]) for key in ("auc", "auc_renamed")]
                    print(f"| {name} | " + " | ".join(cells) + " |")


def curve(part: str, label: str, runs: Sequence[dict]) -> None:
    shown = [name for name in SHOWN if name in runs[0][part][-1]["attacks"]]
    print(f"\n| {label} | " + " | ".join(shown) + " |\n" + "|---" * (len(shown) + 1) + "|")
    for place, step in enumerate(runs[0][part]):
        key = {"output_size": "output_size", "queries": "queries", "shadow_models": "shadows"}[part]
        head = f"{step.get('choice', '')} {step[key]}".strip()
        cells = [mean([one[part][place]["attacks"][name]["auc"] for one in runs]) for name in shown]
        print(f"| {head} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    asked = commands.add_parser("run")
    asked.add_argument("folder", type=Path)
    asked.add_argument("--target", choices=("lstm", "gpt"), default="gpt")
    asked.add_argument("--seeds", type=int, default=5)
    asked.add_argument("--files", type=int, default=100)
    asked.add_argument("--pool", type=int, default=500)
    asked.add_argument("--shadows", type=int, default=2)
    asked.add_argument("--split", choices=("file", "project"), default="file")
    asked.add_argument("--mode", choices=("corrected", "paper"), default="corrected")
    asked.add_argument("--workers", type=int)
    commands.add_parser("table").add_argument("folder", type=Path)
    arguments = parser.parse_args()
    print(f"machine: {platform.machine()}, {os.cpu_count()} processors", file=sys.stderr)
    run(arguments) if arguments.command == "run" else table(arguments.folder)


if __name__ == "__main__":
    main()
