"""Build the prompts of CodeIPPrompt from a corpus (section 4.1)."""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cleartitle.code.scrub import ScrubOptions, write_map
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt.candidates import CANDIDATES, find_candidates
from cleartitle.evals.codeipprompt.choose import choose
from cleartitle.evals.codeipprompt.fill import fill, originals
from cleartitle.evals.codeipprompt.options import PromptOptions
from cleartitle.evals.codeipprompt.prompts import PROMPTS, ROW_GROUP, SCHEMA_VERSION, PromptSet, content_hash
from cleartitle.evals.codeipprompt.table2 import table_2
from cleartitle.files import atomic_path, write_json
from cleartitle.jobs import Shard, map_shards
from cleartitle.options import as_record, fingerprint
from cleartitle.tables import KEY, read_key, read_table, write_table

__all__ = ["build_prompts"]


def build_prompts(
    corpus: Corpus | Sequence[Corpus],
    output: Path,
    options: PromptOptions = PromptOptions(),  # noqa: B008
    *,
    scrub_map: Path | None = None,
) -> PromptSet:
    """Cut prompts from the functions and classes of one corpus or several, draw, scrub, and keep them in ``output``.

    Built before from the same corpora with the same options, the set is only opened. A killed run goes on.
    ``scrub_map`` names a file for what the scrubber took out, for its owner alone; without it nothing of it is kept.

    Prompts of the public domain are kept and marked by their class. Equal prompts are kept once in corrected mode.

    Raises:
        InputError: nothing of the corpus is eligible, or the map would lie in the folder of the prompts.
        MissingExtraError: names are asked for without the extra.
    """
    scrubbing = options.scrubbing()
    if scrub_map is not None:
        _check_map(scrub_map, output, scrubbing)
    corpora = [corpus] if isinstance(corpus, Corpus) else list(corpus)
    key = fingerprint(options, corpora=_keys(corpora), schema=SCHEMA_VERSION)
    table = output / "prompts.parquet"
    if not (table.exists() and read_key(table) == key):
        _build(corpora, output, options, key)
    built = PromptSet.open(output)
    if scrub_map is not None and scrubbing is not None:
        wanted = built.table(("content_id",))["content_id"].to_pylist()
        write_map(scrub_map, originals(_shards(corpora, options), wanted, scrubbing))
    return built


def _keys(corpora: Sequence[Corpus]) -> list[str]:
    return [corpus.key for corpus in corpora]


def _shards(corpora: Sequence[Corpus], options: PromptOptions) -> list[Shard]:
    """The shards of all corpora, numbered through."""
    found = [shard for corpus in corpora for shard in corpus.work_shards(languages=options.languages)]
    return [replace(shard, index=index) for index, shard in enumerate(found)]


def _check_map(scrub_map: Path, output: Path, scrubbing: ScrubOptions | None) -> None:
    if scrubbing is None:
        raise InputError("a map of what was scrubbed, but nothing is scrubbed; mend: leave out `--no-scrub`")
    if output.resolve() in scrub_map.resolve().parents:
        raise InputError(f"{scrub_map}: lies in the folder of the prompts, which may be shared; mend: another folder")


def _build(corpora: Sequence[Corpus], output: Path, options: PromptOptions, key: str) -> None:
    shards = _shards(corpora, options)
    folder, rules = output / "candidates", options.rules()
    workers = options.workers or None
    map_shards(
        partial(find_candidates, rules=rules),
        shards,
        folder,
        key=fingerprint(rules, corpora=_keys(corpora), languages=options.languages, schema=SCHEMA_VERSION),
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
    chosen = candidates.take(pa.array(choose(candidates, options, funnel), pa.int64()))
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
    write_json(output / "prompt_set.json", _record(joined, options, _keys(corpora), funnel, looked_at))
    # The table last: it is what says that the folder is whole.
    (output / "prompts.joined").replace(table)
    shutil.rmtree(parts)
    places.unlink()


def _join(parts: Sequence[Path], path: Path, key: str) -> None:
    """The rows of all parts in one file, a part at a time; a file that two corpora hold comes once."""
    seen: set[str] = set()
    schema = PROMPTS.with_metadata({KEY: key.encode()})
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for part in parts:
            rows = read_table(part).replace_schema_metadata(None)
            fresh = [name not in seen for name in rows["prompt_id"].to_pylist()]
            seen.update(rows["prompt_id"].to_pylist())
            rows = rows.filter(pa.array(fresh, pa.bool_()))
            if rows.num_rows:
                writer.write_table(rows, row_group_size=ROW_GROUP)


def _record(
    prompts: pa.Table, options: PromptOptions, corpora: Sequence[str], funnel: Counter[str], looked_at: int
) -> dict[str, Any]:
    by_file = dict(zip(*(prompts[name].to_pylist() for name in ("content_id", "source_scrubbed")), strict=True))
    return {
        "schema": SCHEMA_VERSION,
        "capability": "codeipprompt",
        "options": as_record(options),
        "corpus": ", ".join(corpora),
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


def _top(counts: Counter[str]) -> str:
    shown = ", ".join(f"{count} {reason}" for reason, count in counts.most_common(4) if count)
    return shown or "it holds no file of these languages"
