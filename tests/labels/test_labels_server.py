"""The server over HTTP, in this process and in one that is killed."""

import socket
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from label_runs import Caller, Page

from cleartitle.errors import InputError
from cleartitle.labels import LabelOptions, LabelServer, label, read_labels


@pytest.fixture
def server(judged_run: Path, tmp_path: Path) -> Iterator[LabelServer]:
    options = LabelOptions(limit=6)
    with label(judged_run, ("ann", "bob"), output=tmp_path, options=options) as opened:
        thread = Thread(target=opened.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def test_each_rater_answers_apart_and_the_end_ends_the_server(server: LabelServer, tmp_path: Path) -> None:
    for name, address in server.addresses.items():
        caller = Caller(address)
        status, view = caller.call("/item")
        while view["position"] is not None:
            status, view = caller.answer(view["position"], "copied" if name == "ann" else "unsure", comment='ä, "b"')
            assert status == 200
        assert view["answered"] == view["total"] == 7
        assert caller.call("/finish", {}) == (200, {"answered": 7, "total": 7})
    labels = read_labels(tmp_path / "striking-bob.csv")
    assert {one.answer for one in labels} == {"unsure"} and {one.comment for one in labels} == {'ä, "b"'}
    assert all(one.seconds == 1.5 and one.question_version == "copied/1" for one in labels)
    assert len({one.item_id for one in read_labels(tmp_path / "striking-ann.csv")}) == 7


def test_no_request_without_token_host_and_origin(server: LabelServer) -> None:
    caller = Caller(server.addresses["ann"])
    assert caller.call("/item")[0] == 200
    port = server.server_port
    for headers in (
        {"X-Label-Token": ""},
        {"X-Label-Token": "A" * 24},
        {"X-Label-Token": "\xe4"},
        {"Host": "evil.example"},
        {"Host": f"evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://127.0.0.1:{port}"},
    ):
        assert caller.call("/item", **headers)[0] == 403, headers
        assert caller.call("/answer", {"position": 0}, **headers)[0] == 403, headers
    assert caller.call("/item", Origin=f"http://127.0.0.1:{port}", Host=f"localhost:{port}")[0] == 200
    assert caller.call("/")[0] == 403, "the page needs the token in its address"
    assert caller.call("/other")[0] == 404
    assert caller.call("/other", {})[0] == 404


def test_the_page_carries_its_policy_and_no_item(server: LabelServer) -> None:
    with urllib.request.urlopen(server.addresses["ann"], timeout=20) as answer:
        text, headers = answer.read().decode(), answer.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    token = server.addresses["ann"].partition("token=")[2]
    assert token not in text and "swh:" not in text and "//" not in text.replace("// ", "").replace("<!", "")


def test_bodies_that_are_no_answer_are_refused(server: LabelServer) -> None:
    caller = Caller(server.addresses["ann"])
    for body in (b"", b"[1]", b"{", b'"text"', b"[" * 60_000, b"\xff", b"x" * 70_000):
        assert caller.call("/answer", body)[0] == 400, body[:10]
    assert caller.call("/answer", {"position": 0}, **{"Content-Type": "text/plain"})[0] == 400
    assert caller.call("/answer", {})[0] == 422
    status, found = caller.call(
        "/answer", {"position": 0, "choice": "copied", "detail": "", "comment": "", "seconds": 1}
    )
    assert status == 422 and found["error"] == "this item was not shown yet"
    assert caller.call("/item?position=999")[0] == 422
    assert caller.call("/item?position=x" + "&a=1" * 100)[0] == 200


def test_a_client_that_says_nothing_sensible_harms_no_one(server: LabelServer) -> None:
    for words in (b"\x00\xff\r\n\r\n", b"GET /" + b"a" * 70_000, b"POST /answer HTTP/1.1\r\nContent-Length: 5\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as stream:
            stream.sendall(words)
    assert Caller(server.addresses["bob"]).call("/item")[0] == 200


def test_a_second_server_on_the_same_labels_or_port_is_refused(
    server: LabelServer, judged_run: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="another run is writing here"), label(judged_run, output=tmp_path):
        pass
    taken = LabelOptions(port=server.server_port)
    with (
        pytest.raises(InputError, match="choose another --port"),
        label(judged_run, output=tmp_path / "b", options=taken),
    ):
        pass


def test_names_of_raters_are_checked(judged_run: Path, tmp_path: Path) -> None:
    for names in (("../x",), ("",), ("a", "a"), ()):
        with pytest.raises(InputError, match="mend"), label(judged_run, names, output=tmp_path):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_killed_server_goes_on_with_every_answer(
    judged_run: Path, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    words = (str(judged_run), "--rater", "ann", "--rater", "bob", "--limit", "6", "--output", "labels")
    first = open_page(*words)
    caller = Caller(first.addresses["ann"])
    for position in (0, 1, 2):
        assert caller.answer(position, "copied")[0] == 200
    first.kill()
    torn = tmp_path / "labels" / "striking-ann.csv"
    torn.write_bytes(torn.read_bytes() + b"swh:1:cnt:torn,strik")
    again = open_page(*words)
    caller = Caller(again.addresses["ann"])
    view = caller.call("/item")[1]
    assert (view["position"], view["answered"]) == (3, 3)
    assert caller.call("/item?position=1")[1]["given"]["choice"] == "copied"
    while view["position"] is not None:
        view = caller.answer(view["position"], "independent")[1]
    caller.call("/finish", {})
    Caller(again.addresses["bob"]).call("/finish", {})
    assert again.wait().splitlines() == [
        "labels/striking-ann.csv: 7 of 7 answered",
        "labels/striking-bob.csv: 0 of 7 answered",
    ]
    assert [one.answer for one in read_labels(torn)] == ["copied"] * 3 + ["independent"] * 4
