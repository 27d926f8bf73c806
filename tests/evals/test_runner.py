import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from cleartitle.errors import InputError
from cleartitle.evals.runner import Requests, ask
from cleartitle.evals.tables import GENERATIONS
from cleartitle.models import Capabilities, Estimate, Generation, Request, Sampling
from cleartitle.tables import part_paths, read_parts

REQUESTS = 150


class Echo:
    """Answers with the id of the request and notes on disk that it was asked."""

    name = "echo"

    def __init__(self, log: Path, *, failing: frozenset[str] = frozenset(), delay: float = 0) -> None:
        self.log, self.failing, self.delay = log, failing, delay

    def describe(self) -> dict[str, object]:
        return {"adapter": "echo"}

    def capabilities(self) -> Capabilities:
        return Capabilities(chat=False, completion=True, concurrency=3)

    def estimate(self, requests: tuple[Request, ...]) -> Estimate:
        return Estimate(len(requests), 0, 0, None, "none")

    async def generate(self, request: Request) -> list[Generation]:
        with self.log.open("a") as stream:
            stream.write(request.id + "\n")
        if self.delay:
            time.sleep(self.delay)
        status = "error" if request.id in self.failing else "ok"
        return [
            Generation(f"{request.id}/{index} \ud800", status, error=status if status == "error" else None)
            for index in range(request.sampling.n)
        ]

    async def aclose(self) -> None:
        return None


def requests(count: int = REQUESTS) -> list[Request]:
    return [Request(f"p{number}", prompt="x", sampling=Sampling(n=2)) for number in range(count)]


async def test_every_answer_is_one_row_in_the_order_of_the_requests(tmp_path: Path) -> None:
    await ask(Echo(tmp_path / "log"), requests(), tmp_path / "g", key="k")
    rows = read_parts(tmp_path / "g", GENERATIONS).to_pylist()
    assert [(row["prompt_id"], row["sample_index"]) for row in rows] == [
        (f"p{number}", index) for number in range(REQUESTS) for index in range(2)
    ]
    assert rows[3]["text"] == "p1/1 ?", "lone surrogates are replaced"
    assert not (tmp_path / "g.journal.jsonl").exists()
    assert len(part_paths(tmp_path / "g")) == 3


async def test_only_failed_calls_are_asked_again(tmp_path: Path) -> None:
    failing = frozenset({"p3", "p70"})
    await ask(Echo(tmp_path / "log", failing=failing), requests(), tmp_path / "g", key="k")
    statuses = read_parts(tmp_path / "g", GENERATIONS)["status"].to_pylist()
    assert statuses.count("error") == 4
    await ask(Echo(tmp_path / "again"), requests(), tmp_path / "g", key="k")
    assert sorted((tmp_path / "again").read_text().split()) == ["p3", "p70"]
    assert set(read_parts(tmp_path / "g", GENERATIONS)["status"].to_pylist()) == {"ok"}


async def test_answers_of_another_run_are_never_mixed_in(tmp_path: Path) -> None:
    await ask(Echo(tmp_path / "log"), requests(5), tmp_path / "g", key="k")
    with pytest.raises(InputError, match="another --output"):
        await ask(Echo(tmp_path / "log"), requests(5), tmp_path / "g", key="other")


async def test_two_requests_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="same id"):
        await ask(Echo(tmp_path / "log"), [*requests(2), *requests(1)], tmp_path / "g", key="k")


async def test_a_torn_journal_loses_only_its_torn_line(tmp_path: Path) -> None:
    folder = tmp_path / "g"
    row = {name: None for name in GENERATIONS.names} | {"prompt_id": "p0", "turn": 0, "text": "kept", "status": "ok"}
    rows = [{**row, "sample_index": index, "finish_reason": "stop"} for index in range(2)]
    line = json.dumps({"key": "k", "rows": rows})
    (tmp_path / "g.journal.jsonl").write_text(line + "\n" + line.replace("p0", "p1")[:50])
    await ask(Echo(tmp_path / "log"), requests(2), folder, key="k")
    assert (tmp_path / "log").read_text().split() == ["p1"]
    assert read_parts(folder, GENERATIONS)["text"].to_pylist()[:2] == ["kept", "kept"]


