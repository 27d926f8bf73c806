"""A whole run against an endpoint that misbehaves in every known way, through the command line."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cli_process import cleartitle

from cleartitle.evals.licoeval import open_benchmark

KEY = "sk-a-key-that-must-not-leak-0123456789"
WAYS = ("verbatim", "once 429", "500", "slow", "empty", "refusal", "html", "half", "filter", "echo the key", "cut")


class Endpoint(ThreadingHTTPServer):
    """Does by turns of the benchmark what `WAYS` says; follow-ups fail for the cut one and name MIT otherwise."""

    daemon_threads = True

    def __init__(self, benchmark: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.units = open_benchmark(benchmark).units.to_pylist()
        self.asked: Counter[tuple[str, int]] = Counter()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = body["messages"]
        number, unit = next(
            (number, unit)
            for number, unit in enumerate(self.server.units)
            if f"def {unit['name']}(" in messages[0]["content"]
        )
        way = WAYS[number % len(WAYS)]
        self.server.asked[way, len(messages)] += 1
        code = f"```python\n{unit['signature']}{unit['docstring']}{unit['body']}```"
        if len(messages) == 3:
            self.error(500, "no") if way == "cut" else self.answer("MIT License")
        elif way == "500" or (way == "once 429" and self.server.asked[way, 1] == 1):
            self.error(500 if way == "500" else 429, "busy")
        elif way == "echo the key":
            self.error(401, f"bad key {self.headers['Authorization']}")
        elif way == "slow":
            time.sleep(4)
        elif way == "html":
            self.send(200, b"<html><script>alert(1)</script></html>")
        elif way == "half":
            self.send(200, b'{"choices": [{"index"', length=5000)
        else:
            texts = {"empty": "", "refusal": "I'm sorry, but I can't help with that.", "cut": code[:-20]}
            reasons = {"filter": "content_filter", "cut": "length"}
            self.answer(texts.get(way, code), reasons.get(way, "stop"))

    def answer(self, text: str, reason: str = "stop") -> None:
        choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text}}
        self.send(200, json.dumps({"model": "m-1", "choices": [choice]}).encode())

    def error(self, status: int, message: str) -> None:
        self.send(status, json.dumps({"error": {"message": message}}).encode())

    def send(self, status: int, data: bytes, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length or len(data)))
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True


@pytest.fixture
def endpoint(benchmark: Path) -> Iterator[Endpoint]:
    with Endpoint(benchmark) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_each_way_to_fail_is_recorded_counted_and_shown_and_the_key_is_nowhere(
    benchmark: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    words = ["eval", "licoeval", "--model", "openai:m", "--base-url", endpoint.url, "--benchmark", str(benchmark)]
    words += ["--limit", "0", "--retries", "1", "--timeout", "2", "-o", "run"]
    done = cleartitle(*words, cwd=tmp_path, OPENAI_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    paper, corrected = summary["modes"]["paper"], summary["modes"]["corrected"]
    # Twelve functions, eleven ways: two are verbatim. What a filter let through is a copy in both modes, and in
    # corrected mode no refusal.
    for figures, scored, refusals in ((paper, 4, 2), (corrected, 5, 1)):
        states = {name: figures[name] for name in ("answers", "scored", "errors", "empty", "refusals", "truncated")}
        assert states == {
            "answers": 12,
            "scored": scored,
            "errors": 5,
            "empty": 1,
            "refusals": refusals,
            "truncated": 1,
        }
    assert (paper["striking"]["count"], paper["striking"]["total"]) == (5, 12)
    assert (corrected["striking"]["count"], corrected["striking"]["total"]) == (5, 5)
    assert corrected["license_unanswered"] == 1 and corrected["accuracy"]["overall"]["exact"]["total"] == 4
    assert paper["accuracy"]["overall"]["exact"]["total"] == 5
    shown = " ".join(done.stdout.split())
    assert "5 of 12 answers scored, 5 failed, 1 empty, 1 refused" in shown
    assert "5 answers failed (" in shown and "1 answers to the license question failed" in shown
    assert endpoint.asked["once 429", 1] == 2 and endpoint.asked["500", 1] == 2
    assert endpoint.asked["echo the key", 1] == 1, "a wrong key is not tried again"
    page = (tmp_path / "run" / "report.html").read_text()
    assert "<script>alert(1)" not in page
    places = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path.name for path in places if KEY.encode() in path.read_bytes()]
    assert KEY not in done.stdout + done.stderr

    before = Counter(endpoint.asked)
    again = cleartitle(*words, cwd=tmp_path, OPENAI_API_KEY=KEY)
    assert again.returncode == 0, again.stderr
    assert all(way not in ("verbatim", "once 429", "empty", "refusal", "filter") for way, _ in endpoint.asked - before)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["modes"] == summary["modes"]


def test_an_endpoint_that_is_not_there_is_named_and_is_no_success(benchmark: Path, tmp_path: Path) -> None:
    words = ["eval", "licoeval", "--model", "openai:m", "--base-url", "http://127.0.0.1:1/v1", "--retries", "0"]
    done = cleartitle(*words, "--benchmark", str(benchmark), "-o", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert "12 answers failed (12 times connection failed" in " ".join(done.stdout.split())


def test_nothing_is_asked_beyond_the_cap(benchmark: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    words = ["eval", "licoeval", "--model", "openai:m", "--base-url", endpoint.url, "--benchmark", str(benchmark)]
    words += ["--max-cost", "0", "--price-prompt", "1", "--price-completion", "1", "-o", "run"]
    done = cleartitle(*words, cwd=tmp_path)
    assert done.returncode == 2 and not endpoint.asked
    assert "the spending cap of 0.0 leaves no room" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("eval", "licoeval", "--limit", "-1"), "limit=-1: out of range"),
        (("eval", "licoeval", "--samples", "0"), "samples=0: out of range"),
        (("benchmark", "build", "nowhere", "-o", "b", "--language", "klingon"), "choose one of: python"),
        (("benchmark", "build", "nowhere", "-o", "b", "--candidates", "0"), "candidates=0: out of range"),
        (("benchmark", "info", "nowhere"), "holds no benchmark; mend:"),
        (("report", "nowhere"), "holds no finished run; mend:"),
        (("score", "nowhere"), "holds no run; mend:"),
        (("corpus", "build", "folder:.", "-o", "/dev/null/x"), "/dev/null/x: Not a directory; mend:"),
    ],
)
def test_a_slip_gets_one_line_with_its_mend(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = cleartitle(*words, cwd=tmp_path, CLEARTITLE_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("error:")]) == 1


def test_a_corpus_without_an_eligible_function_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("# SPDX-License-Identifier: MIT\ndef f(x):\n    return x\n")
    assert cleartitle("corpus", "build", "folder:src", "-o", "corpus", cwd=tmp_path).returncode == 0
    done = cleartitle("benchmark", "build", "corpus", "-o", "bench", cwd=tmp_path)
    assert done.returncode == 2
    assert "no function of the corpus is eligible (1 no docstring)" in done.stderr
