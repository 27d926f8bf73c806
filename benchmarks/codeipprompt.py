"""Does scoring of a CodeIPPrompt run stream: its rate, its memory, both cores, and going on after kill -9.

    python benchmarks/codeipprompt.py                          20,000 generations, killed twice, compared byte by byte
    python benchmarks/codeipprompt.py --generations 1800000    the size of the paper's runs

Prompts and generations are made up (programs in five languages that are drawn statement by statement; some generations
are copies of their source, most are not) and written as a run holds them. Each generation is scored in both modes,
against its own source and against its null, so that one generation stands for four comparisons; the controls, which
depend on the prompts alone, are left out. The run is killed with all its processes at random moments; rate, CPU time
and memory are those of all tries together. Then parts are removed and scored anew without a kill (all up to 50,000
generations, else 100 drawn ones): they must be the same bytes. Needs Linux, where the memory of all processes is read
twice a second.
"""

import argparse
import hashlib
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.evals.codeipprompt import PROMPTS, CodeipOptions, PromptSet, score_run
from cleartitle.evals.codeipprompt.prompts import content_hash
from cleartitle.evals.codeipprompt.run_prompts import draw
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.runner import PART_REQUESTS
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import write_json
from cleartitle.options import as_record
from cleartitle.similarity import regex_tokens
from cleartitle.tables import part_paths, write_groups, write_table

SAMPLES = 10
KEY = "benchmark"
LANGUAGES = ("python", "java", "c", "cpp", "csharp")
CLASSES = {"permissive": "MIT", "weak_copyleft": "LGPL-3.0-only", "strong_copyleft": "GPL-3.0-only"}
NAMES = "cargo berth tide crane quay hull load mast deck rope buoy knot".split()
CHECK_UP_TO = 50_000


def expression(draws: random.Random, depth: int) -> str:
    """A drawn expression that all five languages read."""
    kind = draws.randrange(7 if depth < 3 else 2)
    name, inner = draws.choice(NAMES), partial(expression, draws, depth + 1)
    return (
        lambda: name,
        lambda: str(draws.randrange(999)),
        lambda: f"{name}({inner()}, {inner()})",
        lambda: f"{name}[{inner()}]",
        lambda: f"({inner()} {draws.choice(('+', '-', '*', '<', '=='))} {inner()})",
        lambda: f"-{name}",
        lambda: f"{name}.{draws.choice(NAMES)}",
    )[kind]()


def line(draws: random.Random, kind: int) -> str:
    """A drawn statement of one line."""
    name, value = draws.choice(NAMES), partial(expression, draws, 0)
    return (
        lambda: f"{name} = {value()}",
        lambda: f"{name}[{value()}] = {value()}",
        lambda: f"{name} += {value()}",
        lambda: f"{name}({value()})",
        lambda: f"return {value()}",
        lambda: "break",
        lambda: f"{name}.{draws.choice(NAMES)}({value()}, {value()})",
    )[kind]()


def statements(draws: random.Random, depth: int, count: int) -> list[Any]:
    """A drawn list of statements: a line, or a head with its condition and its inner statements."""
    found: list[Any] = []
    for _ in range(count):
        kind = draws.randrange(11 if depth < 3 else 7)
        if kind < 7:
            found.append(line(draws, kind))
        else:
            head = ("if", "while", "for", "else")[kind - 7]
            found.append((head, expression(draws, 0), statements(draws, depth + 1, draws.randint(1, 4))))
    return found


def written(body: list[Any], language: str, depth: int) -> Iterator[str]:
    """The statements in a language, line by line."""
    margin = "    " * depth
    braces = language != "python"
    for one in body:
        if isinstance(one, str):
            yield f"{margin}{one}{';' if braces else ''}"
            continue
        head, condition, inner = one
        if head == "else":  # an if with both branches
            yield from written([("if", condition, inner[:1])], language, depth)
            yield f"{margin}else {{" if braces else f"{margin}else:"
        elif braces:
            yield f"{margin}{head} ({f'; {condition}; cargo++' if head == 'for' else condition}) {{"
        else:
            yield f"{margin}{f'for cargo in {condition}' if head == 'for' else f'{head} {condition}'}:"
        yield from written(inner, language, depth + 1)
        if braces:
            yield f"{margin}}}"


def function(seed: object, language: str, lines: int) -> tuple[str, str]:
    """Comment with signature, and body, of a drawn function."""
    draws = random.Random(f"{seed}")
    name = f"{draws.choice(NAMES)}_{draws.randrange(10**6)}"
    body = "\n".join(written(statements(draws, 1, lines), language, 1))
    if language == "python":
        return f"# takes the {draws.choice(NAMES)} to the {draws.choice(NAMES)}\ndef {name}(cargo, quay):", body
    return (
        f"// takes the {draws.choice(NAMES)} to the {draws.choice(NAMES)}\nint {name}(int cargo, int quay) {{",
        body + "\n}",
    )


