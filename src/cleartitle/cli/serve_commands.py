"""``cleartitle serve``: an index as a service."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cleartitle.progress import is_quiet
from cleartitle.serve import ServeOptions, serve

__all__ = ["serve_command"]


def serve_command(
    index: Path,
    *,
    options: Annotated[ServeOptions, Parameter(name="*", group="Service")] = ServeOptions(),  # noqa: B008
) -> int:
    """Serve an index over HTTP: a page to paste code into, and POST /v1/trace, /health, /metrics, /openapi.json.

    The address is printed when requests are answered. SIGTERM ends the service after the requests in flight. When
    the index changes, the new one is served without a pause.

    Args:
        index: Folder of an index.
    """
    serve(index, options, listening=lambda address: print(address, flush=True), quiet=is_quiet())
    return 0
