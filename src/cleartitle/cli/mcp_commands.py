"""``cleartitle mcp``: tools for agents over the Model Context Protocol."""

from pathlib import Path

from cyclopts import App

from cleartitle.integrations.mcp_office import serve_office
from cleartitle.integrations.mcp_trace import serve_trace

__all__ = ["app"]

app = App(name="mcp", help="Serve tools to agents over the Model Context Protocol, on standard input and output.")


@app.command
def office(*, workspace: Path, web: bool = False, selection: Path | None = None) -> int:
    """Serve the tools of Copyright-Bench over a folder of images.

    Args:
        workspace: The folder; nothing outside it is read.
        web: Offer web_search over the prepared pages too.
        selection: File that gets the submitted path.
    """
    serve_office(workspace, web=web, selection=selection)
    return 0


@app.command
def trace(index: Path, *, excerpts: bool = True) -> int:
    """Serve the search of an index: an agent asks where its code comes from, and under which license.

    Args:
        index: Folder of an index; when it changes, the new one is searched.
        excerpts: Show matching lines of origins, if the index holds texts and the agent asks for them.
    """
    serve_trace(index, excerpts=excerpts)
    return 0
