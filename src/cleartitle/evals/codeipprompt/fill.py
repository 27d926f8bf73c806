"""Texts of the chosen prompts: cut from the corpus again, scrubbed, with the scrubbed file beside them."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.code import normal_line_ends
from cleartitle.code.scrub import ScrubOptions, scrub
from cleartitle.evals.codeipprompt.candidates import prompt_text
from cleartitle.evals.codeipprompt.prompts import PROMPTS, Mode
from cleartitle.jobs import Shard
from cleartitle.similarity import regex_tokens
from cleartitle.tables import read_table, table_of

__all__ = ["fill", "originals"]


def fill(works: pa.Table, *, chosen: Path, mode: Mode, options: ScrubOptions | None) -> pa.Table:
    """`PROMPTS` of those rows of the table ``chosen`` (candidates) whose file is in ``works``, in their order.

    With ``options`` the file is scrubbed, and the prompt with the same placeholders. Without, both stay as they are.
    Pure, so that `jobs` can map it over shards.
    """
    rows = (row for work, place in _places(works, read_table(chosen)) for row in [_row(work, place, mode, options)])
    return table_of(rows, PROMPTS)


def originals(shards: Iterable[Shard], wanted: Iterable[str], options: ScrubOptions) -> dict[str, dict[str, str]]:
    """What the scrubber replaces in the files ``wanted`` (content ids) of the shards of a corpus, by content.

    It is found anew from the corpus, because a prompt set keeps no secret.
    """
    contents = pa.array(sorted(set(wanted)), pa.string())
    found: dict[str, dict[str, str]] = {}
    for shard in shards:
        for work in shard.table().filter(pc.field("swhid").isin(contents)).to_pylist():
            mapping = scrub(normal_line_ends(work["text"]), language=work["language"], options=options).mapping
            if mapping:
                found[work["swhid"]] = mapping
    return found


def _places(works: pa.Table, chosen: pa.Table) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    places: dict[str, list[Mapping[str, Any]]] = {}
    for place in chosen.filter(pc.field("content_id").isin(works["swhid"].combine_chunks())).to_pylist():
        places.setdefault(place["content_id"], []).append(place)
    for work in works.filter(pc.field("swhid").isin(pa.array(list(places), pa.string()))).to_pylist():
        for place in sorted(places[work["swhid"]], key=lambda place: place["prompt_first_line"]):
            yield work, place


def _row(work: Mapping[str, Any], place: Mapping[str, Any], mode: Mode, options: ScrubOptions | None) -> dict[str, Any]:
    source = normal_line_ends(work["text"])
    text = prompt_text(source, place["prompt_first_line"], place["prompt_last_line"], place["prompt_end"])
    first, last = place["unit_first_line"], place["unit_last_line"]
    lines = source.split("\n")
    unit = None if first is None or last is None else "\n".join(lines[first - 1 : last])
    in_prompt = in_source = 0
    if options is not None:
        whole = scrub(source, language=work["language"], options=options)
        part = scrub(text, language=work["language"], options=options, known=whole.mapping)
        source, text, in_source, in_prompt = whole.text, part.text, whole.replaced, part.replaced
    return {
        **{name: place[name] for name in ("prompt_id", "kind", "name", "license", "license_class", "license_source")},
        **{name: work[name] for name in ("language", "trust", "project", "version", "path", "url")},
        "text": text,
        "content_id": work["swhid"],
        **{
            name: place[name] for name in ("prompt_first_line", "prompt_last_line", "unit_first_line", "unit_last_line")
        },
        "source": source,
        "prompt_tokens": len(regex_tokens(text)),
        "unit_tokens": None if unit is None else len(regex_tokens(unit)),
        "source_tokens": len(regex_tokens(source)),
        "prompt_scrubbed": in_prompt,
        "source_scrubbed": in_source,
        "mode": mode,
    }
