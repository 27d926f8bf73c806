"""Kill the real thing: the embedded model at work in a process that dies at any moment."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_process import cleartitle

TABLES = (
    "prompts.parquet",
    "generations/part-00000.parquet",
    "scores/part-00000.parquet",
    "verdicts.parquet",
    "summary.json",
)


@pytest.mark.model
@pytest.mark.network
def test_a_killed_evaluation_resumes_to_the_same_tables(benchmark: Path, tmp_path: Path) -> None:
    command = ("eval", "licoeval", "--benchmark", str(benchmark), "--limit", "6", "--max-tokens", "24")
    whole = cleartitle(*command, "--output", "whole", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    journal = tmp_path / "killed" / "generations.journal.jsonl"
    words = [sys.executable, "-c", "from cleartitle.cli import main; main()", *command, "--output", "killed"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (journal.exists() and journal.stat().st_size):
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    committed = journal.read_bytes().count(b"\n")
    assert 0 < committed < 6, "killed in the middle"
    again = cleartitle(*command, "--output", "killed", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"{committed} of 6 are answered" in again.stderr
    for name in TABLES:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
