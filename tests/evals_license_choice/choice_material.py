"""The material of Copyright-Bench's tests, found from here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "evals_copyright_bench"))

from agent_server import calls, done, listed, serving
from office_material import make_pool

__all__ = ["calls", "done", "listed", "make_pool", "serving"]
