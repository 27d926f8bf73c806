"""What holds where Inspect AI is not installed."""

import subprocess
import sys
from pathlib import Path

import pytest

from cleartitle.errors import MissingExtraError
from cleartitle.models import open_model


def test_a_log_names_the_extra_that_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(b"PK")
    for name in [name for name in sys.modules if name.partition(".")[0] == "inspect_ai"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(MissingExtraError, match=r'mend: pip install "cleartitle\[inspect\]"'):
        open_model(f"replay:{path}")


def test_nothing_but_the_modules_of_inspect_imports_it() -> None:
    code = (
        "import sys, cleartitle.cli, cleartitle.report, cleartitle.integrations, cleartitle.models.replay;"
        "import cleartitle.models.inspect_log, cleartitle.evals.licoeval;"
        "sys.exit('inspect_ai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