def source(number: int, language: str) -> tuple[str, str, str]:
    """A file of two functions, and prompt and body of the second one."""
    parts = [function(f"{number}/{place}", language, 6 + number % 7) for place in range(2)]
    text = "\n\n".join(f"{head}\n{body}" for head, body in parts) + "\n"
    if language in ("java", "csharp"):
        text = f"class File{number} {{\n{text}}}\n"
    return text, *parts[1]


def prompt_row(number: int) -> dict[str, Any]:
    language = LANGUAGES[number % 5]
    name, expression = list(CLASSES.items())[number // 5 % 3]
    text, head, body = source(number, language)
    first = text[: text.index(head)].count("\n") + 1
    last = first + f"{head}\n{body}".count("\n")
    tokens = {key: len(regex_tokens(value)) for key, value in (("prompt", head), ("source", text))}
    identity = hashlib.sha256(str(number).encode()).hexdigest()[:40]
    row = dict.fromkeys(PROMPTS.names)
    return row | {
        "prompt_id": f"swh:1:cnt:{identity};lines={first}-{first + 1}",
        "text": head,
        "kind": "function",
        "name": f"f{number}",
        "language": language,
        "license": expression,
        "license_class": name,
        "license_source": "header",
        "trust": "header",
        "project": f"project {number % 997}",
        "path": f"src/file{number}",
        "content_id": f"swh:1:cnt:{identity}",
        "prompt_first_line": first,
        "prompt_last_line": first + 1,
        "unit_first_line": first,
        "unit_last_line": last,
        "source": text,
        "prompt_tokens": tokens["prompt"],
        "unit_tokens": tokens["source"] // 2,
        "source_tokens": tokens["source"],
        "prompt_scrubbed": 0,
        "source_scrubbed": 0,
        "mode": "corrected",
    }


def prompt_set(folder: Path, count: int) -> PromptSet:
    tables = (
        pa.Table.from_pylist([prompt_row(number) for number in range(start, min(start + 256, count))], schema=PROMPTS)
        for start in range(0, count, 256)
    )
    write_groups(folder / "prompts.parquet", tables, PROMPTS)
    found = PromptSet(folder, {})
    digest = content_hash(found.batches(("prompt_id", "text", "license", "content_id")))
    record = {
        "schema": 1,
        "content_hash": digest,
        "prompts": count,
        "options": {"mode": "corrected"},
        "corpus": "made up",
    }
    write_json(folder / "prompt_set.json", record)
    return PromptSet.open(folder)


def answers(row: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Copies of the body, part of it, code of another function, and what is too short or empty."""
    _, head, body = source(number, row["language"])
    draws = random.Random(f"answers {number}")
    found: list[dict[str, Any]] = []
    for index in range(SAMPLES):
        lot = draws.random()
        if lot < 0.02:
            text = f"{head}\n{body}"
        elif lot < 0.04:
            text = "\n".join(body.split("\n")[: draws.randint(2, 12)])
        elif lot < 0.06:
            text = draws.choice(("", "return cargo"))
        else:
            text = function(f"other {number}/{index}", row["language"], draws.randint(1, 5))[1]
        found.append(
            dict.fromkeys(GENERATIONS.names)
            | {
                "prompt_id": row["prompt_id"],
                "sample_index": index,
                "turn": 0,
                "text": text,
                "status": "ok" if text else "empty",
                "finish_reason": "stop",
            }
        )
    return found


def make_run(folder: Path, count: int) -> int:
    """Write a run that is asked and not scored; return the bytes of text in its generations."""
    prompts = prompt_set(folder / "prompts", count)
    options = CodeipOptions(limit=0, samples=SAMPLES, controls=False)
    drawn = draw(prompts, 0, 0)
    numbers = {hashlib.sha256(str(number).encode()).hexdigest()[:40]: number for number in range(count)}
    run = folder / "run"
    model = {"name": "made up", "adapter": "replay"}
    inputs = {"model": model, "prompts": prompts.record, "training_sets": []}
    RunFolder.create(run, "codeipprompt", KEY, options=as_record(options), inputs=inputs)
    drawn.write(run / "prompts.parquet", (), key=KEY)
    size = 0
    for start in range(0, count, PART_REQUESTS):
        rows = [
            answer
            for row in drawn.light.slice(start, PART_REQUESTS).to_pylist()
            for answer in answers(row, numbers[row["prompt_id"].split(":")[3].split(";")[0]])
        ]
        size += sum(len(row["text"]) for row in rows)
        table = pa.Table.from_pylist(rows, schema=GENERATIONS)
        write_table(run / "generations" / f"part-{start // PART_REQUESTS:05d}.parquet", table, key=KEY)
    return size


class Usage:
    """CPU seconds of all processes that were watched, and the largest memory of all of them together, in MB."""

    def __init__(self) -> None:
        self.seconds: dict[int, float] = {}
        self.peak_mb = 0.0

    @property
    def cpu(self) -> float:
        """CPU seconds so far."""
        return sum(self.seconds.values())

    def look(self, parent: int) -> None:
        """Note what a process and its workers have used by now."""
        pages = 0
        for pid in (parent, *children(parent)):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            self.seconds[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            pages += int(fields[21])
        self.peak_mb = max(self.peak_mb, pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def score_until(run: Path, workers: int, usage: Usage, parts: int | None = None, delay: float = 0) -> None:
    """Score in processes of its own; kill them all ``delay`` seconds after so many parts are there."""
    command = [sys.executable, __file__, "--score", str(run), "--workers", str(workers)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    while process.poll() is None:
        usage.look(process.pid)
        if parts is not None and len(part_paths(run / "scores")) >= parts:
            time.sleep(delay)
            usage.look(process.pid)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"scoring ended with {process.returncode}")


def score_here(run: Path, workers: int) -> None:
    record = json.loads((run / "run.json").read_text())
    record["options"]["score_workers"] = workers
    write_json(run / "run.json", record)
    score_run(run)


def marks(run: Path) -> dict[str, tuple[int, int]]:
    """What tells whether a part is still the file that it was."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in part_paths(run / "scores")}


def killed(run: Path, workers: int, moments: list[int], draws: random.Random) -> tuple[Usage, float, list[int], bool]:
    """Score a run that is killed at each of some numbers of parts.

    Returns what it used, its wall seconds, how many parts each kill left, and whether these were left as they were.
    """
    started, usage, left, kept = time.perf_counter(), Usage(), list[int](), True
    before: dict[str, tuple[int, int]] = {}
    for moment in (*moments, None):
        score_until(run, workers, usage, moment, draws.uniform(0, 3))
        after = marks(run)
        kept &= before.items() <= after.items()
        before = after
        left.append(len(after))
        print(f"  {len(after):,} parts after {time.perf_counter() - started:,.0f} s", file=sys.stderr, flush=True)
    return usage, time.perf_counter() - started, left[:-1], kept


def digests(run: Path) -> dict[str, str]:
    files = (*part_paths(run / "scores"), run / "summary.json")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def scored_anew(run: Path, workers: int, count: int, draws: random.Random) -> bool:
    """Whether so many drawn parts, and the summary, are the same bytes when they are scored without a kill."""
    first, parts = digests(run), part_paths(run / "scores")
    for path in draws.sample(parts, count):
        path.unlink()
    score_until(run, workers, Usage())
    return digests(run) == first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--score", type=Path)
    chosen = parser.parse_args()
    if chosen.score:
        score_here(chosen.score, chosen.workers)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = chosen.folder or Path(name)
        draws = random.Random(chosen.seed)
        count = chosen.generations // SAMPLES
        started = time.perf_counter()
        size = make_run(folder, count)
        made, run = time.perf_counter() - started, folder / "run"
        shards = draw_shards(run)
        moments = sorted(draws.sample(range(1, shards), chosen.kills))
        usage, wall, left, kept = killed(run, chosen.workers, moments, draws)
        load, total = os.getloadavg()[0], count * SAMPLES
        print(f"{platform.machine()}, {os.cpu_count()} processors, load {load:.1f}, {chosen.workers} workers")
        print(f"{total:,} generations of {count:,} prompts, {size / 1e6:,.0f} MB of text (made in {made:,.0f} s)")
        print(
            f"killed {len(left)} times, after {' and '.join(f'{number:,}' for number in left)} of {shards:,} parts: "
            f"{'all of them were kept' if kept else 'PARTS WERE LOST'}"
        )
        print(
            f"rate               {total / wall:10,.0f} generations/s in {wall:,.0f} s, {4 * total / wall:,.0f} scores/s"
        )
        print(f"per CPU second     {total / usage.cpu:10,.0f} generations")
        print(f"cores in use       {usage.cpu / wall:10.2f}")
        print(f"peak memory        {usage.peak_mb:10,.0f} MB in all {chosen.workers + 1} processes together")
        anew = shards if total <= CHECK_UP_TO else min(shards, 100)
        same = scored_anew(run, chosen.workers, anew, draws)
        print(f"{anew:,} parts scored anew without a kill: {'the same bytes' if same else 'OTHER BYTES'}")
        sys.exit(0 if same and kept else 1)


def draw_shards(run: Path) -> int:
    import pyarrow.parquet as pq

    return pq.read_metadata(run / "prompts.parquet").num_row_groups


if __name__ == "__main__":
    main()
