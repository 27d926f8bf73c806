"""An index is whole or refused, is built once, survives being killed, and merges without losing anything."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from trace_material import function, make_corpus, module

from cleartitle.errors import InputError
from cleartitle.jobs import locked
from cleartitle.trace import Index, IndexOptions, build_index, compact

ONE = IndexOptions(workers=1)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    shared = module(99, "gpl")
    first = make_corpus(folder, {**{f"a/{n}.py": module(n) for n in range(6)}, "a/shared.py": shared}, "first")
    second = make_corpus(folder, {**{f"b/{n}.py": module(n) for n in range(6, 12)}, "b/shared.py": shared}, "second")
    return first, second


@pytest.fixture(scope="module")
def built(corpora, tmp_path_factory):
    path = tmp_path_factory.mktemp("index") / "index"
    build_index([corpora[0]], path, ONE)
    return path


@pytest.fixture
def index(built, tmp_path):
    return shutil.copytree(built, tmp_path / "index")


def files_of(path: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }


def test_equal_corpora_give_equal_bytes_on_one_core_and_on_two(corpora, built, tmp_path):
    build_index([corpora[0]], tmp_path / "two", IndexOptions(workers=2))
    one, two = files_of(built), files_of(tmp_path / "two")
    one.pop("index.json"), two.pop("index.json")
    assert one == two


def test_a_corpus_is_added_once(corpora, index):
    before = files_of(index)
    build_index([corpora[0]], index, ONE)
    assert files_of(index) == before
    manifest = build_index([corpora[1]], index, ONE)
    assert len(manifest["segments"]) == 2


def test_merged_segments_answer_as_before_and_hold_each_content_once(corpora, index):
    build_index([corpora[1]], index, ONE)
    apart = Index.open(index)
    queries = [function(seed * 100 + 1) for seed in (0, 5, 6, 11, 99)]
    answers = [[(match.swhid, match.spans) for match in apart.search(query).matches] for query in queries]
    assert all(answers)
    documents = apart.searched["documents"]
    compact(index)
    merged = Index.open(index)
    assert len(merged.segments) == 1
    assert merged.searched["documents"] == documents - 1
    assert merged.searched["origins"] == apart.searched["origins"]
    for query, answer in zip(queries, answers, strict=True):
        best = merged.search(query).matches[0]
        assert (best.swhid, best.spans) == answer[0]
    assert merged.search(queries[-1]).matches[0].also == 1
    assert build_index([corpora[1]], index, ONE)["segments"] == merged.manifest["segments"], "still known after merging"
    # A reader that was open before keeps its files.
    assert apart.search(queries[0]).matches[0].swhid == answers[0][0][0]


def damage(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "flipped":
        data[len(data) // 2] ^= 16
        path.write_bytes(data)
    else:
        path.unlink()


@pytest.mark.parametrize("how", ["cut", "flipped", "gone"])
@pytest.mark.parametrize("name", ["exact.rests", "renamed.table", "texts.zst", "documents.arrow", "origins.arrow"])
def test_a_damaged_file_is_refused_in_one_line_that_names_it(index, name, how):
    target = next(index.glob(f"segments/*/{name}"))
    damage(target, how)
    with pytest.raises(InputError) as caught:
        Index.open(index)
    assert name in str(caught.value) and "\n" not in str(caught.value)


def test_an_index_of_another_version_is_refused(index):
    manifest = (index / "index.json").read_text()
    (index / "index.json").write_text(manifest.replace('"format": 1', '"format": 77'))
    with pytest.raises(InputError, match="format 77"):
        Index.open(index)
    (index / "index.json").write_text("[]")
    with pytest.raises(InputError, match="format None"):
        Index.open(index)


def test_a_folder_that_is_no_index_says_how_to_make_one(tmp_path):
    with pytest.raises(InputError, match="cleartitle trace index"):
        Index.open(tmp_path)


def test_two_builds_at_once_do_not_mix(corpora, index):
    with locked(index), pytest.raises(InputError, match="another run"):
        build_index([corpora[1]], index, ONE)
    assert Index.open(index).search(function(101)).state == "matches"


def test_a_full_disk_leaves_the_old_index_good(corpora, index, monkeypatch):
    before = files_of(index)

    def no_room(*_):
        raise OSError(28, "No space left on device", "segment.json")

    monkeypatch.setattr("cleartitle.trace.build.seal_segment", no_room)
    with pytest.raises(OSError, match="No space left"):
        build_index([corpora[1]], index, ONE)
    monkeypatch.undo()
    assert Index.open(index).search(function(101)).state == "matches"
    after = {name: data for name, data in files_of(index).items() if not name.startswith(".work")}
    assert after == before
    assert len(build_index([corpora[1]], index, ONE)["segments"]) == 2


def test_a_killed_build_goes_on_to_the_same_bytes(tmp_path):
    corpus = make_corpus(tmp_path, {f"m/{n}.py": module(n, functions=20) for n in range(20)})
    build_index([corpus], tmp_path / "whole", ONE)
    words = ["trace", "index", str(corpus), "-o", str(tmp_path / "killed"), "--workers", "1"]
    command = [sys.executable, "-c", "from cleartitle.cli import main; main()", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (tmp_path / "killed" / ".work").exists():
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "killed" / "index.json").exists(), "killed in the middle"
    subprocess.run(command, check=True, capture_output=True)
    killed, whole = files_of(tmp_path / "killed"), files_of(tmp_path / "whole")
    assert killed == whole


def test_an_index_without_texts_holds_none_and_is_not_mixed_with_one_that_does(corpora, tmp_path):
    build_index([corpora[0]], tmp_path / "bare", IndexOptions(texts=False, workers=1))
    stored = b"".join(files_of(tmp_path / "bare").values())
    assert b"return_value" not in stored
    assert next((tmp_path / "bare").glob("segments/*/texts.zst")).stat().st_size == 0
    with pytest.raises(InputError, match="without texts"):
        build_index([corpora[1]], tmp_path / "bare", ONE)
