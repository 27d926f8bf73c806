from pathlib import Path

import pytest
from report_runs import make_run

from cleartitle.report import write_report


@pytest.fixture(scope="session")
def copying_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of which six answers are striking, one of them hostile, with its report."""
    run = make_run(tmp_path_factory.mktemp("copying"), copying=True)
    write_report(run)
    return run


@pytest.fixture(scope="session")
def harmless_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without a striking answer, on a sample, with its report."""
    run = make_run(tmp_path_factory.mktemp("harmless"), copying=False, limit=12)
    write_report(run)
    return run
