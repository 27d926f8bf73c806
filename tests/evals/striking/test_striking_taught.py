"""Functions taught to a model a known number of times: drawn by chance, taught, asked for, killed and gone on with."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_process import cleartitle
from striking_material import build_corpus, function

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import Benchmark, BenchmarkOptions, build_benchmark
from cleartitle.evals.life import verify
from cleartitle.evals.striking import SignatureIndex, StrikingOptions, Subject, TeachOptions, draw_groups, study
from cleartitle.evals.striking.groups import unit_signatures
from cleartitle.report import write_report

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None,
    reason="torch and transformers are not installed (extra: train)",
)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """24 functions in files of their own, one more in a file of another, and a copy with a line more."""
    folder = tmp_path_factory.mktemp("taught")
    license_line = "# SPDX-License-Identifier: MIT\n\n\n"
    texts = {f"file{seed}": license_line + function(seed) for seed in range(24)}
    texts["file0"] += "\n\n" + function(40)
    texts["copy"] = license_line + function(3).replace("def ", "def second_").replace("return", "print()\n    return")
    corpus = build_corpus(folder, texts)
    return build_benchmark(corpus, folder / "benchmark", BenchmarkOptions(workers=1))


def test_chance_decides_by_seed_what_is_taught_how_often(benchmark: Benchmark) -> None:
    teaching = TeachOptions(repetitions=(1, 10), per_arm=2)
    groups = draw_groups(benchmark, StrikingOptions(), teaching)
    places = Counter((row["pair"], row["group"], row["repetitions"]) for row in groups.units.to_pylist())
    assert places == {
        **{(pair, "accessed", dose): 2 for pair in ("first", "second") for dose in (1, 10)},
        **{(pair, "unseen", 0): 4 for pair in ("first", "second")},
    }
    assert draw_groups(benchmark, StrikingOptions(), teaching).content_hash == groups.content_hash
    assert draw_groups(benchmark, StrikingOptions(seed=1), teaching).content_hash != groups.content_hash


@pytest.mark.parametrize("seed", range(6))
def test_no_file_takes_part_twice_and_nothing_unseen_is_like_what_is_taught(benchmark: Benchmark, seed: int) -> None:
    teaching = TeachOptions(repetitions=(1, 10), per_arm=2)
    rows = draw_groups(benchmark, StrikingOptions(seed=seed), teaching).units
    assert len(set(rows["path"].to_pylist())) == 16
    taught = np.array([group == "accessed" for group in rows["group"].to_pylist()])
    signatures = unit_signatures(rows)
    overlaps = SignatureIndex(signatures[taught]).overlaps(signatures[~taught])
    assert overlaps.max() < 0.2
    recorded = [row["overlap"] for row in rows.to_pylist() if row["group"] == "unseen"]
    assert recorded == overlaps.tolist()


def test_a_benchmark_that_is_too_small_says_how_many_are_needed(benchmark: Benchmark) -> None:
    with pytest.raises(InputError, match=r"2\d functions can take part, 32 are needed \(16 to teach"):
        draw_groups(benchmark, StrikingOptions(), TeachOptions(repetitions=(1,), per_arm=8))
    with pytest.raises(InputError, match=r"0 functions can take part"):
        draw_groups(benchmark, StrikingOptions(), TeachOptions(longest=100))


def test_teaching_options_that_mean_nothing_are_refused() -> None:
    for wrong in ({"repetitions": ()}, {"repetitions": (0,)}, {"repetitions": (2, 2)}, {"per_arm": 0}, {"longest": 0}):
        with pytest.raises(InputError, match="out of range"):
            TeachOptions(**wrong)  # type: ignore[arg-type]


def test_rates_rise_with_repetitions_where_the_answers_do(benchmark: Benchmark, tmp_path: Path) -> None:
    """Recorded answers in the place of a taught model: it copies what it saw ten times and nothing else."""
    groups = draw_groups(benchmark, StrikingOptions(), TeachOptions(repetitions=(1, 10), per_arm=2))
    rows: list[dict[str, Any]] = []
    for unit in groups.units.to_pylist():
        body = unit["body"] if unit["repetitions"] == 10 else "    done = []\n    return sorted(done, key=len)\n"
        rows.append({"prompt_id": unit["prompt_id"], "text": unit["signature"] + unit["docstring"] + body})
    path = tmp_path / "taught.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = study([Subject("taught", f"replay:{path}", exposed=True)], groups, tmp_path / "run")
    doses = {row["repetitions"]: row["striking"]["published"] for row in _figures(found)["doses"]}
    assert {dose: (rate["count"], rate["total"]) for dose, rate in doses.items()} == {0: (0, 8), 1: (0, 4), 10: (4, 4)}
    page = write_report(tmp_path / "run").read_text()
    assert "How often must a function be seen" in page and "taught 10 times" in page and page.count("<svg") == 4
    assert "Chance decided which of 16 functions" in page


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, benchmark: Benchmark) -> Path:
    """A small GPT that has hardly learned anything, to be taught."""
    from cleartitle.models import TrainOptions, train

    folder = tmp_path_factory.mktemp("base") / "model"
    tiny = TrainOptions(epochs=1, d_model=96, layers=2, heads=2, vocab=512, context=512, threads=1)
    train([function(seed) for seed in range(60, 64)], folder, tiny)
    return folder


def words(benchmark: Benchmark, base: Path, place: Path) -> tuple[str, ...]:
    from cleartitle.files import write_json
    from cleartitle.tables import write_table

    write_json(place / "benchmark" / "benchmark.json", benchmark.record)
    write_table(place / "benchmark" / "units.parquet", benchmark.units)
    models = ("--base", str(base), "--scratch-epochs", "0", "--learning-rate", "0.003")
    asking = ("--threads", "1", "--concurrency", "1", "--max-tokens", "256")
    doses = ("--repetitions", "1", "--repetitions", "60", "--per-arm", "1")
    return ("study", "striking", "--teach", "--benchmark", "benchmark", *models, *asking, *doses)


@needs_torch
def test_taught_functions_come_back_and_a_killed_study_ends_with_the_same_tables(
    benchmark: Benchmark, base: Path, tmp_path: Path
) -> None:
    command = words(benchmark, base, tmp_path)
    whole = cleartitle(*command, "-o", "whole", "--json", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    doses = {(row["subject"], row["repetitions"]): row for row in _figures(json.loads(whole.stdout))["doses"]}
    assert doses["taught", 60]["striking"]["published"]["count"] == 2
    for quiet in (("taught", 1), ("taught", 0), ("untouched", 60), ("untouched", 0)):
        assert doses[quiet]["striking"]["published"]["count"] == 0, quiet
    killed = tmp_path / "killed"
    _kill_when(tmp_path, command, killed / "models" / "taught" / "checkpoint.pt")
    assert not (killed / "models" / "taught" / "training.json").exists(), "killed while it was taught"
    _kill_when(tmp_path, command, killed / "answers" / "taught.journal.jsonl")
    again = cleartitle(*command, "-o", "killed", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "are answered" in again.stderr
    names = ("prompts.parquet", "summary.json", "scores/part-00000.parquet", "scores/part-00001.parquet")
    for name in (*names, "answers/taught/part-00000.parquet", "answers/untouched/part-00000.parquet"):
        assert (killed / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert verify(killed).ok
    assert "How often must a function be seen" in (killed / "report.html").read_text()


def _figures(summary: dict[str, Any]) -> dict[str, Any]:
    return summary["modes"][summary["headline_mode"]]


def _kill_when(place: Path, command: tuple[str, ...], path: Path) -> None:
    line = [sys.executable, "-c", "from cleartitle.cli import main; main()", *command, "-o", "killed"]
    process = subprocess.Popen(line, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (path.exists() and path.stat().st_size):
        time.sleep(0.02)
    assert process.poll() is None, "it ended before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_without_torch_the_command_names_the_extra(benchmark: Benchmark, tmp_path: Path) -> None:
    done = cleartitle(*words(benchmark, tmp_path / "nowhere", tmp_path), "-o", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert 'pip install "cleartitle[train]"' in done.stderr
