"""Pairs of original and answer of a CodeIPPrompt run: does a score above the threshold mean what people see?"""

from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

import pyarrow.compute as pc

from cleartitle.evals.codeipprompt import RUN_PROMPTS, SCORES, THRESHOLD, answer_code
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.tables import GENERATIONS
from cleartitle.labels.pairs import Case, Original, Pairs
from cleartitle.labels.question import Drawn, LabelOptions, Said, Task
from cleartitle.labels.questions import COPIED
from cleartitle.tables import read_matching, read_parts

__all__ = ["SIMILAR"]

NEAR = 0.3
"""Scores from here to the threshold are a stratum of their own."""
SHOWN_LINES = 80
"""Of a source whose function was not parsed, so many lines after the prompt are shown."""


def pairs(path: Path) -> Pairs:
    """Answers that could be scored in the mode of the headline, by their score.

    An answer is scored against the best stretch of the whole file, and shown beside the function that its prompt is
    from: people may miss a copy of another part of that file.

    Raises:
        InputError: it is not a CodeIPPrompt run.
    """
    record = RunFolder.open(path, "codeipprompt").record()
    mode = record["inputs"]["prompts"]["options"]["mode"]
    columns = ["source", "prompt_id", "sample_index", "mode", "state", "value"]
    own = (pc.field("source") == "model") & (pc.field("mode") == mode) & (pc.field("state") == "scored")
    scores = read_parts(path / "scores", SCORES, columns).filter(own & pc.field("value").is_valid())
    above, near = pc.field("value") > THRESHOLD, pc.field("value") > NEAR

    def originals(prompts: Collection[str]) -> dict[str, Original]:
        wanted = ["prompt_id", "text", "prompt_last_line", "unit_last_line", "source"]
        rows = read_matching(path / "prompts.parquet", RUN_PROMPTS, "prompt_id", prompts, wanted).to_pylist()
        return {row["prompt_id"]: Original(row["text"], _rest(row)) for row in rows}

    def answers(cases: Collection[Case]) -> dict[Case, str]:
        prompts = {prompt for prompt, _ in cases}
        wanted = ["prompt_id", "text", "language"]
        asked = read_matching(path / "prompts.parquet", RUN_PROMPTS, "prompt_id", prompts, wanted).to_pylist()
        by_id = {row["prompt_id"]: row for row in asked}
        rows = read_matching(path / "generations", GENERATIONS, "prompt_id", prompts).to_pylist()
        return {
            (row["prompt_id"], row["sample_index"]): _continuation(row["text"], by_id[row["prompt_id"]], mode)
            for row in rows
        }

    strata = {
        f"above {THRESHOLD:g}": scores.filter(above),
        f"{NEAR:g} to {THRESHOLD:g}": scores.filter(near & ~above),
        f"at most {NEAR:g}": scores.filter(~near),
    }
    return Pairs(path, record["key"], strata, originals, answers)


def _rest(row: dict[str, Any]) -> str:
    first = row["prompt_last_line"]
    last = row["unit_last_line"] or first + SHOWN_LINES
    return "\n".join(row["source"].split("\n")[first:last])


def _continuation(answer: str, prompt: dict[str, Any], mode: Literal["paper", "corrected"]) -> str:
    """The code of an answer without the prompt that it may repeat, which would tell it from the original."""
    asked = {line.strip() for line in prompt["text"].splitlines()} | {""}
    lines = answer_code(answer, prompt["language"], mode).split("\n")
    first = next((place for place, line in enumerate(lines) if line.strip() not in asked), len(lines))
    return "\n".join(lines[first:])


def draw(path: Path, options: LabelOptions) -> Drawn:
    """Half above the threshold, a quarter near it, the rest below."""
    return pairs(path).draw(options)


def tool(path: Path, items: Collection[str]) -> Said:
    """Whether the score is above the threshold in the mode of the headline."""
    return pairs(path).said(items)


SIMILAR = Task("similar", "codeipprompt", COPIED, draw, tool, frozenset({"copied"}))
