"""The Python in docs/models.md runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
EMBEDDED, REPLAY = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.model
@pytest.mark.network
def test_the_first_example_prints_three_answers() -> None:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed (extra: local)")
    first, *samples = run(EMBEDDED).splitlines()
    assert first.startswith("truncated ") and "def is_prime" in first
    assert len(samples) == 2 and samples[0] != samples[1]


def test_the_replay_example_prints_one_answer_and_one_error() -> None:
    assert run(REPLAY) == "['ok', 'error']\n"


def test_every_kind_of_model_is_in_the_table() -> None:
    from cleartitle.models.registry import KINDS

    for kind in KINDS:
        assert re.search(rf"^\| `{kind}[:`]", PAGE.read_text(encoding="utf-8"), re.MULTILINE), kind
