"""Runs the tests of a problem against a program that lives in another process, and says what came of it."""

import builtins
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from typing import Any

from . import system
from .player import NOT_ALLOWED
from .wire import decode, encode, receive, send

__all__ = ["main"]

_DECODING = (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError)
Verdict = tuple[str, str]


class _Ended(BaseException):
    """The verdict is known before the tests are through. No ``except Exception`` of a test stops it."""

    def __init__(self, outcome: str, detail: str) -> None:
        super().__init__(detail)
        self.verdict: Verdict = (outcome, detail)


def main() -> None:
    """Read the job from standard input; write one verdict, with the token of the job, to standard output."""
    # The verdict goes out by a descriptor that neither the player nor a printing test has.
    verdicts = os.fdopen(os.dup(1), "w")
    quiet = os.open(os.devnull, os.O_RDWR)
    job = json.loads(sys.stdin.buffer.read())
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    system.die_with_parent()
    system.hide_memory()
    signal.signal(signal.SIGALRM, _too_long)
    signal.setitimer(signal.ITIMER_REAL, job["limits"]["wall"])
    # One thread runs here, so a call between fork and exec is safe.
    player = subprocess.Popen(
        job["player"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ),
        start_new_session=True,
        preexec_fn=system.die_with_parent,
    )
    memory = job["limits"]["memory"]
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (job["limits"]["cpu"], job["limits"]["cpu"] + 1))
    try:
        outcome, detail = _judge(job, player)
    except _Ended as ended:
        outcome, detail = ended.verdict
    signal.setitimer(signal.ITIMER_REAL, 0)
    status, seconds = _end(player.pid, 1.0 if outcome == "crashed" else 0.0)
    if outcome == "crashed":
        outcome, detail = _reason(status, seconds, job["limits"]["cpu"])
    verdicts.write(json.dumps({"token": job["token"], "outcome": outcome, "detail": detail}))
    verdicts.flush()
    os._exit(0)


def _too_long(_: int, __: Any) -> None:
    raise _Ended("timeout", "wall time")


def _end(player: int, patience: float) -> tuple[int, float]:
    """Wait for the player, then kill it and all that it started; its wait status and processor time in seconds."""
    deadline = time.monotonic() + patience
    found, status, used = os.wait4(player, os.WNOHANG)
    while not found and time.monotonic() < deadline:
        time.sleep(0.01)
        found, status, used = os.wait4(player, os.WNOHANG)
    with contextlib.suppress(OSError):
        os.killpg(player, signal.SIGKILL)
    if not found:
        _, status, used = os.wait4(player, 0)
    return status, used.ru_utime + used.ru_stime


def _reason(status: int, seconds: float, limit: int) -> Verdict:
    """Why the player fell silent before the tests were through."""
    if seconds >= limit - 0.1:
        return "timeout", "processor time"
    code = os.waitstatus_to_exitcode(status)
    # A process in a namespace hands the signal of its child on as 128 + signal, or dies of the same.
    number = -code if code < 0 else code - 128 if code > 128 else 0
    if code == NOT_ALLOWED:
        return "crashed", "the program tried what is not allowed"
    if number == signal.SIGKILL:
        return "crashed", "the program fell silent before the tests were through"
    if number:
        return "crashed", f"signal {number}"
    return "crashed", f"the program ended with status {code} before the tests were through"


def _judge(job: dict[str, Any], player: "subprocess.Popen[bytes]") -> Verdict:
    asked, answers = player.stdin, player.stdout
    assert asked is not None and answers is not None
    count = 0
    ended: list[_Ended] = []

    def exchange(message: dict[str, Any]) -> dict[str, Any] | None:
        try:
            send(asked, message)
            return receive(answers)
        except OSError:
            return None

    def candidate(*args: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        try:
            return _value(exchange({"call": count, "args": encode(args), "named": encode(named)}), count)
        except _Ended as end:
            ended.append(end)
            raise

    ready = exchange(job["play"])
    if ready is None or "loaded" not in ready:
        return "crashed", ""
    if ready["loaded"] is not None:
        return _refused(ready["loaded"])
    # The prompt brings the helpers that some tests call; the function itself is only named in it.
    names: dict[str, Any] = {"__name__": "tests"}
    exec(compile(job["prompt"], "prompt", "exec"), names)
    names[job["entry_point"]] = candidate
    exec(compile(job["test"], "test", "exec"), names)
    try:
        names["check"](candidate)
    except MemoryError:
        return "failed", "the answer is too large to compare"
    except AssertionError:
        return "failed", "AssertionError"
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"[:300]
    # A test that catches everything does not turn an end into a pass.
    return ended[0].verdict if ended else ("passed", "")


def _refused(loaded: Any) -> Verdict:
    """The reason that the player gives for a program that did not load; never a pass, whatever it says."""
    outcome, detail = loaded if isinstance(loaded, list) and len(loaded) == 2 else ("error", "")
    return ("memory" if outcome == "memory" else "error"), str(detail)[:300]


def _value(reply: dict[str, Any] | None, count: int) -> Any:
    if reply is None or reply.get("call") != count:
        raise _Ended("crashed", "")
    if "raised" not in reply:
        try:
            return decode(reply["value"])
        except _DECODING:
            raise _Ended("failed", "the function returned what is no value") from None
    kind, words = (str(part)[:300] for part in (*reply["raised"], "", "")[:2])
    if kind == "MemoryError":
        raise _Ended("memory", "MemoryError")
    raise _exception(kind, words)


def _exception(kind: str, words: str) -> Exception:
    """The exception of the program, as far as it is one of Python's own; some tests ask for one."""
    known = getattr(builtins, kind, None)
    if isinstance(known, type) and issubclass(known, Exception) and known is not AssertionError:
        with contextlib.suppress(TypeError):  # some take more than a message
            return known(words.partition(": ")[2])
    return RuntimeError(words)
