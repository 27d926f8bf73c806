"""Build the two groups, Accessed and Unseen, twice: to find a standard, and to check it (LiCoEval, section III-D1)."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.code import language as find_language
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.licoeval.benchmark import content_hash
from cleartitle.evals.licoeval.units import CANDIDATES, UNITS, Eligibility, cut
from cleartitle.evals.striking.exclusion import SIGNATURES, SignatureIndex, function_signature, sign
from cleartitle.evals.striking.options import StrikingOptions
from cleartitle.files import cache_dir, canonical_json
from cleartitle.jobs import map_shards, one_at_a_time
from cleartitle.options import fingerprint
from cleartitle.progress import warn
from cleartitle.similarity.minhash import PERMUTATIONS
from cleartitle.tables import part_paths, read_parts, read_table

__all__ = ["PAIRS", "STUDY_UNITS", "Groups", "groups_of_corpora", "unit_signatures"]

KEY = "1"
"""Of the rules by which functions are cut and hashed; a change makes the cache anew."""

PAIRS = ("first", "second")
"""The pair on which a standard is found, and the one on which it is checked (the paper's groups named Eval)."""

STUDY_UNITS = pa.schema(
    [
        *UNITS,
        # first | second
        ("pair", pa.string()),
        # accessed | unseen
        ("group", pa.string()),
        # how often the model was taught the function; null where only its presence is known
        ("repetitions", pa.int32()),
        # of an unseen function: its largest Jaccard estimate with the training data
        ("overlap", pa.float64()),
    ]
)
"""A function of the study; the pairs do not overlap."""


@dataclass(frozen=True)
class Groups:
    """Functions of all four groups (`STUDY_UNITS`) and how they were chosen, as plain JSON values."""

    units: pa.Table
    record: dict[str, Any]

    @property
    def content_hash(self) -> str:
        """16 hexadecimal digits over prompts, references and places in the groups, in order."""
        places = [self.units[name].to_pylist() for name in ("pair", "group", "repetitions")]
        return hashlib.sha256(f"{content_hash(self.units)}{canonical_json(places)}".encode()).hexdigest()[:16]


def groups_of_corpora(training: Corpus, unseen: Corpus, options: StrikingOptions) -> Groups:
    """Draw Accessed from the training data and Unseen from what resembles nothing in it.

    Both are functions by the three principles of the paper: a docstring and a body of more than six lines, no method,
    no syntax error. An unseen candidate is kept where its largest MinHash Jaccard estimate over all functions of the
    training data is below ``options.jaccard``. Functions are drawn by seed; pairs and groups are of equal size where
    there are enough. What was cut is kept in the cache.

    This does not establish that the model has not met the unseen functions: that rests on the training data being
    complete, and on the copies in it being whole functions in files that can be cut.

    Raises:
        InputError: one of the groups would be empty.
    """
    rules = _rules(options)
    seen, other = _cut(training, rules, options, "training"), _cut(unseen, rules, options, "unseen")
    index, uncut = _index(training, options)
    overlaps = index.overlaps(unit_signatures(other.eligible))
    kept = other.eligible.filter(pa.array(overlaps < options.jaccard))
    kept = kept.append_column("overlap", pa.array(overlaps[overlaps < options.jaccard]))
    accessed = seen.eligible.append_column("overlap", pa.nulls(seen.eligible.num_rows, pa.float64()))
    drawn = [_draw(accessed, "accessed", options), _draw(kept, "unseen", options)]
    record = {
        "design": "observed",
        "rules": "docstring, body of more than six lines, no method, no syntax error",
        "training": {"corpus": training.key, "left_out": dict(seen.funnel.most_common()), **seen.counts()},
        "unseen": {"corpus": unseen.key, "left_out": dict(other.funnel.most_common()), **other.counts()},
        "exclusion": {
            "measure": "MinHash Jaccard of 5-grams, 256 permutations",
            "threshold": options.jaccard,
            "training_functions": len(index),
            "training_files_not_cut": uncut,
            "candidates": len(overlaps),
            "excluded": int((overlaps >= options.jaccard).sum()),
            "overlap_median": float(np.median(overlaps)) if len(overlaps) else None,
        },
    }
    return Groups(pa.concat_tables(drawn).select(STUDY_UNITS.names).cast(STUDY_UNITS), record)


def unit_signatures(units: pa.Table) -> npt.NDArray[np.uint32]:
    """The MinHash signatures of whole functions, shape (units, 256)."""
    rows = units.select(["signature", "docstring", "body", "language"]).to_pylist()
    found = np.full((len(rows), PERMUTATIONS), np.iinfo(np.uint32).max, dtype=np.uint32)
    for number, row in enumerate(rows):
        signature = function_signature(row["signature"] + row["docstring"] + row["body"], row["language"])
        if signature is not None:
            found[number] = signature
    return found


@dataclass(frozen=True)
class _Cut:
    eligible: pa.Table
    funnel: Counter[str]

    def counts(self) -> dict[str, int]:
        eligible = self.eligible.num_rows
        return {"functions": eligible + sum(self.funnel.values()), "eligible": eligible}


def _rules(options: StrikingOptions) -> Eligibility:
    find_language(options.language, "functions")
    return Eligibility(
        options.mode,
        body_lines_gt=options.body_lines_gt,
        complexity_gt=0,
        comments_gt=-1,
        prompt_lines_max=options.prompt_lines_max,
        licensed=False,
    )


def _cut(corpus: Corpus, rules: Eligibility, options: StrikingOptions, label: str) -> _Cut:
    folder = cache_dir("striking") / f"cut-{fingerprint(rules, corpus=corpus.key, language=options.language)}"
    shards = corpus.work_shards(languages=(options.language,))
    operation = partial(cut, rules=rules)
    with one_at_a_time(folder):
        map_shards(operation, shards, folder, key=KEY, workers=options.workers, label=f"cut {label} functions")
    funnel: Counter[str] = Counter()
    eligible: list[pa.Table] = []
    for path in part_paths(folder):
        part = read_table(path)
        funnel.update(reason for reason in part["reason"].to_pylist() if reason is not None)
        eligible.append(part.filter(pc.field("reason").is_null()).drop_columns("reason").replace_schema_metadata(None))
    table = pa.concat_tables(eligible) if eligible else pa.schema(list(CANDIDATES)[:-1]).empty_table()
    rows = _distinct(table)
    funnel["same function again"] += table.num_rows - len(rows)
    return _Cut(table.take(pa.array(rows, pa.int64())), +funnel)


def _distinct(table: pa.Table) -> list[int]:
    """Rows without those whose signature, docstring and body stand before, so that pairs cannot share a function."""
    parts = [table[name].to_pylist() for name in ("signature", "docstring", "body")]
    first: dict[str, int] = {}
    for row, pieces in enumerate(zip(*parts, strict=True)):
        first.setdefault(" ".join("".join(pieces).split()), row)
    return list(first.values())


def _index(training: Corpus, options: StrikingOptions) -> tuple[SignatureIndex, int]:
    """Signatures of all functions of the training data, and how many of its files could not be cut."""
    folder = cache_dir("striking") / f"signatures-{training.key}-{options.language}"
    shards = training.work_shards(languages=(options.language,))
    with one_at_a_time(folder):
        map_shards(sign, shards, folder, key=KEY, workers=options.workers, label="hash training functions")
    column = read_parts(folder, SIGNATURES, ["signature"])["signature"]
    data = b"".join(value for value in column.drop_null().to_pylist())
    if column.null_count:
        warn(f"{column.null_count} files of the training data cannot be cut into functions and exclude nothing")
    return SignatureIndex(np.frombuffer(data, dtype=np.uint32).reshape(-1, PERMUTATIONS)), column.null_count


def _draw(table: pa.Table, group: str, options: StrikingOptions) -> pa.Table:
    """As many functions for both pairs as are asked for, or half of what there is for each."""
    order = np.random.default_rng(options.seed).permutation(table.num_rows)
    size = min(options.per_group, table.num_rows // 2)
    if size == 0:
        raise InputError(
            f"{group}: {table.num_rows} functions are left, 2 are the least; mend: a larger corpus or other bounds"
        )
    if size < options.per_group:
        warn(f"{group}: {table.num_rows} functions for two groups; each has {size}, not {options.per_group}")
    rows: Sequence[int] = order[: 2 * size].tolist()
    chosen = table.take(pa.array(rows, pa.int64()))
    pairs = [pair for pair in PAIRS for _ in range(size)]
    chosen = chosen.append_column("pair", pa.array(pairs)).append_column("group", pa.array([group] * len(pairs)))
    return chosen.append_column("repetitions", pa.nulls(len(pairs), pa.int32()))
