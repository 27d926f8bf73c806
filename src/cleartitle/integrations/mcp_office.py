"""The office of Copyright-Bench as an MCP server: the same tools, over stdio."""

import json
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
                types.Tool(name=name, description=_described(tool), input_schema=_schema(name))
                for name, tool in office.tools().items()
            ]
        )

    async def call_tool(_context: Any, params: Any) -> Any:
        try:
            found = office.call(params.name, params.arguments)
        except ToolError as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        if params.name == "view_image":
            return types.CallToolResult(content=[types.ImageContent(type="image", data=found, mime_type="image/jpeg")])
        text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
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


def _described(tool: Any) -> str:
    return str(tool.__doc__).strip().splitlines()[0]


def _schema(name: str) -> dict[str, Any]:
    if name == "list_files":
        return {"type": "object", "properties": {}, "additionalProperties": False}
    argument = "query" if name == "web_search" else "path"
    return {
        "type": "object",
        "properties": {argument: {"type": "string"}},
        "required": [argument],
        "additionalProperties": False,
    }
