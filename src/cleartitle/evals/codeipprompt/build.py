"""Build the prompts of CodeIPPrompt from a corpus (section 4.1)."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cleartitle.code import language as find_language
from cleartitle.code.scrub import ScrubOptions, write_map
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt.candidates import CANDIDATES, Rules, find_candidates
from cleartitle.evals.codeipprompt.fill import fill, originals
from cleartitle.evals.codeipprompt.paper_rule import CommentFilter
from cleartitle.evals.codeipprompt.prompts import (
    LANGUAGES,
    PROMPTS,
    ROW_GROUP,
    SCHEMA_VERSION,
    Mode,
    PromptSet,
    content_hash,
    even_quotas,
)
from cleartitle.evals.codeipprompt.table2 import table_2
from cleartitle.files import atomic_path, write_json
from cleartitle.jobs import map_shards
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.tables import KEY, read_key, read_table, write_table

__all__ = ["PromptOptions", "build_prompts"]

PER_PROJECT = 150
BODY_LINES = 3
KINDS = ("function", "class")


@dataclass(frozen=True)
class PromptOptions:
    """Options of `build_prompts`."""

    mode: Mode = "corrected"
    """paper: two lines by the release's rule; corrected: whole signatures and comments, and bodies long enough."""
    languages: tuple[str, ...] = LANGUAGES
    """Languages to take prompts from."""
    kinds: tuple[str, ...] = KINDS
    """function, class or both."""
    one_per_file: bool = True
    """At most one prompt of a file, as in the paper; in corrected mode it is drawn, in paper mode it is the first."""
    limit: int = 0
    """Most prompts, drawn evenly over the cells of license class and language; 0 for all."""
    seed: int = 0
    """Seed of every draw."""
    max_per_project: int | None = None
    """Most prompts of one project and language; 0 for no limit. By default 150, in paper mode no limit."""
    body_lines_min: int | None = None
    """Fewest nonblank lines of a body, corrected mode only. By default 3: what is shorter is alike by chance."""
    prompt_lines_max: int = 60
    """Most lines of a prompt, corrected mode only."""
    comment_filter: CommentFilter = "intended"
    """release: with the slip of precedence in the released filter; paper mode only."""
    scrub: bool = True
    """Replace secrets and personal data in prompts and files by placeholders."""
    names: bool = False
    """Also look for names of persons in comments with Presidio and spaCy (extra privacy)."""
    spacy_model: str = "en_core_web_sm"
    """Installed spaCy model that finds the names."""
    workers: int = field(default=0, metadata=NOT_IN_KEY)
    """Processes; 0 for one a processor."""

    def __post_init__(self) -> None:
        """Refuse what has no meaning, and choose the defaults of the mode."""
        for name in self.languages:
            find_language(name)
        if self.max_per_project is None:
            object.__setattr__(self, "max_per_project", 0 if self.mode == "paper" else PER_PROJECT)
        if self.body_lines_min is None:
            object.__setattr__(self, "body_lines_min", 0 if self.mode == "paper" else BODY_LINES)
        wrong = [
            f"{name}={getattr(self, name)}"
            for name in ("limit", "seed", "max_per_project", "body_lines_min", "workers")
            if getattr(self, name) < 0
        ]
        wrong += [f"prompt_lines_max={self.prompt_lines_max}"] if self.prompt_lines_max < 1 else []
        wrong += [f"kinds={name}" for name in self.kinds if name not in KINDS]
        wrong += [f"{name}=nothing" for name in ("languages", "kinds") if not getattr(self, name)]
        if wrong:
            raise InputError(f"prompt options: {', '.join(wrong)}: out of range")
        if self.comment_filter == "release" and self.mode != "paper":
            raise InputError(
                "prompt options: the filter of the release belongs to paper mode; mend: add `--mode paper`"
            )
        if not self.one_per_file and self.mode == "paper":
            raise InputError("prompt options: in paper mode a file gives one prompt; mend: `--mode corrected`")

    def rules(self) -> Rules:
        """The rules that a function or class must pass."""
        return Rules(self.mode, self.kinds, self.body_lines_min or 0, self.prompt_lines_max, self.comment_filter)

    def scrubbing(self) -> ScrubOptions | None:
        """What is scrubbed, or None for nothing."""
        return ScrubOptions(names=self.names, spacy_model=self.spacy_model) if self.scrub else None


