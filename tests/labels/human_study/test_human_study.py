"""People at the tasks of Copyright-Bench: consent, lots, no personal data, going on, and results beside policies."""

import json
import urllib.error
import urllib.request
from collections import Counter

import pytest
from human_study_server import PAIRS, make_pool, serving

from cleartitle.cli.app import app
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import CopyrightBenchOptions, compare_runs, evaluate_policy
from cleartitle.evals.life import rescore, verify
from cleartitle.labels.human_study import Study, StudyOptions
from cleartitle.report import write_report


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    return make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=6)


@pytest.fixture
def study(pool, tmp_path):
    study = Study(tmp_path / "study", pool, StudyOptions(pairs=PAIRS, people=20))
    yield study
    study.close()


def act(study, person, name, seconds=1.5, **arguments):
    return study.call(person, {"name": name, "arguments": arguments, "seconds": seconds})


def finish(study, person, careful=True, tasks=3):
    """Do tasks as somebody who reads the properties of files until one is free, or as somebody who takes the first."""
    for _ in range(tasks):
        view = study.view(person)
        condition, run = person.cells[person.finished]
        offer = study._desk(person).offer
        fitting = [file.path for file in offer.fitting]
        assert {file["path"] for file in view["files"]} == {file.path for file in offer.files}
        chosen = fitting[0]
        if careful:
            for path in fitting:
                if "free to use" in str(act(study, person, "read_metadata", path=path)["result"]).lower():
                    chosen = path
                    break
        act(study, person, "submit_selection", path=chosen)
    return person


def test_nobody_takes_part_without_consent_and_a_full_study_takes_nobody(pool, tmp_path):
    study = Study(tmp_path / "study", pool, StudyOptions(pairs=PAIRS, people=1))
    assert "Nothing else: no name" in study.consent
    for refused in (False, None, "yes", 1):
        with pytest.raises(InputError, match="agreed"):
            study.join(refused)
    study.join(True)
    with pytest.raises(InputError, match="full"):
        study.join(True)
    assert study.state["joined"] == 1


def test_each_person_gets_one_prompt_and_each_task_once_and_prompts_stay_in_balance(study):
    people = [study.join(True)[0] for _ in range(10)]
    for person in people:
        assert sorted(condition.task for condition, _ in person.cells) == ["merch", "pitchdeck", "webdev"]
        assert {condition.prompt for condition, _ in person.cells} == {person.prompt}
    counts = Counter(person.prompt for person in people)
    assert len(counts) == 4 and max(counts.values()) - min(counts.values()) <= 1
    assert len({tuple(condition.task for condition, _ in person.cells) for person in people}) > 1
    # No offer is made to two people.
    places = [(condition, run) for person in people for condition, run in person.cells]
    assert len(set(places)) == len(places)


def test_a_killed_study_goes_on_where_it_was_and_a_torn_line_is_dropped(study, pool):
    person, secret = study.join(True)
    finish(study, person, tasks=1)
    act(study, person, "view_image", path=study.view(person)["files"][0]["path"])
    before = study.view(person)
    with study.events.path.open("ab") as stream:
        stream.write(b'{"event": "call", "per')
    again = Study(study.folder, pool, study.options)
    same = again.person(secret)
    assert same is not None and same.id == person.id and again.invitation == study.invitation
    assert again.view(same) == before and same.finished == 1 and len(same.calls[1]) == 1
    assert again.person("another") is None and again.person("") is None
    again.close()
    with pytest.raises(InputError, match="another study"):
        Study(study.folder, pool, StudyOptions(pairs=PAIRS, people=20, seed=1))


def test_nothing_personal_is_kept(study):
    person, secret = study.join(True)
    finish(study, person)
    kept = study.events.path.read_text() + (study.folder / "study.json").read_text()
    assert secret not in kept
    keys = {key for line in study.events.path.read_text().splitlines() for key in json.loads(line)}
    assert keys == {"event", "person", "token", "prompt", "tasks", "consent", "place", "name", "arguments", "state",
                    "text", "seconds"}  # fmt: skip
    assert study.events.path.stat().st_mode & 0o077 == 0
    assert (study.folder / "study.json").stat().st_mode & 0o077 == 0


def test_results_are_a_run_beside_policies_on_equal_offers(study, pool, tmp_path):
    for number in range(8):
        finish(study, study.join(True)[0], careful=number % 2 == 0)
    summary = study.results()
    assert summary["chooser"] == {"kind": "people", "name": "people"} and len(summary["cells"]) == 12
    assert sum(cell["runs"] for cell in summary["cells"]) == 24
    careful = [cell for cell in summary["cells"] if cell["runs"] == 2]
    assert len(careful) == 12 and all(cell["successes"] == 2 for cell in careful)
    assert sum(cell["rights_read"] for cell in summary["cells"]) == 12
    results = study.folder / "results"
    assert verify(results).ok and rescore(results)["cells"] == summary["cells"]
    assert "people" in write_report(results).read_text()
    options = CopyrightBenchOptions(environment="std", runs=2, pairs=PAIRS, workers=1)
    evaluate_policy("metadata", pool, tmp_path / "metadata", options)
    table = compare_runs([results, tmp_path / "metadata"])
    assert table["episodes"] == 24 and [row["name"] for row in table["ranking"]][0] == "metadata"
    assert table["ranking"][1]["kind"] == "people"
    # More people later: the run is written anew.
    finish(study, study.join(True)[0])
    assert sum(cell["runs"] for cell in study.results()["cells"]) == 27


