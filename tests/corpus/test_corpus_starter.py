"""The starter list, and wheels that cannot be had or are not the pinned ones."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from corpus_material import BODY, Server, make_debian, make_wheel

from cleartitle.corpus import STARTERS, Corpus, CorpusOptions, Pin, build, specs, starter_pins
from cleartitle.errors import InputError
from cleartitle.files import sha256_file
from cleartitle.licenses import CLASSES

ONE = CorpusOptions(workers=1)


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and a package registry that nobody serves."""
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("CLEARTITLE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "wheels"


def put(cache: Path, name: str, version: str, files: dict[str, str]) -> Pin:
    folder = cache / f"{name}-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    wheel = make_wheel(folder, files, name=name, version=version, metadata="License-Expression: MIT")
    return Pin(name, version, sha256_file(wheel), "MIT", "permissive")


@pytest.mark.parametrize("name", STARTERS)
def test_every_pin_names_one_package_by_its_hash(name: str) -> None:
    pins = starter_pins(name)
    assert 10 <= len(pins) <= 30
    assert len({pin.name.lower() for pin in pins}) == len(pins)
    for pin in pins:
        assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==" if pin.kind == "npm" else r"[0-9a-f]{64}", pin.digest)
        assert pin.license_class in CLASSES


@pytest.mark.parametrize("name", STARTERS)
def test_each_list_covers_permissive_weak_and_strong_licenses(name: str) -> None:
    classes = [pin.license_class for pin in starter_pins(name)]
    assert min(classes.count(group) for group in ("permissive", "weak_copyleft", "strong_copyleft")) >= 2
    if name == "starter":
        assert set(classes) == set(CLASSES)


def test_a_list_keeps_its_own_language_unless_another_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEARTITLE_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "mirror"
    material = {"files": {"a.c": "int a;\n", "b.py": BODY}}
    dsc = make_debian(root / "pool/main/d/demo", **material)  # pyright: ignore[reportArgumentType]
    pin = Pin("demo", "1.0-1", sha256_file(dsc), "MIT", "permissive", "debian")
    gone = Pin("gone", "1.0-1", "0" * 64, "MIT", "permissive", "debian", "bookworm")
    monkeypatch.setattr(specs, "starter_pins", lambda name: (pin, gone) if name == "starter-c" else ())
    server = Server()
    server.answer = lambda path, _: (
        (200, {}, (root / path[1:]).read_bytes()) if (root / path[1:]).is_file() else (404, {}, b"")
    )
    options = replace(ONE, debian_mirror=server.url)
    result = build("starter-c", tmp_path / "c", options)
    assert (result.languages, result.sources[0]["spec"]) == ({"c": 1}, "debian:demo=1.0-1")
    assert result.skipped["source"]["count"] == 1
    both = build("starter-c", tmp_path / "d", replace(options, languages=("c", "python")))
    assert both.languages == {"c": 1, "python": 1}
    server.close()


def test_missing_and_changed_wheels_are_left_out_with_a_warning(
    offline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = put(offline, "good", "1.0", {"good/a.py": BODY})
    changed = put(offline, "changed", "1.0", {"changed/a.py": BODY + "# was other\n"})
    changed = Pin("changed", "1.0", "0" * 64, "MIT", "permissive")
    missing = Pin("absent-package-for-a-test", "1.0", "1" * 64, "MIT", "permissive")
    monkeypatch.setattr(specs, "starter_pins", lambda _: (missing, changed, good))
    result = build("starter", tmp_path / "c", ONE)
    assert {work.occurrence.project for work in Corpus.open(tmp_path / "c").works()} == {"good"}
    assert result.skipped["source"]["count"] == 2
    shown = capsys.readouterr().err
    assert "absent-package-for-a-test==1.0: could not be downloaded" in shown
    assert "changed==1.0: sha256 is" in shown
    assert result.sources[0]["sha256"] == good.digest


def test_a_wheel_that_comes_back_makes_the_corpus_whole(
    offline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = put(offline, "first", "1.0", {"first/a.py": BODY})
    later = Pin("later", "1.0", "", "MIT", "permissive")
    monkeypatch.setattr(specs, "starter_pins", lambda _: (first, later))
    assert build("starter", tmp_path / "c", ONE).projects == 1
    made = put(offline, "later", "1.0", {"later/b.py": BODY + "# later\n"})
    monkeypatch.setattr(specs, "starter_pins", lambda _: (first, made))
    result = build("starter", tmp_path / "c", ONE)
    assert (result.projects, result.up_to_date) == (2, False)
    assert "source" not in result.skipped


def test_when_every_wheel_is_missing_the_build_says_why(offline: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="could not be downloaded"):
        build("pypi:absent-package-for-a-test==1.0", tmp_path / "c", ONE)


@pytest.mark.network
def test_a_pinned_wheel_is_fetched_checked_and_read(tmp_path: Path) -> None:
    (pin,) = [pin for pin in starter_pins() if pin.name == "absl-py"]
    build(f"pypi:{pin.name}=={pin.version}", tmp_path / "c", ONE)
    corpus = Corpus.open(tmp_path / "c")
    assert corpus.record["sources"][0]["sha256"] == pin.digest
    assert next(corpus.works()).occurrence.url == f"https://pypi.org/project/absl-py/{pin.version}/"
    works = {work.occurrence.path: work for work in corpus.works()}
    assert works["absl/flags/_flag.py"].license == "Apache-2.0"
    assert works["absl/flags/_flag.py"].trust == "agree"


@pytest.mark.network
def test_a_pinned_source_package_is_fetched_checked_and_read(tmp_path: Path) -> None:
    (pin,) = [pin for pin in starter_pins("starter-c") if pin.name == "jansson"]
    build(f"debian:{pin.name}={pin.version}/{pin.suite}", tmp_path / "c", replace(ONE, languages=("c",)))
    corpus = Corpus.open(tmp_path / "c")
    assert corpus.record["sources"][0]["sha256"] == pin.digest
    works = {work.occurrence.path: work for work in corpus.works()}
    assert (works["src/dump.c"].license, works["src/dump.c"].trust) == ("MIT", "agree")
    assert works["src/lookup3.h"].license_class == "public_domain"


@pytest.mark.network
def test_a_pinned_npm_package_is_fetched_checked_and_read(tmp_path: Path) -> None:
    (pin,) = [pin for pin in starter_pins("starter-csharp") if pin.name == "com.neuecc.unirx"]
    build(f"npm:{pin.name}@{pin.version}", tmp_path / "c", replace(ONE, languages=("csharp",)))
    corpus = Corpus.open(tmp_path / "c")
    assert corpus.record["sources"][0]["integrity"] == pin.digest
    assert {work.license for work in corpus.works()} == {"MIT"}
