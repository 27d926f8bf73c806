"""CodeIPPrompt as an Inspect AI task: the same scores and figures as our own runs, from the same answers."""

import gc
import json
from collections.abc import Generator
from importlib.metadata import entry_points
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from codeip_material import body, number_of, other_body, write_prompts

from cleartitle.evals.codeipprompt import SCORES, CodeipOptions, PromptSet, evaluate
from cleartitle.models import open_model
from cleartitle.tables import read_parts

inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (extra: inspect)")

from inspect_ai import eval  # noqa: A004, E402
from inspect_ai._util.error import PrerequisiteError  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

from cleartitle.integrations.inspect_codeipprompt import codeipprompt, em_and_ep  # noqa: E402

# Inspect uses what its own dependencies deprecate, and leaves its streams open when it ends.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def _streams_are_dropped_here() -> Generator[None]:
    yield
    gc.collect()


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> PromptSet:
    return write_prompts(tmp_path_factory.mktemp("prompts"), 12)


class Answers:
    """Copies to each third prompt, now and then nothing or too little, else other code."""

    def __init__(self, prompts: PromptSet) -> None:
        self.rows = {row["text"].rstrip(): row for row in prompts.table().to_pylist()}
        self.asked: list[tuple[str, Any]] = []

    def __call__(self, input: list[Any], tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        self.asked.append((input[0].text, config))
        text = next(row for text, row in self.rows.items() if input[0].text.endswith(text))
        number, language = number_of(text), text["language"]
        said = body(number, language) if number % 3 == 0 else other_body(number, language)
        said = {4: "", 5: "pass"}.get(number, f"```\n{said}\n```")
        output = ModelOutput.from_content("mock", said)
        output.usage = ModelUsage(input_tokens=7, output_tokens=9, total_tokens=16)
        return output


def run(prompts: PromptSet, folder: Path, **arguments: Any) -> tuple[Any, Answers]:
    answers = Answers(prompts)
    model = get_model("mockllm/model", custom_outputs=answers, memoize=False)
    task = codeipprompt(prompts=str(prompts.path), limit=10, samples=2, n=7, **arguments)
    (log,) = eval(task, model=model, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log, answers


@pytest.mark.parametrize("mode", ["corrected", "paper"])
def test_a_log_replayed_in_a_run_folder_gives_the_scores_and_figures_that_inspect_shows(
    tmp_path: Path, prompts: PromptSet, mode: str
) -> None:
    log, answers = run(prompts, tmp_path / "logs", mode=mode)
    assert len(answers.asked) == 20
    config = answers.asked[0][1]
    assert (config.temperature, config.top_p, config.max_tokens) == (1.0, 0.95, 256)
    options = CodeipOptions(limit=10, samples=2, n=7, controls=False, score_workers=1)
    found = evaluate(open_model(f"replay:{log.location}"), prompts, tmp_path / "run", options)
    rows = read_parts(tmp_path / "run" / "scores", SCORES).to_pylist()
    shown = [row for sample in log.samples for score in sample.scores.values() for row in score.metadata["scores"]]
    plain = [sorted(json.dumps(row, sort_keys=True) for row in one) for one in (rows, shown)]
    assert plain[0] == plain[1] and len(rows) == 10 * 2 * 2 * 2
    values = {
        name.rsplit("/", 1)[-1]: metric.value
        for score in log.results.scores
        if score.name == "closest"
        for name, metric in score.metrics.items()
    }
    overall = found["modes"][mode]["overall"]
    assert values["em"] == overall["em"]["value"] > 0.5
    assert values["ep"] == overall["ep"]["value"]
    assert values["prompts"] == overall["prompts"]
    assert values["null_em"] == overall["null"]["em"]["value"]
    assert values["null_ep"] == overall["null"]["ep"]["value"]


def test_a_completion_model_gets_the_prompt_alone(tmp_path: Path, prompts: PromptSet) -> None:
    _, answers = run(prompts, tmp_path, style="completion")
    assert {text for text, _ in answers.asked} <= set(answers.rows)


def test_the_metric_takes_an_empty_list() -> None:
    found = em_and_ep()([])
    assert found["prompts"] == 0 and isnan(found["em"]) and isnan(found["null_ep"])


def test_wrong_arguments_are_one_line_with_the_mend(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="holds no prompts"):
        codeipprompt(prompts=str(tmp_path))
    with pytest.raises(PrerequisiteError, match="mend: mode corrected or paper"):
        codeipprompt(mode="other")  # type: ignore[arg-type]


def test_inspect_finds_the_task_under_our_name() -> None:
    (entry,) = [one for one in entry_points(group="inspect_ai") if one.name == "cleartitle"]
    assert entry.load().codeipprompt is codeipprompt
