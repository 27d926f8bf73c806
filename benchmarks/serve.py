"""Rate and times of `cleartitle serve` under load, on one machine that the load generator shares.

Run: python benchmarks/serve.py [--smoke] [--index INDEX] [--add CORPUS] [--seconds 300] [--connections 8] [--rate R]

Without an index the two packages of the small trace benchmark are indexed. Queries are snippets of 20 lines, drawn from
the index with a seed: half of them verbatim, a quarter with each name changed, a quarter shuffled line by line, so that
they match nothing as a whole. First the ways to use several cores are compared without HTTP: threads, and processes.
Then the load: closed loop (each connection asks again when it has its answer), or with --rate at fixed times, with the
time measured from when a request was due. With --add the index gets another corpus at half-time, under load.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from cleartitle.corpus import build
from cleartitle.trace import Index, build_index

LINES = 20
KEYWORDS = frozenset("def return if else for while import from class not and or in is None True False int void".split())


def snippets(index: Index, count: int, seed: int) -> list[str]:
    """Snippets of an index with texts, with edits; equal arguments give equal ones."""
    rng = random.Random(seed)
    sizes = [len(segment.first_words) for segment in index.segments]
    found: list[str] = []
    while len(found) < count:
        segment = rng.choices(index.segments, sizes)[0]
        lines = segment.text(rng.randrange(len(segment.first_words))).decode("utf-8", "replace").split("\n")
        if len(lines) < LINES + 5:
            continue
        start = rng.randrange(len(lines) - LINES)
        part = [line[:200] for line in lines[start : start + LINES]]
        kind = len(found) % 4
        if kind == 2:
            part = [re.sub(r"[A-Za-z_]\w*", lambda m: m[0] if m[0] in KEYWORDS else f"{m[0]}_x", line) for line in part]
        elif kind == 3:
            rng.shuffle(part)
        found.append("\n".join(part))
    return found


_opened: dict[str, Index] = {}


def _search(path: str, texts: list[str]) -> int:
    index = _opened.get(path)
    if index is None:
        index = _opened[path] = Index.open(path)
    return sum(bool(index.search(text).matches) for text in texts)


def ways(path: Path, texts: list[str], cores: int) -> dict[str, float]:
    """Searches a second in one thread, in a thread a core, and in a process a core; without HTTP."""
    name = str(path)
    _search(name, texts)  # warm
    parts = [texts[number::20] for number in range(20)]
    rates: dict[str, float] = {}
    start = time.perf_counter()
    _search(name, texts)
    rates["1 thread"] = len(texts) / (time.perf_counter() - start)
    with ThreadPoolExecutor(cores) as threads:
        start = time.perf_counter()
        list(threads.map(_search, [name] * 20, parts))
        rates[f"{cores} threads"] = len(texts) / (time.perf_counter() - start)
    with ProcessPoolExecutor(cores, get_context("spawn")) as processes:
        list(processes.map(_search, [name] * 20, parts))
        start = time.perf_counter()
        list(processes.map(_search, [name] * 20, parts))
        rates[f"{cores} processes"] = len(texts) / (time.perf_counter() - start)
    return rates


class Load:
    """A load generator: what it got, and how long that took."""

    def __init__(self, port: int, texts: list[str], excerpts: bool) -> None:
        self._port = port
        bodies = [json.dumps({"text": text, **({"excerpts": True} if excerpts else {})}).encode() for text in texts]
        head = (
            f"POST /v1/trace HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: "
        )
        self._requests = [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]
        self._next = 0
        self.times: list[float] = []
        self.statuses: Counter[str] = Counter()
        self.states: Counter[str] = Counter()
        self.documents: Counter[int] = Counter()

    async def closed(self, connections: int, seconds: float) -> None:
        """Each connection asks again as soon as it has its answer."""
        end = time.perf_counter() + seconds

        async def one() -> None:
            stream: Any = None
            while time.perf_counter() < end:
                stream = await self._ask(stream, time.perf_counter())

        await asyncio.gather(*(one() for _ in range(connections)))

    async def open(self, connections: int, seconds: float, rate: float) -> None:
        """Requests at fixed times, whether the ones before are answered or not, as far as connections are free."""
        due: asyncio.Queue[float] = asyncio.Queue()

        async def one() -> None:
            stream: Any = None
            while (moment := await due.get()) >= 0:
                stream = await self._ask(stream, moment)

        tasks = [asyncio.create_task(one()) for _ in range(connections)]
        start = time.perf_counter()
        for number in range(int(rate * seconds)):
            moment = start + number / rate
            await asyncio.sleep(max(0.0, moment - time.perf_counter()))
            due.put_nowait(moment)
        for _ in tasks:
            due.put_nowait(-1)
        await asyncio.gather(*tasks)

    async def _ask(self, stream: Any, since: float) -> Any:
        request = self._requests[self._next % len(self._requests)]
        self._next += 1
        try:
            if stream is None:
                stream = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = stream
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"content-length: (\d+)", head)[1])  # pyright: ignore[reportOptionalSubscript]
            body = await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.statuses[type(error).__name__] += 1
            return None
        self.times.append(time.perf_counter() - since)
        status = head[9:12].decode()
        self.statuses[status] += 1
        if status == "200":
            self.states[re.search(rb'"state": "(\w+)"', body)[1].decode()] += 1  # pyright: ignore[reportOptionalSubscript]
            self.documents[int(re.search(rb'"documents": (\d+)', body)[1])] += 1  # pyright: ignore[reportOptionalSubscript]
        if b"connection: close" in head:
            writer.close()
            return None
        return stream


def seconds_of(pid: int) -> float:
    """Processor seconds that a process has taken so far; NaN if it is no more."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> float:
    """Anonymous memory of a process, in MB."""
    found = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def measure(path: Path, texts: list[str], given: argparse.Namespace) -> dict[str, Any]:
    """A service of its own under load, and what came of it."""
    command = [sys.executable, "-c", "from cleartitle.cli import main; main()", "--quiet", "serve", str(path)]
    service = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert service.stdout is not None
    port = int(service.stdout.readline().strip().rpartition(":")[2].rstrip("/"))
    pids = [service.pid, *_children(service.pid)]
    load = Load(port, texts, given.excerpts)
    asyncio.run(Load(port, texts, given.excerpts).closed(given.connections, min(5.0, given.seconds)))  # warm
    before, own, start = [seconds_of(pid) for pid in pids], time.process_time(), time.perf_counter()
    adding = threading.Timer(given.seconds / 2, lambda: build_index([given.add], path)) if given.add else None
    if adding:
        adding.start()
    if given.rate:
        asyncio.run(load.open(given.connections, given.seconds, given.rate))
    else:
        asyncio.run(load.closed(given.connections, given.seconds))
    wall = time.perf_counter() - start
    if adding:
        adding.join()
    front, *searches = (seconds_of(pid) - past for pid, past in zip(pids, before, strict=True))
    memory = [round(memory_of(pid)) for pid in [service.pid, *_children(service.pid)]]
    service.send_signal(signal.SIGTERM)
    status = service.wait(60)
    times = np.array(load.times) * 1000
    return {
        "requests": len(load.times),
        "seconds": round(wall, 1),
        "rate": round(len(load.times) / wall, 1),
        "errors": sum(count for name, count in load.statuses.items() if name != "200"),
        "statuses": dict(load.statuses),
        "states": dict(load.states),
        "documents": dict(load.documents),
        "ms": {f"p{p}": round(float(np.percentile(times, p)), 2) for p in (50, 90, 99)}
        | {"longest": round(float(times.max()), 1)},
        "processor_ms_a_request": {
            "search processes": None if given.add else round(1000 * sum(searches) / len(times), 2),
            "front": round(1000 * front / len(times), 2),
            "load generator": round(1000 * (time.process_time() - own) / len(times), 2),
        },
        "anonymous_mb": memory,
        "exit_status": status,
    }


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=True)
    return [int(line) for line in found.stdout.split()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="5 seconds on two packages; fails on an error")
    parser.add_argument("--index", type=Path)
    parser.add_argument("--add", type=Path, help="a corpus that is added to a copy of the index at half-time")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rate", type=float, default=0, help="requests a second at fixed times; 0: closed loop")
    parser.add_argument("--excerpts", action="store_true")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-ways", action="store_true")
    given = parser.parse_args()
    if given.smoke:
        given.seconds, given.queries = 5.0, 200
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(dir=given.index.parent if given.index else None) as folder:
        path = given.index
        if path is None:
            build(["pypi:boltons==26.2.0", "pypi:mutagen==1.48.1"], Path(folder) / "corpus")
            path = Path(folder) / "index"
            build_index([Path(folder) / "corpus"], path)
        elif given.add:
            # Segments never change, so that links do.
            path = Path(folder) / "index"
            shutil.copytree(given.index, path, copy_function=os.link)
            (path / "index.json").unlink()
            shutil.copy(given.index / "index.json", path / "index.json")
        index = Index.open(path)
        texts = snippets(index, given.queries, given.seed)
        found: dict[str, Any] = {"machine": f"{platform.processor() or platform.machine()}, {cores} cores"}
        found["index"] = {name: index.searched[name] for name in ("documents", "source_bytes")}
        if not given.no_ways:
            found["searches_a_second"] = {name: round(rate, 1) for name, rate in ways(path, texts, cores).items()}
        found |= measure(path, texts, given)
    print(json.dumps(found, indent=2))
    return 1 if found["errors"] or found["exit_status"] or not found["requests"] else 0


if __name__ == "__main__":
    sys.exit(main())
