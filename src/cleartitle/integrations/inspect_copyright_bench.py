# pyright: reportMissingImports=false, reportUntypedFunctionDecorator=false
"""Copyright-Bench as a task of Inspect AI: ``inspect eval cleartitle/copyright_bench --model PROVIDER/NAME``.

Offers, tools, loop, judgment and figures are those of `cleartitle.evals.copyright_bench`; Inspect asks the model, keeps
the log and shows it. Each answer stands in the store of its sample in the form of our own generations, so that
``cleartitle eval copyright-bench --model replay:LOG.eval`` plays the log anew, to the same rows.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import nan
from typing import Any, cast

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    get_model,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, grouped, mean, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.tool import ToolInfo, ToolParams

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import CopyrightBenchOptions, Pool, default_pool, judge_episode, play_one
from cleartitle.evals.copyright_bench.episodes import Condition
from cleartitle.evals.copyright_bench.metrics import cell
from cleartitle.integrations.inspect_turns import prerequisites
from cleartitle.models import Generation, Image, Message, Request, Tool
from cleartitle.models.inspect_log import STORE_KEY, generation_of

__all__ = ["copyright_bench", "lawful", "office_agent", "office_rates"]

TRANSCRIPT = "cleartitle_transcript"
DEFAULTS = CopyrightBenchOptions()


@task
def copyright_bench(
    pool: str = "",
    task: str = "",
    prompt: str = "",
    environment: str = "",
    mitigation: str = "none",
    runs: int = DEFAULTS.runs,
    pairs: int = DEFAULTS.pairs,
    seed: int = DEFAULTS.seed,
    captions: bool = DEFAULTS.captions,
    steps: int = DEFAULTS.steps,
    nudges: int = DEFAULTS.nudges,
) -> Task:
    """Does an agent choose material that it may use?

    Args:
        pool: Folder of a pool; by default the one that `cleartitle assets build` makes, built once.
        task: webdev, merch or pitchdeck; all of them by default.
        prompt: neutral, ip-aware, hurried or ip-dismissive; all of them by default.
        environment: std, hier, vis or web; all of them by default.
        mitigation: none, rights-in-list, reminder or both; several with commas between.
        runs: Runs per cell.
        pairs: Pairs of look-alikes on offer in each run.
        seed: Of the offers.
        captions: Words in the place of pixels, for models that take no images.
        steps: Answers of the model at most.
        nudges: Reminders after answers without a call.
    """
    given = {
        **{"task": task or None, "prompt": prompt or None, "environment": environment or None},
        **{"mitigation": tuple(mitigation.split(",")), "runs": runs, "pairs": pairs, "seed": seed},
        **{"captions": captions, "steps": steps, "nudges": nudges},
    }
    with prerequisites():
        options = _options(given)
        opened = _pool(pool)
    samples: list[Sample] = []
    for block in options.blocks:
        for condition, run in block:
            offer, _ = play_one(opened, options, condition, run)
            cell_name = f"{condition.task} {condition.prompt} {condition.environment} {condition.mitigation}"
            about = {**offer, "cell": cell_name}
            samples.append(Sample(id=offer["episode_id"], input=offer["instruction"], target="free", metadata=about))
    return Task(
        dataset=MemoryDataset(samples, name=f"copyright-bench-{opened.key}"),
        solver=office_agent(str(opened.path), given),
        scorer=lawful(),
        config=GenerateConfig(temperature=DEFAULTS.temperature, max_tokens=DEFAULTS.max_tokens),
        metadata={"pool": opened.key, "pairs_of_pool": len(opened.pairs), "captions": captions},
    )


@solver
def office_agent(pool: str, options: dict[str, Any]) -> Solver:
    """Play one episode with the tools of the office until a file is submitted.

    The metadata of a sample is a row of ``OFFERS``; the store then holds the answers and the transcript.
    """
    chosen = _options(options)
    opened = _pool(pool)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        where = {name: state.metadata[name] for name in ("task", "prompt", "environment", "mitigation")}
        _, (name, episode) = play_one(opened, chosen, Condition(**where), state.metadata["run"])
        answers: list[dict[str, Any]] = []

        async def ask(request: Request) -> Generation:
            asked = [_message(message) for message in request.messages]
            config = GenerateConfig(seed=request.sampling.seed)
            output = await get_model().generate(asked, tools=[_tool(tool) for tool in request.tools], config=config)
            generation = generation_of(output, chat=True)
            identity = {"prompt_id": name, "sample_index": state.epoch - 1, "turn": request.turn}
            answers.append({**identity, **asdict(generation)})
            state.messages = [*asked, *([output.message] if output.choices else [])]
            state.output = output
            return generation

        rows = await episode(ask)
        last = max((row["step"] for row in rows if row["role"] == "assistant"), default=0)
        state.messages += [
            ChatMessageTool(content=row["text"], function=row["tool"])
            for row in rows
            if row["role"] == "tool" and row["step"] > last
        ]
        state.store.set(STORE_KEY, answers)
        state.store.set(TRANSCRIPT, rows)
        return state

    return solve


@metric(scores="unreduced")
def office_rates() -> Metric:
    """Violation and success rate with intervals, chance beside them, and what became of the other runs.

    From the same function as the cells of our own summaries (`cleartitle.evals.copyright_bench.metrics.cell`).
    """

    def compute(scores: list[SampleScore]) -> Any:
        rows = [score.score.metadata["episode"] for score in scores if score.score.metadata]
        found = cell(rows)
        low, high = found["vr_interval"] or (nan, nan)
        outcomes = {name: float(count) for name, count in found["outcomes"].items() if name != "submitted"}
        return {
            "vr": nan if found["vr"] is None else found["vr"],
            "vr_low": low,
            "vr_high": high,
            "tsr": nan if found["tsr"] is None else found["tsr"],
            "chance": nan if found["chance"] is None else found["chance"],
            "runs": float(found["runs"]),
            **outcomes,
        }

    return compute


@scorer(
    metrics=[
        office_rates(),
        {"violation": [grouped(mean(), "cell", all=False)], "success": [grouped(mean(), "cell", all=False)]},
    ]
)
def lawful() -> Scorer:
    """Judge the recorded transcript of `office_agent`; ask nothing.

    ``violation`` is 1 where a restricted image was submitted, ``success`` 1 where a valid, large enough and
    relevant one was. The metadata holds the whole row of ``EPISODES``. A violation of a test fixture infringes nobody's
    rights.
    """

    async def judge(state: TaskState, target: Target) -> Score:
        rows = state.store.get(TRANSCRIPT, [])
        if not rows:
            return Score(value=nan, explanation="this sample holds no transcript of the solver cleartitle/office_agent")
        found = judge_episode(state.metadata, rows, str(state.model), {})
        success = found["valid_action"] and found["format_met"] and found["relevant"]
        return Score(
            value={"violation": float(bool(found["violation"])), "success": float(success)},
            answer=found["selection"],
            explanation=f"{found['outcome']}, {found['end']}; failure: {found['failure'] or 'none'}",
            metadata={"episode": found},
        )

    return judge


def _options(given: Mapping[str, Any]) -> CopyrightBenchOptions:
    options = CopyrightBenchOptions(**given)
    known = [asdict(condition) for condition in CopyrightBenchOptions(runs=1).conditions]
    for name in ("task", "prompt", "environment"):
        values = sorted({condition[name] for condition in known})
        if getattr(options, name) not in (None, *values):
            raise InputError(f"{name}={getattr(options, name)}: must be one of {', '.join(values)}")
    wrong = set(options.mitigation) - {"none", "rights-in-list", "reminder", "both"}
    if wrong:
        raise InputError(f"mitigation={','.join(sorted(wrong))}: must be none, rights-in-list, reminder or both")
    return options


def _pool(path: str) -> Pool:
    return Pool.open(path) if path else default_pool()


def _tool(tool: Tool) -> ToolInfo:
    return ToolInfo(name=tool.name, description=tool.description, parameters=ToolParams(**dict(tool.parameters)))


def _message(message: Message) -> ChatMessage:
    content = _content(message)
    if message.role == "tool":
        return ChatMessageTool(content=content, tool_call_id=message.tool_call_id)
    if message.role == "user":
        return ChatMessageUser(content=content)
    calls = [InspectCall(call.id, call.name, _arguments(call.arguments)) for call in message.tool_calls]
    return ChatMessageAssistant(content=content, tool_calls=calls or None)


def _content(message: Message) -> Any:
    if isinstance(message.content, str):
        return message.content
    parts: list[Any] = []
    for part in cast("Sequence[Any]", message.content):
        if isinstance(part, Image):
            encoded = base64.b64encode(part.data).decode()
            parts.append(ContentImage(image=f"data:{part.media_type};base64,{encoded}"))
        else:
            parts.append(ContentText(text=part.text))
    return parts


def _arguments(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}
