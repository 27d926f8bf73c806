"""Shards through real processes, some of which are really killed."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import jobs_operations as ops
import pyarrow as pa
import pytest

from cleartitle.errors import InputError
from cleartitle.jobs import Shard, ShardError, map_shards, one_at_a_time
from cleartitle.jobs.shards import locked
from cleartitle.tables import read_key, read_parts

SCHEMA = pa.schema([("n", pa.int64()), ("square", pa.int64())])


@pytest.fixture(autouse=True)
def importable_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))


def shards(count: int) -> list[Shard]:
    return [Shard(index, partial(ops.numbers, 4 * index)) for index in range(count)]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("part-*.parquet"))}


@pytest.mark.parametrize("workers", [1, 2])
def test_maps_each_shard_to_its_part_in_order(tmp_path: Path, workers: int) -> None:
    results = map_shards(ops.square, shards(5), tmp_path, key="k", workers=workers)
    assert [(result.index, result.rows, result.reused) for result in results] == [(i, 4, False) for i in range(5)]
    assert read_parts(tmp_path, SCHEMA)["square"].to_pylist() == [n * n for n in range(20)]


def test_number_of_workers_does_not_change_the_bytes(tmp_path: Path) -> None:
    map_shards(ops.square, shards(4), tmp_path / "one", key="k", workers=1)
    map_shards(ops.square, shards(4), tmp_path / "two", key="k", workers=2)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_takes_a_table_in_place_of_a_loader(tmp_path: Path) -> None:
    map_shards(ops.square, [Shard(0, ops.numbers(7, 1))], tmp_path, key="k", workers=2)
    assert read_parts(tmp_path, SCHEMA)["square"].to_pylist() == [49]


def test_no_shards_leave_an_empty_folder(tmp_path: Path) -> None:
    map_shards(ops.square, shards(2), tmp_path, key="k", workers=1)
    assert map_shards(ops.square, [], tmp_path, key="k") == []
    assert bytes_of(tmp_path) == {}


def test_a_killed_worker_is_retried_and_nothing_is_lost(tmp_path: Path) -> None:
    operation = partial(ops.die_once, victim=8, marker=tmp_path / "died")
    results = map_shards(operation, shards(6), tmp_path / "out", key="k", workers=2)
    assert (tmp_path / "died").exists()
    assert len(results) == 6
    map_shards(ops.square, shards(6), tmp_path / "plain", key="k", workers=1)
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "plain")


def test_a_shard_that_kills_every_worker_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    with pytest.raises(ShardError, match=r"^shard 0: its worker process was killed 2 times") as caught:
        map_shards(partial(ops.always_killed, victim=0), shards(3), tmp_path, key="k", workers=2, retries=1)
    assert caught.value.index == 0
    results = map_shards(ops.square, shards(3), tmp_path, key="k", workers=1)
    assert len(results) == 3


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_carries_the_shard_and_keeps_the_others(tmp_path: Path, workers: int) -> None:
    with pytest.raises(ShardError, match=r"^shard 2: ValueError: odd number in the way$") as caught:
        map_shards(partial(ops.refuse, victim=8), shards(4), tmp_path, key="k", workers=workers)
    assert caught.value.index == 2
    assert isinstance(caught.value.__cause__, ValueError)
    assert {"part-00000.parquet", "part-00001.parquet"} <= set(bytes_of(tmp_path))


def test_committed_parts_are_not_done_again(tmp_path: Path) -> None:
    operation = partial(ops.count_calls, log=tmp_path / "log")
    map_shards(operation, shards(3), tmp_path / "out", key="k", workers=1)
    (tmp_path / "out" / "part-00001.parquet").unlink()
    results = map_shards(operation, shards(3), tmp_path / "out", key="k", workers=1)
    assert [result.reused for result in results] == [True, False, True]
    assert [result.rows for result in results] == [4, 4, 4]
    assert (tmp_path / "log").read_text().split() == ["0", "4", "8", "4"]


def test_another_key_replaces_every_part_and_removes_surplus(tmp_path: Path) -> None:
    map_shards(ops.square, shards(5), tmp_path, key="old", workers=1)
    with pytest.raises(ShardError):
        map_shards(partial(ops.refuse, victim=4), shards(3), tmp_path, key="new", workers=1)
    assert {read_key(path) for path in tmp_path.glob("part-*")} == {"new"}
    results = map_shards(ops.square, shards(3), tmp_path, key="new", workers=1)
    assert len(bytes_of(tmp_path)) == len(results) == 3


def test_a_change_of_one_shard_key_redoes_that_shard_only(tmp_path: Path) -> None:
    first = [Shard(i, partial(ops.numbers, i), key=f"input {i}") for i in range(3)]
    map_shards(ops.square, first, tmp_path, key="k", workers=1)
    changed = [first[0], Shard(1, partial(ops.numbers, 50), key="input 50"), first[2]]
    assert [r.reused for r in map_shards(ops.square, changed, tmp_path, key="k", workers=1)] == [True, False, True]


def test_torn_files_do_not_count(tmp_path: Path) -> None:
    map_shards(ops.square, shards(3), tmp_path, key="k", workers=1)
    whole = bytes_of(tmp_path)
    part = tmp_path / "part-00002.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    torn = tmp_path / ".part-00001.parquet.123.tmp"
    torn.write_bytes(b"PAR1")
    results = map_shards(ops.square, shards(3), tmp_path, key="k", workers=1)
    assert [result.reused for result in results] == [True, True, False]
    assert bytes_of(tmp_path) == whole
    assert not torn.exists()


def test_two_shards_with_one_index_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="share an index"):
        map_shards(ops.square, [*shards(2), shards(1)[0]], tmp_path, key="k")


def test_a_folder_serves_one_run_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(InputError, match="another run is writing here"):
        map_shards(ops.square, shards(1), tmp_path, key="k", workers=1)
    assert map_shards(ops.square, shards(1), tmp_path, key="k", workers=1)


def test_no_more_shards_run_at_once_than_there_are_workers(tmp_path: Path) -> None:
    (tmp_path / "alive").mkdir()
    map_shards(partial(ops.most_alive, folder=tmp_path / "alive"), shards(8), tmp_path / "out", key="k", workers=2)
    alive = read_parts(tmp_path / "out", pa.schema([("alive", pa.int64())]))["alive"].to_pylist()
    assert max(alive) <= 2


SCRIPT = """
    from functools import partial
    from pathlib import Path
    import signal
    import sys
    import jobs_operations as ops
    from cleartitle.jobs import Shard, map_shards

    if __name__ == "__main__":
        # A shell starts its background jobs with this signal ignored, and so their children.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        shards = [Shard(i, partial(ops.numbers, 4 * i)) for i in range(12)]
        operation = partial(ops.slow_square, seconds=0.15)
        map_shards(operation, shards, Path(sys.argv[1]), key="k", workers=2)
