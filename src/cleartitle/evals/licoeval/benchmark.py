"""Build a LiCoEval benchmark from a corpus (LiCoEval, section IV-B)."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.code import language as find_language
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.licoeval.units import UNITS, Eligibility, Mode, cut
from cleartitle.files import read_json, write_json
from cleartitle.jobs import map_shards
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.tables import read_key, read_table, write_table

__all__ = ["Benchmark", "BenchmarkOptions", "build_benchmark", "content_hash", "open_benchmark", "sample"]

SCHEMA_VERSION = 3
BINS = 12
PER_PROJECT = 150

STATISTICS = (
    "prompt_lines",
    "prompt_tokens",
    "body_lines",
    "body_tokens",
    "reuse_count",
    "comments",
    "complexity",
)
"""The rows of Table III."""


@dataclass(frozen=True)
class BenchmarkOptions:
    """Options of `build_benchmark`; the rules themselves stand in `Eligibility`."""

    mode: Mode = "corrected"
    """paper: licenses of file headers only; corrected: declarations of packages too, and no file in conflict."""
    language: str = "python"
    candidates: int = 10_000
    """Most reused functions that are looked at before duplicates are dropped (section IV-B: 10,000)."""
    max_per_project: int | None = None
    """Most functions of one project, so that none dominates; 0 for no limit. By default 150, in paper mode no limit."""
    body_lines_gt: int = 10
    complexity_gt: int = 3
    comments_gt: int = 0
    prompt_lines_max: int = 119
    workers: int = field(default=0, metadata=NOT_IN_KEY)
    """Processes; 0 for one a processor."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning, and choose the limit of the mode."""
        find_language(self.language, "functions")
        if self.max_per_project is None:
            object.__setattr__(self, "max_per_project", 0 if self.mode == "paper" else PER_PROJECT)
        names = ("max_per_project", "body_lines_gt", "complexity_gt", "comments_gt", "workers")
        wrong = [f"{name}={getattr(self, name)}" for name in names if getattr(self, name) < 0]
        wrong += [
            f"{name}={getattr(self, name)}" for name in ("candidates", "prompt_lines_max") if getattr(self, name) < 1
        ]
        if wrong:
            raise InputError(f"benchmark options: {', '.join(wrong)}: out of range")

    def rules(self) -> Eligibility:
        """The rules that a function must pass."""
        return Eligibility(self.mode, self.body_lines_gt, self.complexity_gt, self.comments_gt, self.prompt_lines_max)


@dataclass(frozen=True)
class Benchmark:
    """Functions to complete (`UNITS`), and how they were chosen (``record``, the content of ``benchmark.json``)."""

    units: pa.Table
    record: dict[str, Any]

    @property
    def content_hash(self) -> str:
        """16 hexadecimal digits over prompts, references and licenses, in order."""
        return self.record["content_hash"]

    def __len__(self) -> int:
        return self.units.num_rows


def build_benchmark(corpus: Corpus, output: Path, options: BenchmarkOptions = BenchmarkOptions()) -> Benchmark:  # noqa: B008
    """Cut, filter, order, deduplicate and cap the functions of ``corpus``; the result is kept in ``output``.

    Built before from the same corpus with the same options, it is only opened. The order is by reuse, the most reused
    first, and by a hash among equals.

    Raises:
        InputError: the corpus holds no eligible function.
    """
    key = fingerprint(options, corpus=corpus.key, schema=SCHEMA_VERSION)
    units_path = output / "units.parquet"
    if units_path.exists() and read_key(units_path) == key:
        return open_benchmark(output)
    folder = output / "candidates"
    map_shards(
        partial(cut, rules=options.rules()),
        corpus.work_shards(languages=(options.language,)),
        folder,
        key=key,
        workers=options.workers or None,
        label="cut functions",
    )
    funnel: Counter[str] = Counter()
    eligible: list[pa.Table] = []
    for path in sorted(folder.glob("part-*.parquet")):
        part = read_table(path)
        funnel.update(reason for reason in part["reason"].to_pylist() if reason is not None)
        eligible.append(part.filter(pc.field("reason").is_null()).drop_columns("reason"))
    table = pa.concat_tables(eligible) if eligible else UNITS.empty_table()
    looked_at = table.num_rows + sum(funnel.values())
    units = _choose(table, options, funnel)
    if units.num_rows == 0:
        raise InputError(
            f"no function of the corpus is eligible ({_top(funnel)}); mend: a larger corpus or other bounds"
        )
    record = {
        "schema": SCHEMA_VERSION,
        "capability": "licoeval",
        "options": as_record(options),
        "corpus": corpus.key,
        "content_hash": content_hash(units),
        "functions": looked_at,
        "left_out": dict(funnel.most_common()),
        "units": units.num_rows,
        "projects": len(units["project"].unique()),
        "classes": _counts(units, "license_class"),
        "licenses": _counts(units, "license"),
        "license_sources": _counts(units, "license_source"),
        "statistics": {name: _statistics(units[name]) for name in STATISTICS},
    }
    write_json(output / "benchmark.json", record)
    write_table(units_path, units, key=key)
    return Benchmark(units, record)


