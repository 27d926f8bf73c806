"""The kernels under test: the installed ones, or the build that CLEARTITLE_NATIVE names (see native/sanitize.sh)."""

import importlib.util
import os

from cleartitle import _native as installed


def chosen_build():
    path = os.environ.get("CLEARTITLE_NATIVE")
    if path is None:
        return installed
    spec = importlib.util.spec_from_file_location("_native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
