"""The office of Copyright-Bench as an MCP server: the same tools, over stdio."""

from pathlib import Path
from typing import Any

from cleartitle.errors import InputError, require
from cleartitle.evals.copyright_bench import Office, ToolError, default_web

__all__ = ["office_server", "serve_office"]


def office_server(office: Office) -> Any:
    """A low-level MCP server whose tools are those of ``office``; errors of a tool go to the agent as results.

    Raises:
        MissingExtraError: the extra ``agents`` is not installed.
    """
    server = require("mcp.server", "agents")
    types = require("mcp.types", "agents")

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=name, description=office.description(name), input_schema=office.parameters(name))
                for name in office.tools()
            ]
        )

    async def call_tool(_context: Any, params: Any) -> Any:
        try:
            found = office.call(params.name, params.arguments)
        except ToolError as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        if office.gives_pixels(params.name):
            return types.CallToolResult(content=[types.ImageContent(type="image", data=found, mime_type="image/jpeg")])
        text = office.answer_text(params.name, found)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return server.Server("cleartitle-office", on_list_tools=list_tools, on_call_tool=call_tool)


def serve_office(workspace: Path, *, web: bool = False, selection: Path | None = None) -> None:
    """Serve the tools over a workspace on standard input and output until the client leaves.

    With ``selection`` the submitted path is written there at the end.

    Raises:
        InputError: the workspace is no folder.
        MissingExtraError: the extra ``agents`` is not installed.
    """
    if not workspace.is_dir():
        raise InputError(f"{workspace}: no such folder")
    anyio = require("anyio", "agents")
    stdio = require("mcp.server.stdio", "agents")
    office = Office(workspace, default_web() if web else None)
    server = office_server(office)

    async def run() -> None:
        async with stdio.stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
    if selection is not None and office.submitted is not None:
        selection.write_text(office.submitted + "\n", encoding="utf-8")