SCRIPT = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from test_runner import Echo, requests
from cleartitle.evals.runner import Requests, ask
folder = Path(sys.argv[1])
asyncio.run(ask(Echo(folder / "log", delay=0.01), requests(), folder / "g", key="k"))
"""


def test_killed_at_any_moment_it_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    script = SCRIPT.format(here=str(Path(__file__).parent))

    def start(folder: Path) -> subprocess.Popen[bytes]:
        folder.mkdir(exist_ok=True)
        return subprocess.Popen([sys.executable, "-c", script, str(folder)], stderr=subprocess.DEVNULL)

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole).wait() == 0
    for asked in (20, 90, 140):
        process = start(killed)
        while process.poll() is None and (
            not (killed / "log").exists() or len((killed / "log").read_text().split()) < asked
        ):
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert start(killed).wait() == 0
    parts = [[path.read_bytes() for path in part_paths(folder / "g")] for folder in (whole, killed)]
    assert parts[0] == parts[1] and len(parts[0]) == 3
    counts = (killed / "log").read_text().split()
    twice = len(counts) - len(set(counts))
    assert set(counts) == {request.id for request in requests()}
    assert twice <= 3 * 3, "only calls in flight at a kill may be asked again"


class Flaky(Echo):
    """Gives other texts at every call; sample 1 fails at the first."""

    calls = 0

    async def generate(self, request: Request) -> list[Generation]:
        self.calls += 1
        return [
            Generation("", "error", error="down")
            if self.calls == 1 and index == 1
            else Generation(f"call {self.calls}")
            for index in range(request.sampling.n)
        ]


async def test_a_failed_sample_is_replaced_and_its_good_neighbors_stay(tmp_path: Path) -> None:
    model = Flaky(tmp_path / "log")
    for _ in range(2):
        await ask(model, requests(1), tmp_path / "g", key="k")
    assert read_parts(tmp_path / "g", GENERATIONS)["text"].to_pylist() == ["call 1", "call 2"]
    await ask(model, requests(1), tmp_path / "g", key="k")
    assert model.calls == 2


@pytest.mark.parametrize("kept", [frozenset[str](), frozenset({"p7", "p70"})])
async def test_questions_that_come_and_go_move_answers_between_parts(tmp_path: Path, kept: frozenset[str]) -> None:
    """Follow-ups do so when a retried call turns out striking: each answer stays, and only new ones are asked for."""
    log, folder = tmp_path / "log", tmp_path / "g"
    old = [request for request in requests(140) if request.id not in ("p3", "p66")]
    await ask(Echo(log), old, folder, key="k")
    log.write_text("")
    new = [request for request in requests(140) if request.id not in kept]
    await ask(Echo(log), new, folder, key="k")
    assert sorted(log.read_text().split()) == ["p3", "p66"]
    rows = read_parts(folder, GENERATIONS).to_pylist()
    assert [(row["prompt_id"], row["sample_index"]) for row in rows] == [
        (request.id, index) for request in new for index in range(2)
    ]
    fewer = new[:10]
    await ask(Echo(log), fewer, folder, key="k")
    assert len(part_paths(folder)) == 1 and read_parts(folder, GENERATIONS).num_rows == 20
    assert not (tmp_path / "g.journal.jsonl").exists()


async def test_a_moved_answer_survives_a_kill_between_two_parts(tmp_path: Path) -> None:
    """The part that held it is replaced before the one that will hold it is whole."""
    log, folder = tmp_path / "log", tmp_path / "g"
    await ask(Echo(log), requests(100)[1:], folder, key="k")  # p64 stands in the first part

    class Dies(Echo):
        async def generate(self, request: Request) -> list[Generation]:
            if request.id == "p100":
                raise OSError("the machine is gone")
            return await super().generate(request)

    with pytest.raises(OSError, match="gone"):
        await ask(Dies(log), requests(101), folder, key="k")
    log.write_text("")
    await ask(Echo(log), requests(101), folder, key="k")
    assert set(log.read_text().split()) <= {"p0", "p100"}
    assert read_parts(folder, GENERATIONS).num_rows == 202


def test_requests_are_made_from_the_rows_of_a_table_when_they_are_looked_at() -> None:
    made: list[str] = []

    def make(row: dict[str, str]) -> Request:
        made.append(row["id"])
        return Request(row["id"], prompt=row["text"])

    rows = pa.table({"id": [f"p{number}" for number in range(100)], "text": ["x"] * 100})
    requests = Requests(rows, make)
    assert len(requests) == 100 and made == []
    assert requests[-1].id == "p99" and made == ["p99"]
    assert [request.id for request in requests[2:5]] == ["p2", "p3", "p4"]
    assert [request.id for request in requests] == [f"p{number}" for number in range(100)]
    with pytest.raises(IndexError):
        requests[100]
