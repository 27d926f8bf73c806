from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import HOSTILE, Service
from trace_material import HEADERS, make_corpus, module

from cleartitle.trace import IndexOptions, build_index


@pytest.fixture(scope="session")
def served_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    files = {f"lib{n}/m{n}.py": module(n, "gpl" if n % 2 else "mit") for n in range(6)}
    files["<b>evil</b>/x.py"] = HEADERS["gpl"] + HOSTILE
    build_index([make_corpus(folder, files)], folder / "index", IndexOptions(workers=1))
    return folder / "index"


@pytest.fixture(scope="session")
def service(served_index: Path) -> Iterator[Service]:
    running = Service(served_index, workers=2)
    yield running
    running.end()
