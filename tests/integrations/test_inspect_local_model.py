"""The task of Inspect AI on a real model behind a real server, and the commands of docs/inspect.md."""

import gc
import re
import runpy
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from inspect_benchmark import write_benchmark

from cleartitle.evals.licoeval import LicoevalOptions, evaluate, open_benchmark
from cleartitle.models import ModelOptions, open_model
from cleartitle.tables import read_parts

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (extra: inspect)")
pytest.importorskip("xllamacpp", reason="xllamacpp is not installed (extra: local)")

from inspect_ai import eval  # noqa: A004, E402
from inspect_ai.model import get_model  # noqa: E402

from cleartitle.evals.tables import GENERATIONS  # noqa: E402
from cleartitle.integrations.inspect_licoeval import licoeval  # noqa: E402

# Inspect uses what its own dependencies deprecate, and leaves its streams open when it ends.
pytestmark = [
    pytest.mark.model,
    pytest.mark.network,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "inspect.md"


@pytest.fixture(autouse=True)
def _streams_are_dropped_here() -> Generator[None]:
    yield
    gc.collect()


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@pytest.mark.parametrize(("provider", "style"), [("openai-api", "chat"), ("openai-api-completions", "completion")])
def test_inspect_gets_the_answers_and_the_scores_of_our_own_run_from_the_same_model(
    tmp_path: Path, provider: str, style: Any
) -> None:
    folder = write_benchmark(tmp_path / "benchmark", 4)
    model: Any = open_model("embedded", ModelOptions(threads=1, context=1024, style=style))
    address = model._servers[0].listening_address + "/v1"
    served = get_model(f"{provider}/local/m", base_url=address, api_key=model._key, memoize=False)
    task = licoeval(benchmark=str(folder), limit=2)
    (log,) = eval(task, model=served, log_dir=str(tmp_path / "logs"), display="none", max_tokens=48, max_connections=1)
    assert log.status == "success", log.error

    options = LicoevalOptions(limit=2, max_tokens=48, controls=False)
    ours = evaluate(model, open_benchmark(folder), tmp_path / "ours", options)
    theirs = evaluate(open_model(f"replay:{log.location}"), open_benchmark(folder), tmp_path / "theirs", options)
    answers = [read_parts(tmp_path / name / "generations", GENERATIONS).to_pylist() for name in ("ours", "theirs")]
    assert answers[0] == answers[1] and len(answers[0]) == 2
    assert all(row["status"] == "truncated" and row["text"].strip() for row in answers[0])
    assert ours["modes"] == theirs["modes"]


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "serve.py ended"
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("serve.py does not answer")


@pytest.mark.skipif(
    not any(point.name == "cleartitle" for point in entry_points(group="inspect_ai")),
    reason="this installation has no entry point for Inspect; install the package again",
)
def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    runner = runpy.run_path(str(PAGE.parent / "run.py"))
    port = str(free_port())
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text().replace("8321", port), re.MULTILINE | re.DOTALL)
    (script,) = (block for block in blocks if block.startswith("import "))
    (tmp_path / "serve.py").write_text(script)
    server = subprocess.Popen([sys.executable, "serve.py"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    seen: list[str] = []
    try:
        wait_for(f"http://127.0.0.1:{port}", server)
        exports = ""
        for block in blocks:
            for piece in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
                command, _, shown = piece.removeprefix("$ ").partition("\n")
                if not piece.startswith("$ "):
                    continue
                if command.startswith("export "):
                    exports = f"{command}; "
                    continue
                status, output = runner["run"](exports + command, str(tmp_path))
                assert status == 0 and runner["matches"](shown, output), f"{command} printed\n{output}"
                seen.append(command)
    finally:
        server.kill()
        server.wait()
    assert len(seen) == 5
