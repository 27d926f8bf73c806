"""``cleartitle mcp``: tools for agents over the Model Context Protocol."""

from pathlib import Path

from cyclopts import App

from cleartitle.integrations.mcp_office import serve_office

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
