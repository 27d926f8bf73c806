"""A service in a process of its own, and a plain client."""

import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from trace_material import function

COMMENTS = '# <img src=x onerror="window.owned=1"><script>window.owned = 1</script>\n# \u202e reversed\n'
HOSTILE = COMMENTS + function(9001).replace("def ", "def hostile_")
"""A work that tries to run in the page, and to show itself in another order."""

COMMAND = [sys.executable, "-c", "from cleartitle.cli import main; main()"]


class Service:
    """``cleartitle serve`` with its address and its log."""

    def __init__(self, index: Path, *words: str, workers: int = 1) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "serve", str(index), "--port", "0", "--workers", str(workers), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.log: list[str] = []
        assert self.process.stderr is not None and self.process.stdout is not None
        self._reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self._reader.start()
        self.address = self.process.stdout.readline().strip()
        assert self.address, self.log
        self.port = urlsplit(self.address).port

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, seconds: float = 60
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        sent = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.headers.items()}, response.read()
        finally:
            connection.close()

    def trace(self, **question: Any) -> list[dict[str, Any]]:
        status, _, body = self.ask("POST", "/v1/trace", question)
        assert status == 200, body
        return json.loads(body)["results"]

    def workers(self) -> list[int]:
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return [int(line) for line in found.stdout.split()]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in map(json.loads, list(self.log)) if line["event"] == name]

    def metric(self, line: str) -> float:
        text = self.ask("GET", "/metrics")[2].decode()
        return next((float(one.rpartition(" ")[2]) for one in text.splitlines() if one.startswith(line)), 0.0)

    def end(self, sign: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(sign)
        status = self.process.wait(30)
        self._reader.join(5)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
        return status


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.02)
