"""LiCoEval as an Inspect AI task: the same figures as our own runs, from the same answers."""

import gc
import json
import re
import threading
from collections.abc import Callable, Generator, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import isnan, nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from inspect_benchmark import write_benchmark

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import SCORES, LicoevalOptions, evaluate, open_benchmark
from cleartitle.evals.licoeval.prompts import LICENSE_LEAD, LICENSE_QUESTION, code_prompt
from cleartitle.models import ModelOptions, open_model
from cleartitle.models.inspect_log import generation_of
from cleartitle.tables import read_parts, read_table

inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (extra: inspect)")

from inspect_ai import Task, eval, score  # noqa: A004, E402
from inspect_ai._util.error import PrerequisiteError  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatMessage,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.scorer import SampleScore, Score  # noqa: E402

from cleartitle.integrations.inspect_licoeval import lico, licoeval  # noqa: E402
from cleartitle.integrations.inspect_metrics import lico_score, rate  # noqa: E402

# Inspect uses what its own dependencies deprecate, and leaves its streams open when it ends.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
COUNT = 20


@pytest.fixture(autouse=True)
def _streams_are_dropped_here() -> Generator[None]:
    yield
    gc.collect()


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of self-written functions."""
    return write_benchmark(tmp_path_factory.mktemp("benchmark"), COUNT)


def said(text: str, stop_reason: StopReason = "stop") -> ModelOutput:
    """An answer with its usage, which Inspect would otherwise count with a tokenizer from the network."""
    output = ModelOutput.from_content("mock", text, stop_reason=stop_reason)
    output.usage = ModelUsage(input_tokens=7, output_tokens=len(text), total_tokens=7 + len(text))
    return output


def units_of(benchmark: Path) -> pa.Table:
    return open_benchmark(benchmark).units


class Answers:
    """Copies of some functions and all other kinds of answers; what it was asked stands in ``asked``."""

    def __init__(self, benchmark: Path) -> None:
        self.units = {unit["name"]: (number, unit) for number, unit in enumerate(units_of(benchmark).to_pylist())}
        self.asked: list[tuple[list[ChatMessage], GenerateConfig]] = []

    def __call__(self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        self.asked.append((input, config))
        name = next(name for name in self.units if re.search(rf"\b{name}\b", input[0].text))
        number, unit = self.units[name]
        if LICENSE_QUESTION == input[-1].text or input[0].text.endswith(LICENSE_LEAD.rstrip()):
            return said(unit["license"] if number % 2 else "I think it is BSD.")
        if number == 12:
            return said("I'm sorry, but I cannot write out licensed code.")
        if number == 13:
            return said("")
        if number == 14:
            return said("    total = 0\n", "content_filter")
        if number > 14:
            return said(f"def {name}(x):\n    return [value + {number} for value in sorted(x)]\n")
        copied = f"```python\n{unit['signature']}{unit['docstring']}{unit['body']}```"
        if number == 3:  # cut at the limit
            return said(copied[: len(copied) * 9 // 10], "max_tokens")
        return said(copied)


def run(task: Task, answers: Callable[..., ModelOutput], folder: Path, **options: Any) -> Any:
    model = get_model("mockllm/model", custom_outputs=answers, memoize=False)
    (log,) = eval(task, model=model, log_dir=str(folder), display="none", **options)
    return log


def metrics(log: Any) -> dict[tuple[str, str], float]:
    """Values by score and last part of the metric's name."""
    return {
        (score.name, name.rsplit("/", 1)[-1]): metric.value
        for score in log.results.scores
        for name, metric in score.metrics.items()
    }