"""


UNGUARDED = """
    from functools import partial
    from pathlib import Path
    import sys
    import jobs_operations as ops
    from cleartitle.jobs import Shard, map_shards

    print("started", flush=True)
    map_shards(ops.square, [Shard(i, partial(ops.numbers, i)) for i in range(3)], Path(sys.argv[1]), key="k", workers=2)
"""

OWN = """
    from functools import partial
    from pathlib import Path
    import sys
    import pyarrow as pa
    import jobs_operations as ops
    from cleartitle.jobs import Shard, map_shards

    def own(table):
        return pa.table({"own": table["n"]})

    if __name__ == "__main__":
        map_shards(own, [Shard(i, partial(ops.numbers, i)) for i in range(3)], Path(sys.argv[1]), key="k", workers=2)
"""


HOLDING_TEXT = """
    from functools import partial
    from pathlib import Path
    import sys
    import jobs_operations as ops
    from cleartitle.jobs import Shard, map_shards

    print("started", flush=True)
    text = 'if __name__ == "__main__":'
    shards = [Shard(i, partial(ops.numbers_beside, i, text)) for i in range(3)]
    map_shards(ops.square, shards, Path(sys.argv[1]), key="k", workers=2)
"""


@pytest.mark.parametrize(
    ("text", "output"), [(UNGUARDED, "started\n"), (OWN, ""), (HOLDING_TEXT, "started\n")], ids=["plain", "own", "text"]
)
def test_a_script_needs_a_guard_only_for_operations_of_its_own(tmp_path: Path, text: str, output: str) -> None:
    script = tmp_path / "job.py"
    script.write_text(textwrap.dedent(text))
    command = [sys.executable, str(script), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", output)
    assert len(bytes_of(tmp_path / "out")) == 3


def test_an_operation_that_cannot_be_pickled_is_named_with_its_shard(tmp_path: Path) -> None:
    with pytest.raises(ShardError, match="shard 0: .*pickle"):
        map_shards(lambda table: table, shards(1), tmp_path, key="k", workers=2)


def start(script: Path, output: Path) -> subprocess.Popen[bytes]:
    script.write_text(textwrap.dedent(SCRIPT))
    return subprocess.Popen([sys.executable, str(script), str(output)], stderr=subprocess.PIPE)


def wait_for(condition: object, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads the process table of Linux")
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_ends_its_workers_and_the_next_gives_the_same_bytes(tmp_path: Path, kind: signal.Signals) -> None:
    output = tmp_path / "out"
    process = start(tmp_path / "job.py", output)
    wait_for(lambda: len(bytes_of(output)) >= 3, process)
    children = children_of(process.pid)
    assert children
    process.send_signal(kind)
    assert process.wait(20) != 0
    assert process.stderr
    process.stderr.close()
    deadline = time.monotonic() + 10
    while any(alive(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [child for child in children if alive(child)]
    before = bytes_of(output)
    assert 3 <= len(before) < 12
    again = [Shard(i, partial(ops.numbers, 4 * i)) for i in range(12)]
    results = map_shards(ops.square, again, output, key="k", workers=2)
    assert sum(result.reused for result in results) == len(before)
    map_shards(ops.square, again, tmp_path / "straight", key="k", workers=1)
    assert bytes_of(output) == bytes_of(tmp_path / "straight")
    assert not list(output.glob(".part-*"))


def test_who_prepares_the_same_folder_waits_for_the_other(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from cleartitle.jobs import one_at_a_time\n"
        "with one_at_a_time(Path(sys.argv[1])): print('in')"
    )
    with one_at_a_time(tmp_path / "kept"):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "kept")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert other.stderr is not None and "waiting for another run" in other.stderr.readline()
    assert other.communicate(timeout=60)[0] == "in\n" and other.returncode == 0
