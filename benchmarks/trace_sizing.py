"""What an index over a corpus of any size takes: bytes, memory and machines, from measured ratios.

Run: python benchmarks/trace_sizing.py [--results FILE] [--terabytes N ...] [--disk TB] [--memory GB]

The ratios come from the ``results.json`` that ``benchmarks/trace.py`` leaves, or are those of docs/trace-benchmark.md.
They were measured on about a gigabyte and are carried over three orders of magnitude: postings for each byte fall as
more runs become common, so that the bytes are an upper guess; the time of a query on one shard is not extrapolated.
"""

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path

MEASURED = {"bytes_per_byte": 0.837, "bytes_per_byte_without_texts": 0.630, "build_mb_per_cpu_second": 16.7}
"""On 1,540 MB of Python, Java and C; see docs/trace-benchmark.md."""

FILTERS = 0.096
"""Bytes of the filters and tables of both channels for each byte of source: what a look-up that fails touches."""

WORDS_PER_BYTE = 0.21
SEGMENT_WORDS = 2**32 - 1
"""A segment counts words in 32 bits."""

QUERY_PROCESS_GB = 0.3

CORPORA = {"The Stack v2, deduplicated": 32.1, "The Stack v2, full": 67.5}
"""Terabytes as its makers publish them (BigCode, announcement of StarCoder2 and The Stack v2, February 2024)."""


@dataclass(frozen=True)
class Needs:
    """What an index takes."""

    terabytes: float
    index_tb: float
    bare_tb: float
    filters_gb: float
    segments: int
    machines: int
    core_days: float


def needs(terabytes: float, ratios: dict[str, float], disk_tb: float, memory_gb: float) -> Needs:
    """What an index over some terabytes of distinct source takes.

    A machine holds as much of the index as fits its disk, and the filters and tables of that part in memory.
    """
    index = terabytes * ratios["bytes_per_byte"]
    filters = 1000 * terabytes * FILTERS
    by_disk = index / (0.9 * disk_tb)
    by_memory = filters / max(memory_gb - 2 * QUERY_PROCESS_GB, 1)
    return Needs(
        terabytes=terabytes,
        index_tb=index,
        bare_tb=terabytes * ratios["bytes_per_byte_without_texts"],
        filters_gb=filters,
        segments=math.ceil(terabytes * 1e12 * WORDS_PER_BYTE / SEGMENT_WORDS),
        machines=math.ceil(max(by_disk, by_memory, 1)),
        core_days=terabytes * 1e6 / ratios["build_mb_per_cpu_second"] / 86400,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--terabytes", type=float, nargs="*", default=[])
    parser.add_argument("--disk", type=float, default=8.0, help="terabytes of disk of one machine")
    parser.add_argument("--memory", type=float, default=256.0, help="gigabytes of memory of one machine")
    asked = parser.parse_args()
    ratios = MEASURED
    if asked.results:
        ratios = json.loads(asked.results.read_text(encoding="utf-8"))["index"]
    rows = [(f"{size:g} TB", size) for size in asked.terabytes] or list(CORPORA.items())
    print(f"ratios: {', '.join(f'{name} {ratios[name]:.3g}' for name in MEASURED)}")
    print(f"a machine: {asked.disk:g} TB of disk, {asked.memory:g} GB of memory\n")
    for label, size in rows:
        found = needs(size, ratios, asked.disk, asked.memory)
        print(
            f"{label} ({size:g} TB of source)\n"
            f"  index {found.index_tb:.1f} TB, without texts {found.bare_tb:.1f} TB; "
            f"{found.segments:,} segments or more\n"
            f"  filters and tables {found.filters_gb:,.0f} GB of memory in all; {found.machines} machines\n"
            f"  built in {found.core_days:,.0f} core days"
        )


if __name__ == "__main__":
    main()
