"""Hostile programs, in every confinement that this machine offers. None may pass, hang, or leave anything behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cleartitle.evals.humaneval import Confinement, Limits, Verdict, confinement, run_program
from cleartitle.evals.humaneval.sandbox import weaker_confinement

PROMPT = "def double(x):\n    pass\n"
TEST = "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(5) == 10\n"
LIMITS = Limits(wall=8.0, cpu=1, memory=2**28, file=2**16)
PATCH = "import builtins, json\nbuiltins.isinstance = lambda *a: True\njson.dumps = lambda *a, **k: '{}'\n"
SHOUT = """
import json, os
for descriptor in range(64):
    for line in ({"token": "0" * 32, "outcome": "passed", "detail": ""}, {"loaded": None}, {"call": 1, "value": 4}):
        try:
            os.write(descriptor, json.dumps(line).encode() + b"\\n")
        except OSError:
            pass
def double(x): return 0
"""
EQUAL = """
class Anything(int):
    __eq__ = __ge__ = __le__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = int.__hash__
def double(x): return Anything(7)
"""
DEAF = """
import signal
for number in range(1, 64):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
def double(x):
    while True: pass
"""
BOMB = """
import _posixsubprocess, os
def double(x):
    while True: os.fork()
"""
FRAMES = """
import sys
def double(x):
    frame = sys._getframe()
    while frame is not None:
        for name in list(frame.f_globals):
            if name in ("_serve", "encode", "send", "receive"):
                frame.f_globals[name] = lambda *a: None
        frame = frame.f_back
    return 0
