"""npm packages from a registry that the tests run, through the npm client and through plain HTTP."""

import base64
import gzip
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from corpus_material import BODY, MIT_HEADER, Server, make_tar

from cleartitle.corpus import Corpus, CorpusInfo, CorpusOptions, Work, build
from cleartitle.corpus.readers import npm
from cleartitle.corpus.readers.npm import PackageUnavailableError, plan_npm
from cleartitle.errors import InputError
from cleartitle.web import Web

Build = Callable[..., CorpusInfo]


def integrity(data: bytes) -> str:
    return f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"


class Registry(Server):
    """What a registry answers: a document a package, a document a version, tarballs."""

    def __init__(self) -> None:
        super().__init__()
        self.versions: dict[str, dict[str, dict[str, Any]]] = {}
        self.tarballs: dict[str, bytes] = {}
        self.answer = self.reply

    def add(self, name: str, version: str, files: dict[str, str], **package: object) -> bytes:
        package = {"name": name, "version": version, **package}
        data = gzip.compress(make_tar({"package.json": json.dumps(package), **files}, "package"), mtime=0)
        path = f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
        self.tarballs[path] = data
        dist = {"tarball": self.url + path, "integrity": integrity(data), "shasum": hashlib.sha1(data).hexdigest()}
        self.versions.setdefault(name, {})[version] = {**package, "dist": dist}
        return data

    def reply(self, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        path = unquote(path)
        if path in self.tarballs:
            return 200, {}, self.tarballs[path]
        name, _, version = path.strip("/").rpartition("/")
        if path.strip("/") in self.versions:
            found = self.versions[path.strip("/")]
            whole = {"name": path.strip("/"), "dist-tags": {"latest": max(found)}, "versions": found}
            return 200, {"Content-Type": "application/json"}, json.dumps(whole).encode()
        if version in self.versions.get(name, {}):
            return 200, {"Content-Type": "application/json"}, json.dumps(self.versions[name][version]).encode()
        return 404, {"Content-Type": "application/json"}, b'{"error": "Not found"}'


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    monkeypatch.setenv("CLEARTITLE_CACHE", str(tmp_path / "cache"))
    server = Registry()
    yield server
    server.close()


@pytest.fixture(params=["client", "registry"])
def build_from(
    request: pytest.FixtureRequest, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Build:
    """Build a corpus by each of the two ways to a package."""
    if request.param == "client":
        if shutil.which("npm") is None:
            pytest.skip("no npm on this machine")
        settings = {"registry": registry.url, "cache": str(tmp_path / "npm"), "fetch_retries": "0"}
        for name, value in settings.items():
            monkeypatch.setenv(f"npm_config_{name}", value)
    address = registry.url if request.param == "registry" else ""

    def run(specs: object, output: Path, **how: object) -> CorpusInfo:
        return build(specs, output, CorpusOptions(workers=1, npm_registry=address, **how))  # pyright: ignore

    return run


def works_of(corpus: Path) -> dict[str, Work]:
    return {work.occurrence.path: work for work in Corpus.open(corpus).works()}


def test_packages_with_and_without_a_scope_are_read(registry: Registry, build_from: Build, tmp_path: Path) -> None:
    data = registry.add("demo", "1.2.3", {"lib/a.py": BODY, "node_modules/x/b.py": BODY + "# b\n"}, license="ISC")
    registry.add("@ada/tool", "2.0.0-rc.1", {"c.py": MIT_HEADER + BODY, "LICENSE": "x"}, license="MIT")
    result = build_from(["npm:demo@1.2.3", "npm:@ada/tool@2.0.0-rc.1"], tmp_path / "c")
    works = works_of(tmp_path / "c")
    assert {path: (work.license, work.trust) for path, work in works.items()} == {
        "lib/a.py": ("ISC", "declaration"),
        "node_modules/x/b.py": (None, "none"),
        "c.py": ("MIT", "agree"),
    }
    occurrence = works["c.py"].occurrence
    assert (occurrence.project, occurrence.version, occurrence.source) == ("@ada/tool", "2.0.0-rc.1", "npm")
    assert occurrence.url == "https://www.npmjs.com/package/%40ada/tool/v/2.0.0-rc.1"
    assert result.sources[0] == {
        "spec": "npm:demo@1.2.3",
        "kind": "npm",
        "project": "demo",
        "integrity": integrity(data),
    }
    registry.requests.clear()
    assert build_from("npm:demo@1.2.3", tmp_path / "d").projects == 1
    assert registry.requests == []


def test_a_large_package_is_read_in_shards_with_the_same_rows(registry: Registry, tmp_path: Path) -> None:
    files = {f"m{number}.py": f"x = {number}\n" for number in range(12)}
    registry.add("demo", "1.0.0", {**files, "LICENSE": "x", "up/../m.py": BODY}, license="ISC")
    one = build("npm:demo@1.0.0", tmp_path / "one", CorpusOptions(workers=1, npm_registry=registry.url))
    small = CorpusOptions(workers=1, npm_registry=registry.url, shard_files=5, shard_bytes=100)
    many = build("npm:demo@1.0.0", tmp_path / "many", small)
    assert len(list((tmp_path / "many" / "contents").glob("part-*"))) == 3
    assert list(works_of(tmp_path / "one")) == list(works_of(tmp_path / "many")) == list(files)
    assert one.skipped == many.skipped
    assert one.skipped["archive"]["count"] == 1
    assert one.licenses == many.licenses == {"ISC": 12}


def test_what_is_not_to_be_had_is_one_line(registry: Registry, build_from: Build, tmp_path: Path) -> None:
    registry.add("demo", "1.0.0", {"a.py": BODY})
    registry.add("gone", "1.0.0", {"a.py": BODY})
    registry.tarballs.pop("/gone/-/gone-1.0.0.tgz")
    result = build_from(["npm:demo@1.0.0", "npm:demo@9.0.0", "npm:absent@1.0.0", "npm:gone@1.0.0"], tmp_path / "c")
    assert (result.projects, result.skipped["source"]["count"]) == (1, 3)
    for name, line in zip(["demo@9.0.0", "absent@1.0.0", "gone@1.0.0"], result.skipped["source"]["lines"], strict=True):
        assert line.startswith(f"npm:{name}: ")


def test_a_tarball_that_is_not_what_the_registry_states_is_refused(
    registry: Registry, build_from: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm, "Web", partial(Web, pauses=()))
    registry.add("demo", "1.0.0", {"a.py": BODY})
    registry.tarballs["/demo/-/demo-1.0.0.tgz"] = gzip.compress(make_tar({"a.py": BODY + "# evil\n"}, "package"))
    with pytest.raises(InputError, match="demo"):
        build_from("npm:demo@1.0.0", tmp_path / "c")
    assert not list((tmp_path / "cache" / "npm").glob("*.tgz"))


def test_a_pinned_integrity_is_compared(registry: Registry) -> None:
    data = registry.add("demo", "1.0.0", {"a.py": BODY})
    options = CorpusOptions(languages=("python",), npm_registry=registry.url)
    assert plan_npm("demo@1.0.0", options, integrity(data)).record["integrity"] == integrity(data)
    with pytest.raises(PackageUnavailableError, match="not the pinned sha512-AAAA; it was discarded"):
        plan_npm("demo@1.0.0", options, "sha512-AAAA")


@pytest.mark.parametrize(
    ("package", "license_"),
    [
        ({"license": "(MIT OR Apache-2.0)"}, "MIT OR Apache-2.0"),
        ({"license": {"type": "BSD-3-Clause", "url": "x"}}, "BSD-3-Clause"),
        ({"licenses": [{"type": "MIT"}, {"type": "GPL-2.0-only"}]}, "MIT OR GPL-2.0-only"),
        ({"licenses": ["Zlib"]}, "Zlib"),
        ({"licenses": [{"url": "x"}, 3, None]}, None),
        ({"license": "UNLICENSED"}, "LicenseRef-proprietary"),
        ({"license": ["MIT"]}, None),
        ({}, None),
    ],
)
def test_each_form_of_the_license_field_is_understood(
    registry: Registry, tmp_path: Path, package: dict[str, object], license_: str | None
) -> None:
    registry.add("demo", "1.0.0", {"a.py": BODY}, **package)
    build("npm:demo@1.0.0", tmp_path / "c", CorpusOptions(workers=1, npm_registry=registry.url))
    assert works_of(tmp_path / "c")["a.py"].license == license_


@pytest.mark.parametrize(
    "text", ["demo", "demo@latest", "demo@^1.0.0", "demo@1.0", "../x@1.0.0", "git+ssh://h/x@1.0.0", "@a@1.0.0",
             "-x@1.0.0", "a b@1.0.0", "./x.tgz@1.0.0", "@a/b/c@1.0.0", ".@1.0.0", "x@1.0.0;y"],
)  # fmt: skip
def test_only_a_name_with_an_exact_version_is_asked_for(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mend: write npm:NAME@VERSION"):
        plan_npm(text, CorpusOptions(languages=("python",)))


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"dist": 3}', b'{"dist": {"tarball": "file:///etc/passwd"}}'])
def test_a_registry_that_makes_no_sense_is_one_line(registry: Registry, tmp_path: Path, body: bytes) -> None:
    registry.answer = lambda *_: (200, {}, body)
    with pytest.raises(InputError):
        build("npm:demo@1.0.0", tmp_path / "c", CorpusOptions(workers=1, npm_registry=registry.url))


def test_a_tarball_is_fetched_over_http_alone(registry: Registry) -> None:
    described = {"dist": {"tarball": "file:///etc/hostname", "integrity": "sha512-x"}}
    registry.answer = lambda *_: (200, {}, json.dumps(described).encode())
    with pytest.raises(Exception, match="no http or https address"):
        plan_npm("demo@1.0.0", CorpusOptions(languages=("python",), npm_registry=registry.url))


def test_a_build_that_was_killed_fetches_only_what_is_missing(registry: Registry, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        registry.add(name, "1.0.0", {"a.py": f"x = '{name}'\n"})
    usual, held = registry.answer, [True]

    def slow(path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if path.endswith("three-1.0.0.tgz") and held[0]:
            held[0] = False
            time.sleep(60)
        return usual(path, headers)

    registry.answer = slow
    specs = ["npm:one@1.0.0", "npm:two@1.0.0", "npm:three@1.0.0"]
    script = (
        "from cleartitle.corpus import CorpusOptions, build; from pathlib import Path; "
        f"build({specs!r}, Path({str(tmp_path / 'c')!r}), CorpusOptions(workers=1, npm_registry={registry.url!r}))"
    )
    process = subprocess.Popen([sys.executable, "-c", script], env=dict(os.environ))
    cache = tmp_path / "cache" / "npm"
    while (held[0] or len(list(cache.glob("[!.]*.tgz"))) < 2) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    registry.requests.clear()
    assert build(specs, tmp_path / "c", CorpusOptions(workers=1, npm_registry=registry.url)).projects == 3
    assert [path for path, _ in registry.requests] == ["/three/1.0.0", "/three/-/three-1.0.0.tgz"]
