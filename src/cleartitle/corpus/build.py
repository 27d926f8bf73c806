"""Build a corpus from specs: plan, screen, place, describe. Each step is a job over shards and resumes."""

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from rich.markup import escape

from cleartitle.code import LANGUAGES
from cleartitle.corpus.describe import (
    describe,
    license_texts,
    load_contents,
    load_license_texts,
    load_occurrences,
    place,
)
from cleartitle.corpus.documents import SkipLog, Skipped, Source
from cleartitle.corpus.index import build_index, shard_numbers
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.schema import SCHEMA_VERSION
from cleartitle.corpus.screen import screen
from cleartitle.corpus.specs import Spec, languages_of, parse_specs
from cleartitle.corpus.summary import CorpusInfo, info
from cleartitle.errors import CleartitleError, InputError
from cleartitle.files import read_json, write_json
from cleartitle.jobs import Shard, locked, map_shards
from cleartitle.options import as_record, fingerprint
from cleartitle.progress import console, progress, warn
from cleartitle.tables import part_paths, read_key, read_table

__all__ = ["build"]

_NOT_KEPT = {item.name for item in dataclasses.fields(CorpusOptions) if item.metadata.get("not_in_key")}
_TABLES = ("contents", "occurrences", "license_texts")
_DOWNLOADS = 4
SHOWN = 5
"""Lines printed for each reason; the rest is counted."""


def build(specs: str | Sequence[str], output: Path, options: CorpusOptions | None = None) -> CorpusInfo:
    """Build the corpus that ``specs`` name in the folder ``output`` (see ``SPECS`` for the grammar).

    A source that cannot be had or read is left out with one line on standard error; the rest is built, and what was
    left out is counted in ``corpus.json``. With the same sources, by content, and the same options a finished corpus
    is left as it is (``up_to_date`` in the result), and a killed build goes on where it was. Equal inputs give equal
    bytes, whatever the number of workers.

    Raises:
        InputError: a spec that cannot be understood, not one source that could be read, or another build at work in
            the same folder.
        ShardError: a worker process was killed again and again.
    """
    options = options or CorpusOptions()
    output = Path(output)
    parsed = parse_specs([specs] if isinstance(specs, str) else list(specs))
    options = dataclasses.replace(options, languages=options.languages or languages_of(parsed))
    sources, log = _plan(parsed, options)
    extensions = {name: language.extensions for name, language in LANGUAGES.items()}
    operation = fingerprint(options, schema=SCHEMA_VERSION, code=_code_version(), extensions=extensions)
    whole = fingerprint(options, operation=operation, sources=[source.key for source in sources])
    if _is_built(output, whole):
        console().print(f"{escape(str(output))}: up to date, nothing to do", soft_wrap=True)
        return dataclasses.replace(info(output), up_to_date=True)
    with locked(output):
        log.extend(_build(output, sources, options, operation, whole))
        record: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "key": whole,
            "options": {name: value for name, value in as_record(options).items() if name not in _NOT_KEPT},
            "specs": [spec.text for spec in parsed],
            "sources": [source.record for source in sources],
            "parts": {name: len(part_paths(output / name)) for name in _TABLES},
            "skipped": {
                reason: {"count": log.counts[reason], "lines": log.lines[reason]} for reason in sorted(log.counts)
            },
        }
        write_json(output / "corpus.json", record)
        shutil.rmtree(output / ".staging")
    _report(log)
    return info(output)


def _build(output: Path, sources: list[Source], options: CorpusOptions, operation: str, whole: str) -> list[Skipped]:
    """Write the tables; what was left out comes back."""
    (output / "corpus.json").unlink(missing_ok=True)
    staging = output / ".staging"
    documents, index = staging / "documents", staging / f"index-{whole}.duckdb"
    workers = options.workers
    loads = [load for source in sources for load in source.prepare(staging / "spool")]
    shards = [Shard(number, load, key) for number, (key, load) in enumerate(loads)]
    for note in (note for source in sources for note in source.notes):
        warn(note)
    map_shards(partial(screen, options=options), shards, documents, key=operation, workers=workers, label="reading")
    if not index.exists():
        build_index(documents, index)
    _write_tables(output, documents, index, whole, workers)
    return [*(skipped for source in sources for skipped in source.skipped), *_skipped_in(documents)]