def build_prompts(
    corpus: Corpus,
    output: Path,
    options: PromptOptions = PromptOptions(),  # noqa: B008
    *,
    scrub_map: Path | None = None,
) -> PromptSet:
    """Cut prompts from the functions and classes of ``corpus``, draw, scrub, and keep them in ``output``.

    Built before from the same corpus with the same options, the set is only opened. A killed run goes on.
    ``scrub_map`` names a file for what the scrubber took out, for its owner alone; without it nothing of it is kept.

    Prompts of the public domain are kept and marked by their class. Equal prompts are kept once in corrected mode.

    Raises:
        InputError: nothing of the corpus is eligible, or the map would lie in the folder of the prompts.
        MissingExtraError: names are asked for without the extra.
    """
    scrubbing = options.scrubbing()
    if scrub_map is not None:
        _check_map(scrub_map, output, scrubbing)
    key = fingerprint(options, corpus=corpus.key, schema=SCHEMA_VERSION)
    table = output / "prompts.parquet"
    if not (table.exists() and read_key(table) == key):
        _build(corpus, output, options, key)
    built = PromptSet.open(output)
    if scrub_map is not None and scrubbing is not None:
        write_map(scrub_map, originals(corpus, built.table(("content_id", "language")), scrubbing))
    return built


def _check_map(scrub_map: Path, output: Path, scrubbing: ScrubOptions | None) -> None:
    if scrubbing is None:
        raise InputError("a map of what was scrubbed, but nothing is scrubbed; mend: leave out `--no-scrub`")
    if output.resolve() in scrub_map.resolve().parents:
        raise InputError(f"{scrub_map}: lies in the folder of the prompts, which may be shared; mend: another folder")


def _build(corpus: Corpus, output: Path, options: PromptOptions, key: str) -> None:
    shards = corpus.work_shards(languages=options.languages)
    folder, rules = output / "candidates", options.rules()
    workers = options.workers or None
    map_shards(
        partial(find_candidates, rules=rules),
        shards,
        folder,
        key=fingerprint(rules, corpus=corpus.key, languages=options.languages, schema=SCHEMA_VERSION),
        workers=workers,
        label="find prompts",
    )
    funnel: Counter[str] = Counter()
    eligible: list[pa.Table] = []
    for path in sorted(folder.glob("part-*.parquet")):
        part = read_table(path)
        funnel.update(reason for reason in part["reason"].to_pylist() if reason is not None)
        eligible.append(part.filter(pc.field("reason").is_null()).replace_schema_metadata(None))
    candidates = pa.concat_tables(eligible) if eligible else CANDIDATES.empty_table()
    looked_at = candidates.num_rows + sum(funnel.values())
    chosen = candidates.take(pa.array(_choose(candidates, options, funnel), pa.int64()))
    if chosen.num_rows == 0:
        raise InputError(
            f"no function or class of the corpus is eligible ({_top(funnel)}); mend: a larger corpus or other bounds"
        )
    places = output / "chosen.parquet"
    write_table(places, chosen)
    parts = output / "parts"
    operation = partial(fill, chosen=places, mode=options.mode, options=options.scrubbing())
    done = map_shards(operation, shards, parts, key=key, workers=workers, label="scrub prompts")
    table = output / "prompts.parquet"
    table.unlink(missing_ok=True)
    _join([result.path for result in done], output / "prompts.joined", key)
    joined = pq.read_table(output / "prompts.joined", columns=[name for name in PROMPTS.names if name != "source"])
    write_json(output / "prompt_set.json", _record(joined, options, corpus, funnel, looked_at))
    # The table last: it is what says that the folder is whole.
    (output / "prompts.joined").replace(table)
    shutil.rmtree(parts)
    places.unlink()


