"""Copyright-Bench as an Inspect AI task: the same rows and figures as our own runs, from the same answers."""

import gc
from importlib.metadata import entry_points

import pytest
from agent_server import calls, careful, careless, says, serving
from office_material import make_pool

from cleartitle.evals.copyright_bench import CopyrightBenchOptions, evaluate_model
from cleartitle.evals.copyright_bench.judging import EPISODES
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS
from cleartitle.models import ModelOptions, open_model
from cleartitle.tables import read_parts

inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (extra: inspect)")

from inspect_ai import eval  # noqa: A004, E402
from inspect_ai._util.error import PrerequisiteError  # noqa: E402
from inspect_ai.model import get_model  # noqa: E402

from cleartitle.integrations.inspect_copyright_bench import copyright_bench, office_rates  # noqa: E402

# Inspect uses what its own dependencies deprecate, and leaves its streams open when it ends.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
GIVEN = {"task": "webdev", "prompt": "neutral", "environment": "std", "runs": 5, "pairs": 4}


@pytest.fixture(autouse=True)
def _streams_are_dropped_here():
    yield
    gc.collect()


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=6)


def mixed(messages):
    """Careful where the wish is neutral, careless where it is not, and lost for words now and then."""
    asked = messages[0]["content"]
    if "Pick whatever" in asked:
        return says("No.") if len(messages) > 2 else calls(("submit_selection", "{no"))
    return careless(messages) if "purpose" in asked else careful(messages)


def by_inspect(server, pool, folder, **more):
    model = get_model("openai-api/local/scripted", base_url=server.url, api_key="none", memoize=False)
    task = copyright_bench(pool=str(pool.path), **GIVEN, **more)
    (log,) = eval(task, model=model, log_dir=str(folder), display="none", max_connections=1, max_samples=1)
    assert log.status == "success", log.error
    return log


def test_inspect_our_own_loop_and_a_replayed_log_give_the_same_rows(pool, tmp_path):
    options = CopyrightBenchOptions(**GIVEN, workers=1)
    with serving(mixed) as server:
        log = by_inspect(server, pool, tmp_path / "logs")
        theirs, server.bodies = server.bodies, []
        own = evaluate_model(
            open_model("openai:scripted", ModelOptions(base_url=server.url, concurrency=1)),
            pool,
            tmp_path / "own",
            options,
        )
    assert [body["temperature"] for body in theirs] == [0.1] * len(theirs)
    assert sorted(body["seed"] for body in theirs) == sorted(body["seed"] for body in server.bodies)
    replayed = evaluate_model(open_model(f"replay:{log.location}"), pool, tmp_path / "replayed", options)
    rows = {name: read_parts(tmp_path / name / "transcripts", TRANSCRIPTS).to_pylist() for name in ("own", "replayed")}
    for row in [*rows["own"], *rows["replayed"]]:
        row.pop("finish_reason")
        # Inspect keeps arguments as an object, so that none are an empty one.
        row["arguments"] = "{}" if row["arguments"] == "" else row["arguments"]
        row["tool_calls"] = (row["tool_calls"] or "").replace('"arguments": ""', '"arguments": "{}"')
        # Of arguments that are no JSON Inspect keeps its own reason only.
        if row["state"] == "error" or "{no" in str(row["tool_calls"]) or "Error parsing" in str(row["tool_calls"]):
            row["arguments"] = row["tool_calls"] = None
    assert rows["own"] == rows["replayed"]
    judged = [read_parts(tmp_path / name / "episodes", EPISODES).drop_columns("policy") for name in ("own", "replayed")]
    assert judged[0].equals(judged[1])
    (mine,), (there,) = own["cells"], replayed["cells"]
    assert {**mine, "policy": ""} == {**there, "policy": ""}
    assert mine["outcomes"]["no_submission"] > 0 < mine["outcomes"]["submitted"]
    shown = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
    assert shown["vr"] == mine["vr"] and shown["tsr"] == mine["tsr"] and shown["runs"] == 5
    assert shown["no_submission"] == mine["outcomes"]["no_submission"] and shown["chance"] == 0.5
    assert [shown["vr_low"], shown["vr_high"]] == pytest.approx(mine["vr_interval"])


def test_the_log_shows_the_conversation_with_tools_and_pictures(pool, tmp_path):
    with serving(careless) as server:
        log = by_inspect(server, pool, tmp_path / "logs", mitigation="reminder", steps=6)
    sample = log.samples[0]
    assert [message.role for message in sample.messages][:4] == ["user", "assistant", "tool", "assistant"]
    kinds = [part.type for message in sample.messages if isinstance(message.content, list) for part in message.content]
    assert "image" in kinds
    (score,) = sample.scores.values()
    assert (
        score.metadata["episode"]["mitigation"] == "reminder" and score.answer == score.metadata["episode"]["selection"]
    )
    with serving(careless) as server:
        by_inspect(server, pool, tmp_path / "more", captions=True, steps=2)
        assert not any("image_url" in str(body) for body in server.bodies)


def test_metrics_take_what_inspect_gives_them_under_way():
    found = office_rates()([])
    assert found["runs"] == 0 and found["vr"] != found["vr"]


@pytest.mark.parametrize(
    "wrong", [{"prompt": "rude"}, {"mitigation": "prayer"}, {"pool": "/nowhere"}, {"runs": 0}, {"environment": "sea"}]
)
def test_wrong_arguments_are_one_line(pool, wrong):
    with pytest.raises(PrerequisiteError) as caught:
        copyright_bench(**{"pool": str(pool.path), **wrong})
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(
    not any(point.name == "cleartitle" for point in entry_points(group="inspect_ai")),
    reason="this installation has no entry point for Inspect; install the package again",
)
def test_inspect_finds_the_task_by_its_name():
    (entry,) = [one for one in entry_points(group="inspect_ai") if one.name == "cleartitle"]
    assert entry.load().copyright_bench is copyright_bench
