"""Speed and memory of the program scores beside Dolos, copydetect and vendetect on the same real files.

Run: python benchmarks/similarity.py --part programs [--files 500] [--smoke]. The files are Python modules of 1.5 to
12 KB of the standard library and of installed packages. Peers are installed once, into Cleartitle's cache: the npm
packages dolos-lib, -core and -parsers (a build of minutes) and copydetect and vendetect in a virtual environment of
their own; what cannot be had is named and left out. JPlag is not among the packages of these registries. Times are
processor seconds of the measured process, user and system; every tool runs in a process of its own.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

import numpy as np

from cleartitle.code import units
from cleartitle.errors import InputError
from cleartitle.files import cache_dir
from cleartitle.similarity import PreparedProgram, code_similarity, dolos_pairs, jplag_pairs

GROWTH = (100, 500, 2000)
NPM = ("@dodona/dolos-lib@3.5.1", "@dodona/dolos-core", "@dodona/dolos-parsers")
PYPI = ("copydetect", "vendetect")
JPLAG_RATE = 72_000  # pairs a second of JPlag 6.3.0, warm, noted on the same kind of work
DOLOS = """
import {{ Dolos }} from "@dodona/dolos-lib";
import {{ readFileSync, writeFileSync }} from "node:fs";
const used = () => {{ const u = process.cpuUsage(); return (u.user + u.system) / 1e6; }};
const paths = readFileSync({paths}, "utf8").split("\\n");
const dolos = new Dolos({{ language: "python" }});
await dolos.analyzePaths(paths.slice(0, 2));
const begin = used();
const report = await new Dolos({{ language: "python" }}).analyzePaths(paths);
const read = used();
const pairs = report.allPairs();
const compared = used();
writeFileSync({result}, JSON.stringify({{
  read: read - begin, pairs: compared - read, memory: process.resourceUsage().maxRSS / 1024,
  values: pairs.map(p => [p.leftFile.path, p.rightFile.path, p.similarity]),
}}));
"""
COPYDETECT = """
import json, sys, time
from copydetect import CodeFingerprint, compare_files
paths = open(sys.argv[1]).read().split("\\n")
begin = time.process_time()
prints = [CodeFingerprint(path, 25, 1) for path in paths]
read = time.process_time()
for row, one in enumerate(prints):
    for other in prints[row + 1:]:
        compare_files(one, other)
compared = time.process_time()
print(json.dumps({"read": read - begin, "pairs": compared - read}))
"""


def real_files(count: int) -> list[Path]:
    roots = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    found = {path.resolve() for root in roots for path in root.rglob("*.py") if 1500 <= path.stat().st_size <= 12_000}
    chosen = sorted(found)
    random.Random(1).shuffle(chosen)
    return chosen[:count]


def own_run(paths: list[str]) -> dict[str, Any]:
    """What Cleartitle takes for these files, in this process."""
    sources = [Path(path).read_bytes() for path in paths]
    PreparedProgram(sources[0], "python").read()
    result: dict[str, Any] = {"bytes": sum(map(len, sources)), "files": len(sources)}

    def timed(name: str, work: Any) -> Any:
        begin = time.process_time()
        value = work()
        result[name] = time.process_time() - begin
        return value

    programs = [PreparedProgram(source, "python") for source in sources]
    timed("read", lambda: [program.fingerprints for program in programs])
    values = timed("pairs", lambda: dolos_pairs(programs))
    timed("jplag_read", lambda: [program.jplag for program in programs])
    timed("jplag_pairs", lambda: jplag_pairs(programs))
    result["memory"] = peak_memory()
    result["tokens"] = sum(len(program.jplag.ids) for program in programs)
    result["values"] = np.nan_to_num(values).tolist() if len(paths) <= 500 else []
    generations: list[tuple[PreparedProgram, str]] = []
    for program in programs[:500]:
        try:
            found = units(program.source.decode("utf-8", "replace"))
        except (InputError, ValueError):
            continue
        generations += [(program, unit.source) for unit in found[:3] if unit.body_lines >= 5]
    timed("generations", lambda: [score(program, text) for program, text in generations])
    result["count"] = len(generations)
    result["generation_bytes"] = sum(len(text.encode()) for _, text in generations)
    return result


def peak_memory() -> float:
    """Peak memory of this process in MiB; the kernel's other figure would hold that of the parent before the start."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def score(program: PreparedProgram, text: str) -> float | None:
    return code_similarity(reference=program, candidate=text, language="python", seconds=None).value


def child(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True, **options)


def measured(paths: list[Path]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(map(str, paths)))
        names.flush()
        return json.loads(child([sys.executable, __file__, "--worker", names.name]).stdout)


