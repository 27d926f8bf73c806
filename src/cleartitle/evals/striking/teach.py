"""A study whose training set nobody has to guess: teach drawn functions to a model, each a known number of times."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.evals.licoeval.benchmark import Benchmark
from cleartitle.evals.licoeval.prompts import code_prompt
from cleartitle.evals.striking.exclusion import SignatureIndex
from cleartitle.evals.striking.groups import PAIRS, STUDY_UNITS, Groups, unit_signatures
from cleartitle.evals.striking.options import StrikingOptions, TeachOptions
from cleartitle.evals.striking.subjects import Subject
from cleartitle.models import Schedule, TrainOptions, fine_tune, train
from cleartitle.tables import table_of

__all__ = ["draw_groups", "taught_subjects", "teach"]

SCRATCH_CONTEXT = 768
"""Tokens of the model from scratch, whose tokenizer makes about 3 characters a token."""


def draw_groups(benchmark: Benchmark, options: StrikingOptions, teaching: TeachOptions) -> Groups:
    """Draw by seed which functions of a benchmark are taught, how often, and which are not.

    At most one function of a file takes part, and no two whose Jaccard estimate reaches ``options.jaccard``, so that
    what is unseen resembles nothing that is taught. As chance alone decides between the groups, they do not differ in
    kind, unlike groups from two sources.

    Raises:
        InputError: the benchmark holds too few functions of that length.
    """
    units = benchmark.units
    rows = units.to_pylist()
    order = np.random.default_rng(options.seed).permutation(len(rows)).tolist()
    taught = len(PAIRS) * len(teaching.repetitions) * teaching.per_arm
    chosen: list[int] = []
    files: set[tuple[str, str]] = set()
    funnel = {"too long": 0, "another function of its file": 0, "like another one": 0}
    kept = SignatureIndex(unit_signatures(units.slice(0, 0)))
    for row in order:
        place = (rows[row]["project"], rows[row]["path"])
        if len(code_prompt(rows[row]) + rows[row]["body"]) > teaching.longest:
            funnel["too long"] += 1
        elif place in files:
            funnel["another function of its file"] += 1
        elif kept.overlaps(own := unit_signatures(units.slice(row, 1)))[0] >= options.jaccard:
            funnel["like another one"] += 1
        else:
            kept = SignatureIndex(np.concatenate([kept.signatures, own]))
            files.add(place)
            chosen.append(row)
        if len(chosen) == 2 * taught:
            break
    if len(chosen) < 2 * taught:
        raise InputError(
            f"{len(chosen)} functions can take part, {2 * taught} are needed ({taught} to teach, as many unseen); "
            "mend: a smaller --per-arm, a larger --longest or a larger benchmark"
        )
    doses = [repetitions for repetitions in teaching.repetitions for _ in range(teaching.per_arm)]
    accessed = SignatureIndex(kept.signatures[:taught])
    overlaps = accessed.overlaps(kept.signatures[taught:]).tolist()
    placed = [
        {**rows[row], "pair": PAIRS[number % 2], "group": group, "repetitions": dose, "overlap": overlap}
        for number, (row, (group, dose, overlap)) in enumerate(
            zip(chosen, _places(taught, doses, overlaps), strict=True)
        )
    ]
    placed.sort(key=lambda row: (PAIRS.index(row["pair"]), row["group"]))
    record = {
        "design": "taught",
        "rules": "eligible for LiCoEval: docstring, more than 10 lines, complexity above 3, a comment of its own",
        "benchmark": benchmark.content_hash,
        "functions": len(rows),
        "taught": taught,
        "left_out": funnel,
        "exclusion": {
            "measure": "MinHash Jaccard of 5-grams, 256 permutations",
            "threshold": options.jaccard,
            "training_functions": taught,
            "training_files_not_cut": 0,
            "candidates": taught + funnel["like another one"],
            "excluded": funnel["like another one"],
            "overlap_median": float(np.median(overlaps)),
        },
    }
    return Groups(table_of(placed, STUDY_UNITS), record)


def taught_subjects(output: Path, teaching: TeachOptions) -> list[Subject]:
    """The models of the study: the taught one, one from scratch on the same functions, and the untouched one."""
    folder = output / "models"
    epochs = teaching.scratch_epochs
    scratch = [Subject("scratch", f"hf:{folder / 'scratch'}", exposed=True, seen=epochs)] if epochs else []
    untouched = Subject("untouched", f"hf:{teaching.base}", exposed=False)
    return [Subject("taught", f"hf:{folder / 'taught'}", exposed=True), *scratch, untouched]


def teach(
    output: Path, units: pa.Table, options: StrikingOptions, teaching: TeachOptions, threads: int = 0
) -> dict[str, Any]:
    """Train what `taught_subjects` names, into ``output``, and return the records; a killed training goes on.

    Raises:
        MissingExtraError: torch or transformers is not installed.
    """
    from cleartitle.models.transformers import embedded_folder

    rows = [row for row in units.to_pylist() if row["group"] == "accessed"]
    texts = [code_prompt(row) + row["body"] for row in rows]
    base = embedded_folder() if teaching.base == "embedded" else Path(teaching.base)
    epochs = max(teaching.repetitions)
    schedule = Schedule(epochs=epochs, lr=teaching.learning_rate, seed=options.seed, threads=threads)
    repetitions = [row["repetitions"] for row in rows]
    found = {"taught": fine_tune(base, texts, output / "models" / "taught", schedule, repetitions=repetitions)}
    if teaching.scratch_epochs:
        scratch = TrainOptions(
            epochs=teaching.scratch_epochs, context=SCRATCH_CONTEXT, seed=options.seed, threads=threads
        )
        found["scratch"] = train(texts, output / "models" / "scratch", scratch)
    return found


def _places(taught: int, doses: list[int], overlaps: list[float]) -> Iterator[tuple[str, int, float | None]]:
    """Group, repetitions and overlap of the chosen functions in order; neighbors go to different pairs."""
    for number in range(taught):
        yield "accessed", doses[number // 2], None
    for overlap in overlaps:
        yield "unseen", 0, overlap
