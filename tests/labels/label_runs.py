"""A LiCoEval run to judge, and a page at work in a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from licoeval_units import many

from cleartitle.evals.licoeval import Benchmark, LicoevalOptions, evaluate
from cleartitle.evals.licoeval.units import Eligibility, cut
from cleartitle.models import open_model

COUNT = 30
COPIED = 8
HOSTILE = (
    "    # </pre><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>\n"
    '    rows = ["\u202e", "\x07", animals, hay, limit]\n'
    "    return [row for row in rows if row is not None and {number} > 3]\n"
)
LICENSES = ("MIT", "The GPL.", "It is under the {license} license.", "I do not know.")


def make_run(folder: Path) -> Path:
    """Answers of a model that copies some functions and names all kinds of licenses."""
    table = cut(many(COUNT), rules=Eligibility())
    units = table.filter([reason is None for reason in table["reason"].to_pylist()]).drop_columns("reason")
    rows: list[dict[str, Any]] = []
    for number, unit in enumerate(units.to_pylist()):
        body = unit["body"] if number < COPIED else HOSTILE.replace("{number}", str(number))
        answer = LICENSES[number % len(LICENSES)].replace("{license}", unit["license"])
        rows.append({"prompt_id": unit["prompt_id"], "text": unit["signature"] + unit["docstring"] + body})
        rows.append({"prompt_id": unit["prompt_id"], "turn": 1, "text": answer})
    folder.mkdir(parents=True, exist_ok=True)
    answers = folder / "secret-model.jsonl"
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    record = {"units": COUNT, "content_hash": "test", "options": {"mode": "corrected"}}
    evaluate(open_model(f"replay:{answers}"), Benchmark(units, record), folder / "run", LicoevalOptions(limit=0))
    return folder / "run"


class Page:
    """``cleartitle label`` in a process of its own, with the address of each rater."""

    def __init__(self, folder: Path, *words: str) -> None:
        command = [sys.executable, "-c", "from cleartitle.cli import main; main()", "label", *words]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
        )
        assert self.process.stderr is not None
        self.addresses: dict[str, str] = {}
        for _ in range(max(1, words.count("--rater"))):
            line = self.process.stderr.readline()
            found = re.fullmatch(r"([\w-]+): (http://127\.0\.0\.1:\d+/\?token=\S+)\n", line)
            assert found, line + self.process.stderr.read()
            self.addresses[found[1]] = found[2]

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def wait(self) -> str:
        """Standard output, after the process ended by itself with success."""
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err
        return out


class Caller:
    """What the page does, without a browser."""

    def __init__(self, address: str) -> None:
        self.base, _, self.token = address.partition("/?token=")

    def call(self, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        sent = {"X-Label-Token": self.token, "Content-Type": "application/json", **headers}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}{path}", data=data, headers=sent)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def answer(self, position: int, choice: str, detail: str = "", comment: str = "") -> tuple[int, Any]:
        status, _ = self.call(f"/item?position={position}")
        assert status == 200
        given = {"position": position, "choice": choice, "detail": detail, "comment": comment, "seconds": 1.5}
        return self.call("/answer", given)


def until(condition: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
