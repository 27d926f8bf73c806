"""The search of an index as an MCP server, so that a coding agent can check what it wrote: one tool, over stdio."""

import json
from pathlib import Path
from threading import Lock
from typing import Any

from cleartitle.errors import CleartitleError, InputError, require
from cleartitle.trace import QUESTION, RESULT, Index, Question, index_stamp

__all__ = ["serve_trace", "trace_server"]

LARGEST = 2 << 20
"""Bytes of a text."""

TOOL = "trace"
DESCRIPTION = """\
Find the licensed works that a text shares words with. Give it code that you are about to hand over: it answers with
project, path, license, obligations and matching lines of each work, best first. state "matches": look at license and
obligations, and rewrite the lines or keep what the license asks for; "common": only words that many projects share;
"none": nothing found in what was searched; "too_short": send at least ten words. A match shows shared words; it does
not show who copied from whom, and it is no legal advice."""

INPUT: dict[str, Any] = {
    "type": "object",
    "properties": QUESTION,
    "required": ["text"],
    "additionalProperties": False,
}


class OpenIndex:
    """An index that is opened again when its folder holds a new one; a call keeps the one that it began with."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self._stamp = index_stamp(self._path)
        self._index = Index.open(path)

    def get(self) -> Index:
        """The index of now; the one before, where the new one cannot be opened."""
        with self._lock:
            stamp = index_stamp(self._path)
            if stamp not in (None, self._stamp):
                try:
                    self._index, self._stamp = Index.open(self._path), stamp
                except (CleartitleError, OSError):
                    return self._index
            return self._index


def trace_server(index: OpenIndex, *, may_show: bool = True) -> Any:
    """A low-level MCP server with the tool ``trace``; wrong calls go to the agent as errors that it can read.

    Raises:
        MissingExtraError: the extra ``agents`` is not installed.
    """
    server = require("mcp.server", "agents")
    types = require("mcp.types", "agents")
    threads = require("anyio.to_thread", "agents")
    validator = require("jsonschema", "agents").Draft202012Validator(INPUT)

    def failed(words: str) -> Any:
        return types.CallToolResult(content=[types.TextContent(type="text", text=words)], is_error=True)

    async def list_tools(_context: Any, _params: Any) -> Any:
        tool = types.Tool(
            name=TOOL,
            title="Where does this text come from?",
            description=DESCRIPTION,
            input_schema=INPUT,
            output_schema=RESULT,
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_context: Any, params: Any) -> Any:
        arguments = params.arguments or {}
        if params.name != TOOL:
            return failed(f"no such tool; there is {TOOL}")
        error = next(iter(validator.iter_errors(arguments)), None)
        if error is not None:
            place = ".".join(map(str, error.absolute_path)) or "the call"
            return failed(f"{place}: must have {error.validator} {json.dumps(error.validator_value)[:300]}")
        question = Question.of(arguments)
        if len(question.text.encode("utf-8", "surrogatepass")) > LARGEST:
            return failed(f"the text is larger than {LARGEST:,} bytes; send the part that matters")
        try:
            # In a thread: other messages of the agent are answered meanwhile.
            result = await threads.run_sync(lambda: question.ask(index.get(), may_show=may_show))
        except (InputError, OSError) as problem:
            return failed(str(problem))
        text = types.TextContent(type="text", text=json.dumps(result))
        return types.CallToolResult(content=[text], structured_content=result)

    return server.Server("cleartitle-trace", on_list_tools=list_tools, on_call_tool=call_tool)


def serve_trace(path: Path, *, excerpts: bool = True) -> None:
    """Serve the search of an index on standard input and output until the client leaves.

    Raises:
        InputError: the index cannot be opened.
        MissingExtraError: the extra ``agents`` is not installed.
    """
    anyio = require("anyio", "agents")
    stdio = require("mcp.server.stdio", "agents")
    server = trace_server(OpenIndex(path), may_show=excerpts)

    async def run() -> None:
        async with stdio.stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
