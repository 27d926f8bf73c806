"""Shared by all tests."""

import os

import pytest
from hypothesis import settings

# A busy machine may take any time for one example; tests of speed measure processor time themselves.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# Each worker of pytest-xdist keeps to one processor, with all that it starts: what starts as many threads or processes
# as there are processors would otherwise do so in every worker at once.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
if WORKER.startswith("gw") and hasattr(os, "sched_setaffinity"):
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {processors[int(WORKER[2:]) % len(processors)]})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that run a model: few tests, long ones, that would else be waited for at the end."""
    slow = {item.path for item in items if item.get_closest_marker("model")}
    items.sort(key=lambda item: item.path not in slow)
