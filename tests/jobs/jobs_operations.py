"""Operations that worker processes import by name."""

import os
import signal
import time
from pathlib import Path

import pyarrow as pa


def numbers(start: int, count: int = 4) -> pa.Table:
    return pa.table({"n": pa.array(range(start, start + count), pa.int64())})


def numbers_beside(start: int, text: str) -> pa.Table:
    return numbers(start).append_column("text", pa.array([text] * 4))


def square(table: pa.Table) -> pa.Table:
    return pa.table({"n": table["n"], "square": pa.array([n * n for n in table["n"].to_pylist()], pa.int64())})


def slow_square(table: pa.Table, seconds: float) -> pa.Table:
    time.sleep(seconds)
    return square(table)


def die_once(table: pa.Table, victim: int, marker: Path) -> pa.Table:
    if table["n"][0].as_py() == victim and not marker.exists():
        marker.touch()
        os._exit(9)
    return square(table)


def always_killed(table: pa.Table, victim: int) -> pa.Table:
    if table["n"][0].as_py() == victim:
        os.kill(os.getpid(), signal.SIGKILL)
    return square(table)


def refuse(table: pa.Table, victim: int) -> pa.Table:
    if table["n"][0].as_py() == victim:
        raise ValueError("odd number\nin the way")
    return square(table)


def count_calls(table: pa.Table, log: Path) -> pa.Table:
    with log.open("a") as stream:
        stream.write(f"{table['n'][0].as_py()}\n")
    return square(table)


def most_alive(table: pa.Table, folder: Path) -> pa.Table:
    mark = folder / str(table["n"][0].as_py())
    mark.touch()
    time.sleep(0.05)
    alive = len(list(folder.iterdir()))
    mark.unlink()
    return pa.table({"alive": [alive]})
