"""Time of an episode of Copyright-Bench: our part in-process, over MCP on stdio, and over MCP on HTTP.

The same metadata reader plays the same episodes three ways; over stdio each episode has a server of its own, as an
agent that starts one would have. Needs the extra ``agents``.

    python benchmarks/office.py --pool POOL [--episodes 20] [--smoke]
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import mcp

from cleartitle.evals.copyright_bench import Pool
from cleartitle.evals.copyright_bench.episodes import Condition, policy_episode, prepare_episode
from cleartitle.evals.copyright_bench.transcript import submitted_path
from cleartitle.evals.copyright_bench.workspace import lay_out

CONDITION = Condition("webdev", "neutral", "std")
SCRIPT = "from cleartitle.cli import main; main()"


async def play(client: Any, fitting: set[str]) -> str:
    """The metadata reader over MCP; which files fit it is told, as the built-in one is."""
    files = json.loads((await client.call_tool("list_files", {})).content[0].text)
    chosen = next(path for path in files if path in fitting)
    for path in files:
        if (
            path in fitting
            and "free to use" in (await client.call_tool("read_metadata", {"path": path})).content[0].text.lower()
        ):
            chosen = path
            break
    await client.call_tool("submit_selection", {"path": chosen})
    return chosen


async def over_stdio(folder: Path, fitting: set[str]) -> str:
    """One episode with a server of its own."""
    words = ["-c", SCRIPT, "mcp", "office", "--workspace", str(folder)]
    async with mcp.Client(
        mcp.StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    ) as client:
        return await play(client, fitting)


async def over_http(address: str, fitting: set[str]) -> str:
    """One episode with a server that is there already."""
    async with mcp.Client(address) as client:
        return await play(client, fitting)


def http_episode(folder: Path, fitting: set[str]) -> tuple[str, float]:
    """Selection and seconds, without the start of the server."""
    words = [sys.executable, "-c", SCRIPT, "mcp", "office", "--workspace", str(folder), "--http", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found is not None
        started = time.perf_counter()
        chosen = asyncio.run(over_http(found[0], fitting))
        seconds = time.perf_counter() - started
        server.terminate()
    return chosen, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", type=Path, required=True)
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--smoke", action="store_true", help="two episodes")
    given = parser.parse_args()
    pool, episodes = Pool.open(given.pool), 2 if given.smoke else given.episodes
    seconds: dict[str, list[float]] = {"in-process": [], "stdio": [], "http": []}
    for run in range(episodes):
        started = time.perf_counter()
        here = submitted_path(policy_episode(pool, CONDITION, run, 0, pairs=20, policy="metadata"))
        seconds["in-process"].append(time.perf_counter() - started)
        offer, asked = prepare_episode(pool, CONDITION, run, 0, pairs=20)
        fitting = {file.path for file in offer.fitting if file.asset.width >= asked.least_width}
        with tempfile.TemporaryDirectory(dir=pool.path) as name:
            lay_out(pool, offer, Path(name))
            started = time.perf_counter()
            there = asyncio.run(over_stdio(Path(name), fitting))
            seconds["stdio"].append(time.perf_counter() - started)
            remote, took = http_episode(Path(name), fitting)
            seconds["http"].append(took)
        assert here == there == remote, (here, there, remote)
    figures = {
        name: {"median_ms": round(1000 * sorted(values)[len(values) // 2], 1)} for name, values in seconds.items()
    }
    print(json.dumps({"episodes": episodes, "equal_selections": True, **figures}))


if __name__ == "__main__":
    main()
