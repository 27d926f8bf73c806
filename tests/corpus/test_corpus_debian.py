"""Debian source packages: from a repository that the tests make, through apt itself and through plain HTTP."""

import gzip
import hashlib
import json
import lzma
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from corpus_material import BODY, GPL_HEADER, MIT_HEADER, Server, make_debian, make_tar, sources_entry

from cleartitle.corpus import Corpus, CorpusInfo, CorpusOptions, Work, build
from cleartitle.corpus.readers.debian import apt, plan_debian
from cleartitle.corpus.readers.debian.package import SourceUnavailableError, parse_dsc, parse_name
from cleartitle.errors import InputError
from cleartitle.files import sha256_file

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
License: GPL-3+

Files: vendor/* odd.py
License: Expat
"""
FILES = {
    "a.py": GPL_HEADER + BODY,
    "vendor/six.py": BODY + "# six\n",
    "odd.py": MIT_HEADER + BODY,
    "debian.py": BODY + "# plain\n",
    "COPYING": "x",
}
Build = Callable[..., CorpusInfo]


class Repository:
    """A Debian repository in a folder, served over HTTP too."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.packages: dict[str, Path] = {}
        self.server = Server()
        self.server.answer = self.reply

    def add(self, name: str = "demo", version: str = "1.0-1", **material: object) -> Path:
        prefix = name[:4] if name.startswith("lib") else name[0]
        dsc = make_debian(self.root / "pool" / "main" / prefix / name, name, version, **material)  # pyright: ignore
        self.packages[f"{name}={version}"] = dsc
        self.write()
        return dsc

    def write(self) -> None:
        folder = self.root / "dists" / "stable" / "main" / "source"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(sources_entry(d, str(d.parent.relative_to(self.root))) for d in self.packages.values())
        (self.root / "Sources").write_text(text)
        (folder / "Sources.xz").write_bytes(lzma.compress(text.encode()))

    def reply(self, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        file = self.root / unquote(path).lstrip("/")
        return (200, {}, file.read_bytes()) if file.is_file() else (404, {}, b"")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    monkeypatch.setenv("CLEARTITLE_CACHE", str(tmp_path / "cache"))
    made = Repository(tmp_path / "mirror")
    yield made
    made.server.close()


@pytest.fixture(params=["apt", "mirror"])
def build_from(request: pytest.FixtureRequest, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build a corpus by each of the two ways to a package."""
    if request.param == "apt":
        if shutil.which("apt-get") is None:
            pytest.skip("no apt-get on this machine")
        line = f"deb-src [trusted=yes allow-insecure=yes] file:{repository.root} ./\n"
        monkeypatch.setattr(apt, "_sources", lambda _: line)
    mirror = repository.server.url if request.param == "mirror" else ""

    def run(specs: object, output: Path, **how: object) -> CorpusInfo:
        return build(specs, output, CorpusOptions(workers=1, debian_mirror=mirror, **how))  # pyright: ignore

    return run


def works_of(corpus: Path) -> dict[str, Work]:
    return {work.occurrence.path: work for work in Corpus.open(corpus).works()}


def test_each_file_has_the_license_that_the_copyright_file_states(
    repository: Repository, build_from: Build, tmp_path: Path
) -> None:
    dsc = repository.add(files=FILES, copyright_file=COPYRIGHT)
    result = build_from("debian:demo=1.0-1", tmp_path / "c")
    works = works_of(tmp_path / "c")
    assert {path: (work.license, work.trust) for path, work in works.items()} == {
        "a.py": ("GPL-3.0-or-later", "agree"),
        # Marked as vendored, and still declared: a paragraph of its own speaks for it.
        "vendor/six.py": ("MIT", "declaration"),
        "odd.py": ("MIT", "agree"),
        "debian.py": ("GPL-3.0-or-later", "declaration"),
    }
    occurrence = works["vendor/six.py"].occurrence
    assert occurrence.is_vendored
    assert (occurrence.project, occurrence.version, occurrence.source) == ("demo", "1.0-1", "debian")
    assert occurrence.url == "https://sources.debian.org/src/demo/1.0-1/"
    assert json.loads(occurrence.declared_evidence or "")["files"] == "vendor/*"
    record = {"spec": "debian:demo=1.0-1", "kind": "debian", "project": "demo", "sha256": sha256_file(dsc)}
    assert result.sources == [record]
    texts = Corpus.open(tmp_path / "c").license_texts()
    assert texts["path"].to_pylist() == ["debian/copyright", "COPYING"]
    assert texts["expression"].to_pylist()[0] == "GPL-3.0-or-later"


def test_what_is_gone_is_one_line_and_the_rest_goes_on(
    repository: Repository, build_from: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.add(files={"a.py": BODY}, copyright_file=COPYRIGHT)
    torn = repository.add("torn", files={"a.py": BODY + "# torn\n"})
    changed = repository.add("changed", files={"a.py": BODY})
    (torn.parent / "torn_1.0.orig.tar.gz").unlink()
    archive = changed.parent / "changed_1.0.orig.tar.gz"
    archive.write_bytes(bytes(archive.stat().st_size))
    specs = ["debian:demo=1.0-1", "debian:demo=9.9-1", "debian:absent=1.0-1", "debian:torn", "debian:changed=1.0-1"]
    result = build_from(specs, tmp_path / "c")
    assert (result.projects, result.skipped["source"]["count"]) == (1, 4)
    lines = dict(line.split(": ", 1) for line in result.skipped["source"]["lines"])
    assert "debian:demo=9.9-1: gone" in capsys.readouterr().err
    assert set(lines) == {"debian:demo=9.9-1", "debian:absent=1.0-1", "debian:torn", "debian:changed=1.0-1"}
    cache = tmp_path / "cache" / "debian"
    assert [path.name for path in cache.iterdir() if "_" in path.name] == ["demo_1.0-1"]


def test_without_a_version_the_list_says_which_and_refresh_asks_again(
    repository: Repository, build_from: Build, tmp_path: Path
) -> None:
    repository.add(files={"a.py": BODY})
    assert build_from("debian:demo", tmp_path / "c").sources[0]["spec"] == "debian:demo=1.0-1"
    repository.add(version="1:2.0-1", files={"a.py": BODY + "# two\n"})
    assert build_from("debian:demo", tmp_path / "c").sources[0]["spec"] == "debian:demo=1.0-1"
    apt._fresh.clear()
    assert build_from("debian:demo", tmp_path / "c", refresh=True).sources[0]["spec"] == "debian:demo=1:2.0-1"


def test_a_fetched_package_is_read_from_the_cache(repository: Repository, build_from: Build, tmp_path: Path) -> None:
    repository.add(files={"a.py": BODY})
    build_from("debian:demo=1.0-1", tmp_path / "c")
    shutil.rmtree(repository.root)
    assert build_from("debian:demo=1.0-1", tmp_path / "d").projects == 1
    damaged = tmp_path / "cache" / "debian" / "demo_1.0-1" / "demo_1.0.orig.tar.gz"
    damaged.write_bytes(b"x")
    with pytest.raises(InputError, match="debian:demo=1.0-1"):
        build_from("debian:demo=1.0-1", tmp_path / "e")


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt-get on this machine")
def test_the_releases_of_the_machine_are_asked_and_its_lists_left_alone(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.add(files={"a.py": BODY}, copyright_file=COPYRIGHT)
    release = repository.root / "dists" / "bookworm"
    package = b"Package: demo\nVersion: 1\nArchitecture: amd64\nFilename: demo.deb\nSize: 1\nSHA256: 00\n\n"
    files = {"main/binary-amd64/Packages": package, "main/source/Sources": (repository.root / "Sources").read_bytes()}
    lines = []
    for name, data in files.items():
        (release / name).parent.mkdir(parents=True)
        (release / name).write_bytes(data)
        lines.append(f" {hashlib.sha256(data).hexdigest()} {len(data)} {name}\n")
    about = "Origin: Debian\nSuite: bookworm\nCodename: bookworm\nComponents: main\nArchitectures: amd64\n"
    (release / "Release").write_text(f"{about}Date: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n{''.join(lines)}")
    machine = tmp_path / "machine"
    (machine / "lists" / "partial").mkdir(parents=True)
    (machine / "sources.list").write_text(f"deb [arch=amd64] file:{repository.root} bookworm main\n")
    settings = {
        "Dir::Etc::SourceList": machine / "sources.list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": machine / "lists",
        "APT::Architecture": "amd64",
        "Acquire::AllowInsecureRepositories": "true",
    }
    (tmp_path / "apt.conf").write_text("".join(f'{name} "{value}";\n' for name, value in settings.items()))
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    monkeypatch.setattr(apt, "_KEYRING", tmp_path / "absent.gpg")
    apt._releases.cache_clear()
    try:
        # The repository is not signed, and apt hands nothing out of it unless it is told otherwise.
        with pytest.raises(InputError, match="could not be authenticated"):
            build("debian:demo=1.0-1", tmp_path / "c", CorpusOptions(workers=1))
        with (tmp_path / "apt.conf").open("a") as file:
            file.write('APT::Get::AllowUnauthenticated "true";\n')
        before = sorted(path.name for path in (machine / "lists").rglob("*"))
        assert build("debian:demo=1.0-1", tmp_path / "c", CorpusOptions(workers=1)).projects == 1
        assert sorted(path.name for path in (machine / "lists").rglob("*")) == before == ["partial"]
    finally:
        apt._releases.cache_clear()


def test_a_pinned_hash_is_compared(repository: Repository, tmp_path: Path) -> None:
    dsc = repository.add(files={"a.py": BODY})
    options = CorpusOptions(languages=("python",), debian_mirror=repository.server.url)
    assert plan_debian("demo=1.0-1", options, sha256_file(dsc)).record["sha256"] == sha256_file(dsc)
    with pytest.raises(SourceUnavailableError, match="not the pinned 0000"):
        plan_debian("demo=1.0-1", options, "0" * 64)


def test_a_free_text_copyright_file_leaves_the_declaration_unknown(repository: Repository, tmp_path: Path) -> None:
    repository.add(files={"a.py": BODY, "b.py": MIT_HEADER + BODY}, copyright_file="It is all GPL-3+, says Ada.\n")
    repository.add("none", files={"c.py": BODY + "# c\n"})
    options = CorpusOptions(workers=1, debian_mirror=repository.server.url)
    build(["debian:demo=1.0-1", "debian:none=1.0-1"], tmp_path / "c", options)
    works = works_of(tmp_path / "c")
    assert [(works[path].license, works[path].trust) for path in ("a.py", "b.py")] == [
        (None, "none"),
        ("MIT", "header"),
    ]
    assert "free text" in (works["a.py"].occurrence.declared_evidence or "")
    assert '"status":"absent"' in (works["c.py"].occurrence.declared_evidence or "")


def test_component_archives_stand_in_their_folder_and_signatures_are_no_sources(
    repository: Repository, tmp_path: Path
) -> None:
    extra = {
        "demo_1.0.orig-docs.tar.gz": gzip.compress(make_tar({"d.py": BODY}, "whatever")),
        "demo_1.0.orig.tar.gz.asc": b"-----BEGIN PGP SIGNATURE-----\n",
    }
    repository.add(files={"a.py": BODY + "# a\n"}, extra=extra)
    build("debian:demo=1.0-1", tmp_path / "c", CorpusOptions(workers=1, debian_mirror=repository.server.url))
    assert sorted(works_of(tmp_path / "c")) == ["a.py", "docs/d.py"]


def test_native_packages_and_old_formats_are_read(repository: Repository, tmp_path: Path) -> None:
    pool = repository.root / "pool" / "main" / "o" / "old"
    pool.mkdir(parents=True)
    diff = "".join(f"+{line}\n" for line in COPYRIGHT.splitlines())
    diff = f"--- old-1.0.orig/debian/copyright\n+++ old-1.0/debian/copyright\n@@ -0,0 +1,7 @@\n{diff}"
    diff += "--- old-1.0.orig/debian/rules\n+++ old-1.0/debian/rules\n@@ -0,0 +1 @@\n+Files: *\n"
    native = make_tar({"n.py": BODY, "debian/copyright": COPYRIGHT}, "old")
    packages = {
        "1.0-1": {
            "old_1.0.orig.tar.gz": gzip.compress(make_tar({"vendor/x.py": BODY + "# x\n"}, "old-1.0")),
            "old_1.0-1.diff.gz": gzip.compress(diff.encode()),
        },
        "2.0": {"old_2.0.tar.gz": gzip.compress(native)},
    }
    for version, files in packages.items():
        lines = []
        for name, data in files.items():
            (pool / name).write_bytes(data)
            lines.append(f" {hashlib.sha256(data).hexdigest()} {len(data)} {name}\n")
        text = f"Source: old\nVersion: {version}\nChecksums-Sha256:\n{''.join(lines)}"
        (pool / f"old_{version}.dsc").write_text(text)
    options = CorpusOptions(workers=1, debian_mirror=repository.server.url)
    build(["debian:old=1.0-1", "debian:old=2.0"], tmp_path / "c", options)
    works = works_of(tmp_path / "c")
    assert (works["vendor/x.py"].license, works["n.py"].license) == ("MIT", "GPL-3.0-or-later")


def test_a_large_package_is_read_in_shards_with_the_same_rows(repository: Repository, tmp_path: Path) -> None:
    files = {f"m{number}.py": f"x = {number}\n" for number in range(40)}
    repository.add(files={**files, "link.txt": ""}, copyright_file=COPYRIGHT)
    options = CorpusOptions(workers=1, debian_mirror=repository.server.url)
    one = build("debian:demo=1.0-1", tmp_path / "one", options)
    small = CorpusOptions(workers=1, debian_mirror=repository.server.url, shard_files=7, shard_bytes=300)
    many = build("debian:demo=1.0-1", tmp_path / "many", small)
    assert len(list((tmp_path / "many" / "contents").glob("part-*"))) == 6
    assert list(works_of(tmp_path / "one")) == list(works_of(tmp_path / "many")) == list(files)
    assert one.skipped == many.skipped
    assert Corpus.open(tmp_path / "many").license_texts().num_rows == 1


def test_hostile_archives_are_a_line(repository: Repository, tmp_path: Path) -> None:
    extra = {
        "demo_1.0.orig-bad.tar.gz": b"no archive",
        "demo_1.0.orig-up.tar.gz": gzip.compress(make_tar({"../a.py": BODY})),
    }
    repository.add(files={"a.py": BODY + "# a\n"}, extra=extra)
    options = CorpusOptions(workers=1, debian_mirror=repository.server.url)
    result = build("debian:demo=1.0-1", tmp_path / "c", options)
    assert (result.contents, result.skipped["archive"]["count"]) == (1, 2)


@pytest.mark.parametrize("text", ["demo=", "Demo", "demo=1/", "-o=1", "demo/../x", "demo=1 2", "d", "demo=x1", "a/b/c"])
def test_what_names_no_source_package_says_how_to_write_it(text: str) -> None:
    with pytest.raises(InputError, match="mend: debian:NAME"):
        parse_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Source: demo\nVersion: 1\n",
        "Source: demo\nVersion: 1\nChecksums-Sha256:\n " + "0" * 64 + " 5 ../evil\n",
        "Source: demo\nVersion: 1\nChecksums-Sha256:\n " + "0" * 64 + " x a.tar.gz\n",
        "Source: demo\nVersion: 1\nChecksums-Sha256:\n 00 5 a.tar.gz\n",
        "Source: ../x\nVersion: 1\nChecksums-Sha256:\n " + "0" * 64 + " 5 a.tar.gz\n",
    ],
)
def test_a_description_that_is_malformed_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_dsc(text)


def test_another_package_than_the_one_asked_for_is_never_taken(repository: Repository, tmp_path: Path) -> None:
    dsc = repository.add(files={"a.py": BODY})
    dsc.write_text(dsc.read_text().replace("Version: 1.0-1", "Version: 1.0-2"))
    options = CorpusOptions(workers=1, debian_mirror=repository.server.url)
    with pytest.raises(InputError, match="demo=1.0-2 came instead, and was not taken"):
        build("debian:demo=1.0-1", tmp_path / "c", options)
