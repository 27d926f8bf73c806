"""Run the program of a model against the tests of its problem, in processes that can do as little as the system allows.

Two processes: a judge, which has the tests, and a player, which has the program and nothing else. The judge calls the
function through a pipe on which only plain data passes, so that a program can neither see the tests, nor forge the
verdict by printing or ending early, nor pass by patching Python.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from cleartitle.errors import CleartitleError

__all__ = [
    "Confinement",
    "Limits",
    "Outcome",
    "SandboxError",
    "Verdict",
    "confinement",
    "run_program",
    "weaker_confinement",
]

Outcome = Literal["passed", "failed", "error", "timeout", "memory", "crashed"]

_LAUNCH = "import sys; sys.path.insert(0, sys.argv[1]); from confined.{0} import main; del sys.path[0]; main()"
_FLAGS = ("-s", "-P", "-S", "-B", "-W", "ignore", "-c")
_NAMESPACES = ("--net", "--pid", "--ipc", "--fork", "--kill-child", "--")
_FREE_USERS = 2_000_000
"""Above the numbers that systems give to people, services and containers."""
_NOBODY = 65_534
_NEEDED = "bisect collections copy datetime decimal fractions functools hashlib heapq itertools json math operator " + (
    "random re statistics string typing zlib"
)
"""Modules of the standard library that answers use; an unprivileged user may lack the right to read them."""
_BACKSTOP = 10.0
"""Seconds beyond the wall limit after which even the judge is ended."""


class SandboxError(CleartitleError):
    """No way was found to run a program confined."""


@dataclass(frozen=True)
class Limits:
    """What one program may use: seconds of wall time and processor time, bytes of memory and of each file."""

    wall: float = 20.0
    cpu: int = 5
    memory: int = 2**30
    file: int = 2**20


@dataclass(frozen=True)
class Confinement:
    """How programs are kept in on this system, the strongest that worked.

    ``network`` and ``processes`` are ``namespace`` (Linux, by ``unshare``: no network device; what a program starts
    dies with it) or ``python``/``group`` (an audit hook of the interpreter; a process group). ``user`` is
    ``unprivileged`` (a user number that nobody has) or ``own``. In each case the hook, and the limits of the kernel on
    time, memory, files and new processes, are in force as well.
    """

    network: Literal["namespace", "python"]
    processes: Literal["namespace", "group"]
    user: Literal["unprivileged", "own"]
    prefix: tuple[str, ...]
    users: int | None
    """First user number to run as; None for the own user."""

    def record(self) -> dict[str, str]:
        """What the summary says of it."""
        return {"network": self.network, "processes": self.processes, "user": self.user}


@dataclass(frozen=True)
class Verdict:
    """What came of one program.

    ``passed``; ``failed`` (a test was not met, or the function raised); ``error`` (the program does not load);
    ``timeout``; ``memory``; ``crashed`` (the process ended, or fell silent, before the tests were through).
    """

    outcome: Outcome
    detail: str


@cache
def confinement() -> Confinement:
    """The strongest confinement in which a harmless program passes here.

    Raises:
        SandboxError: none worked.
    """
    program = f"import {', '.join(_NEEDED.split())}\ndef add(a, b):\n    return a + b\n"
    check = "def check(candidate):\n    assert candidate(2, b=3) == 5\n"
    verdict = None
    for one in _choices():
        verdict = run_program(program, "def add(a, b):\n    pass\n", "add", check, Limits(), one)
        if verdict.outcome == "passed":
            return one
    raise SandboxError(f"no program can be run confined here ({verdict}); mend: use Linux, or a container that forks")


def weaker_confinement() -> Confinement:
    """What is left where the system gives no namespaces and no other user: the audit hook and the kernel's limits."""
    return Confinement("python", "group", "own", (), users=None)


def _choices() -> Iterator[Confinement]:
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    unshare = shutil.which("unshare")
    if unshare and root:
        for users in (_FREE_USERS, _NOBODY):
            yield Confinement("namespace", "namespace", "unprivileged", (unshare, *_NAMESPACES), users)
    if unshare:
        yield Confinement(
            "namespace", "namespace", "own", (unshare, "--user", "--map-root-user", *_NAMESPACES), users=None
        )
    if root:
        for users in (_FREE_USERS, _NOBODY):
            yield Confinement("python", "group", "unprivileged", (), users)
    yield weaker_confinement()


def run_program(
    program: str, prompt: str, entry_point: str, test: str, limits: Limits, confined: Confinement
) -> Verdict:
    """Load ``program``, then run ``test`` (source that defines ``check(candidate)``) on its ``entry_point``.

    ``prompt`` is source that the tests may refer to; it is trusted, as ``test`` is. The function gets copies of its
    arguments, and only plain data comes back: an answer that is a generator or an object of an own class equals
    nothing. A change that the function makes to its arguments is not seen by the tests.
    """
    user = None if confined.users is None else confined.users + _offset(confined.users)
    with tempfile.TemporaryDirectory(prefix="cleartitle-", ignore_cleanup_errors=True) as folder:
        if user is not None:
            os.chown(folder, user, user)
        token = secrets.token_hex(16)
        job = {
            "token": token,
            "player": [*confined.prefix, *_command("player")],
            "play": {
                "program": program,
                "entry_point": entry_point,
                "folder": folder,
                "user": user,
                "limits": asdict(limits),
            },
            "prompt": prompt,
            "entry_point": entry_point,
            "test": test,
            "limits": asdict(limits),
        }
        return _ask(job, folder, token, limits.wall)


def _ask(job: dict[str, Any], folder: str, token: str, wall: float) -> Verdict:
    started = time.monotonic()
    try:
        done = subprocess.run(
            _command("judge"),
            input=json.dumps(job).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath, "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"},
            start_new_session=True,
            timeout=wall + _BACKSTOP,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Verdict("timeout", "wall time")
    try:
        verdict = json.loads(done.stdout)
    except ValueError:
        # The judge was ended by a limit: what the function gave took too long to compare.
        late = done.returncode < 0 or time.monotonic() - started >= wall
        return Verdict("timeout", "in the tests") if late else Verdict("crashed", "no verdict")
    if verdict["token"] != token:
        return Verdict("crashed", "a forged verdict")
    return Verdict(verdict["outcome"], verdict["detail"])


def _offset(users: int) -> int:
    # Each program has a user of its own where there are free ones, so that none can reach another.
    return secrets.randbelow(1_000_000) if users == _FREE_USERS else 0


def _command(role: str) -> list[str]:
    return [sys.executable, *_FLAGS, _LAUNCH.format(role), str(Path(__file__).parent)]
