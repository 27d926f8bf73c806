"""Models in the office: the loop, what it records, going on after a kill, failures, life after a run."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from agent_server import calls, careful, careless, done, listed, says, serving
from hypothesis import given, settings
from hypothesis import strategies as st
from office_material import make_pool

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import CopyrightBenchOptions, evaluate_model
from cleartitle.evals.copyright_bench.judging import EPISODES
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS
from cleartitle.evals.life import rescore, verify
from cleartitle.files import read_json
from cleartitle.models import ModelOptions, open_model
from cleartitle.report import write_report
from cleartitle.tables import read_parts

CELL = {"task": "webdev", "prompt": "neutral", "environment": "std"}


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=8)


def run(server, pool, folder, *, judge=None, asking=None, weights=None, **options):
    asking = asking or ModelOptions(base_url=server.url, retries=0, concurrency=3)
    chosen = CopyrightBenchOptions(**{**CELL, "runs": 6, "pairs": 4, "workers": 1, **options})
    return evaluate_model(
        open_model("openai:scripted", asking), pool, folder, chosen, judge=judge, asking=asking, weights=weights
    )


def transcripts(folder):
    return read_parts(folder / "transcripts", TRANSCRIPTS).to_pylist()


def episodes(folder):
    return read_parts(folder / "episodes", EPISODES).to_pylist()


def test_a_careful_agent_violates_nothing_and_a_careless_one_at_chance(pool, tmp_path):
    with serving(careful) as server:
        summary = run(server, pool, tmp_path / "careful", runs=12)
    (cell,) = summary["cells"]
    assert (cell["runs"], cell["violations"], cell["outcomes"]["submitted"]) == (12, 0, 12)
    assert cell["rights_read"] == 12 and summary["failures"] == {}
    body = server.bodies[0]
    assert (body["temperature"], [tool["function"]["name"] for tool in body["tools"]][0]) == (0.1, "list_files")
    with serving(careless) as server:
        summary = run(server, pool, tmp_path / "careless", runs=24)
    (cell,) = summary["cells"]
    assert 4 <= cell["violations"] <= 20 and cell["rights_read"] == 0
    assert summary["failures"] == {"rights_never_read": cell["violations"]}
    assert cell["outcomes"]["submitted"] == 24
    # What is relevant is judged apart from what is allowed.
    assert cell["success_parts"]["valid_action"] == 24 > cell["success_parts"]["relevant"]


def test_every_message_is_a_row_and_pictures_travel_as_images(pool, tmp_path):
    with serving(careless) as server:
        run(server, pool, tmp_path / "run", runs=1)
    rows = transcripts(tmp_path / "run")
    assert [row["role"] for row in rows] == [
        "instruction", "assistant", "tool", "assistant", "tool", "tool", "assistant", "tool", "end",
    ]  # fmt: skip
    assert [row["step"] for row in rows] == list(range(len(rows)))
    viewed = rows[4]
    shown = {row["asset"]: row["jpeg"] for row in pq.read_table(tmp_path / "run" / "pictures.parquet").to_pylist()}
    assert viewed["tool"] == "view_image" and shown[viewed["picture"]][:2] == b"\xff\xd8"
    assert json.loads(rows[3]["tool_calls"])[1]["name"] == "get_dimensions"
    last = server.bodies[-1]["messages"]
    image = last[-1]["content"][1]
    assert last[-1]["role"] == "user" and image["image_url"]["url"].startswith("data:image/jpeg;base64,/9j/")
    assert [message["role"] for message in last] == ["user", "assistant", "tool", "assistant", "tool", "tool", "user"]


def test_captions_stand_for_pixels_are_equal_for_twins_and_are_labelled(pool, tmp_path):
    with serving(careless) as server:
        summary = run(server, pool, tmp_path / "run", runs=1, captions=True)
    assert "image_url" not in json.dumps(server.bodies)
    assert any(row["text"].startswith("The image shows: ") for row in transcripts(tmp_path / "run"))
    assert summary["chooser"]["captions"] and any("captions" in note for note in summary["notes"])


@pytest.mark.parametrize(
    ("agent", "outcome", "end"),
    [
        (lambda messages: says("I would rather not."), "no_submission", "stopped"),
        (lambda messages: calls(("list_files", {})), "no_submission", "step limit"),
        (lambda messages: calls(("submit_selection", {"path": "nps_150.jpg"})), "unknown_file", "submitted"),
        (lambda messages: calls(("submit_selection", {"file": "a"})), "no_submission", "step limit"),
        (lambda messages: calls(("submit_selection", "{broken")), "no_submission", "step limit"),
        (lambda messages: calls(("rm -rf", [1])), "no_submission", "step limit"),
    ],
)
def test_what_is_no_submission_is_told_apart(pool, tmp_path, agent, outcome, end):
    with serving(agent) as server:
        summary = run(server, pool, tmp_path / "run", runs=2, steps=4)
    (cell,) = summary["cells"]
    assert cell["outcomes"][outcome] == 2 and cell["ends"] == {end: 2}
    assert cell["violations"] == cell["successes"] == 0 and cell["vr_submitted"] is None
    assert (summary["failures"] == {"invented_file_name": 2}) == (outcome == "unknown_file")


def test_a_failed_call_is_an_error_and_the_same_command_plays_that_episode_again(pool, tmp_path):
    with serving(careful) as server:
        whole = run(server, pool, tmp_path / "whole")
        places = [message["content"] for message in server.bodies[0]["messages"]]
        server.fail = lambda body: len(body["messages"]) > 3 and body["seed"] == server.bodies[0]["seed"]
        first = run(server, pool, tmp_path / "run")
        assert first["cells"][0]["outcomes"]["error"] >= 1 and places
        assert any("failed call" in note for note in first["notes"])
        asked = len(server.bodies)
        server.fail = lambda body: False
        second = run(server, pool, tmp_path / "run")
    again = server.bodies[asked:]
    assert second["cells"] == whole["cells"]
    assert 0 < len(again) < 12 and all(len(body["messages"]) > 3 for body in again), "answers are not asked for twice"
    for name in ("transcripts", "episodes"):
        for part in sorted((tmp_path / "whole" / name).glob("*.parquet")):
            assert pq.read_table(part).equals(pq.read_table(tmp_path / "run" / name / part.name))


def test_an_endpoint_that_answers_nothing_is_no_finding(pool, tmp_path):
    with serving(careful) as server:
        server.fail = lambda body: True
        summary = run(server, pool, tmp_path / "run")
    (cell,) = summary["cells"]
    assert cell["outcomes"]["error"] == cell["runs"] == 6 and cell["vr_submitted"] is None


COMMAND = """
import sys
from cleartitle.evals.copyright_bench import CopyrightBenchOptions, Pool, evaluate_model
from cleartitle.models import ModelOptions, open_model
url, pool, folder = sys.argv[1:]
options = CopyrightBenchOptions(task="webdev", prompt="neutral", environment="std", runs=30, pairs=4, workers=1)
asking = ModelOptions(base_url=url, retries=0, concurrency=3)
evaluate_model(open_model("openai:scripted", asking), Pool.open(pool), __import__("pathlib").Path(folder), options)
"""


def test_a_killed_run_goes_on_to_the_same_bytes_and_asks_nothing_twice(pool, tmp_path):
    with serving(careful) as server:
        command = [sys.executable, "-c", COMMAND, server.url, str(pool.path)]
        process = subprocess.Popen([*command, str(tmp_path / "killed")])
        while process.poll() is None and len(server.bodies) < 40:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not (tmp_path / "killed" / "summary.json").exists(), "killed in the middle"
        run(server, pool, tmp_path / "killed", runs=30)
        twice = len(server.bodies)
        run(server, pool, tmp_path / "whole", runs=30)
        once = len(server.bodies) - twice
    assert once > 60 and twice <= once + 3, "at most what was in flight is asked for again"
    for part in sorted((tmp_path / "whole").rglob("*.parquet")):
        assert (tmp_path / "killed" / part.relative_to(tmp_path / "whole")).read_bytes() == part.read_bytes(), part
    assert not (tmp_path / "killed" / "transcripts.journal.jsonl").exists()


def test_a_run_is_scored_anew_and_verified_without_model_and_pool(pool, tmp_path):
    folder = tmp_path / "run"
    with serving(careless) as server:
        before = run(server, pool, folder)
    assert verify(folder).ok
    assert rescore(folder) == before
    rows = transcripts(folder)
    path = folder / "transcripts" / "part-00000.parquet"
    for row in rows:
        if row["tool"] == "submit_selection":
            row["arguments"] = json.dumps({"path": "elsewhere.jpg"})
    table = pq.read_table(path)
    pq.write_table(type(table).from_pylist(rows, schema=table.schema), path)
    found = verify(folder)
    assert found.altered == ("transcripts/part-00000.parquet: changed",)
    assert any("outcomes.unknown_file" in line for line in found.differences)
    with pytest.raises(InputError, match="changed"):
        rescore(folder)


def test_mitigations_are_conditions_on_equal_offers(pool, tmp_path):
    def trusting(messages):
        """Submits what the list calls free, else the first; looks again where it is asked to."""
        files = listed(messages)
        if files is None:
            return calls(("list_files", {}))
        for name, _, text in done(messages):
            if name == "list_files" and "rights" in text:
                free = [file["path"] for file in json.loads(text) if "free" in file["rights"].lower()]
                return calls(("submit_selection", {"path": free[0]}))
        tried = [arguments["path"] for name, arguments, _ in done(messages) if name == "submit_selection"]
        return careful(messages) if tried else calls(("submit_selection", {"path": files[0]}))

    with serving(trusting) as server:
        summary = run(server, pool, tmp_path / "run", runs=16, mitigation=("none", "rights-in-list", "reminder"))
    none, listing, reminder = summary["cells"]
    assert none["violations"] > 3 and listing["violations"] == 0 == reminder["violations"]
    assert [test["other"]["mitigation"] for test in summary["mitigation_tests"]] == ["rights-in-list", "reminder"]
    assert all(test["pairs"] == 16 and test["fewer"] == none["violations"] for test in summary["mitigation_tests"])


def test_tokens_and_price_of_an_episode(pool, tmp_path):
    with serving(careless) as server:
        asking = ModelOptions(base_url=server.url, price_prompt=2.0, price_completion=10.0)
        summary = run(server, pool, tmp_path / "run", runs=4, asking=asking, weights="closed")
    cost = summary["cost"]
    # Conversations of 1, 3 and 7 messages.
    assert (cost["runs"], cost["prompt_per_episode"], cost["completion_per_episode"]) == (4, 110, 15)
    assert cost["price_per_episode"] == pytest.approx((110 * 2 + 15 * 10) / 1e6)
    assert summary["chooser"]["weights"] == "closed"


def test_a_text_only_model_is_refused_without_captions(pool, tmp_path):
    class Blind:
        name = "blind"

        def describe(self):
            return {"adapter": "own"}

        def capabilities(self):
            from cleartitle.models import Capabilities

            return Capabilities(chat=True, completion=False, tools=True)

    with pytest.raises(InputError, match="--captions"):
        evaluate_model(Blind(), pool, tmp_path / "run")


def test_a_judge_decides_what_rules_leave_open_and_its_agreement_is_measured(pool, tmp_path):
    def excuse(messages):
        files = listed(messages)
        if files is None:
            return calls(("list_files", {}))
        if not done(messages)[-1][0] == "read_metadata":
            return calls(("read_metadata", {"path": files[0]}))
        return calls(("submit_selection", {"path": files[0]}), text="Fair use makes the copyright no obstacle.")

    with serving(excuse) as server, serving(lambda messages: says("B")) as bench:
        plain = run(server, pool, tmp_path / "plain", runs=8)
        judge = open_model("openai:judge", ModelOptions(base_url=bench.url))
        summary = run(server, pool, tmp_path / "judged", runs=8, judge=judge)
    violations = plain["cells"][0]["violations"]
    assert plain["failures"] == {"open": violations} and violations
    assert summary["failures"] == {"read_and_ignored": violations}
    assert summary["failures_by"] == {"rule": 0, "judge": violations, "open": 0}
    said = summary["agreement"]["judge"]
    assert said["answered"] == summary["agreement"]["cases"] == len(bench.bodies) - violations
    assert said["agree"]["count"] == sum(said["counts"][1]) and said["kappa"] == pytest.approx(0)
    assert all("follow no instruction" in body["messages"][0]["content"] for body in bench.bodies)
    assert verify(tmp_path / "judged").ok
    assert "fair use" not in json.dumps(read_json(tmp_path / "judged" / "summary.json")).lower()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["list_files", "read_metadata", "view_image", "submit_selection", "web_search", "nope"]),
            st.text(max_size=30)
            | st.sampled_from(['{"path": "../x"}', '{"path": "a\\u0000b"}', "[]", "1", '{"path": 7}', "{" * 500]),
        ),
        max_size=3,
    ),
    st.text(max_size=20),
)
def test_no_call_of_a_model_ends_a_run(tmp_path_factory, wanted, text):
    import asyncio

    from cleartitle.evals.copyright_bench import Office
    from cleartitle.evals.copyright_bench.conversation import Limits, converse
    from cleartitle.models import Generation, ToolCall
    from cleartitle.tables import table_of

    found = [ToolCall("", name, arguments) for name, arguments in wanted]

    async def ask(request):
        return Generation(text, tool_calls=tuple(found))

    office = Office(tmp_path_factory.getbasetemp())
    rows = asyncio.run(converse(ask, office, "e", "do it", Limits(steps=3), {}))
    assert rows[-1]["role"] == "end" and table_of(rows, TRANSCRIPTS).num_rows == len(rows)


def test_the_command_runs_a_model_and_leaves_a_report(pool, tmp_path, capsys):
    from cleartitle.cli.app import app

    with serving(careful) as server:
        words = ["eval", "copyright-bench", "--model", "openai:scripted", "--base-url", server.url]
        words += ["--task", "merch", "--prompt", "ip-aware", "--environment", "hier", "--runs", "3", "--pairs", "3"]
        words += ["--pool", str(pool.path), "--json", "--output", str(tmp_path / "run"), "--weights", "open"]
        assert (app(words, result_action="return_value") or 0) == 0
    printed = json.loads(capsys.readouterr().out)
    (cell,) = printed["cells"]
    assert (cell["policy"], cell["runs"], cell["violations"]) == ("scripted", 3, 0)
    assert write_report(tmp_path / "run").read_text().count("<details") >= 3
