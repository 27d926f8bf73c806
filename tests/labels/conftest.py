from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from label_runs import Page, make_run


@pytest.fixture(scope="session")
def judged_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with striking and other answers. Tests write their labels elsewhere."""
    return make_run(tmp_path_factory.mktemp("judged"))


@pytest.fixture
def open_page(tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Start the command with these words in the test's folder; all are ended with the test."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(Page(tmp_path, *words))
