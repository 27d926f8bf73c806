"""``cleartitle mcp``: tools for agents over the Model Context Protocol."""

from pathlib import Path

from cyclopts import App

from cleartitle.integrations.mcp_office import serve_office, serve_office_http
from cleartitle.integrations.mcp_trace import serve_trace

__all__ = ["app"]

app = App(name="mcp", help="Serve tools to agents over the Model Context Protocol.")


@app.command
def office(
    *,
    workspace: Path,
    http: int | None = None,
    host: str = "127.0.0.1",
    token_env: str | None = None,
    web: bool = False,
    selection: Path | None = None,
) -> int:
    """Serve the tools of Copyright-Bench over a folder of images, on standard input and output.

    Args:
        workspace: The folder; nothing outside it is read.
        http: Serve over HTTP on this port instead, at /mcp; 0 takes a free one.
        host: Address to listen on with --http; any other than loopback needs a token.
        token_env: Name of the environment variable that holds the token which clients must send.
        web: Offer web_search over the prepared pages too.
        selection: File that gets the submitted path.
    """
    if http is None:
        serve_office(workspace, web=web, selection=selection)
    else:
        serve_office_http(workspace, http, host=host, token_env=token_env, web=web, selection=selection)
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
