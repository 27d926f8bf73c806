"""The page about the corpus says what the code does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cleartitle.corpus import CONTENTS, LICENSE_TEXTS, OCCURRENCES, SPECS, TRUST_GRADES, starter_pins
from cleartitle.corpus.readers.columns import ROLES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "corpus.md").read_text(encoding="utf-8")


def test_the_page_names_every_kind_of_spec() -> None:
    for kind in re.findall(r"^([a-z]+)(?=:|\s)", SPECS, re.MULTILINE):
        assert f"| `{kind}" in PAGE


def test_the_page_lists_every_column_alias_in_order() -> None:
    for role, names in ROLES.items():
        assert f"| `{role}` | `{' '.join(names)}` |" in PAGE


def test_the_page_lists_every_column_of_every_table() -> None:
    for schema in (CONTENTS, OCCURRENCES, LICENSE_TEXTS):
        assert f"`{' '.join(schema.names)}`" in PAGE


def test_the_page_explains_every_grade_of_trust() -> None:
    for grade in TRUST_GRADES:
        assert f"| `{grade}` |" in PAGE


def test_the_page_lists_the_starter_wheels() -> None:
    rows = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| ([^|]+) \| ([a-z ]+) \| [\d,]+ \| [\d,]+ \|$", PAGE, re.MULTILINE)
    assert rows == [(pin.name, pin.version, pin.license, pin.license_class.replace("_", " ")) for pin in starter_pins()]


def test_the_page_names_every_reason_that_the_code_gives() -> None:
    source = Path(__file__).resolve().parents[2] / "src" / "cleartitle" / "corpus"
    code = "\n".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    reasons = set(re.findall(r'(?:Skipped|_LeftOutError|UnreadableTextError)\(\s*"([a-z_]+)"', code))
    assert len(reasons) > 10
    for reason in reasons:
        assert f"`{reason}`" in PAGE


@pytest.mark.network
def test_the_python_example_of_the_page_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text(example, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Apache-2.0 agree absl-py absl/app.py" in done.stdout.splitlines()
