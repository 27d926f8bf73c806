"""The life of a service: tokens, limits, a new index under load, search processes that die, its end."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from serving import COMMAND, Service, until
from trace_material import function, make_corpus, module

from cleartitle.errors import InputError
from cleartitle.serve import ServeOptions
from cleartitle.serve.options import TOKEN_VARIABLE, is_loopback, read_token
from cleartitle.serve.server import bound_socket
from cleartitle.trace import IndexOptions, build_index

TOKEN = "correct-horse-battery-staple"
SLOW = "\n".join(function(seed) for seed in range(100_000, 100_200))
"""A text whose search takes some tenths of a second."""


def wrong_use(*words: str) -> str:
    done = subprocess.run([*COMMAND, "serve", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "Traceback" not in done.stderr and done.stdout == "", done.stderr
    return " ".join(done.stderr.split())


def test_wrong_use_is_one_line(tmp_path: Path, served_index: Path) -> None:
    assert "not an index; mend" in wrong_use(str(tmp_path), "--port", "0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "choose another --port" in wrong_use(str(served_index), "--port", str(taken.getsockname()[1]))


def test_only_loopback_addresses_do_without_a_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.0.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.example", "127.0.0.1.example", "")))
    (tmp_path / "token").write_text(f"{TOKEN}\nmore\n")
    assert read_token(ServeOptions(host="::", token_file=tmp_path / "token")) == TOKEN
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert read_token(ServeOptions()) == TOKEN and TOKEN_VARIABLE not in os.environ
    assert read_token(ServeOptions()) is None
    with pytest.raises(InputError, match="others reach this address; mend"):
        read_token(ServeOptions(host="0.0.0.0"))
    monkeypatch.setenv(TOKEN_VARIABLE, "sesame")
    with pytest.raises(InputError, match="at least 16 signs") as short:
        read_token(ServeOptions(host="0.0.0.0"))
    assert "sesame" not in str(short.value)
    (tmp_path / "token").write_text("with blanks in between\n")
    with pytest.raises(InputError, match="no blanks"):
        read_token(ServeOptions(token_file=tmp_path / "token"))


def test_a_token_is_asked_for_compared_and_never_told(served_index: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n")
    service = Service(served_index, "--host", "0.0.0.0", "--token-file", str(tmp_path / "token"), "--no-excerpts")
    try:
        for given in (
            None,
            "",
            "Bearer",
            f"Bearer {TOKEN}x",
            f"Bearer {TOKEN[:-1]}",
            f"Basic {TOKEN}",
            TOKEN,
            "Bearer é",
        ):
            for method, path in (("POST", "/v1/trace"), ("GET", "/metrics"), ("GET", "/nowhere")):
                headers = {} if given is None else {"Authorization": given}
                status, answer, _ = service.ask(method, path, {"text": "a"}, headers)
                assert (status, answer.get("www-authenticate")) == (401, "Bearer"), given
        for path in ("/", "/health", "/openapi.json"):
            assert service.ask("GET", path)[0] == 200
        good = {"Authorization": f"bearer {TOKEN}", "Host": "public.example", "Origin": "https://public.example"}
        status, _, body = service.ask("POST", "/v1/trace", {"text": function(101), "excerpts": True}, good)
        assert status == 200 and json.loads(body)["results"][0]["matches"][0]["excerpt"] is None
        document = json.loads(service.ask("GET", "/openapi.json")[2])
        assert document["paths"]["/v1/trace"]["post"]["security"] == [{"token": []}]
        assert service.events("not_encrypted")
        for pid in service.workers():
            assert TOKEN.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
    finally:
        assert service.end() == 0
    assert TOKEN not in "".join(service.log)


def statuses(service: Service, count: int, **question: Any) -> list[int]:
    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(lambda _: service.ask("POST", "/v1/trace", question), range(count)))
    for status, headers, body in answers:
        assert (status == 200) or (int(headers["retry-after"]) >= 1 and "error" in json.loads(body))
    return [status for status, _, _ in answers]


def test_more_than_it_bears_is_refused_and_told_when_to_come_back(served_index: Path) -> None:
    service = Service(served_index, "--per-client", "2")
    try:
        found = statuses(service, 8, text=SLOW)
        assert found.count(200) >= 2 and set(found) == {200, 429}
        assert service.metric('cleartitle_refused_total{reason="client"}') == found.count(429)
        assert service.metric("cleartitle_requests_in_flight") == 0
        assert statuses(service, 1, text="a") == [200]
    finally:
        assert service.end() == 0
    service = Service(served_index, "--requests", "3")
    try:
        found = statuses(service, 8, text=SLOW)
        assert found.count(200) >= 3 and set(found) == {200, 503}
    finally:
        assert service.end() == 0


def test_a_search_that_takes_too_long_is_ended_and_others_go_on(served_index: Path) -> None:
    service = Service(served_index, "--seconds", "0.4")
    try:
        first = service.workers()
        assert statuses(service, 1, texts=[SLOW * 4] * 2) == [503]
        until(lambda: len(service.events("worker_started")) == 1)
        assert not set(first) & set(service.workers()) and len(service.workers()) == 1
        assert service.trace(text=function(101))[0]["state"] == "matches"
        assert service.metric('cleartitle_refused_total{reason="time"}') == 1
    finally:
        assert service.end() == 0


def test_a_search_process_that_is_killed_is_replaced(served_index: Path) -> None:
    service = Service(served_index, workers=2)
    try:
        killed = service.workers()
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        until(lambda: len(service.events("worker_ended")) == 2)
        status, headers, body = service.ask("GET", "/health")
        assert (status, json.loads(body)["status"], headers["retry-after"]) == (503, "unavailable", "5")
        # A question that comes meanwhile waits for the new ones.
        assert service.trace(text=function(101))[0]["state"] == "matches"
        until(lambda: json.loads(service.ask("GET", "/health")[2])["workers"] == 2)
        # Signals that reach the whole group of processes end the service, not its searches.
        for pid in service.workers():
            os.kill(pid, signal.SIGTERM)
            os.kill(pid, signal.SIGINT)
        assert service.trace(text=function(101))[0]["state"] == "matches"
    finally:
        assert service.end() == 0


def test_a_new_index_takes_over_without_a_failed_request(tmp_path: Path) -> None:
    index, options = tmp_path / "index", IndexOptions(workers=1)
    build_index([make_corpus(tmp_path, {"a/a.py": module(1)}, "one")], index, options)
    service = Service(index, workers=2)
    ended = threading.Event()
    seen: list[list[tuple[int, tuple[str, str]]]] = [[] for _ in range(4)]

    def load(mine: list[Any]) -> None:
        while not ended.is_set():
            status, _, body = service.ask("POST", "/v1/trace", {"texts": [function(101), function(201)]})
            results = json.loads(body)["results"] if status == 200 else []
            mine.append((status, tuple(result["state"] for result in results)))
            time.sleep(0.02)

    threads = [threading.Thread(target=load, args=(mine,)) for mine in seen]
    try:
        [thread.start() for thread in threads]
        before = json.loads(service.ask("GET", "/health")[2])["index"]
        build_index([make_corpus(tmp_path, {"b/b.py": module(2)}, "two")], index, options)
        until(lambda: len(service.events("index_changed")) == 1)
        after = json.loads(service.ask("GET", "/health")[2])["index"]
        # A damaged index is refused, and the one before goes on.
        whole = (index / "index.json").read_bytes()
        (index / "index.json").write_bytes(whole[: len(whole) // 2])
        until(lambda: len(service.events("index_refused")) >= 1)
        assert json.loads(service.ask("GET", "/health")[2])["index"] == after
        until(lambda: len(service.workers()) == 2)
        ended.set()
        [thread.join() for thread in threads]
    finally:
        ended.set()
        assert service.end() == 0
    assert before["documents"] == 1 and after["documents"] == 2 and before["key"] != after["key"]
    answers = [answer for mine in seen for answer in mine]
    assert {status for status, _ in answers} == {200} and len(answers) > 50
    # A batch is searched for in one state of the index, and once the new one answered the old one does no more.
    assert {states for _, states in answers} == {("matches", "none"), ("matches", "matches")}
    for mine in seen:
        both = [states == ("matches", "matches") for _, states in mine]
        assert both == sorted(both)
    assert service.events("index_refused")[0]["problem"].endswith(")")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_an_end_waits_for_the_requests_in_flight(served_index: Path, sign: int) -> None:
    service = Service(served_index)
    workers = service.workers()
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.extend(statuses(service, 3, texts=[SLOW] * 2)))
    thread.start()
    until(lambda: service.metric("cleartitle_requests_in_flight") == 3)
    start = time.monotonic()
    assert service.end(sign) == 0
    thread.join()
    assert found == [200, 200, 200] and time.monotonic() - start < 20
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    with pytest.raises(ConnectionRefusedError):
        service.ask("GET", "/health")


def test_search_processes_end_with_a_service_that_is_killed(served_index: Path) -> None:
    service = Service(served_index)
    workers = service.workers()
    assert service.end(signal.SIGKILL) == -signal.SIGKILL and len(workers) == 1
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_answers_are_sent_at_once() -> None:
    with bound_socket(ServeOptions(port=0)) as listener, socket.socket() as client:
        listener.listen()
        client.connect(listener.getsockname())
        accepted, _ = listener.accept()
        with accepted:
            # asyncio turns Nagle's delay off where it sees this protocol.
            assert accepted.proto == socket.IPPROTO_TCP
