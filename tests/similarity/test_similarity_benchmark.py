"""The benchmark runs, and its measures equal those of its peers."""

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "similarity.py"


def test_the_small_benchmark_shows_no_difference_to_its_peers():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--smoke"], capture_output=True, text=True, check=True, timeout=300
    )
    differences = re.findall(r"largest difference (\S+)", done.stdout)
    assert len(differences) >= 4
    assert {float(value) for value in differences} == {0.0}