def dolos_folder() -> Path | str:
    """Where Dolos is installed, or why it is not."""
    folder = cache_dir("peers", "dolos")
    if shutil.which("npm") is None:
        return "npm is not installed"
    if not (folder / "node_modules" / "@dodona" / "dolos-lib").is_dir():
        (folder / "package.json").write_text('{"name": "peers", "private": true, "type": "module"}')
        done = subprocess.run(["npm", "install", "--silent", *NPM], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return f"npm install failed: {done.stderr.strip().splitlines()[-1:]}"
    return folder


def python_folder() -> Path | str:
    folder = cache_dir("peers", "python")
    python = folder / "bin" / "python"
    if not (folder / "bin" / "vendetect").is_file():
        venv.create(folder, with_pip=True)
        done = subprocess.run([str(python), "-m", "pip", "install", "-q", *PYPI], capture_output=True, text=True)
        if done.returncode:
            return f"pip install failed: {done.stderr.strip().splitlines()[-1:]}"
    return folder


def run_dolos(folder: Path, paths: list[Path]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as work:
        names, result = Path(work) / "paths.txt", Path(work) / "result.json"
        names.write_text("\n".join(map(str, paths)))
        script = folder / "run.mjs"
        script.write_text(DOLOS.format(paths=json.dumps(str(names)), result=json.dumps(str(result))))
        child(["node", "--max-old-space-size=8192", str(script)], cwd=folder)
        return json.loads(result.read_text())


def run_copydetect(folder: Path, paths: list[Path]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as work:
        names, script = Path(work) / "paths.txt", Path(work) / "run.py"
        names.write_text("\n".join(map(str, paths)))
        script.write_text(COPYDETECT)
        return json.loads(child([str(folder / "bin" / "python"), str(script), str(names)]).stdout.splitlines()[-1])


def run_vendetect(folder: Path, paths: list[Path]) -> float:
    """Processor seconds for two repositories of half of the files each."""
    with tempfile.TemporaryDirectory() as work:
        repositories = [Path(work) / name for name in ("one", "other")]
        for number, repository in enumerate(repositories):
            repository.mkdir()
            for path in paths[number::2]:
                shutil.copyfile(path, repository / f"{path.parent.name}_{path.name}")
            for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "files"]):
                child(["git", "-c", "user.name=x", "-c", "user.email=x@localhost", *command], cwd=repository)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [str(folder / "bin" / "vendetect"), *map(str, repositories), "--format", "csv"]
        child([*command, "--max-history-depth", "1"], env=os.environ | {"NO_COLOR": "1"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pairs_of(count: int) -> int:
    return count * (count - 1) // 2


def line(label: str, ours: float, theirs: float, peer: str, unit: str, target: float | None = None) -> None:
    goal = f"   target {target:g} times" if target else ""
    print(
        f"{label:<32} {ours:>11,.0f} {unit:<8} {peer:<12} {theirs:>9,.0f} {unit:<8} {ours / theirs:>6.1f} times{goal}"
    )


def largest_difference(ours: list[list[float]], theirs: list[list[Any]], paths: list[Path]) -> float:
    places = {str(path): number for number, path in enumerate(paths)}
    return max((abs(ours[places[one]][places[other]] - value) for one, other, value in theirs), default=0.0)


def compare_dolos(own: dict[str, Any], paths: list[Path]) -> None:
    folder = dolos_folder()
    if isinstance(folder, str):
        print(f"Dolos is left out: {folder}")
        return
    peer = run_dolos(folder, paths)
    count = len(paths)
    line(
        "read and fingerprint",
        own["bytes"] / own["read"] / 1000,
        own["bytes"] / peer["read"] / 1000,
        "Dolos",
        "KB/s",
        5,
    )
    line("all pairs", pairs_of(count) / own["pairs"], pairs_of(count) / peer["pairs"], "Dolos", "pairs/s", 10)
    difference = largest_difference(own["values"], peer["values"], paths)
    print(
        f"{'':<32} peak memory {own['memory']:,.0f} MiB, Dolos {peer['memory']:,.0f}; largest difference {difference}"
    )


def compare_python_peers(own: dict[str, Any], paths: list[Path]) -> None:
    folder = python_folder()
    if isinstance(folder, str):
        print(f"copydetect and vendetect are left out: {folder}")
        return
    count = len(paths)
    peer = run_copydetect(folder, paths)
    line(
        "read and fingerprint",
        own["bytes"] / own["read"] / 1000,
        own["bytes"] / peer["read"] / 1000,
        "copydetect",
        "KB/s",
    )
    line("all pairs", pairs_of(count) / own["pairs"], pairs_of(count) / peer["pairs"], "copydetect", "pairs/s")
    few = paths[:68]
    seconds = run_vendetect(folder, few)
    print(f"{'two repositories of 34 files':<32} vendetect {seconds:.1f} s", end="; ")
    mine = measured(few)
    print(f"the same files, all pairs by both tools {sum(mine[key] for key in TIMES):.2f} s")


TIMES = ("read", "pairs", "jplag_read", "jplag_pairs")


def run(files: int, peers: bool) -> None:
    paths = real_files(files)
    own = measured(paths)
    count = len(paths)
    print(f"{count} files, {own['bytes'] / 1e6:.2f} MB, {own['tokens']:,} JPlag tokens, one core")
    if peers:
        compare_dolos(own, paths)
        compare_python_peers(own, paths)
    line(
        "all pairs, greedy string tiling", pairs_of(count) / own["jplag_pairs"], JPLAG_RATE, "JPlag noted", "pairs/s", 5
    )
    rate = own["count"] / own["generations"]
    size = own["generation_bytes"] / max(1, own["count"])
    print(
        f"{'generations against their source':<32} {rate:>11,.0f} /s  target 500; {own['count']} of {size:,.0f} bytes"
    )
    sizes = [size for size in GROWTH if size <= len(real_files(size)) and (peers or size <= count)]
    for size in sizes:
        grown = measured(real_files(size))
        spent = ", ".join(f"{key.replace('_', ' ')} {grown[key]:.3f} s" for key in TIMES)
        print(f"{size:>6} files: {spent}; peak memory {grown['memory']:,.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", type=Path, help="a file with paths to measure in this process")
    parser.add_argument("--files", type=int, default=500)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(own_run(options.worker.read_text().split("\n"))))
        return
    run(options.files, peers=True)


if __name__ == "__main__":
    main()
