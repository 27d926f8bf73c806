"""A study that is served, over the pool of Copyright-Bench's tests."""

import sys
import threading
from contextlib import contextmanager
from pathlib import Path

from cleartitle.labels.human_study import StudyServer

sys.path.insert(0, str(Path(__file__).parents[2] / "evals_copyright_bench"))
from office_material import make_pool

__all__ = ["PAIRS", "make_pool", "serving"]

PAIRS = 4


@contextmanager
def serving(study):
    server = StudyServer(study)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
