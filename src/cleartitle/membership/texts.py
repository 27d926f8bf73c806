"""The files of a study: members and non-members of the target and of each shadow, and a public pool, all disjoint."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.jobs import map_shards
from cleartitle.membership.words import python_words
from cleartitle.options import fingerprint
from cleartitle.similarity.minhash import signature
from cleartitle.tables import read_parts, table_of

__all__ = ["POOL", "TARGET", "TEXTS", "DrawOptions", "draw_texts", "role", "rows_of"]

POOL, TARGET = "pool", "target"

CANDIDATES = pa.schema(
    [
        ("id", pa.string()),
        ("project", pa.string()),
        ("path", pa.string()),
        # From the first word to the end of the last one that is kept.
        ("text", pa.large_string()),
        ("words", pa.int32()),
        # 256 MinHash minima of the 5-grams of the words, uint32, in the byte order of the machine.
        ("signature", pa.binary()),
    ]
)

TEXTS = pa.schema(
    [
        # pool, target, shadow-1, …
        ("set", pa.string()),
        # Null in the pool.
        ("member", pa.bool_()),
        *(field for field in CANDIDATES if field.name != "signature"),
    ]
)


@dataclass(frozen=True)
class DrawOptions:
    """Which files are drawn.

    ``files`` members and as many non-members for the target and for each of ``shadows`` shadow models, and ``pool``
    public files for vocabulary, frequencies and first training. A file counts from its first word on, ``words`` of
    them at most and ``min_words`` at least; comments and layout are no words. ``per_project`` bounds the files of one
    project. Of two files whose words have a MinHash Jaccard estimate (5-grams) of ``near_duplicate`` or more, one is
    left out. ``split``: ``file`` draws all sets from one shuffled list, ``project`` gives whole projects to a set.
    """

    files: int = 300
    shadows: int = 3
    pool: int = 1200
    words: int = 200
    min_words: int = 100
    per_project: int = 300
    near_duplicate: float = 0.5
    split: Literal["file", "project"] = "file"
    seed: int = 0


def role(number: int) -> str:
    """Name of a set: the target's for 0, those of the shadows from 1 on."""
    return f"shadow-{number}" if number else TARGET


def draw_texts(corpus: Corpus, folder: Path, options: DrawOptions) -> tuple[pa.Table, dict[str, Any]]:
    """Draw the files of a study; ``folder`` keeps what was read of the corpus.

    Returns a table with the schema ``TEXTS``, set by set, and counts of what was left out.

    Raises:
        InputError: the corpus holds too few files.
    """
    limits = DrawOptions(words=options.words, min_words=options.min_words)
    key = fingerprint(limits, corpus=corpus.key)
    work = partial(_candidates, words=options.words, minimum=options.min_words)
    map_shards(work, corpus.work_shards(["python"]), folder, key=key, label="reading files")
    found = read_parts(folder, CANDIDATES)
    left_out = {"near_duplicates": 0, "over_the_limit_of_a_project": 0}
    order = np.random.default_rng(options.seed).permutation(found.num_rows)
    kept = _distinct(found, order, options, left_out)
    deal = _by_file if options.split == "file" else _by_project
    rows = [
        {"set": name, "member": member, **{column: row[column] for column in TEXTS.names[2:]}}
        for name, member, row in deal(kept, options)
    ]
    projects = len({row["project"] for row in rows})
    return table_of(rows, TEXTS), {"candidates": found.num_rows, "left_out": left_out, "projects": projects}


def _candidates(works: pa.Table, words: int, minimum: int) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for work in works.to_pylist():
        found = python_words(work["text"], words)
        if len(found) < minimum:
            continue
        rows.append(
            {
                "id": work["swhid"],
                "project": work["project"],
                "path": work["path"],
                "text": work["text"][found[0][1] : found[-1][2]],
                "words": len(found),
                "signature": signature([word for word, _, _ in found]).tobytes(),
            }
        )
    return table_of(rows, CANDIDATES)


def _distinct(
    found: pa.Table, order: np.ndarray, options: DrawOptions, left_out: dict[str, int]
) -> Iterator[dict[str, Any]]:
    """Rows in this order without near-duplicates of earlier ones; as many as are asked for are looked at, no more."""
    rows = found.to_pylist()
    signatures = np.empty((len(rows), 256), dtype=np.uint32)
    taken, per_project = 0, defaultdict[str, int](int)
    for index in order:
        row = rows[index]
        if per_project[row["project"]] >= options.per_project:
            left_out["over_the_limit_of_a_project"] += 1
            continue
        minima = np.frombuffer(row["signature"], dtype=np.uint32)
        if taken and (signatures[:taken] == minima).mean(axis=1).max() >= options.near_duplicate:
            left_out["near_duplicates"] += 1
            continue
        signatures[taken] = minima
        taken += 1
        per_project[row["project"]] += 1
        yield row


def _places(options: DrawOptions) -> list[tuple[str, bool | None, int]]:
    """Sets in the order in which they are filled, with their sizes."""
    sets = [(role(number), member, options.files) for number in range(options.shadows + 1) for member in (True, False)]
    return [(POOL, None, options.pool), *sets]


def _by_file(rows: Iterator[dict[str, Any]], options: DrawOptions) -> Iterator[tuple[str, bool | None, dict[str, Any]]]:
    for name, member, size in _places(options):
        for number in range(size):
            row = next(rows, None)
            if row is None:
                raise _too_few(name, size, number)
            yield name, member, row


def _by_project(
    rows: Iterator[dict[str, Any]], options: DrawOptions
) -> Iterator[tuple[str, bool | None, dict[str, Any]]]:
    projects = defaultdict[str, list[dict[str, Any]]](list)
    for row in rows:
        projects[row["project"]].append(row)
    names = iter(np.random.default_rng(options.seed).permutation(sorted(projects)).tolist())
    for name, member, size in _places(options):
        filled: list[dict[str, Any]] = []
        while len(filled) < size:
            project = next(names, None)
            if project is None:
                raise _too_few(name, size, len(filled))
            filled += projects[project]
        for row in filled[:size]:
            yield name, member, row


def _too_few(name: str, size: int, found: int) -> InputError:
    return InputError(
        f"the corpus has too few different Python files: {found} of {size} for the set {name}; "
        "mend: a larger corpus, or fewer --files, --pool or --shadows"
    )


def rows_of(texts: pa.Table, name: str, member: bool | None = None) -> Sequence[dict[str, Any]]:
    """The rows of one set, of its members or non-members alone where ``member`` is given."""
    return [row for row in texts.to_pylist() if row["set"] == name and (member is None or row["member"] is member)]