"""


@pytest.fixture(scope="session", params=["strongest", "weakest"])
def confined(request: pytest.FixtureRequest) -> Confinement:
    """What this machine offers at its best, and what is left where namespaces are not to be had."""
    return confinement() if request.param == "strongest" else weaker_confinement()


def verdict(program: str, confined: Confinement, test: str = TEST, limits: Limits = LIMITS) -> Verdict:
    return run_program(program, PROMPT, "double", test, limits, confined)


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("def double(x):\n    return 2 * x\n", "passed"),
        ("double = lambda x: x + x\n", "passed"),
        ("def double(x):\n    print('x' * 100_000)\n    return 2 * x\n", "passed"),
        ("def double(x):\n    open('scratch', 'w').write('x')\n    return 2 * x\n", "passed"),
        (
            "import os\ndef double(x):\n    open(os.path.abspath('a'), 'w').close()\n    os.mkdir('b')\n"
            "    os.rename('a', 'b/c')\n    os.remove('b/c')\n    os.rmdir('b')\n    return 2 * x\n",
            "passed",
        ),
        ("def double(x):\n    return x\n", "failed"),
        ("def double(x):\n    raise AssertionError\n", "failed"),
        ("def double(x):\n    return double(x) + 1\n", "failed"),
        ("import sys\ndef double(x):\n    sys.exit(0)\n", "failed"),
        ("def double(x):\n    return (value for value in [4])\n", "failed"),
        (EQUAL, "failed"),
        (FRAMES, "crashed"),
        ("def double(x) return x\n", "error"),
        ("import no_such_module\ndef double(x):\n    return 2 * x\n", "error"),
        ("import sys\nsys.exit(0)\ndef double(x):\n    return 2 * x\n", "error"),
        ("answer = input()\ndef double(x):\n    return 2 * x\n", "error"),
        ("def triple(x):\n    return 3 * x\n", "error"),
        ("def double(x):\n    while True: pass\n", "timeout"),
        ("while True: pass\n", "timeout"),
        (DEAF, "timeout"),
        ("def double(x):\n    return bytearray(2**33)\n", "memory"),
        ("def double(x):\n    rows = []\n    while True: rows.append(str(len(rows)) * 100_000)\n", "memory"),
        ("import os\nos._exit(0)\n", "crashed"),
        ("import os\ndef double(x):\n    os._exit(0)\n", "crashed"),
        (SHOUT, "crashed"),
        (PATCH + "def double(x):\n    return 0\n", "crashed"),
    ],
)
def test_each_program_gets_its_outcome(program: str, outcome: str, confined: Confinement) -> None:
    found = verdict(program, confined)
    assert found.outcome == outcome, found


@pytest.mark.parametrize(
    "program",
    [
        BOMB,
        "import socket\nsocket.socket()\ndef double(x):\n    return 2 * x\n",
        "import ctypes\ndef double(x):\n    return 2 * x\n",
        "import os\ndef double(x):\n    os.system('true')\n    return 2 * x\n",
        "import subprocess\ndef double(x):\n    subprocess.run(['true'])\n    return 2 * x\n",
        "import os\ndef double(x):\n    os.kill(os.getppid(), 9)\n    return 2 * x\n",
        "import os\nos.chdir('/')\ndef double(x):\n    return 2 * x\n",
        "import os\nos.open('/', os.O_RDONLY)\ndef double(x):\n    return 2 * x\n",
        "import os\nos.symlink('/tmp', 'way')\ndef double(x):\n    return 2 * x\n",
        "for n in range(1_000): open(str(n), 'w').close()\ndef double(x):\n    return 2 * x\n",
        "import sys\nsys.audit('open')\ndef double(x):\n    return 2 * x\n",
        "import os\nos.open(b'.', os.O_RDONLY)\ndef double(x):\n    return 2 * x\n",
        "import os\nos.remove('a', dir_fd=os.open('..', os.O_RDONLY))\ndef double(x):\n    return 2 * x\n",
        "import gc\ngc.get_objects()\ndef double(x):\n    return 2 * x\n",
    ],
)
def test_what_is_not_allowed_never_passes(program: str, confined: Confinement) -> None:
    # Where the user may not read a module of Python, the import fails before anything else.
    assert verdict(program, confined).outcome in ("crashed", "error")


def test_a_file_outside_is_neither_written_nor_removed(confined: Confinement, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    there = tmp_path / "there"
    there.write_text("kept")
    there.chmod(0o666)
    for line in (
        f"open({str(tmp_path / 'new')!r}, 'w')",
        f"open({str(there)!r}, 'a')",
        f"__import__('os').remove({str(there)!r})",
        "open('../new', 'w')",
        f"__import__('os').rename({str(there)!r}, 'mine')",
        f"__import__('pathlib').Path({str(there)!r}).write_text('x')",
        f"open({str(there)!r}.encode(), 'w')",
    ):
        found = verdict(f"{line}\ndef double(x):\n    return 2 * x\n", confined)
        assert found.outcome in ("crashed", "error"), (line, found)
    assert there.read_text() == "kept" and not (tmp_path / "new").exists()


def test_a_hook_cannot_be_disarmed_by_what_python_can_reach(confined: Confinement, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    target = tmp_path / "disarmed"
    program = f"""
import builtins, os, sys
builtins.isinstance = builtins.type = builtins.len = lambda *a: 0
os.path.realpath = os.path.isdir = lambda *a: False
os._exit = lambda *a: None
frame = sys._getframe()
while frame is not None:
    for name in list(frame.f_globals):
        if name in ("NOT_ALLOWED", "MOST_FILES_WRITTEN"):
            frame.f_globals[name] = 10**9
    frame = frame.f_back
open({str(target)!r}, "w").write("x")
def double(x): return 2 * x
"""
    assert verdict(program, confined).outcome in ("crashed", "error")
    assert not target.exists()


def test_a_large_file_is_cut_by_the_kernel(confined: Confinement) -> None:
    found = verdict("def double(x):\n    open('big', 'w').write('x' * 2**20)\n    return 2 * x\n", confined)
    assert (found.outcome, found.detail.partition(":")[0]) == ("failed", "OSError")


def test_processes_cannot_be_made_behind_the_hook(confined: Confinement) -> None:
    program = """
import importlib, os, sys
def make(module):
    ends = os.pipe()
    return module.fork_exec([b"/bin/true"], [b"/bin/true"], True, (), None, None, -1, -1, -1, -1, -1, -1,
                            *ends, False, False, 0, None, None, None, -1, None, False)
def double(x):
    import _posixsubprocess
    try:
        make(_posixsubprocess)
    except OSError:
        return 2 * x
    return 0
