"""The office over MCP answers as it does in-process, to a client that is not ours."""

import base64
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from office_material import make_pool

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import Office, ToolError, default_web

mcp = pytest.importorskip("mcp", reason='needs the extra: pip install "cleartitle[agents]"')
http = pytest.importorskip("mcp.client.streamable_http")

from cleartitle.integrations.mcp_office import serve_office_http  # noqa: E402

SCRIPT = "from cleartitle.cli import main; main()"


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


async def compared(client, here, workspace):
    """Every call there and here: equal answers, equal errors."""
    listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == list(here.tools())
    assert [tool.input_schema for tool in listed.tools] == [here.parameters(name) for name in here.tools()]
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


async def test_stdio_and_in_process_give_equal_answers(workspace, tmp_path):
    words = ["mcp", "office", "--workspace", str(workspace), "--web", "--selection", str(tmp_path / "chosen")]
    parameters = mcp.StdioServerParameters(command=sys.executable, args=["-c", SCRIPT, *words])
    here = Office(workspace, default_web())
    async with mcp.Client(parameters) as client:
        await compared(client, here, workspace)
    assert (tmp_path / "chosen").read_text().strip() == here.submitted


@contextmanager
def served(workspace, *more, **environment):
    """The command over HTTP; gives the address that it prints."""
    words = ["mcp", "office", "--workspace", str(workspace), "--http", "0", "--web", *more]
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *words], stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    try:
        line = process.stderr.readline()
        assert line.startswith("office: http://"), line + process.stderr.read()
        yield line.removeprefix("office: ").strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


async def test_http_and_in_process_give_equal_answers(workspace, tmp_path):
    here = Office(workspace, default_web())
    with served(workspace, "--selection", str(tmp_path / "chosen")) as address:
        async with mcp.Client(address) as client:
            await compared(client, here, workspace)
        assert (tmp_path / "chosen").read_text().strip() == here.submitted
        request = urllib.request.Request(address, b"{}", {"Content-Type": "application/json", "Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)
        assert caught.value.code in (403, 421), "pages of other origins reach nothing"
        caught.value.close()


async def test_with_a_token_only_its_holder_gets_in(workspace):
    token = "a-token-of-the-tests"
    with served(workspace, "--token-env", "OFFICE_TOKEN", OFFICE_TOKEN=token) as address:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": token}):
            request = urllib.request.Request(address, b"{}", {"Content-Type": "application/json", **headers})
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)
            assert caught.value.code == 401
            caught.value.close()
        async with http.create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as web:
            async with mcp.Client(http.streamable_http_client(address, http_client=web)) as client:
                assert len((await client.list_tools()).tools) == 7


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"host": "0.0.0.0"}, "not a loopback address"),
        ({"token_env": "NO_SUCH_TOKEN"}, "holds no token"),
        ({"workspace": "nowhere"}, "no such folder"),
        ({"port": 99999}, "cannot be listened on"),
    ],
)
def test_wrong_use_is_one_line(workspace, given, words):
    arguments = {"workspace": workspace, "port": 0, **given}
    with pytest.raises(InputError, match=words):
        serve_office_http(Path(arguments.pop("workspace")), arguments.pop("port"), **arguments)
