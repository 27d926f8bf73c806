"""Data sets as users hold them."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.corpus import Corpus, CorpusOptions, Work, build
from cleartitle.corpus.readers import data_set
from cleartitle.corpus.readers.columns import Columns, recognize
from cleartitle.corpus.readers.rows import document_of
from cleartitle.corpus.text import swhid
from cleartitle.errors import InputError

ONE = CorpusOptions(languages=("python",), workers=1)
CODE = "def f():\n    return 'é'\n"
BLOB = swhid(CODE.encode()).removeprefix("swh:1:cnt:")

ROWS: dict[str, dict[str, Any]] = {
    "The Stack v2": {
        "blob_id": BLOB,
        "path": "/pkg/a.py",
        "content": CODE,
        "detected_licenses": ["MIT"],
        "license_type": "permissive",
        "repo_name": "ada/demo",
        "revision_id": "abc",
        "revision_date": "2019-05-06T07:08:09",
        "src_encoding": "UTF-8",
        "language": "Python",
    },
    "The Stack v1": {
        "hexsha": BLOB,
        "size": 30,
        "ext": "py",
        "lang": "Python",
        "max_stars_repo_path": "/pkg/a.py",
        "max_stars_repo_name": "ada/demo",
        "max_stars_repo_licenses": ["MIT"],
        "max_stars_repo_head_hexsha": "abc",
        "max_stars_count": 12,
        "content": CODE,
    },
    "StarCoderData": {
        "max_stars_repo_path": "/pkg/a.py",
        "max_stars_repo_name": "ada/demo",
        "max_stars_count": 3,
        "id": "7",
        "content": CODE,
    },
    "codeparrot-clean": {
        "repo_name": "ada/demo",
        "path": "/pkg/a.py",
        "copies": "5",
        "size": "30",
        "content": CODE,
        "license": "mit",
        "hash": 123456789,
    },
    "github-code": {
        "code": CODE,
        "repo_name": "ada/demo",
        "path": "/pkg/a.py",
        "language": "Python",
        "license": "mit",
        "size": 1,
    },
    "CodeSearchNet": {
        "repository_name": "ada/demo",
        "func_path_in_repository": "/pkg/a.py",
        "whole_func_string": CODE,
        "func_code_string": "return",
        "language": "python",
        "func_code_url": "https://example.org/ada/demo/blob/abc/pkg/a.py#L1-L2",
    },
    "CodeSearchNet (raw)": {
        "repo": "ada/demo",
        "path": "/pkg/a.py",
        "func_name": "f",
        "code": "return",
        "original_string": CODE,
        "language": "python",
        "url": "https://example.org/ada/demo/blob/abc/pkg/a.py#L1-L2",
    },
}


def works(corpus: Path) -> list[Work]:
    return list(Corpus.open(corpus).works())


def write_jsonl(path: Path, rows: list[Any]) -> Path:
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_published_data_sets_are_recognized_as_they_are(
    tmp_path: Path, name: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"data.{kind}"
    if kind == "jsonl":
        write_jsonl(path, [ROWS[name]])
    else:
        pq.write_table(pa.Table.from_pylist([ROWS[name]]), path)
    build([str(path)], tmp_path / "c", ONE)
    (work,) = works(tmp_path / "c")
    assert work.text == CODE
    assert work.swhid == f"swh:1:cnt:{BLOB}"
    assert (work.occurrence.project, work.occurrence.path) == ("ada/demo", "/pkg/a.py")
    assert work.license == (None if name.startswith(("StarCoderData", "CodeSearchNet")) else "MIT")
    assert work.occurrence.source == kind
    if name == "codeparrot-clean":
        assert work.occurrence.reuse_count == 5
    if name == "The Stack v2":
        assert work.occurrence.date == datetime(2019, 5, 6, 7, 8, 9, tzinfo=UTC)
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "data." in line]
    assert f"{name}: content=" in line


def test_columns_can_be_overridden(tmp_path: Path) -> None:
    row = {"body": CODE, "where": "a.py", "content": "not this"}
    path = write_jsonl(tmp_path / "d.jsonl", [row])
    build([str(path)], tmp_path / "c", CorpusOptions(workers=1, columns=("content=body", "path=where")))
    assert works(tmp_path / "c")[0].text == CODE


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"content": "nope"}, "no column 'nope'"),
        ({"contents": "a"}, "no such role"),
        ({}, "no column with the content"),
    ],
)
def test_wrong_columns_are_named(overrides: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        recognize(["a", "b"], overrides, "d.jsonl")


def test_the_stack_v2_without_contents_says_what_to_do() -> None:
    with pytest.raises(InputError, match="fetch them by blob_id"):
        recognize(["blob_id", "repo_name", "detected_licenses", "path"], {}, "d.parquet")


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.zst"])
def test_compressed_lines_read_as_plain_ones_in_any_cut(tmp_path: Path, suffix: str) -> None:
    data = "".join(json.dumps({"content": f"x = {i}\n", "path": f"m{i}.py"}) + "\n" for i in range(200)).encode()
    path = tmp_path / f"d{suffix}"
    path.write_bytes({"gz": gzip.compress, "zst": zstandard.compress}.get(suffix.rsplit(".", 1)[1], bytes)(data))
    build([str(path)], tmp_path / "c", CorpusOptions(workers=1, shard_bytes=777))
    assert [work.occurrence.path for work in works(tmp_path / "c")] == [f"m{i}.py" for i in range(200)]
    assert len(list((tmp_path / "c" / "contents").glob("part-*"))) > 5
    assert not (tmp_path / "c" / ".staging").exists()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30), max_size=12),
    st.integers(1, 90),
)
def test_every_row_is_read_once_wherever_the_file_is_cut(tmp_path_factory: Any, texts: list[str], step: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "d.jsonl"
    data = "".join(json.dumps({"content": text}, ensure_ascii=False) + "\n" for text in texts).encode()
    path.write_bytes(data)
    columns, found = Columns("data set", {"content": "content"}), []
    for start in range(0, len(data), step):
        table = data_set.load_lines(path, "d", start, min(start + step, len(data)), columns, ONE)
        found += [cell.decode() for cell in table["data"].to_pylist()]
    assert found == texts


def test_a_damaged_archive_gives_what_stands_before_the_damage(tmp_path: Path) -> None:
    rows = "".join(
        json.dumps({"content": f"x = {i}  # {i * 7919 % 104729}\n", "path": f"m{i}.py"}) + "\n" for i in range(5000)
    )
    packed = gzip.compress(rows.encode())
    (tmp_path / "d.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    result = build([str(tmp_path / "d.jsonl.gz")], tmp_path / "c", ONE)
    assert 1000 < result.contents < 5000
    assert "damaged after" in result.skipped["damaged"]["lines"][0]


def test_a_compressed_bomb_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = json.dumps({"content": "x = 1\n", "path": "a.py"}).encode() + b"\n"
    (tmp_path / "d.jsonl.zst").write_bytes(zstandard.compress(head + b" " * 2**25))
    monkeypatch.setattr(data_set, "_SMALL_ENOUGH", 2**20)
    result = build([str(tmp_path / "d.jsonl.zst")], tmp_path / "c", ONE)
    assert result.contents == 1
    assert "expands to more than" in result.skipped["damaged"]["lines"][0]


def test_bad_rows_are_one_line_each_and_the_rest_is_read(tmp_path: Path) -> None:
    good = {"content": CODE, "path": "good.py"}
    rows: list[Any] = [
        good,
        '{"content": "x',
        "[1, 2]",
        {"path": "none.py"},
        {"content": 7, "path": "number.py"},
        '{"content": "\\ud800", "path": "surrogate.py"}',
        {"content": "x\0", "path": "nul.py"},
        "",
        "[" * 100_000,
        {"content": "x = 1\n" + "y" * 2_000_000, "path": "huge.py"},
        {"content": "fn main() {}", "path": "main.rs"},
    ]
    result = build([str(write_jsonl(tmp_path / "d.jsonl", rows))], tmp_path / "c", ONE)
    assert [work.occurrence.path for work in works(tmp_path / "c")] == ["good.py"]
    counts = {reason: entry["count"] for reason, entry in result.skipped.items()}
    assert counts == {"row": 5, "encoding": 1, "binary": 1, "size": 1, "other_language": 1}
    assert all("d.jsonl: row at byte" in line for line in result.skipped["row"]["lines"])


def test_rows_of_large_row_groups_are_cut_into_shards(tmp_path: Path) -> None:
    table = pa.table({"content": [f"x = {i}\n" for i in range(100)], "path": [f"m{i}.py" for i in range(100)]})
    pq.write_table(table, tmp_path / "d.parquet", row_group_size=40)
    build([str(tmp_path / "d.parquet")], tmp_path / "c", CorpusOptions(workers=1, shard_files=15))
    assert [work.occurrence.path for work in works(tmp_path / "c")] == [f"m{i}.py" for i in range(100)]
    assert len(list((tmp_path / "c" / "contents").glob("part-*"))) == 3 + 3 + 2


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_rows_can_be_limited(tmp_path: Path, kind: str) -> None:
    rows = [{"content": f"x = {i}\n", "path": f"m{i}.py"} for i in range(50)]
    path = tmp_path / f"d.{kind}"
    if kind == "jsonl":
        write_jsonl(path, rows)
    else:
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=9)
    build([str(path)], tmp_path / "c", CorpusOptions(workers=1, max_rows=20))
    assert len(works(tmp_path / "c")) == 20


def test_a_damaged_row_group_is_one_line_and_the_others_are_read(tmp_path: Path) -> None:
    rows = [{"content": f"x = {i}\n" * 50, "path": f"m{i}.py"} for i in range(300)]
    path = tmp_path / "d.parquet"
    pq.write_table(
        pa.Table.from_pylist(rows),
        path,
        row_group_size=100,
        compression="zstd",
        use_dictionary=False,
        write_page_checksum=True,
    )
    column = pq.read_metadata(path).row_group(1).column(0)
    data = bytearray(path.read_bytes())
    end = column.data_page_offset + column.total_compressed_size
    data[end - 100 : end] = b"\xff" * 100
    path.write_bytes(data)
    result = build([str(path)], tmp_path / "c", ONE)
    assert {work.occurrence.path for work in works(tmp_path / "c")} == {f"m{i}.py" for i in range(300) if i // 100 != 1}
    assert "row group 1: damaged" in result.skipped["damaged"]["lines"][0]


def test_a_folder_of_parquet_files_is_each_of_them(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    for i in range(3):
        pq.write_table(pa.table({"content": [f"x = {i}\n"], "path": [f"m{i}.py"]}), tmp_path / "set" / f"{i}.parquet")
    (tmp_path / "set" / "1.parquet").write_bytes(b"PAR1")
    result = build([str(tmp_path / "set")], tmp_path / "c", ONE)
    assert result.contents == 2
    assert result.skipped["source"]["count"] == 1


def test_a_stated_blob_id_counts_only_if_it_verifies(tmp_path: Path) -> None:
    raw = "x = 'é'\n".encode("latin-1")
    rows = [
        {"content": "x = 'é'\n", "path": "latin.py", "blob_id": swhid(raw)[10:], "src_encoding": "ISO-8859-1"},
        {"content": "y = 1\n", "path": "wrong.py", "blob_id": "0" * 40, "src_encoding": "UTF-8"},
        {"content": "z = 1\n", "path": "codec.py", "blob_id": "0" * 40, "src_encoding": "no-such"},
    ]
    build([str(write_jsonl(tmp_path / "d.jsonl", rows))], tmp_path / "c", ONE)
    found = {work.occurrence.path: (work.swhid, work.encoding) for work in works(tmp_path / "c")}
    assert found["latin.py"] == (swhid(raw), "iso-8859-1")
    assert found["wrong.py"] == (swhid(b"y = 1\n"), "utf-8")
    assert found["codec.py"] == (swhid(b"z = 1\n"), "utf-8")


def test_rows_without_path_and_language_take_the_language_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build([str(write_jsonl(tmp_path / "d.jsonl", [{"content": CODE}]))], tmp_path / "c", ONE)
    (work,) = works(tmp_path / "c")
    assert (work.language, work.occurrence.project, work.occurrence.path) == ("python", "d.jsonl", "row at byte 0")
    assert "language taken as python" in capsys.readouterr().err


CELLS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text(), max_size=2) | st.binary()
)


@settings(max_examples=300)
@given(st.fixed_dictionaries({name: CELLS for name in ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")}))
def test_any_cells_give_a_document_or_a_line(row: dict[str, Any]) -> None:
    roles = (
        "content",
        "path",
        "project",
        "license",
        "language",
        "blob_id",
        "encoding",
        "revision",
        "date",
        "reuse",
        "url",
    )
    document_of(row, Columns("data set", dict(zip(roles, row, strict=True))), "jsonl", "d", "row 1", "python")
