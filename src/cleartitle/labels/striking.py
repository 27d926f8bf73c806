"""Pairs of original and answer of a LiCoEval run: can independent creation be ruled out?"""

from collections.abc import Collection
from pathlib import Path

import pyarrow.compute as pc

from cleartitle.evals.licoeval import SCORES, UNITS
from cleartitle.evals.run_folder import RunFolder
from cleartitle.labels.pairs import Case, Original, Pairs
from cleartitle.labels.question import Drawn, LabelOptions, Said, Task
from cleartitle.labels.questions import COPIED
from cleartitle.similarity import StrikingStandard
from cleartitle.tables import read_matching, read_parts

__all__ = ["STRIKING"]


def pairs(path: Path) -> Pairs:
    """Answers that could be scored in the mode of the headline, by what the standard says of them.

    Raises:
        InputError: it is not a LiCoEval run.
    """
    record = RunFolder.open(path, "licoeval").record()
    mode = record["inputs"]["benchmark"]["options"]["mode"]
    columns = ["source", "prompt_id", "sample_index", "mode", "state", "similarity", "striking"]
    own = (pc.field("source") == "model") & (pc.field("mode") == mode)
    scores = read_parts(path / "scores", SCORES, columns).filter(own & (pc.field("state") == "scored"))
    above, striking = pc.field("similarity") > StrikingStandard().similarity_gt, pc.field("striking")

    def originals(prompts: Collection[str]) -> dict[str, Original]:
        wanted = ["prompt_id", "signature", "docstring", "body"]
        rows = read_matching(path / "prompts.parquet", UNITS, "prompt_id", prompts, wanted).to_pylist()
        return {row["prompt_id"]: Original(f"{row['signature']}{row['docstring']}", row["body"]) for row in rows}

    def answers(cases: Collection[Case]) -> dict[Case, str]:
        wanted = ["source", "prompt_id", "sample_index", "mode", "body"]
        rows = read_matching(path / "scores", SCORES, "prompt_id", {prompt for prompt, _ in cases}, wanted)
        return {(row["prompt_id"], row["sample_index"]): row["body"] for row in rows.filter(own).to_pylist()}

    strata = {
        "striking": scores.filter(striking),
        "similar, not striking": scores.filter(above & ~striking),
        "below the threshold": scores.filter(~above & ~striking),
    }
    return Pairs(path, record["key"], strata, originals, answers)


def draw(path: Path, options: LabelOptions) -> Drawn:
    """Half striking answers, a quarter above the threshold of similarity only, the rest below it."""
    return pairs(path).draw(options)


def tool(path: Path, items: Collection[str]) -> Said:
    """What the standard says in the mode of the headline."""
    return pairs(path).said(items)


STRIKING = Task("striking", "licoeval", COPIED, draw, tool, frozenset({"copied"}))
