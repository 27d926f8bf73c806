"""Run the command line in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def cleartitle(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from cleartitle.cli import main; main()", *words],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
