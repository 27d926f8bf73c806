# pyright: reportMissingImports=false, reportUntypedFunctionDecorator=false
"""CodeIPPrompt as a task of Inspect AI: ``inspect eval cleartitle/codeipprompt --model PROVIDER/NAME``.

Prompts, null, scores, EM and EP are those of `cleartitle.evals.codeipprompt`; Inspect asks the model, once an epoch for
each prompt, keeps the log and shows it. Each answer stands in the store of its sample in the form of our own
generations, so that ``--model replay:LOG.eval`` scores the log anew.

A log holds the sources of its prompts. Runs of a million answers do not belong here: `cleartitle eval codeipprompt`
streams them.
"""

from collections.abc import Mapping
from math import isnan, nan
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from cleartitle.evals.codeipprompt import (
    PAPER_CLASSES,
    REPORTED_APART,
    SCORE_INPUT,
    CodeipOptions,
    answer_code,
    em_ep,
    prompt_request,
    score,
    score_input,
)
from cleartitle.evals.codeipprompt.prepare import prepare_prompts
from cleartitle.evals.codeipprompt.run_prompts import draw
from cleartitle.integrations.inspect_turns import Mode, Style, check, form_of, messages_of, prerequisites, turn
from cleartitle.models import Sampling
from cleartitle.models.inspect_log import STORE_KEY

__all__ = ["closest", "codeipprompt", "complete", "em_and_ep"]

DEFAULTS = CodeipOptions()


@task
def codeipprompt(
    prompts: str = "",
    limit: int = DEFAULTS.limit,
    seed: int = DEFAULTS.seed,
    samples: int = DEFAULTS.samples,
    n: int = DEFAULTS.n,
    mode: Mode = "corrected",
    style: Style = "auto",
) -> Task:
    """How close does a model come to licensed code in n draws, and how close to other code by chance?

    Args:
        prompts: A folder of prompts; by default those of the starter corpus, which are built once.
        limit: Prompts to ask for, drawn by seed evenly over license classes and languages; 0 for all.
        seed: Of that draw, and of the null.
        samples: Answers per prompt (epochs).
        n: Draws of EM and EP.
        mode: Whose figures Inspect shows; the metadata of each score holds both.
        style: ``chat`` puts an instruction before the prompt, ``completion`` sends the prompt alone; ``auto`` takes
            completion for providers whose name ends in ``completions``.
    """
    with prerequisites():
        check(mode, style)
        opened = prepare_prompts(Path(prompts) if prompts else None)
        options = CodeipOptions(limit=limit, seed=seed, samples=samples, n=n)
        rows = draw(opened, options.limit, options.seed).table().to_pylist()
    given = score_input(rows, [[] for _ in rows], controls=False).to_pylist()
    return Task(
        dataset=MemoryDataset([_sample(row) for row in given], name=f"codeipprompt-{opened.content_hash}"),
        solver=complete(style),
        scorer=closest(mode, n),
        epochs=Epochs(samples),
        config=GenerateConfig(
            temperature=DEFAULTS.temperature, top_p=DEFAULTS.top_p, max_tokens=DEFAULTS.max_tokens, seed=seed
        ),
        metadata={"prompts": opened.content_hash, "prompts_of_set": len(opened), "mode": mode, "n": n},
    )


@solver
def complete(style: Style = "auto") -> Solver:
    """Go on from the prompt. The metadata of a sample is a row of `SCORE_INPUT` without answers."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        request = prompt_request(state.metadata, form_of(state, style), Sampling())
        state.store.set(STORE_KEY, [await turn(state, request, GenerateConfig())])
        return state

    return solve


@metric(scores="unreduced")
def em_and_ep() -> Metric:
    """EM and EP of the best answer to each prompt, own and null, over the classes of ``overall`` (`summarize`).

    Mode and n are those that `closest` noted in its scores. What has no case is NaN.
    """

    def compute(scores: list[SampleScore]) -> Any:
        found: dict[str, float] = {}
        for name, title in (("similarity", ""), ("null", "null_")):
            best = _best(scores, name)
            n = next((one.score.metadata["n"] for one in scores if one.score.metadata), DEFAULTS.n)
            record = em_ep(np.array([value for value, _ in best.values()]), [row[1] for row in best.values()], n)
            found[f"{title}prompts"] = float(record["prompts"])
            for key in ("em", "ep"):
                found[f"{title}{key}"] = nan if record[key] is None else record[key]["value"]
        return found

    return compute


def _best(scores: list[SampleScore], name: str) -> dict[Any, tuple[float, Any]]:
    """The largest value of each prompt that counts, and its project."""
    best: dict[Any, tuple[float, Any]] = {}
    for one in scores:
        noted, sample = one.score.metadata or {}, one.sample_metadata or {}
        value = cast("dict[str, float]", one.score.value)[name] if isinstance(one.score.value, dict) else nan
        if not isnan(value) and _counts(sample.get("license_class"), noted.get("mode", "corrected")):
            before = best.get(one.sample_id, (value, None))[0]
            best[one.sample_id] = (max(before, value), sample.get("project"))
    return best


def _counts(license_class: str | None, mode: str) -> bool:
    return license_class in PAPER_CLASSES if mode == "paper" else license_class not in REPORTED_APART


@scorer(metrics=[em_and_ep(), {"similarity": [mean()], "null": [mean()]}])
def closest(mode: Mode = "corrected", n: int = DEFAULTS.n) -> Scorer:
    """Score the recorded answers of `complete` as `cleartitle.evals.codeipprompt.score` does; ask nothing.

    ``similarity`` and ``null`` go from 0 to 1, NaN where the answer has no score. The metadata holds the rows of both
    modes. A score above 0.5 does not prove copying in law.
    """

    async def judge(state: TaskState, target: Target) -> Score:
        answers = state.store.get(STORE_KEY, [])
        if not answers:
            return Score(value=nan, explanation="this sample holds no answer of the solver cleartitle/complete")
        given = [{name: answers[0][name] for name in ("sample_index", "text", "status")}]
        rows = score(pa.Table.from_pylist([{**state.metadata, "answers": given}], schema=SCORE_INPUT)).to_pylist()
        values = {row["source"]: row for row in rows if row["mode"] == mode}
        own, null = values["model"], values.get("null")
        return Score(
            value={"similarity": _number(own), "null": _number(null)},
            answer=answer_code(answers[0]["text"], state.metadata["language"], mode),
            explanation=f"{own['state']}: Dolos {own['dolos']}, JPlag {own['jplag']}; null {null and null['value']}",
            metadata={"mode": mode, "n": n, "scores": rows},
        )

    return judge


def _number(row: Mapping[str, Any] | None) -> float:
    return nan if row is None or row["value"] is None else row["value"]


def _sample(row: Mapping[str, Any]) -> Sample:
    request = prompt_request(row, "chat", Sampling())
    return Sample(id=row["prompt_id"], input=messages_of(request), target=row["license"], metadata=dict(row))