def test_who_withdraws_is_left_out(study):
    stays, leaves = (finish(study, study.join(True)[0]) for _ in range(2))
    assert study.results()["chooser"]["name"] == "people"
    view = study.withdraw(leaves)
    assert view["task"] is None and view["withdrawn"]
    assert sum(cell["runs"] for cell in study.results()["cells"]) == 3
    with pytest.raises(InputError, match="no task left"):
        act(study, leaves, "list_files")
    study.withdraw(stays)
    with pytest.raises(InputError, match="nobody has finished"):
        study.results()


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"name": "list_files", "arguments": [], "seconds": 1},
        {"name": "list_files", "arguments": {}, "seconds": float("nan")},
        {"name": "rm", "arguments": {}, "seconds": 1},
        {"name": "view_image", "arguments": {"path": "../../pool.json"}, "seconds": 1},
        {"name": "view_image", "arguments": {"path": "x" * 9000}, "seconds": 1},
        {"name": "submit_selection", "arguments": {"path": "nps_150.jpg"}, "seconds": 1},
        {"name": "submit_selection", "arguments": {}, "seconds": 1},
        {"name": "web_search", "arguments": {"query": "x"}, "seconds": 1},
    ],
)
def test_wrong_calls_are_refused_and_the_task_goes_on(study, person_of, given):
    with pytest.raises(InputError) as caught:
        study.call(person_of, given)
    assert "\n" not in str(caught.value)
    assert finish(study, person_of, tasks=1).finished == 1


@pytest.fixture
def person_of(study):
    return study.join(True)[0]


def test_a_damaged_or_foreign_folder_is_refused(pool, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not a study"):
        Study(tmp_path / "full", pool, StudyOptions(pairs=PAIRS))
    study = Study(tmp_path / "study", pool, StudyOptions(pairs=PAIRS))
    study.events.path.write_bytes(b"not json\n")
    with pytest.raises(InputError, match="line 1 is no event"):
        Study(tmp_path / "study", pool, StudyOptions(pairs=PAIRS))
    (tmp_path / "consent.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read as text"):
        Study(tmp_path / "other", pool, StudyOptions(pairs=PAIRS, consent=tmp_path / "consent.txt"))


def request(server, path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(f"http://127.0.0.1:{server.server_port}{path}", data)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        asked.add_header(name.replace("_", "-"), value)
    try:
        with urllib.request.urlopen(asked, timeout=10) as reply:
            return reply.status, reply.read().decode(), reply.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers


def test_the_server_asks_for_the_invitation_and_for_the_secret_and_for_its_own_page(study):
    with serving(study) as server:
        status, text, headers = request(server, "/")
        assert (
            status == 200
            and study.invitation not in text
            and "default-src 'none'" in headers["Content-Security-Policy"]
        )
        assert server.address == f"http://127.0.0.1:{server.server_port}/#join={study.invitation}"
        assert request(server, "/join", {"invitation": "wrong", "agreed": True})[0] == 403
        assert request(server, "/join", {"invitation": study.invitation, "agreed": "x"})[0] == 422
        status, text, _ = request(server, "/join", {"invitation": study.invitation, "agreed": True})
        secret = json.loads(text)["secret"]
        assert status == 200 and request(server, "/task")[0] == 403
        assert request(server, "/task", X_Study_Token="guess")[0] == 403
        assert request(server, "/task", X_Study_Token=secret, Host="evil.example")[0] == 403
        assert request(server, "/task", X_Study_Token=secret, Origin="http://evil.example")[0] == 403
        status, text, _ = request(server, "/task", X_Study_Token=secret)
        assert status == 200 and len(json.loads(text)["files"]) == 2 * PAIRS
        for path in ("/../study.json", "/events.jsonl", "/results"):
            assert request(server, path)[0] == 404
        assert request(server, "/call", {"name": "list_files"}, X_Study_Token=secret)[0] == 422


def test_a_proxy_may_show_the_page_under_its_own_name(pool, tmp_path):
    study = Study(tmp_path / "study", pool, StudyOptions(pairs=PAIRS, origin="https://study.example/"))
    with serving(study) as server:
        assert server.address.startswith("https://study.example/#join=")
        assert request(server, "/consent", Host="study.example", Origin="https://study.example")[0] == 200
        assert request(server, "/consent", Host="study.example", Origin="https://evil.example")[0] == 403
    study.close()


def test_the_command_writes_results(study, pool, capsys):
    finish(study, study.join(True)[0])
    words = ["human-study", "results", "-o", str(study.folder), "--pool", str(pool.path)]
    words += ["--pairs", str(PAIRS), "--people", "20", "--json"]
    assert (app(words, result_action="return_value") or 0) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["study"]["finished"] == 1 and len(printed["cells"]) == 3
    assert (study.folder / "results" / "report.html").is_file()
