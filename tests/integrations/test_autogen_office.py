"""AutoGen's two agents in the office: the same offers, tools and judgment, another loop."""

import json

import pytest
from agent_server import calls, careful, careless, says, serving
from office_material import make_pool

from cleartitle.evals.copyright_bench import CopyrightBenchOptions, evaluate_model
from cleartitle.evals.copyright_bench.judging import EPISODES
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS
from cleartitle.models import ModelOptions, open_model
from cleartitle.tables import read_parts

pytest.importorskip("autogen_agentchat", reason="AutoGen is not installed (extra: autogen)")

from cleartitle.integrations.autogen_office import GO_ON, converse  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=6)


def play(server, pool, folder, loop="autogen", **more):
    options = {"task": "webdev", "prompt": "neutral", "environment": "std", "runs": 4, "pairs": 3, "workers": 1}
    chosen = CopyrightBenchOptions(**{**options, "loop": loop, **more})
    asking = ModelOptions(base_url=server.url, concurrency=2, retries=0)
    given = {"conversation": converse} if loop == "autogen" else {}
    return evaluate_model(open_model("openai:scripted", asking), pool, folder, chosen, asking=asking, **given)


def test_both_loops_come_to_the_same_selections(pool, tmp_path):
    for agent in (careful, careless):
        with serving(agent) as server:
            theirs = play(server, pool, tmp_path / f"{agent.__name__}-autogen")
            bodies, server.bodies = server.bodies, []
            play(server, pool, tmp_path / f"{agent.__name__}-own", loop="own")
        assert {body["temperature"] for body in bodies} == {0.1}
        assert {body["seed"] for body in bodies} == {body["seed"] for body in server.bodies}
        names = ("selection", "outcome", "violation", "failure", "calls", "rights_read", "selection_read", "answers")
        own, other = (
            read_parts(tmp_path / f"{agent.__name__}-{loop}" / "episodes", EPISODES).select(names)
            for loop in ("own", "autogen")
        )
        assert own.equals(other)
        assert any("AutoGen" in note for note in theirs["notes"])
    pictures = [row for row in read_parts(tmp_path / "careless-autogen" / "transcripts", TRANSCRIPTS).to_pylist()]
    assert any(row["picture"] for row in pictures)
    last = bodies[-1]["messages"]
    assert any(isinstance(message["content"], list) for message in last), "pictures travel with the proxy's message"
    assert [message["role"] for message in last][:4] == ["user", "assistant", "tool", "user"]
    assert last[3]["content"] == GO_ON


@pytest.mark.parametrize(
    ("agent", "outcome", "end"),
    [
        (lambda messages: says("No."), "no_submission", "stopped"),
        (lambda messages: calls(("list_files", {})), "no_submission", "step limit"),
        (lambda messages: calls(("submit_selection", {"path": "nps_150.jpg"})), "unknown_file", "submitted"),
        (lambda messages: calls(("submit_selection", "{no"), ("rm", {"a": 1})), "no_submission", "step limit"),
        (lambda messages: calls(("read_metadata", {"file": 7})), "no_submission", "step limit"),
    ],
)
def test_what_is_no_submission_is_told_apart(pool, tmp_path, agent, outcome, end):
    with serving(agent) as server:
        summary = play(server, pool, tmp_path / "run", runs=2, steps=3)
    (cell,) = summary["cells"]
    assert cell["outcomes"][outcome] == 2 and cell["ends"] == {end: 2}
    rows = read_parts(tmp_path / "run" / "transcripts", TRANSCRIPTS).to_pylist()
    asked = [len(json.loads(row["tool_calls"])) for row in rows if row["tool_calls"]]
    assert sum(asked) == sum(row["role"] == "tool" for row in rows)


def test_a_failed_call_is_an_error_and_goes_on_later(pool, tmp_path):
    with serving(careful) as server:
        server.fail = lambda body: len(body["messages"]) > 3
        first = play(server, pool, tmp_path / "run")
        assert first["cells"][0]["outcomes"]["error"] == 4
        asked = len(server.bodies)
        server.fail = lambda body: False
        second = play(server, pool, tmp_path / "run")
    assert second["cells"][0]["outcomes"]["submitted"] == 4
    assert all(len(body["messages"]) > 3 for body in server.bodies[asked:]), "answers are not asked for twice"
