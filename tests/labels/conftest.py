from pathlib import Path

import pytest
from label_runs import make_run


@pytest.fixture(scope="session")
def judged_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with striking and other answers. Tests write their labels elsewhere."""
    return make_run(tmp_path_factory.mktemp("judged"))