def _plan(parsed: Sequence[Spec], options: CorpusOptions) -> tuple[list[Source], SkipLog]:
    sources: list[Source] = []
    log = SkipLog()
    problems: list[str] = []
    with progress("sources", len(parsed), "source") as advance:
        with ThreadPoolExecutor(_DOWNLOADS) as pool:
            for planned in pool.map(partial(_planned, options=options), parsed):
                if isinstance(planned, Source):
                    sources.append(planned)
                else:
                    problems.append(str(planned))
                    log.add(Skipped("source", str(planned)))
                advance(1)
    if not sources:
        raise InputError(problems[0] if problems else "no source could be read")
    return sources, log


def _planned(spec: Spec, options: CorpusOptions) -> Source | CleartitleError:
    try:
        return spec.plan(options)
    except CleartitleError as error:
        return error


def _write_tables(output: Path, documents: Path, index: Path, key: str, workers: int | None) -> None:
    numbers = shard_numbers(documents)
    contents = output / "contents"
    shards = [Shard(number, partial(load_contents, documents, index, number)) for number in numbers]
    map_shards(describe, shards, contents, key=key, workers=workers, label="licenses of contents")
    shards = [Shard(number, partial(load_occurrences, contents, index, number)) for number in numbers]
    map_shards(place, shards, output / "occurrences", key=key, workers=1, label="occurrences")
    holding = [number for number in numbers if _holds_license_texts(documents, number)]
    shards = [Shard(number, partial(load_license_texts, documents, number)) for number in holding]
    map_shards(license_texts, shards, output / "license_texts", key=key, workers=1, label="license texts")


def _holds_license_texts(documents: Path, number: int) -> bool:
    kinds = read_table(part_paths(documents)[number], ["kind"])["kind"]
    return "license" in kinds.unique().to_pylist()


def _skipped_in(documents: Path) -> Iterator[Skipped]:
    for path in part_paths(documents):
        table = read_table(path, ["kind", "reason", "line", "count"])
        rows = table.filter(pc.field("kind") == "skipped").select(["reason", "line", "count"])
        for row in rows.to_pylist():
            yield Skipped(row["reason"], row["line"], row["count"])


def _report(log: SkipLog) -> None:
    for reason in sorted(log.counts):
        if reason == "other_files" and len(log.lines[reason]) > SHOWN:
            warn(f"{log.counts[reason]} files in no wanted language were left out")
            continue
        lines = log.lines[reason][:SHOWN]
        for line in lines:
            warn(line)
        rest = log.counts[reason] - len(lines)
        if rest > 0 and lines and reason not in ("other_files", "other_language"):
            warn(f"{rest} more left out ({reason})")


def _is_built(output: Path, key: str) -> bool:
    record = output / "corpus.json"
    if not record.is_file():
        return False
    try:
        found = read_json(record)
    except InputError:
        return False
    if not isinstance(found, dict) or found.get("key") != key or found.get("schema_version") != SCHEMA_VERSION:
        return False
    parts = {name: part_paths(output / name) for name in _TABLES}
    whole = all(read_key(path) == key for paths in parts.values() for path in paths)
    return whole and found.get("parts") == {name: len(paths) for name, paths in parts.items()}


def _code_version() -> str:
    """Hash of the code and data that decide what a corpus says, so that better license rules lead to a new build."""
    digest = hashlib.sha256()
    for package in ("cleartitle.licenses", "cleartitle.corpus"):
        _hash_folder(resources.files(package), digest)
    return digest.hexdigest()[:16]


def _hash_folder(folder: Any, digest: Any) -> None:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            _hash_folder(entry, digest)
        elif entry.is_file() and not entry.name.endswith((".pyc", ".so")):
            digest.update(json.dumps(entry.name).encode())
            digest.update(entry.read_bytes())
