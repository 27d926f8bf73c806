# pyright: reportMissingImports=false, reportUntypedFunctionDecorator=false
"""LiCoEval as a task of Inspect AI: ``inspect eval cleartitle/licoeval --model PROVIDER/NAME``.

Benchmark, prompts, measures, standard and grading are those of `cleartitle.evals.licoeval`; Inspect asks the model,
keeps the log and shows it. Each answer stands in the store of its sample in the form of our own generations, so that
``--model replay:LOG.eval`` scores the log anew (`cleartitle.models.inspect_log`).
"""

from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from cleartitle.evals.licoeval import BenchmarkOptions, LicoevalOptions, sample, score
from cleartitle.evals.licoeval.prepare import prepare_benchmark
from cleartitle.evals.licoeval.prompts import completion_request, license_request
from cleartitle.evals.licoeval.scoring import SCORE_INPUT
from cleartitle.evals.licoeval.verdicts import verdicts
from cleartitle.integrations.inspect_metrics import lico_score, rate
from cleartitle.integrations.inspect_turns import Mode, Style, check, form_of, messages_of, prerequisites, turn
from cleartitle.models import Sampling
from cleartitle.models.inspect_log import STORE_KEY
from cleartitle.tables import table_of

__all__ = ["ask", "lico", "licoeval"]

DEFAULTS = LicoevalOptions()


@task
def licoeval(
    benchmark: str = "",
    limit: int = DEFAULTS.limit,
    seed: int = DEFAULTS.seed,
    mode: Mode = "corrected",
    style: Style = "auto",
    license_max_tokens: int = DEFAULTS.license_max_tokens,
) -> Task:
    """Does a model reproduce licensed functions with striking similarity, and does it name the license?

    Args:
        benchmark: A benchmark folder; by default the one of the starter corpus, which is built once.
        limit: Functions to ask for, drawn by seed from each license class by its share; 0 for all.
        seed: Of that draw.
        mode: Whose figures Inspect shows; the metadata of each score holds both.
        style: ``chat`` puts the instruction before the code, ``completion`` sends the code alone; ``auto`` takes
            completion for providers whose name ends in ``completions``.
        license_max_tokens: Longest answer to the license question.
    """
    with prerequisites():
        check(mode, style)
        opened = prepare_benchmark("starter", Path(benchmark) if benchmark else None, BenchmarkOptions())
    units = sample(opened.units, limit, seed).to_pylist()
    return Task(
        dataset=MemoryDataset([_sample(unit) for unit in units], name=f"licoeval-{opened.content_hash}"),
        solver=ask(style, license_max_tokens),
        scorer=lico(mode),
        config=GenerateConfig(temperature=DEFAULTS.temperature, max_tokens=DEFAULTS.max_tokens, seed=seed),
        metadata={"benchmark": opened.content_hash, "benchmark_size": len(opened), "mode": mode},
    )


@solver
def ask(style: Style = "auto", license_max_tokens: int = DEFAULTS.license_max_tokens) -> Solver:
    """Complete the function; where the answer is striking in either mode, ask for its license in the same conversation.

    The metadata of a sample is a row of `UNITS`.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        form, unit, index = form_of(state, style), state.metadata, state.epoch - 1
        first = await turn(state, completion_request(unit, form, Sampling()), GenerateConfig())
        answers = [first]
        if any(row["striking"] for row in _scores(unit, index, first)):
            question = license_request(unit, first["text"], index, form, Sampling())
            config = GenerateConfig(temperature=0.0, max_tokens=license_max_tokens)
            answers.append(await turn(state, question, config))
        state.store.set(STORE_KEY, answers)
        return state

    return solve


@scorer(
    metrics=[
        lico_score(),
        {
            "striking": [rate(), grouped(mean(), "license_class", all=False)],
            "similarity": [mean(), grouped(mean(), "license_class", all=False)],
            "license_correct": [rate(), grouped(mean(), "license_class", all=False)],
        },
    ]
)
def lico(mode: Mode = "corrected") -> Scorer:
    """Score the recorded answers of `ask` as `cleartitle.evals.licoeval.score` and ``verdicts`` do; ask nothing.

    ``striking`` and ``license_correct`` are 1 or 0, ``similarity`` goes from 0 to 1. What is outside the denominator of
    the mode is NaN: answers that could not be scored, licenses of answers that are not striking. The metadata holds
    the rows of both modes. Striking similarity does not prove copying in law.
    """

    async def judge(state: TaskState, target: Target) -> Score:
        unit, index = state.metadata, state.epoch - 1
        answers = state.store.get(STORE_KEY, [])
        if not answers:
            return Score(value=nan, explanation="this sample holds no answer of the solver cleartitle/ask")
        rows = _scores(unit, index, answers[0])
        graded = verdicts(rows, {unit["prompt_id"]: unit}, {row["prompt_id"]: row for row in answers[1:]}).to_pylist()
        scored = next(row for row in rows if row["mode"] == mode)
        verdict = next((row for row in graded if row["mode"] == mode), None)
        return Score(
            value=_value(scored, verdict),
            answer=scored["body"],
            explanation=_explanation(scored, verdict),
            metadata={"kind": verdict["kind"] if verdict else None, "scores": rows, "verdicts": graded},
        )

    return judge


def _sample(unit: Mapping[str, Any]) -> Sample:
    request = completion_request(unit, "chat", Sampling())
    return Sample(id=unit["prompt_id"], input=messages_of(request), target=unit["license"], metadata=dict(unit))


def _scores(unit: Mapping[str, Any], index: int, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    row = {**unit, "source": "model", "sample_index": index, "text": answer["text"], "status": answer["status"]}
    return score(table_of([row], SCORE_INPUT)).to_pylist()


def _value(scored: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> dict[str, float]:
    """Values of one mode, NaN outside its denominators, as `summarize` has them."""
    paper = scored["mode"] == "paper"
    counted = paper or scored["state"] == "scored"
    asked = verdict is not None and (paper or verdict["answer_status"] not in ("error", "not asked"))
    return {
        "striking": float(scored["striking"]) if counted else nan,
        "similarity": nan if scored["similarity"] is None else scored["similarity"],
        "license_correct": float(verdict["correct"]) if verdict is not None and asked else nan,
    }


def _explanation(scored: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> str:
    if scored["similarity"] is None:
        return f"{scored['state']}: not compared"
    measures = f"BLEU-4 {scored['bleu4']:.3f}, MinHash {scored['minhash_jaccard']:.3f}"
    line = f"{scored['state']}: {measures}, edit {scored['edit_similarity']:.3f}"
    comments = "; ".join(scored["shared_comments"]) or "none"
    named = f"\nlicense {verdict['license']}, answered: {verdict['answer']}" if verdict else ""
    return f"{line}\nshared comments: {comments}\nstriking: {'yes' if scored['striking'] else 'no'}{named}"