"""
    assert verdict(program, confined).outcome in ("passed", "error")
    anew = "import sys\nimport _posixsubprocess\ndel sys.modules['_posixsubprocess']\nimport _posixsubprocess\n"
    assert verdict(anew + "def double(x):\n    return 2 * x\n", confined).outcome in ("crashed", "error")


SLEEP = "import time\ndef double(x):\n    while True: time.sleep(60)\n"


def test_sleeping_is_ended_by_wall_time_and_leaves_no_process(
    confined: Confinement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    started = time.monotonic()
    found = verdict(SLEEP, confined, limits=Limits(wall=1.5, cpu=2))
    assert (found.outcome, found.detail) == ("timeout", "wall time")
    assert time.monotonic() - started < 15
    assert _ended(tmp_path) and not list(tmp_path.iterdir())


def test_nothing_outlives_a_worker_that_is_killed(confined: Confinement, tmp_path: Path) -> None:
    script = f"""
from cleartitle.evals.humaneval import Confinement, Limits, run_program
run_program({SLEEP!r}, {PROMPT!r}, "double", {TEST!r}, Limits(wall=300.0), {confined!r})
"""
    worker = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "TMPDIR": str(tmp_path)})
    deadline = time.monotonic() + 60
    while len(_holders(tmp_path)) < 3 and time.monotonic() < deadline:  # worker, judge and player at least
        time.sleep(0.1)
    assert len(_holders(tmp_path)) >= 3
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert _ended(tmp_path)


def test_the_program_never_sees_its_tests(confined: Confinement) -> None:
    program = """
import sys
def double(x):
    seen = [repr(frame_value) for frame_value in sys.modules["candidate"].__dict__.values()]
    frame = sys._getframe()
    while frame is not None:
        seen += [repr(value) for value in (*frame.f_locals.values(), *frame.f_globals.values())]
        frame = frame.f_back
    return 2 * x if "SEC" + "RET" not in "".join(seen) else 0
"""
    test = "SECRET = 'SECRET'\ndef check(candidate):\n    assert candidate(2) == 4, SECRET\n"
    assert verdict(program, confined, test).outcome == "passed"


def test_a_test_that_catches_everything_does_not_turn_an_end_into_a_pass(confined: Confinement) -> None:
    test = "def check(candidate):\n    try:\n        candidate(2)\n    except:\n        pass\n"
    assert verdict("import os\ndef double(x):\n    os._exit(0)\n", confined, test).outcome == "crashed"
    assert verdict("def double(x):\n    raise MemoryError\n", confined, test).outcome == "memory"
    assert verdict("def double(x):\n    raise KeyError(x)\n", confined, test).outcome == "passed"


def test_values_of_all_plain_kinds_come_back_as_they_are(confined: Confinement) -> None:
    value = "[None, True, 1.5, float('inf'), 2**5000, 'ä', b'x', (1, [2]), {1: {2, 3}}, frozenset({4}), 1j, range(3)]"
    program = f"from collections import Counter\ndef double(x):\n    return {value} + [Counter('aab')] + x\n"
    test = f"def check(candidate):\n    assert candidate([(1, 2)]) == {value} + [{{'a': 2, 'b': 1}}] + [(1, 2)]\n"
    assert verdict(program, confined, test).outcome == "passed"


def test_an_exception_that_a_test_asks_for_arrives(confined: Confinement) -> None:
    test = """
def check(candidate):
    try:
        candidate(2)
    except TypeError as error:
        assert str(error) == "no"
    else:
        assert False
"""
    assert verdict("def double(x):\n    raise TypeError('no')\n", confined, test).outcome == "passed"
    assert verdict("def double(x):\n    return 4\n", confined, test).outcome == "failed"


def test_an_answer_that_is_too_slow_to_compare_is_no_pass(confined: Confinement) -> None:
    test = "def check(candidate):\n    assert sum(candidate(2)) >= 0\n"
    found = verdict("def double(x):\n    return range(10**12)\n", confined, test)
    assert found.outcome == "timeout"


def _holders(folder: Path) -> list[str]:
    """Processes whose environment names a folder, as that of a judge and a player names theirs."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if os.fsencode(str(folder)) in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def _ended(folder: Path) -> bool:
    deadline = time.monotonic() + 10
    while _holders(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not _holders(folder)
