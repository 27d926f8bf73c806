"""Calls to the kernel that the standard library does not offer; each says whether it worked."""

import ctypes
import signal
import sys

__all__ = ["die_with_parent", "forbid_new_privileges", "hide_memory"]

_SET_DEATH_SIGNAL = 1
_SET_DUMPABLE = 4
_SET_NO_NEW_PRIVILEGES = 38


def die_with_parent() -> bool:
    """Be killed when the process that started this one ends. A change of user drops it: call it again then."""
    return _control(_SET_DEATH_SIGNAL, int(signal.SIGKILL))


def hide_memory() -> bool:
    """Let no process of the same user read or write the memory and the open files of this one."""
    return _control(_SET_DUMPABLE, 0)


def forbid_new_privileges() -> bool:
    """Let no program started from here gain rights."""
    return _control(_SET_NO_NEW_PRIVILEGES, 1)


def _control(name: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    return ctypes.CDLL(None).prctl(name, value, 0, 0, 0) == 0
