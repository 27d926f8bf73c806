"""The search over MCP, asked by a client that is not ours."""

import json
import sys
from pathlib import Path

import jsonschema
import pytest
from trace_material import function, make_corpus, module

from cleartitle.trace import Index, IndexOptions, build_index

mcp = pytest.importorskip("mcp", reason='needs the extra: pip install "cleartitle[agents]"')


def parameters(index: Path, *words: str):
    script = "from cleartitle.cli import main; main()"
    return mcp.StdioServerParameters(command=sys.executable, args=["-c", script, "mcp", "trace", str(index), *words])


async def test_an_agent_finds_the_origin_of_its_code(tmp_path: Path) -> None:
    served_index = tmp_path / "index"
    corpus = make_corpus(tmp_path, {f"lib{n}/m{n}.py": module(n, "gpl") for n in range(3)})
    build_index([corpus], served_index, IndexOptions(workers=1))
    async with mcp.Client(parameters(served_index)) as client:
        (tool,) = (await client.list_tools()).tools
        assert tool.name == "trace" and tool.annotations.read_only_hint and "legal advice" in tool.description
        text = function(101)
        found = await client.call_tool("trace", {"text": text, "limit": 2, "excerpts": True})
        assert not found.is_error
        jsonschema.validate(found.structured_content, tool.output_schema)
        assert json.loads(found.content[0].text) == found.structured_content
        match = found.structured_content["matches"][0]
        assert (match["path"], match["license"]) == ("lib1/m1.py", "GPL-3.0-or-later")
        assert match["excerpt"][0]["lines"][0].startswith("def ")
        del match["excerpt"]
        expected = json.loads(json.dumps(Index.open(served_index).search(text, limit=2).as_json()))
        expected["searched"]["index"] = served_index.name
        assert {**found.structured_content, "matches": [match]} == expected
        for arguments, words in (
            ({}, "the call: must have required"),
            ({"text": 5}, "text: must have type"),
            ({"text": "a", "limit": 0}, "limit: must have minimum 1"),
            ({"text": "a", "more": 1}, "the call: must have additionalProperties"),
            ({"text": "a" * (3 << 20)}, "larger than"),
        ):
            wrong = await client.call_tool("trace", arguments)
            assert wrong.is_error and words in wrong.content[0].text, arguments
        assert (await client.call_tool("rm", {"text": "a"})).is_error


async def test_a_new_index_is_searched_and_excerpts_can_be_refused(tmp_path: Path) -> None:
    index, options = tmp_path / "index", IndexOptions(workers=1)
    build_index([make_corpus(tmp_path, {"a/a.py": module(1)}, "one")], index, options)
    async with mcp.Client(parameters(index, "--no-excerpts")) as client:
        question = {"text": function(201), "excerpts": True}
        assert (await client.call_tool("trace", question)).structured_content["state"] == "none"
        build_index([make_corpus(tmp_path, {"b/b.py": module(2)}, "two")], index, options)
        found = (await client.call_tool("trace", question)).structured_content
        assert found["state"] == "matches" and found["matches"][0]["excerpt"] is None
        whole = (index / "index.json").read_bytes()
        (index / "index.json").write_bytes(whole[:9])
        assert (await client.call_tool("trace", question)).structured_content["state"] == "matches"
