"""Runs the program of a model: gives up all it can, loads the program, then calls its function on request."""

import contextlib
import importlib
import os
import resource
import sys
import types
from collections.abc import Callable
from typing import Any, BinaryIO

from . import system
from .wire import decode, encode, receive, send

__all__ = ["main"]

NOT_ALLOWED = 77
"""Exit status of a program that tried what is not allowed."""
MOST_FILES_WRITTEN = 64


def main() -> None:
    """Read the job from standard input, then answer calls until the stream ends."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    os.close(quiet)
    sys.argv[:] = [""]
    job = receive(asked)
    if job is None:
        return
    _confine(job)
    reason, function = _load(job)
    send(answers, {"loaded": reason})
    if function is not None:
        _serve(function, asked, answers)
    os._exit(0)  # nothing of the program runs at the end


def _confine(job: dict[str, Any]) -> None:
    """Limits of the kernel first, then the user, then a hook that Python code cannot take away."""
    os.chdir(job["folder"])
    if job["user"] is not None:
        os.setgroups([])
        os.setresgid(job["user"], job["user"], job["user"])
        os.setresuid(job["user"], job["user"], job["user"])
    system.die_with_parent()
    system.forbid_new_privileges()
    limits = job["limits"]
    for name, value in (
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["file"]),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits["cpu"]),
    ):
        hard = resource.getrlimit(name)[1]
        wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (wanted, wanted))
    for name in [name for name in sys.modules if name.partition(".")[0] in ("ctypes", "_ctypes", "confined")]:
        del sys.modules[name]
    _disarm()
    sys.addaudithook(_hook(os.path.realpath(job["folder"])))


def _disarm() -> None:
    """Take away the one call that starts a process without an audit event: the kernel's limit spares the root user."""
    with contextlib.suppress(ImportError):
        module: Any = importlib.import_module("_posixsubprocess")
        module.fork_exec = _refuse


def _refuse(*_: Any) -> None:
    raise PermissionError("no process may be started here")


def _hook(folder: str) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that ends the process where it reaches for others, the network, native code or other files.

    It ends the process and does not raise, because a traceback would hand its frame, and with it these names, to the
    program. For the same reason it looks up no name outside its closure, and calls nothing but methods of strings.
    """
    # Events of CPython's table of audit events.
    forbidden = ("socket.", "ctypes.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.kill")
    forbidden += ("subprocess.", "pty.", "signal.pthread_kill", "os.chdir", "os.fchdir", "os.chroot", "os.chmod")
    forbidden += ("os.chown", "os.lchown", "os.chflags", "os.link", "os.symlink", "os.setxattr", "os.removexattr")
    forbidden += ("os.truncate", "os.utime", "mmap.", "fcntl.", "gc.get", "urllib.", "webbrowser.", "sys._getframe.")
    leave, kind, text, status, refuses = os._exit, type, str, NOT_ALLOWED, _file_rules(folder)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(forbidden) or refuses(event, arguments):
            leave(status)
        # A fresh copy of what was disarmed.
        if event == "import" and (
            not arguments or kind(arguments[0]) is not text or arguments[0] == "_posixsubprocess"
        ):
            leave(status)

    return hook


def _file_rules(folder: str) -> Callable[[str, tuple[Any, ...]], bool]:
    """Whether an event changes a file that is not in the folder, or one too many in it.

    A program can raise events itself, with whatever arguments: no method of these is called.
    """
    changes = ("os.remove", "os.rename", "os.rmdir", "os.mkdir")
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    kind, size, stat, broken, text, number = type, len, os.stat, (OSError, ValueError), str, int
    inner, most, written = folder + os.sep, MOST_FILES_WRITTEN, 0
    length = len(inner)

    def outside(path: Any) -> bool:
        return kind(path) is not text or "\0" in path or ".." in path or (path[:1] == "/" and path[:length] != inner)

    def is_folder(path: str) -> bool:
        try:
            return stat(path).st_mode & 0o170000 == 0o040000
        except broken:
            return False

    def opens(arguments: tuple[Any, ...]) -> bool:
        nonlocal written
        if size(arguments) != 3:
            return True
        path, mode, flags = arguments
        if kind(flags) is number and flags & writes:
            written += 1
            if written > most or outside(path):
                return True
        # A folder that is opened as a file lends its descriptor to calls that name no whole path.
        return mode is None and (kind(path) is not text or is_folder(path))

    def refuses(event: str, arguments: tuple[Any, ...]) -> bool:
        nonlocal written
        if event == "open":
            return opens(arguments)
        if not event.startswith(changes):
            return False
        written += 1
        if written > most or size(arguments) < 2 or outside(arguments[0]):
            return True
        return event == "os.rename" and outside(arguments[1])

    return refuses


def _load(job: dict[str, Any]) -> tuple[list[str] | None, Any]:
    """Why the program did not load (kind, detail), or None and its function."""
    module = types.ModuleType("candidate")
    sys.modules["candidate"] = module
    try:
        code = compile(job["program"], "candidate", "exec", dont_inherit=True)
    except MemoryError:
        return ["memory", "MemoryError"], None
    except (SyntaxError, ValueError, RecursionError) as error:
        return ["error", _words(error)], None
    try:
        exec(code, module.__dict__)
    except MemoryError:
        return ["memory", "MemoryError"], None
    except BaseException as error:
        return ["error", _words(error)], None
    function = module.__dict__.get(job["entry_point"])
    return (None, function) if callable(function) else (["error", "the function is not defined"], None)


def _serve(function: Any, asked: BinaryIO, answers: BinaryIO) -> None:
    while (call := receive(asked)) is not None:
        reply: dict[str, Any]
        try:
            result = function(*decode(call["args"]), **decode(call["named"]))
            reply = {"call": call["call"], "value": encode(result)}
        except BaseException as error:
            reply = {"call": call["call"], "raised": [type(error).__name__, _words(error)]}
        with contextlib.suppress(MemoryError):
            send(answers, reply)
            continue
        send(answers, {"call": call["call"], "raised": ["MemoryError", "MemoryError"]})


def _words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:300]
    except BaseException:
        return type(error).__name__[:300]