def open_benchmark(path: Path) -> Benchmark:
    """Open a benchmark folder.

    Raises:
        InputError: it is not one, or its table is not the one that ``benchmark.json`` describes.
    """
    if not (path / "units.parquet").is_file():
        raise InputError(f"{path}: holds no benchmark; mend: `cleartitle benchmark build CORPUS -o {path}`")
    units = read_table(path / "units.parquet").replace_schema_metadata(None)
    record = read_json(path / "benchmark.json")
    if record.get("schema") != SCHEMA_VERSION or not units.schema.equals(UNITS):
        raise InputError(f"{path}: made by another version; mend: build the benchmark again")
    if record.get("content_hash") != content_hash(units):
        raise InputError(f"{path}: units.parquet is not the table that benchmark.json describes; mend: build it again")
    return Benchmark(units, record)


def _choose(table: pa.Table, options: BenchmarkOptions, funnel: Counter[str]) -> pa.Table:
    reuse, ids = table["reuse_count"].to_pylist(), table["prompt_id"].to_pylist()
    order = sorted(range(table.num_rows), key=lambda row: (-(reuse[row] or 0), _hash(ids[row])))
    seen: set[tuple[str, str]] = set()
    per_project: Counter[str] = Counter()
    chosen: list[int] = []
    signatures, docstrings = table["signature"].to_pylist(), table["docstring"].to_pylist()
    projects = table["project"].to_pylist()
    for rank, row in enumerate(order):
        identity = (_plain(signatures[row]), _plain(docstrings[row]))
        if rank >= options.candidates:
            funnel["beyond the most reused"] += 1
        elif identity in seen:
            funnel["same signature and docstring"] += 1
        elif options.max_per_project and per_project[projects[row]] >= options.max_per_project:
            funnel["over the limit of its project"] += 1
        else:
            per_project[projects[row]] += 1
            seen.add(identity)
            chosen.append(row)
    return table.take(pa.array(chosen, pa.int64()))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def content_hash(units: pa.Table) -> str:
    """16 hexadecimal digits over prompts, references and licenses of `UNITS`, in order."""
    digest = hashlib.sha256()
    columns = [
        units[name].to_pylist() for name in ("prompt_id", "preamble", "signature", "docstring", "body", "license")
    ]
    for row in zip(*columns, strict=True):
        for value in row:
            data = value.encode()
            digest.update(len(data).to_bytes(8, "little"))
            digest.update(data)
    return digest.hexdigest()[:16]


def _counts(units: pa.Table, column: str) -> dict[str, int]:
    return dict(Counter(units[column].to_pylist()).most_common())


def _statistics(column: pa.ChunkedArray) -> dict[str, Any] | None:
    """Min, median, mean, max and distribution, as in Table III; None where no value is known.

    The distribution counts values in bins that are even on a logarithmic scale of the value plus one, as the paper
    draws it; ``edges`` are on the scale of the values.
    """
    values = np.asarray(column.drop_null().to_numpy(), dtype=float)
    if values.size == 0:
        return None
    edges = np.geomspace(values.min() + 1, max(values.max() + 1, values.min() + 2), BINS + 1)
    return {
        "min": float(values.min()),
        "median": float(np.median(values)),
        "mean": float(values.mean()),
        "max": float(values.max()),
        "edges": [round(float(edge) - 1, 3) for edge in edges],
        "counts": [int(number) for number in np.histogram(np.clip(values + 1, edges[0], edges[-1]), edges)[0]],
    }


def _top(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in counts.most_common(4)) or "it holds no function"


def sample(units: pa.Table, limit: int, seed: int) -> pa.Table:
    """At most ``limit`` units, in the order of the benchmark, drawn by seed from each license class by its share.

    Every class that is there keeps at least one unit if ``limit`` allows. 0 means all.
    """
    if limit <= 0 or limit >= units.num_rows:
        return units
    classes = units["license_class"].to_pylist()
    members: dict[str, list[int]] = {}
    for row, name in enumerate(classes):
        members.setdefault(name, []).append(row)
    quota = _quotas({name: len(rows) for name, rows in members.items()}, limit)
    generator = np.random.default_rng(seed)
    chosen: Iterable[int] = sorted(
        row for name in sorted(members) for row in generator.permutation(members[name])[: quota[name]].tolist()
    )
    return units.take(list(chosen))


def _quotas(sizes: dict[str, int], limit: int) -> dict[str, int]:
    """Largest remainders over the shares, after one for each class in order of size."""
    total = sum(sizes.values())
    by_size = sorted(sizes, key=lambda name: (-sizes[name], name))
    quota = dict.fromkeys(sizes, 0)
    for name in by_size[:limit]:
        quota[name] = 1
    while sum(quota.values()) < limit:
        name = max(
            (name for name in by_size if quota[name] < sizes[name]),
            key=lambda name: limit * sizes[name] / total - quota[name],
        )
        quota[name] += 1
    return quota
