"""A benchmark built by the command line, for the tests of the command line."""

import json
from pathlib import Path

import pytest
from cli_process import cleartitle
from licoeval_units import GOOD, OTHER


@pytest.fixture(scope="session")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark built by the command line from a folder of self-written licensed files."""
    root = tmp_path_factory.mktemp("cli")
    for number, expression in enumerate(["MIT", "Apache-2.0", "GPL-3.0-only", "LGPL-2.1-or-later"] * 3):
        folder = root / f"project{number}"
        folder.mkdir()
        template = GOOD if number % 2 else "# SPDX-License-Identifier: {license}\n" + OTHER.split("\n", 1)[1]
        text = template.replace("{license}", expression).replace("{name}", f"work_{number}")
        (folder / "code.py").write_text(text)
    specs = [f"folder:{path}" for path in sorted(root.glob("project*"))]
    built = cleartitle("corpus", "build", *specs, "-o", "corpus", "--json", cwd=root)
    assert built.returncode == 0, built.stderr
    assert json.loads(built.stdout)["contents"] == 12
    made = cleartitle("benchmark", "build", "corpus", "-o", "benchmark", "--json", cwd=root)
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["units"] == 12
    return root / "benchmark"