def _join(parts: Sequence[Path], path: Path, key: str) -> None:
    """The rows of all parts in one file, a row group at a time."""
    schema = PROMPTS.with_metadata({KEY: key.encode()})
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for part in parts:
            rows = read_table(part).replace_schema_metadata(None)
            if rows.num_rows:
                writer.write_table(rows, row_group_size=ROW_GROUP)


def _record(
    prompts: pa.Table, options: PromptOptions, corpus: Corpus, funnel: Counter[str], looked_at: int
) -> dict[str, Any]:
    by_file = dict(zip(*(prompts[name].to_pylist() for name in ("content_id", "source_scrubbed")), strict=True))
    return {
        "schema": SCHEMA_VERSION,
        "capability": "codeipprompt",
        "options": as_record(options),
        "corpus": corpus.key,
        "content_hash": content_hash(iter(prompts.to_batches())),
        "looked_at": looked_at,
        "left_out": dict(funnel.most_common()),
        "prompts": prompts.num_rows,
        "projects": len(prompts["project"].unique()),
        "files": len(prompts["content_id"].unique()),
        "kinds": dict(Counter(prompts["kind"].to_pylist()).most_common()),
        "licenses": dict(Counter(prompts["license"].to_pylist()).most_common()),
        "license_sources": dict(Counter(prompts["license_source"].to_pylist()).most_common()),
        "scrubbed": {
            "prompts": sum(number > 0 for number in prompts["prompt_scrubbed"].to_pylist()),
            "places_in_prompts": sum(prompts["prompt_scrubbed"].to_pylist()),
            "places_in_files": sum(by_file.values()),
        },
        "table_2": table_2(prompts),
    }


def _choose(table: pa.Table, options: PromptOptions, funnel: Counter[str]) -> list[int]:
    """Rows of the prompts in order of their ids' hashes: one of a file, none twice, capped, evenly drawn."""
    columns = ("prompt_id", "content_id", "digest", "project", "language", "license_class")
    rows = list(zip(*(table[name].to_pylist() for name in columns), strict=True))
    order = sorted(range(len(rows)), key=lambda row: _hash(options.seed, rows[row][0]))
    files: set[str] = set()
    texts: set[tuple[str, str]] = set()
    per_project: Counter[tuple[str, str]] = Counter()
    kept: list[int] = []
    for row in order:
        _, content, digest, project, language, _ = rows[row]
        if options.one_per_file and content in files:
            funnel["another prompt of its file"] += 1
        elif options.mode == "corrected" and (language, digest) in texts:
            funnel["same prompt"] += 1
        elif options.max_per_project and per_project[project, language] >= options.max_per_project:
            funnel["over the limit of its project"] += 1
        else:
            files.add(content)
            texts.add((language, digest))
            per_project[project, language] += 1
            kept.append(row)
    cells: dict[tuple[str, str], list[int]] = {}
    for row in kept:
        cells.setdefault((rows[row][5], rows[row][4]), []).append(row)
    quota = even_quotas({cell: len(members) for cell, members in cells.items()}, options.limit)
    chosen: list[int] = []
    for cell, members in cells.items():
        chosen.extend(_in_turn(members, [rows[row][3] for row in members])[: quota[cell]])
    funnel["beyond the limit"] += len(kept) - len(chosen)
    return chosen


def _in_turn(members: Sequence[int], projects: Sequence[str]) -> list[int]:
    """Members with those of each project spread: first the first of every project, then the second of every one."""
    seen: Counter[str] = Counter()
    turns: list[tuple[int, int]] = []
    for place, project in enumerate(projects):
        turns.append((seen[project], place))
        seen[project] += 1
    return [members[place] for _, place in sorted(turns)]


def _hash(seed: int, prompt_id: str) -> bytes:
    return hashlib.sha256(f"{seed}/{prompt_id}".encode()).digest()


def _top(counts: Counter[str]) -> str:
    shown = ", ".join(f"{count} {reason}" for reason, count in counts.most_common(4) if count)
    return shown or "it holds no file of these languages"
