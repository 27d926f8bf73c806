"""How many processor cores this process may use."""

import os

__all__ = ["cores"]

MOST = 8


def cores() -> int:
    """Cores of this process's affinity mask, at most 8, so that a large machine is not filled without being asked."""
    affinity = getattr(os, "sched_getaffinity", None)
    return min(len(affinity(0)) if affinity else os.cpu_count() or 1, MOST)
