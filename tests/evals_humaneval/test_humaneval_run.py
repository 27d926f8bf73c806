"""Whole runs on the real problems, with recorded answers and with the embedded model."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli_process import cleartitle

from cleartitle.errors import InputError
from cleartitle.evals.humaneval import RESULTS, HumanevalOptions, capability_of, evaluate, problems, run_tests
from cleartitle.evals.life import rescore, verify
from cleartitle.evals.run_folder import RunFolder
from cleartitle.models import open_model
from cleartitle.report import write_report
from cleartitle.tables import read_key, read_parts, read_table, write_table

pytestmark = pytest.mark.network
LIMIT = 8


def record(path: Path, answers: list[str | None], samples: int = 1) -> str:
    """A replay file with answers to the first problems, in turn; None leaves one out."""
    rows: list[dict[str, Any]] = []
    for index, problem in enumerate(problems().to_pylist()[: len(answers) // samples]):
        for sample, answer in enumerate(answers[index * samples : (index + 1) * samples]):
            if answer is not None:
                text = answer.format(**problem)
                rows.append({"prompt_id": problem["prompt_id"], "sample_index": sample, "text": text})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"replay:{path}"


RIGHT = "```python\n{prompt}{canonical_solution}```"
ANSWERS = [
    RIGHT,
    "{canonical_solution}",
    "```python\ndef {entry_point}(*args):\n    return None\n```",
    "```python\ndef {entry_point}(*args):\n    return (1]\n```",
    "```python\nimport os\ndef {entry_point}(*args):\n    os._exit(0)\n```",
    "I'm sorry, but I can't help with that request.",
    "",
    None,
]
OUTCOMES = ["passed", "passed", "failed", "error", "crashed", "refused", "empty", "no answer"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("humaneval")
    model = open_model(record(folder / "answers.jsonl", ANSWERS))
    evaluate(model, folder / "run", HumanevalOptions(limit=LIMIT, workers=1))
    write_report(folder / "run")
    return folder / "run"


def test_the_problems_are_the_published_ones() -> None:
    table = problems()
    assert table.num_rows == 164
    assert table["prompt_id"][0].as_py() == "HumanEval/0" and table["prompt_id"][163].as_py() == "HumanEval/163"


def test_each_answer_gets_its_outcome_and_a_failed_call_leaves_the_denominator(finished: Path) -> None:
    results = read_parts(finished / "results", RESULTS).to_pylist()
    assert [row["outcome"] for row in results if row["source"] == "model"] == OUTCOMES
    summary = json.loads((finished / "summary.json").read_text())
    assert (summary["pass_at"][0]["count"], summary["pass_at"][0]["total"]) == (2, 7)
    assert summary["outcomes"]["no answer"] == 1
    assert summary["controls"]["canonical"]["count"] == summary["controls"]["canonical"]["total"] == LIMIT
    assert summary["controls"]["empty"]["count"] == 0
    assert summary["confinement"]["network"] in ("namespace", "python")


def test_the_page_holds_the_figure_and_redacts_the_answers(finished: Path) -> None:
    page = (finished / "report.html").read_text()
    assert "solves 2 of 7 problems" in page and "os._exit(0)" in page
    redacted = write_report(finished, redact=True).read_text()
    assert "os._exit(0)" not in redacted and "sha256" in redacted


def test_testing_anew_gives_the_same_summary(finished: Path) -> None:
    before = (finished / "summary.json").read_bytes()
    for part in (finished / "results").glob("*.parquet"):
        part.unlink()
    run_tests(finished)
    assert (finished / "summary.json").read_bytes() == before
    assert not RunFolder.open(finished).altered()


def test_a_run_is_verified_and_scored_anew_from_its_answers(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(finished, copy)
    assert verify(copy).ok
    part = copy / "results" / "part-00000.parquet"
    table, key = read_table(part), read_key(part)
    assert key is not None
    write_table(part, table.slice(1), key=key)
    found = verify(copy)
    assert found.altered == ("results/part-00000.parquet: changed",)
    assert found.differences == ("results: recorded 23 rows, now 24",)
    assert rescore(copy)["outcomes"]["passed"] == 2
    assert verify(copy).ok


def test_score_verify_and_dry_run_work_as_commands(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    scored = cleartitle("score", "run", cwd=tmp_path)
    assert scored.returncode == 0 and "2 of 7" in scored.stdout, scored.stderr
    assert cleartitle("verify", "run", cwd=tmp_path).returncode == 0
    summary = tmp_path / "run" / "summary.json"
    summary.write_text(summary.read_text().replace('"crashed": 1', '"crashed": 0'))
    told = cleartitle("verify", "run", cwd=tmp_path)
    assert told.returncode == 1 and "summary.outcomes.crashed: recorded 0, now 1" in told.stdout
    record(tmp_path / "answers.jsonl", ANSWERS)
    asked = cleartitle(
        "eval", "humaneval", "--model", "replay:answers.jsonl", "--limit", "3", "--dry-run", cwd=tmp_path
    )
    assert json.loads(asked.stdout)["method"] == "recorded answers, no calls" and not (tmp_path / "runs").exists()


def test_several_samples_give_the_unbiased_mean(tmp_path: Path) -> None:
    wrong = "    return None\n"
    answers: list[str | None] = ["{canonical_solution}", wrong, wrong, wrong, "{canonical_solution}", None]
    model = open_model(record(tmp_path / "answers.jsonl", answers, samples=2))
    summary = evaluate(model, tmp_path / "run", HumanevalOptions(limit=3, samples=2, workers=1))
    # 1/2, 0 of 2, and 1 of the 1 that was answered
    assert summary["pass_at"][0]["value"] == pytest.approx(0.5)
    assert summary["pass_at"][0]["total"] == 3


def test_the_figure_is_lent_to_a_run_of_the_same_model_only(finished: Path, tmp_path: Path) -> None:
    model = {"name": "answers", "adapter": "replay"}
    found = capability_of(finished, model)
    assert (found["count"], found["total"], found["of"], found["same_by"]) == (2, 7, 164, "name")
    with pytest.raises(InputError, match="HumanEval of answers, not of other .* mend"):
        capability_of(finished, {**model, "name": "other"})
    summary = json.loads((finished / "summary.json").read_text())
    own = {"name": "m", "adapter": "embedded", "weights_sha256": "a"}
    copy = tmp_path / "run"
    copy.mkdir()
    (copy / "summary.json").write_text(json.dumps({**summary, "model": own}))
    (copy / "run.json").write_text((finished / "run.json").read_text())
    RunFolder.open(copy).seal()
    assert capability_of(copy, {**own, "context": 1})["same_by"] == "weights"
    with pytest.raises(InputError, match="differ in weights"):
        capability_of(copy, {**own, "weights_sha256": "b"})
    (copy / "summary.json").write_text(json.dumps({**summary, "model": own, "problems": 1}))
    with pytest.raises(InputError, match="summary.json: changed"):
        capability_of(copy, own)


def test_wrong_options_are_one_line(tmp_path: Path) -> None:
    for wrong in ("--cpu-seconds=0", "--samples=0", "--memory-mib=1", "--temperature=3"):
        done = cleartitle("eval", "humaneval", wrong, cwd=tmp_path)
        assert done.returncode == 2 and "out of range" in done.stderr and "Traceback" not in done.stderr, wrong


@pytest.mark.model
def test_a_killed_run_goes_on_to_the_same_tables(tmp_path: Path) -> None:
    command = ("eval", "humaneval", "--limit", "5", "--max-tokens", "48", "--threads", "1", "--json")
    whole = cleartitle(*command, "--output", "whole", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert json.loads(whole.stdout)["answers"] == 5
    journal = tmp_path / "killed" / "generations.journal.jsonl"
    words = [sys.executable, "-c", "from cleartitle.cli import main; main()", *command, "--output", "killed"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (journal.exists() and journal.stat().st_size):
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 0 < journal.read_bytes().count(b"\n") < 5, "killed in the middle"
    again = cleartitle(*command, "--output", "killed", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    for name in ("generations/part-00000.parquet", "results/part-00000.parquet", "summary.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
