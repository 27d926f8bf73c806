"""The GitHub reader against a local server that speaks the API, with all the ways in which it can refuse."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from corpus_material import BODY, MIT_HEADER, Server, make_tar

from cleartitle.corpus import Corpus, CorpusOptions, build
from cleartitle.corpus.readers.github import api as api_module
from cleartitle.corpus.readers.github.api import GitHub, GitHubError
from cleartitle.corpus.readers.github.search import parse_search
from cleartitle.errors import InputError
from cleartitle.web import Web

Answer = tuple[int, dict[str, str], bytes]
SPENT = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000"}


def as_json(value: object, status: int = 200, **headers: str) -> Answer:
    return status, {name.replace("_", "-"): text for name, text in headers.items()}, json.dumps(value).encode()


class Hub(Server):
    """A small GitHub: repositories with files, and answers that come once before the right one."""

    def __init__(self) -> None:
        super().__init__()
        self.repositories: dict[str, dict[str, Any]] = {}
        self.renamed: dict[str, str] = {}
        self.first: dict[str, list[Answer]] = {}
        """Answers by path, given one after the other before the usual one."""
        self.tarballs = Server()
        self.tarballs.answer = self.tarball
        self.answer = self.reply

    def close(self) -> None:
        self.tarballs.close()
        super().close()

    def add(self, name: str, license_: str | None = "MIT", files: dict[str, str] | None = None, **fields: Any) -> str:
        sha = f"{len(self.repositories) + 1:040x}"
        about = {"full_name": name, "default_branch": "main", "fork": False, "language": "Python", "created": 2015}
        about["license"] = {"key": (license_ or "").lower(), "spdx_id": license_} if license_ else None
        about |= {"sha": sha, "files": files or {"a.py": f"{BODY}# {name}\n"}, **fields}
        self.repositories[name] = about
        return sha

    def paths(self) -> list[str]:
        return [urlsplit(path).path for path, _ in self.requests]

    def reply(self, path: str, headers: dict[str, str]) -> Answer:
        parts = urlsplit(path)
        if waiting := self.first.get(parts.path):
            return waiting.pop(0)
        status, found, body = self.usual(parts.path, {key: values[0] for key, values in parse_qs(parts.query).items()})
        if status == 200:
            tag = f'"{hash(body)}"'
            found = {**found, "ETag": tag}
            if headers.get("if-none-match") == tag:
                return 304, {"ETag": tag, "X-RateLimit-Remaining": "9"}, b""
        return status, {"X-RateLimit-Remaining": "9", **found}, body

    def usual(self, path: str, query: dict[str, str]) -> Answer:
        if path == "/search/repositories":
            return self.search(query)
        _, kind, owner, name, *rest = [*path.split("/"), "", "", ""][:7]
        full = f"{owner}/{name}"
        if full in self.renamed:
            return 301, {"Location": path.replace(full, self.renamed[full])}, b"{}"
        about = self.repositories.get(full)
        if kind != "repos" or about is None:
            return as_json({"message": "Not Found"}, 404)
        if rest[0] == "commits":
            if about["sha"] == "":
                return as_json({"message": "Git Repository is empty."}, 409)
            if query["sha"] not in ("main", about["sha"], "v1"):
                return as_json({"message": "No commit found"}, 404)
            return as_json([{"sha": about["sha"], "commit": {"committer": {"date": "2019-03-04T05:06:07Z"}}}])
        if rest[0] == "tarball":
            return 302, {"Location": f"{self.tarballs.url}/{full}/{rest[1]}?token=secret"}, b""
        return as_json({key: value for key, value in about.items() if key not in ("files", "sha")})

    def search(self, query: dict[str, str]) -> Answer:
        words = dict(word.partition(":")[::2] for word in query["q"].split())
        found = [
            about
            for about in self.repositories.values()
            if about["license"]
            and about["license"]["key"] == words["license"]
            and about["language"] == words["language"]
            and self._created(about, words.get("created", ""))
        ]
        start = (int(query["page"]) - 1) * int(query["per_page"])
        items = [{k: v for k, v in about.items() if k not in ("files", "sha")} for about in found]
        return as_json({"total_count": len(found), "items": items[start : start + int(query["per_page"])]})

    @staticmethod
    def _created(about: dict[str, Any], span: str) -> bool:
        start, _, end = span.partition("..")
        day = f"{about['created']}-06-01"
        return not span or start <= day <= end

    def tarball(self, path: str, headers: dict[str, str]) -> Answer:
        owner, name, sha = urlsplit(path).path.strip("/").split("/")
        if waiting := self.first.get(f"tarball {owner}/{name}"):
            return waiting.pop(0)
        files = self.repositories[f"{owner}/{name}"]["files"]
        return 200, {"Content-Length": ""}, gzip.compress(make_tar(files, f"{owner}-{name}-{sha[:7]}"), mtime=0)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("CLEARTITLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    server = Hub()
    yield server
    server.close()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that were waited for, without waiting."""
    waits: list[float] = []
    clock = [0.0]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock[0] += seconds

    original = GitHub.__init__

    def patient(self: GitHub, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        self.sleep, self.now, self.web = sleep, lambda: clock[0], Web(timeout=10, sleep=sleep)

    monkeypatch.setattr(api_module.GitHub, "__init__", patient)
    return waits


def options(hub: Hub, **how: Any) -> CorpusOptions:
    return CorpusOptions(workers=1, github_api=hub.url, **how)


def test_a_repository_becomes_works_at_its_commit(hub: Hub, tmp_path: Path) -> None:
    sha = hub.add("ada/demo", "GPL-3.0", {"lib/a.py": BODY, "b.py": MIT_HEADER + BODY, "COPYING": "x", "README.md": ""})
    result = build("github:ada/demo", tmp_path / "c", options(hub))
    works = {work.occurrence.path: work for work in Corpus.open(tmp_path / "c").works()}
    assert (works["lib/a.py"].license, works["lib/a.py"].trust) == ("GPL-3.0", "declaration")
    assert (works["b.py"].license, works["b.py"].trust) == ("MIT", "conflict")
    occurrence = works["lib/a.py"].occurrence
    assert (occurrence.project, occurrence.revision, occurrence.source) == ("ada/demo", sha, "github")
    assert occurrence.url == f"https://github.com/ada/demo/blob/{sha}/lib/a.py"
    assert str(occurrence.date) == "2019-03-04 05:06:07+00:00"
    assert json.loads(occurrence.declared_evidence or "") == {"from": "GitHub", "stated": ["GPL-3.0"]}
    assert result.sources[0]["repositories"] == [{"name": "ada/demo", "revision": sha, "license": "GPL-3.0"}]


def test_without_a_stated_license_the_files_of_the_repository_are_asked(hub: Hub, tmp_path: Path) -> None:
    hub.add("ada/own", None, {"a.py": BODY, "package.json": '{"license": "ISC", "version": "2.1"}'})
    hub.add("ada/vague", "NOASSERTION", {"b.py": BODY + "# b\n", "LICENSE": "SPDX-License-Identifier: Zlib\n"})
    build(["github:ada/own", "github:ada/vague"], tmp_path / "c", options(hub))
    works = {work.occurrence.project: work for work in Corpus.open(tmp_path / "c").works()}
    assert (works["ada/own"].license, works["ada/own"].occurrence.version) == ("ISC", "2.1")
    assert works["ada/vague"].license == "Zlib"


def test_a_large_repository_is_read_in_shards_with_the_same_rows(hub: Hub, tmp_path: Path) -> None:
    files = {f"m{number}.py": f"x = {number}\n" for number in range(12)}
    hub.add("ada/large", files={**files, "COPYING": "x"})
    hub.add("ada/small", files={"s.py": BODY})
    one = build("github:license=mit,language=python", tmp_path / "one", options(hub))
    many = build("github:license=mit,language=python", tmp_path / "many", options(hub, shard_files=5, shard_bytes=100))
    paths = [[work.occurrence.path for work in Corpus.open(tmp_path / name).works()] for name in ("one", "many")]
    assert paths[0] == paths[1] == [*files, "s.py"]
    assert len(list((tmp_path / "many" / "contents").glob("part-*"))) == 4
    assert one.skipped == many.skipped


def test_a_search_takes_the_repositories_of_a_license_and_a_language(hub: Hub, tmp_path: Path) -> None:
    for number in range(20):
        hub.add(f"ada/r{number}", "GPL-3.0" if number % 2 else "MIT", {"a.py": f"x = {number}\n"})
    hub.add("ada/java", "GPL-3.0", {"A.java": "class A {}\n"}, language="Java")
    result = build("github:license=gpl-3.0,language=python,limit=5", tmp_path / "c", options(hub))
    assert (result.projects, result.classes) == (5, {"strong_copyleft": 5})
    assert len(list((tmp_path / "c" / "contents").glob("part-*"))) == 1


def test_results_are_read_page_by_page_up_to_the_limit(hub: Hub) -> None:
    for number in range(230):
        hub.add(f"ada/r{number}")
    search = parse_search("license=mit,language=python,limit=105", CorpusOptions(languages=("python",)))
    assert [one.name for one in search.run(GitHub(hub.url))] == [f"ada/r{number}" for number in range(105)]
    assert hub.paths() == ["/search/repositories"] * 2


def test_a_search_names_the_language_that_is_kept(hub: Hub, tmp_path: Path) -> None:
    hub.add("ada/java", "MIT", {"A.java": "class A {}\n", "b.py": BODY}, language="Java")
    assert build("github:license=mit,language=java", tmp_path / "c", options(hub)).languages == {"java": 1}
    hub.add("ada/cpp", "MIT", {"a.cpp": "int a;\n"}, language="C++")
    kept = options(hub, languages=("java", "cpp"), refresh=True)
    assert build("github:license=mit", tmp_path / "d", kept).languages == {"cpp": 1, "java": 1}


def test_more_results_than_the_api_gives_are_reached_through_slices(hub: Hub) -> None:
    for number in range(2300):
        hub.add(f"ada/r{number}", created=2010 + number % 9)
    search = parse_search("license=mit,language=python,limit=2200", CorpusOptions(languages=("python",)))
    found = [repository.name for repository in search.run(GitHub(hub.url))]
    assert len(found) == len(set(found)) == 2200


def test_what_is_gone_empty_or_blocked_is_one_line_and_the_rest_goes_on(hub: Hub, tmp_path: Path) -> None:
    hub.add("ada/good")
    hub.add("ada/empty")
    hub.repositories["ada/empty"]["sha"] = ""
    hub.add("ada/gone")
    hub.first["/repos/ada/gone/commits"] = [as_json({"message": "Not Found"}, 404)]
    hub.add("ada/taken")
    hub.first["/repos/ada/taken/commits"] = [as_json({"message": "DMCA"}, 451)]
    hub.add("ada/barred")
    hub.first["/repos/ada/barred/commits"] = [as_json({"message": "Access blocked"}, 403)]
    hub.repositories["strange"] = {**hub.repositories["ada/good"], "full_name": "../../etc"}
    result = build("github:license=mit,language=python", tmp_path / "c", options(hub))
    assert result.projects == 1
    lines = " ".join(result.skipped["repository"]["lines"])
    assert result.skipped["repository"]["count"] == 4
    for part in ("ada/empty/commits: an empty", "ada/gone/commits: not there", "ada/taken/commits: taken down"):
        assert part in lines
    assert "ada/barred/commits: status 403 (Access blocked)" in lines


def test_a_source_that_is_wholly_gone_stops_nothing_else(hub: Hub, tmp_path: Path) -> None:
    hub.add("ada/good")
    result = build(["github:ada/good", "github:ada/absent"], tmp_path / "c", options(hub))
    assert result.skipped["source"]["lines"] == ["/repos/ada/absent: not there (removed, renamed away or private)"]


def test_a_renamed_repository_is_followed_and_named_anew(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add("ada/new")
    hub.renamed["ada/old"] = "ada/new"
    build("github:ada/old@v1", tmp_path / "c", options(hub))
    assert {work.occurrence.project for work in Corpus.open(tmp_path / "c").works()} == {"ada/new"}
    assert "github:ada/old is ada/new now" in capsys.readouterr().err


def test_a_fork_is_recorded_with_the_license_of_its_origin(hub: Hub, tmp_path: Path) -> None:
    hub.add("ada/fork", "MIT", fork=True, source={"full_name": "bob/origin", "license": {"spdx_id": "GPL-2.0"}})
    result = build("github:ada/fork", tmp_path / "c", options(hub))
    assert result.sources[0]["repositories"][0]["forked_from"] == "bob/origin (GPL-2.0)"


def test_a_spent_limit_is_waited_for(hub: Hub, tmp_path: Path, slept: list[float], capsys: Any) -> None:
    hub.add("ada/demo")
    hub.first["/repos/ada/demo"] = [as_json({"message": "API rate limit exceeded"}, 403) for _ in range(1)]
    hub.first["/repos/ada/demo"][0][1].update(SPENT)
    hub.first["/repos/ada/demo/commits"] = [as_json({"message": "slow down"}, 429, Retry_After="30")]
    hub.first[f"/repos/ada/demo/tarball/{1:040x}"] = [
        as_json({"message": "You have exceeded a secondary rate limit."}, 403)
    ]
    build("github:ada/demo", tmp_path / "c", options(hub))
    assert slept == [1001, 31, 61]
    shown = capsys.readouterr().err
    assert "rate limit is spent, going on in 1001 s; a token raises the limit" in " ".join(shown.split())


def test_the_last_answer_within_a_limit_is_used_before_waiting(hub: Hub, slept: list[float]) -> None:
    hub.add("ada/demo")
    hub.first["/repos/ada/demo"] = [as_json({"full_name": "x"})]
    hub.first["/repos/ada/demo"][0][1].update(SPENT)
    github = GitHub(hub.url)
    assert github.json("/repos/ada/demo") == {"full_name": "x"}
    assert slept == []
    github.json("/repos/ada/demo/commits", {"sha": "main"})
    assert slept == [1001]


def test_a_limit_that_never_ends_is_an_error(hub: Hub, slept: list[float]) -> None:
    hub.first["/repos/ada/demo"] = [as_json({}, 429, Retry_After="1") for _ in range(99)]
    with pytest.raises(GitHubError, match="did not end after 20 waits"):
        GitHub(hub.url).json("/repos/ada/demo")


def test_a_server_that_stumbles_is_asked_again(hub: Hub, tmp_path: Path, slept: list[float]) -> None:
    hub.add("ada/demo")
    hub.first["/repos/ada/demo"] = [(502, {}, b"bad gateway"), (500, {}, b"")]
    whole = gzip.compress(make_tar({"a.py": BODY}))
    cut: Answer = (200, {"Content-Length": ""}, whole[:-20])
    short: Answer = (200, {"Content-Length": str(len(whole) + 9)}, whole)
    hub.first["tarball ada/demo"] = [cut, short]
    build("github:ada/demo", tmp_path / "c", options(hub))
    assert slept == [1, 4, 1, 4]


def test_a_tarball_that_never_comes_whole_leaves_nothing_behind(hub: Hub, tmp_path: Path, slept: list[float]) -> None:
    hub.add("ada/good")
    hub.add("ada/cut")
    data = gzip.compress(make_tar({"a.py": BODY}))
    hub.first["tarball ada/cut"] = [(200, {"Content-Length": ""}, data[:-30])] * 9
    result = build("github:license=mit,language=python", tmp_path / "c", options(hub))
    assert result.projects == 1
    assert "the answer broke off" in result.skipped["repository"]["lines"][0]
    assert "secret" not in result.skipped["repository"]["lines"][0]
    assert [path.name for path in (tmp_path / "cache" / "github" / "tarballs").iterdir()] == [
        f"ada+good-{1:040x}.tar.gz"
    ]


def test_answers_are_asked_once_and_with_refresh_by_their_tag(hub: Hub, tmp_path: Path) -> None:
    sha = hub.add("ada/demo")
    build("github:ada/demo", tmp_path / "c", options(hub))
    assert len(hub.requests) == 3
    assert build("github:ada/demo", tmp_path / "c", options(hub)).up_to_date
    assert len(hub.requests) == 3
    assert build("github:ada/demo", tmp_path / "c", options(hub, refresh=True)).up_to_date
    assert [headers.get("if-none-match", "")[:1] for _, headers in hub.requests[3:]] == ['"', '"']
    hub.repositories["ada/demo"] |= {"sha": "f" * 40, "files": {"a.py": BODY + "# newer\n"}}
    assert build("github:ada/demo", tmp_path / "c", options(hub)).sources[0]["repositories"][0]["revision"] == sha
    newer = build("github:ada/demo", tmp_path / "c", options(hub, refresh=True))
    assert newer.sources[0]["repositories"][0]["revision"] == "f" * 40


def test_the_token_goes_to_the_api_alone_and_is_never_shown(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    token = "ghp_thisIsNoRealToken"
    monkeypatch.setenv("MY_TOKEN", token)
    hub.add("ada/demo")
    hub.add("ada/bad")
    hub.first["/repos/ada/bad/commits"] = [as_json({"message": "Bad credentials"}, 401)]
    kept = options(hub, github_token_variable="MY_TOKEN")
    build("github:license=mit,language=python", tmp_path / "c", kept)
    assert {headers.get("authorization") for _, headers in hub.requests} == {f"Bearer {token}"}
    assert [headers.get("authorization") for _, headers in hub.tarballs.requests] == [None]
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert token.encode() not in written
    assert hub.url.encode() not in (tmp_path / "c" / "corpus.json").read_bytes()
    assert token not in capsys.readouterr().err
    assert token not in repr(GitHub.by(kept))


def test_a_token_is_not_sent_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="a token is not sent over http"):
        GitHub("http://github.example.org/api/v3", token="x")
    monkeypatch.setenv("MY_TOKEN", "two words\n")
    with pytest.raises(InputError, match="MY_TOKEN: holds no token"):
        GitHub.by(CorpusOptions(github_token_variable="MY_TOKEN"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("github:demo", "github:OWNER/NAME"),
        ("github:../../etc/passwd", "github:OWNER/NAME"),
        ("github:ada/demo@", "github:OWNER/NAME"),
        ("github:license=mit,sort=stars", "cannot read 'sort=stars'"),
        ("github:license=mit,license=isc", "cannot read 'license=isc'"),
        ("github:language=python", "no license key"),
        ("github:license=mit,language=cobol", "not among those kept"),
        ("github:license=mit,limit=many", "limit is no number"),
        ("github:license=mit license:gpl,limit=1", "no license key"),
    ],
)
def test_a_spec_that_cannot_be_read_says_how_to_write_it(hub: Hub, tmp_path: Path, spec: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(spec, tmp_path / "c", options(hub))
    assert hub.requests == []


@pytest.mark.parametrize("body", [b"", b"[]", b"[" * 99_999, b'{"full_name": 3}', b"\xff\xfe", b'[{"sha": "../x"}]'])
def test_answers_that_make_no_sense_are_one_line(hub: Hub, tmp_path: Path, body: bytes) -> None:
    hub.add("ada/good")
    hub.first["/repos/ada/bad"] = [(200, {}, body)] * 5
    hub.add("ada/odd")
    hub.first["/repos/ada/odd/commits"] = [(200, {}, body)] * 5
    result = build(["github:ada/good", "github:ada/bad", "github:ada/odd"], tmp_path / "c", options(hub))
    assert result.skipped["source"]["count"] == 2
    assert result.projects == 1


def test_a_collection_that_was_killed_goes_on_where_it_was(hub: Hub, tmp_path: Path) -> None:
    for number in range(5):
        hub.add(f"ada/r{number}", files={"a.py": f"x = {number}\n"})
    usual, halt = hub.tarball, [3]

    def slow(path: str, headers: dict[str, str]) -> Answer:
        halt[0] -= 1
        if halt[0] == 0:
            time.sleep(60)
        return usual(path, headers)

    hub.tarballs.answer = slow
    script = (
        "from cleartitle.corpus import CorpusOptions, build; from pathlib import Path; "
        f"build('github:license=mit,language=python', Path({str(tmp_path / 'c')!r}), "
        f"CorpusOptions(workers=1, github_api={hub.url!r}))"
    )
    process = subprocess.Popen([sys.executable, "-c", script], env=dict(os.environ))
    while halt[0] > 0 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before, hub.requests[:] = len(hub.requests), []
    assert before == 1 + 2 * 3
    hub.tarballs.requests.clear()
    result = build("github:license=mit,language=python", tmp_path / "c", options(hub))
    assert result.projects == 5
    assert len(hub.tarballs.requests) == 5 - 2
    assert not any(path.startswith("/search") for path in hub.paths())
    hub.tarballs.answer = usual
    build("github:license=mit,language=python", tmp_path / "d", replace(options(hub), workers=2))
    one, two = (
        {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        for root in (tmp_path / "c", tmp_path / "d")
    )
    assert one == two