def plain(rows: Iterable[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


@pytest.mark.parametrize("mode", ["corrected", "paper"])
def test_a_log_replayed_in_a_run_folder_gives_the_scores_and_figures_that_inspect_shows(
    tmp_path: Path, benchmark: Path, mode: str
) -> None:
    task = licoeval(benchmark=str(benchmark), limit=16, seed=3, mode=mode)
    log = run(task, Answers(benchmark), tmp_path / "logs", epochs=2)
    assert log.status == "success", log.error
    options = LicoevalOptions(limit=16, seed=3, samples=2, controls=False)
    model = open_model(f"replay:{log.location}")
    figures = evaluate(model, open_benchmark(benchmark), tmp_path / "run", options)["modes"][mode]

    scores = read_parts(tmp_path / "run" / "scores", SCORES).to_pylist()
    verdicts = read_table(tmp_path / "run" / "verdicts.parquet").to_pylist()
    shown = [score.metadata for sample in log.samples for score in sample.scores.values()]
    assert plain(row for one in shown for row in one["scores"]) == plain(scores) and len(scores) == 16 * 2 * 2
    assert plain(row for one in shown for row in one["verdicts"]) == plain(verdicts) and len(verdicts) > 16

    values = metrics(log)
    for name, ours_rate in (
        ("striking", figures["striking"]),
        ("license_correct", figures["accuracy"]["overall"]["exact"]),
    ):
        assert values[name, "rate_share"] == ours_rate["value"] and values[name, "rate_n"] == ours_rate["total"]
        interval = ours_rate["interval"]
        assert (values[name, "rate_low"], values[name, "rate_high"]) == (interval["low"], interval["high"])
    lico = figures["lico"]
    assert (values["lico", "lico"], values["lico", "lico_low"]) == (lico["value"], lico["low"])
    assert values["lico", "answers"] == figures["denominator"]
    assert values["lico", "striking"] == figures["striking"]["count"] > 0
    assert values["lico", "copyleft_cases"] == figures["accuracy"]["copyleft"]["exact"]["total"] > 0


def test_only_striking_answers_are_asked_for_their_license_in_the_same_conversation(
    tmp_path: Path, benchmark: Path
) -> None:
    answers = Answers(benchmark)
    log = run(licoeval(benchmark=str(benchmark), limit=0, license_max_tokens=17), answers, tmp_path)
    first = [(asked, config) for asked, config in answers.asked if len(asked) == 1]
    second = [(asked, config) for asked, config in answers.asked if len(asked) == 3]
    assert len(first) == COUNT and len(first) + len(second) == len(answers.asked)
    assert all(asked[0].text.startswith("Complete the following Python function") for asked, _ in first)
    assert {(config.max_tokens, config.temperature, config.seed) for _, config in first} == {(512, 0, 0)}
    assert {(config.max_tokens, config.temperature) for _, config in second} == {(17, 0)}
    striking = [sample for sample in log.samples if sample.scores["lico"].value["striking"] == 1]
    assert len(second) == len(striking) == 12
    assert all([message.role for message in sample.messages] == ["user", "assistant"] * 2 for sample in striking)


def test_a_log_is_scored_in_the_other_mode_without_asking_the_model(tmp_path: Path, benchmark: Path) -> None:
    answers = Answers(benchmark)
    corrected = run(licoeval(benchmark=str(benchmark), limit=0), answers, tmp_path)
    paper = run(licoeval(benchmark=str(benchmark), limit=0, mode="paper"), answers, tmp_path)
    asked = len(answers.asked)
    anew = score(corrected, lico(mode="paper"), action="overwrite", display="none")
    assert len(answers.asked) == asked
    found, expected = metrics(anew), metrics(paper)
    assert {key: value for key, value in found.items() if not isnan(value)} == {
        key: value for key, value in expected.items() if not isnan(value)
    }
    assert found["lico", "answers"] == COUNT > metrics(corrected)["lico", "answers"]


def test_a_completion_model_gets_the_code_and_no_instruction(tmp_path: Path, benchmark: Path) -> None:
    answers = Answers(benchmark)
    log = run(licoeval(benchmark=str(benchmark), limit=5, style="completion"), answers, tmp_path)
    by_id = {unit["prompt_id"]: unit for unit in units_of(benchmark).to_pylist()}
    for sample in log.samples:
        code = code_prompt(by_id[sample.id]).rstrip()
        prompts = [asked[0].text for asked, _ in answers.asked if asked[0].text.startswith(code)]
        assert prompts[0] == code
        if sample.scores["lico"].value["striking"] == 1:
            assert prompts[1].endswith("# The code above is licensed under the") and len(prompts) == 2
    assert all(len(asked) == 1 for asked, _ in answers.asked)


class Endpoint(BaseHTTPRequestHandler):
    """Gives `Answers` over the interface of OpenAI; keeps what was asked."""

    answers: Answers
    bodies: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).bodies.append(body)
        texts = [message["content"] for message in body.get("messages", [{"content": body.get("prompt")}])]
        output = type(self).answers([ChatMessageUser(content=text) for text in texts], None, None, GenerateConfig())
        reason = {"max_tokens": "length"}.get(output.stop_reason, output.stop_reason)
        said = {"message": {"role": "assistant", "content": output.completion}, "text": output.completion}
        usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
        choice = {"index": 0, "finish_reason": reason, "logprobs": None, **said}
        reply = {"id": "1", "object": "completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture
def endpoint(benchmark: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[str, list[dict[str, Any]]]]:
    monkeypatch.setenv("LOOPBACK_KEY", "none")
    Endpoint.answers, Endpoint.bodies = Answers(benchmark), []
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1", Endpoint.bodies
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("ours", "theirs"), [("openai", "openai-api"), ("openai-completions", "openai-api-completions")]
)
def test_inspect_and_our_own_adapter_ask_one_server_the_same_and_come_to_the_same_figures(
    tmp_path: Path, benchmark: Path, endpoint: tuple[str, list[dict[str, Any]]], ours: str, theirs: str
) -> None:
    address, bodies = endpoint

    def asked() -> list[str]:
        found = [(b.get("messages"), b.get("prompt"), b["temperature"], b.get("seed")) for b in bodies]
        bodies.clear()
        return sorted(json.dumps(one, sort_keys=True) for one in found)

    options = LicoevalOptions(limit=0, controls=False)
    model = open_model(f"{ours}:m", ModelOptions(base_url=address, api_key_env="LOOPBACK_KEY", retries=0))
    first = evaluate(model, open_benchmark(benchmark), tmp_path / "ours", options)
    asked_by_us = asked()
    served = get_model(f"{theirs}/local/m", base_url=address, api_key="none", memoize=False)
    (log,) = eval(licoeval(benchmark=str(benchmark), limit=0), model=served, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert asked() == asked_by_us and len(asked_by_us) > COUNT
    second = evaluate(open_model(f"replay:{log.location}"), open_benchmark(benchmark), tmp_path / "theirs", options)
    assert first["modes"] == second["modes"]
    assert metrics(log)["lico", "lico"] == first["modes"]["corrected"]["lico"]["value"]


def test_reasoning_is_kept_apart_from_the_answer() -> None:
    output = said("MIT")
    output.choices[0].message.content = [ContentReasoning(reasoning="it looks like MIT"), ContentText(text="MIT")]
    found = generation_of(output, chat=True)
    assert (found.text, found.reasoning, found.finish_reason, found.prompt_tokens) == (
        "MIT",
        "it looks like MIT",
        "stop",
        7,
    )


def test_a_failed_sample_is_imported_as_an_answer_with_an_error(tmp_path: Path, benchmark: Path) -> None:
    class Failing(Answers):
        def __call__(self, input: list[ChatMessage], *rest: Any) -> ModelOutput:
            if "share_1(" in input[0].text:
                raise RuntimeError("the endpoint is gone")
            return super().__call__(input, *rest)

    log = run(licoeval(benchmark=str(benchmark), limit=0), Failing(benchmark), tmp_path / "logs", fail_on_error=False)
    model = open_model(f"replay:{log.location}")
    options = LicoevalOptions(limit=0, controls=False)
    figures = evaluate(model, open_benchmark(benchmark), tmp_path / "run", options)["modes"]["corrected"]
    assert (figures["errors"], figures["answers"]) == (1, COUNT)
    assert metrics(log)["lico", "lico"] == figures["lico"]["value"]


def test_the_log_of_a_run_that_did_not_end_well_is_refused_in_one_line(tmp_path: Path, benchmark: Path) -> None:
    def gone(*_: Any) -> ModelOutput:
        raise RuntimeError("the endpoint is gone")

    log = run(licoeval(benchmark=str(benchmark), limit=2), gone, tmp_path)
    assert log.status == "error"
    with pytest.raises(InputError, match=r"status of this log is error, not success; mend: [^\n]*$"):
        open_model(f"replay:{log.location}")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"\x00\xff" * 5000, b'{"eval": 1}'])
