"""The office of Copyright-Bench as an MCP server: the same tools, over stdio or HTTP."""

import hmac
import ipaddress
import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError, require
from cleartitle.evals.copyright_bench import Office, ToolError, default_web
from cleartitle.files import write_text
from cleartitle.progress import console

__all__ = ["office_app", "office_server", "serve_office", "serve_office_http"]

SHORTEST_TOKEN = 16
Application = Callable[[Any, Any, Any], Awaitable[None]]


def office_server(office: Office, selection: Path | None = None) -> Any:
    """A low-level MCP server whose tools are those of ``office``; errors of a tool go to the agent as results.

    With ``selection`` the submitted path is written there when it comes.

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
        if selection is not None and params.name == "submit_selection":
            write_text(selection, f"{office.submitted}\n")
        if office.gives_pixels(params.name):
            return types.CallToolResult(content=[types.ImageContent(type="image", data=found, mime_type="image/jpeg")])
        text = office.answer_text(params.name, found)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return server.Server("cleartitle-office", on_list_tools=list_tools, on_call_tool=call_tool)


def serve_office(workspace: Path, *, web: bool = False, selection: Path | None = None) -> None:
    """Serve the tools over a workspace on standard input and output until the client leaves.

    Raises:
        InputError: the workspace is no folder.
        MissingExtraError: the extra ``agents`` is not installed.
    """
    anyio = require("anyio", "agents")
    stdio = require("mcp.server.stdio", "agents")
    server = office_server(_office(workspace, web), selection)

    async def run() -> None:
        async with stdio.stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def serve_office_http(
    workspace: Path,
    port: int,
    *,
    host: str = "127.0.0.1",
    token_env: str | None = None,
    web: bool = False,
    selection: Path | None = None,
) -> None:
    """Serve the tools over HTTP (the streamable transport, at ``/mcp``) until interrupted; port 0 takes a free one.

    All clients are in one office: the first submission counts. With ``token_env``, the name of an environment variable,
    each request must carry that token as ``Authorization: Bearer``.

    Raises:
        InputError: the workspace is no folder, the address cannot be had, it is not a loopback address and there is no
            token, or the token is shorter than 16 characters.
        MissingExtraError: the extra ``agents`` is not installed.
    """
    token = _token(host, token_env)
    server = office_server(_office(workspace, web), selection)
    uvicorn = require("uvicorn", "agents")
    application = office_app(server, host, token)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen()  # who reads the address below may call at once
        except (OSError, OverflowError) as error:
            raise InputError(f"{host}:{port}: cannot be listened on ({error}); mend: another --http port") from None
        shown = f"[{host}]" if ":" in host else host
        console().print(f"office: http://{shown}:{listening.getsockname()[1]}/mcp", soft_wrap=True)
        config = uvicorn.Config(application, log_level="warning", ws="none", timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[listening])


def office_app(server: Any, host: str, token: str | None) -> Application:
    """The ASGI application of a server; requests without the token are refused before anything reads them."""
    security: Any = None  # the package's own rule for loopback: requests of other origins are refused
    if not _is_loopback(host):
        settings = require("mcp.server.transport_security", "agents").TransportSecuritySettings
        security = settings(enable_dns_rebinding_protection=False)  # the token is what protects
    inner: Application = server.streamable_http_app(host=host, transport_security=security)
    if token is None:
        return inner
    expected = f"Bearer {token}".encode()

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name.lower() == b"authorization"), b"")
            if not hmac.compare_digest(given, expected):
                headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"a token is needed\n"})
                return
        await inner(scope, receive, send)

    return guarded


def _office(workspace: Path, web: bool) -> Office:
    if not workspace.is_dir():
        raise InputError(f"{workspace}: no such folder")
    return Office(workspace, default_web() if web else None)


def _token(host: str, token_env: str | None) -> str | None:
    if token_env is None:
        if not _is_loopback(host):
            raise InputError(f"--host {host}: not a loopback address; mend: --token-env, the name of a variable")
        return None
    token = os.environ.get(token_env, "")
    if len(token) < SHORTEST_TOKEN:
        raise InputError(f"{token_env}: holds no token of at least {SHORTEST_TOKEN} characters; mend: export one")
    return token


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
