"""The office over MCP answers as it does in-process, to a client that is not ours."""

import base64
import json
import os
import sys

import pytest
from office_material import make_pool

from cleartitle.evals.copyright_bench import Office, ToolError, default_web

mcp = pytest.importorskip("mcp", reason='needs the extra: pip install "cleartitle[agents]"')


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    pool = make_pool(tmp_path_factory.mktemp("pool") / "pool", pairs=3)
    folder = tmp_path_factory.mktemp("workspace")
    for number, pair in enumerate(pool.pairs):
        for asset, role in zip(pair.assets, ("free", "restricted"), strict=True):
            os.link(pool.file(asset, role), folder / f"{number}-{asset.name[:4]}.jpg")
    return folder


def calls(workspace):
    name = sorted(path.name for path in workspace.iterdir())[0]
    yield "list_files", {}
    for path in (name, "../x", "", "nps_150.jpg", "a\0b"):
        for tool in ("get_dimensions", "get_file_size", "view_image", "read_metadata"):
            yield tool, {"path": path}
    yield "read_metadata", {}
    yield "read_metadata", {"path": 7}
    yield "list_files", {"path": name}
    yield "web_search", {"query": "image license"}
    yield "rm", {"path": name}
    yield "submit_selection", {"path": name}
    yield "submit_selection", {"path": name}


async def test_both_ways_give_equal_answers(workspace, tmp_path):
    script = "from cleartitle.cli import main; main()"
    words = ["mcp", "office", "--workspace", str(workspace), "--web", "--selection", str(tmp_path / "chosen")]
    parameters = mcp.StdioServerParameters(command=sys.executable, args=["-c", script, *words])
    here = Office(workspace, default_web())
    async with mcp.Client(parameters) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == list(here.tools())
        for name, arguments in calls(workspace):
            there = await client.call_tool(name, arguments)
            try:
                expected = here.call(name, arguments)
            except ToolError as error:
                assert there.is_error and there.content[0].text == str(error), (name, arguments)
                continue
            assert not there.is_error, (name, arguments)
            if name == "view_image":
                assert there.content[0].data == expected and base64.b64decode(expected)[:2] == b"\xff\xd8"
            elif isinstance(expected, str):
                assert there.content[0].text == expected
            else:
                assert json.loads(there.content[0].text) == expected
    assert (tmp_path / "chosen").read_text().strip() == here.submitted