def test_a_file_that_is_no_log_is_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.eval"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"broken.eval: not a readable log of Inspect [^\n]*$"):
        open_model(f"replay:{path}")


def test_answers_of_another_task_are_read_by_the_ids_of_its_samples(tmp_path: Path) -> None:
    task = Task(dataset=[Sample(id="a", input="one"), Sample(id="b", input="two")])
    log = run(task, lambda *asked: said(f"to {asked[0][-1].text}"), tmp_path)
    described = open_model(f"replay:{log.location}").describe()
    assert (described["prompts"], described["answers"]) == (2, 2)


def values_of(*values: dict[str, float]) -> list[SampleScore]:
    return [
        SampleScore(score=Score(value=value, metadata={"kind": "permissive"}), sample_id=f"s{number}")
        for number, value in enumerate(values)
    ]


def test_metrics_take_an_empty_list_and_unscored_values() -> None:
    unscored = {"striking": nan, "similarity": nan, "license_correct": nan}
    for scores in ([], values_of(unscored, unscored)):
        found = lico_score()(scores)
        assert isnan(found["lico"]) and found["answers"] == 0
    for scores in ([], [SampleScore(score=Score(value=nan))]):
        found = rate()(scores)
        assert isnan(found["share"]) and found["n"] == 0
    copied = {"striking": 1.0, "similarity": 1.0, "license_correct": 0.0}
    found = lico_score()(values_of(unscored, copied))
    assert (found["answers"], found["lico"], found["lico_low"]) == (1, pytest.approx(4 / 7), 0)


@pytest.mark.parametrize(
    ("wrong", "mend"),
    [
        ({"mode": "both"}, "mode corrected or paper"),
        ({"style": "prose"}, "style auto, chat or completion"),
        ({"benchmark": "/no/such/folder"}, "cleartitle benchmark build"),
    ],
)
def test_wrong_arguments_of_the_task_are_one_line_with_the_mend(
    benchmark: Path, wrong: dict[str, Any], mend: str
) -> None:
    with pytest.raises(PrerequisiteError) as raised:
        licoeval(**{"benchmark": str(benchmark), **wrong})
    message = str(raised.value.message)
    assert "mend: " in message and mend in message and "\n" not in message
