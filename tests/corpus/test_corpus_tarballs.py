"""Tar archives are read as data, whatever they hold."""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from corpus_material import make_tar
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.archives import ArchiveLimits, Member
from cleartitle.errors import InputError
from cleartitle.tarballs import decompress, is_whole_gzip, read_tar_members

FILES = {"a.c": "int a;\n", "sub/b.c": "int b;\n" * 200, "empty.c": ""}
COMPRESSED = {
    "plain": lambda data: data,
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


def read(path: Path, data: bytes, **how: object) -> tuple[list[Member], list[str]]:
    path.write_bytes(data)
    lines: list[str] = []
    return list(read_tar_members(path, skipped=lines.append, **how)), lines  # pyright: ignore[reportArgumentType]


def special(name: str, kind: bytes, **fields: object) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        info = tarfile.TarInfo(name)
        info.type = kind
        for field, value in fields.items():
            setattr(info, field, value)
        archive.addfile(info)
        good = tarfile.TarInfo("good.c")
        good.size = 3
        archive.addfile(good, io.BytesIO(b"ok\n"))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", COMPRESSED)
def test_each_compression_gives_the_same_members(tmp_path: Path, kind: str) -> None:
    members, lines = read(tmp_path / "x", COMPRESSED[kind](make_tar(FILES)))
    assert {member.path: member.data.decode() for member in members} == {f"demo-1.0/{k}": v for k, v in FILES.items()}
    assert lines == []


def test_several_streams_one_after_the_other_are_one_archive(tmp_path: Path) -> None:
    data = make_tar(FILES)
    for compress in (lambda part: gzip.compress(part, mtime=0), lzma.compress, zstandard.compress):
        members, lines = read(tmp_path / "x", compress(data[:700]) + compress(data[700:]))
        assert (len(members), lines) == (3, [])


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_and_foreign_names_are_read_in_both_dialects(tmp_path: Path, form: int) -> None:
    names = ["d" * 90 + "/" + "f" * 120 + ".c", "größe/naïve.c", "x.c"]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name))
    members, _ = read(tmp_path / "x", buffer.getvalue())
    assert [member.path for member in members] == names


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (special("l.c", tarfile.SYMTYPE, linkname="/etc/passwd"), "it is a link"),
        (special("l.c", tarfile.LNKTYPE, linkname="good.c"), "it is a link"),
        (special("d.c", tarfile.CHRTYPE, devmajor=1, devminor=3), "it is a device"),
        (special("p.c", tarfile.FIFOTYPE), "it is a pipe"),
        (special("s.c", tarfile.GNUTYPE_SPARSE), "it is sparse"),
        (special("u.c", b"Z"), "unknown type"),
        (special("../up.c", tarfile.REGTYPE), "leaves the archive"),
        (special("/abs.c", tarfile.REGTYPE), "leaves the archive"),
        (special("C:\\x.c", tarfile.REGTYPE), "leaves the archive"),
    ],
)
def test_what_is_no_plain_file_is_one_line_and_the_rest_goes_on(tmp_path: Path, data: bytes, reason: str) -> None:
    members, lines = read(tmp_path / "x", data)
    assert [member.path for member in members] == ["good.c"]
    assert len(lines) == 1
    assert reason in lines[0]


def test_limits_end_a_member_or_the_archive(tmp_path: Path) -> None:
    data = make_tar({f"{i}.c": "x" * 1000 for i in range(20)}, "")
    members, lines = read(tmp_path / "x", data, limits=ArchiveLimits(member_bytes=999))
    assert (len(members), len(lines)) == (0, 20)
    members, lines = read(tmp_path / "x", data, limits=ArchiveLimits(members=5))
    assert len(members) == 5
    assert "more than 5 members" in lines[0]
    members, lines = read(tmp_path / "x", data, limits=ArchiveLimits(total_bytes=4000))
    assert len(members) < 4
    assert "over 4000 bytes" in lines[-1]


@pytest.mark.parametrize("kind", ["gz", "xz", "zst", "bz2"])
def test_a_bomb_is_stopped_early_and_in_little_memory(tmp_path: Path, kind: str) -> None:
    data = COMPRESSED[kind](make_tar({"a.c": "int a;\n", "bomb.c": b"\0" * (40 * 2**20)}, ""))
    assert len(data) < 2**18
    tracemalloc.start()
    members, lines = read(tmp_path / "x", data, limits=ArchiveLimits(ratio=50))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [member.path for member in members] == ["a.c"]
    assert "expands like a bomb" in lines[-1]
    assert peak < 20 * 2**20


def test_a_header_cannot_ask_for_memory(tmp_path: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 8 * 2**30
    with pytest.raises(InputError, match="a name of 8589934592 bytes"):
        read(tmp_path / "x", info.tobuf(tarfile.GNU_FORMAT) + b"\0" * 10240)


def test_an_xz_stream_cannot_ask_for_gigabytes(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**28}]
    data = lzma.compress(make_tar(FILES), lzma.FORMAT_XZ, filters=filters)
    with pytest.raises(InputError, match="[Mm]emory"):
        read(tmp_path / "x", data)


def test_a_lying_size_ends_the_archive_with_a_line(tmp_path: Path) -> None:
    info = tarfile.TarInfo("big.c")
    info.size = 10**9
    members, lines = read(tmp_path / "x", make_tar(FILES)[:1024] + info.tobuf(tarfile.GNU_FORMAT) + b"x" * 600)
    assert len(members) == 1
    assert any("cut off" in line for line in lines)


@pytest.mark.parametrize(
    "data", [b"", b"no archive at all" * 99, b"PK\3\4" + b"x" * 600, b"\x1f\x8b\x08rest", b"BZh9x"]
)
def test_what_is_no_tar_is_an_input_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError, match="x: not a readable tar archive"):
        read(tmp_path / "x", data)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.tar: not a readable tar archive"):
        list(read_tar_members(tmp_path / "absent.tar"))


@pytest.mark.parametrize("kind", COMPRESSED)
def test_a_truncated_archive_gives_a_prefix_of_its_members(tmp_path: Path, kind: str) -> None:
    data = COMPRESSED[kind](make_tar({f"{i}.c": f"{i}\n" * 300 for i in range(9)}, ""))
    whole, _ = read(tmp_path / "x", data)
    for cut in range(0, len(data), max(1, len(data) // 60)):
        try:
            members, _ = read(tmp_path / "x", data[:cut])
        except InputError:
            continue
        assert members == whole[: len(members)]


@pytest.mark.parametrize("kind", COMPRESSED)
def test_an_uncompressed_copy_holds_the_same_and_is_whole_or_not_there(tmp_path: Path, kind: str) -> None:
    data = make_tar(FILES)
    (tmp_path / "x").write_bytes(COMPRESSED[kind](data))
    assert decompress(tmp_path / "x", tmp_path / "out" / "copy")
    assert (tmp_path / "out" / "copy").read_bytes() == data
    if kind != "plain":
        (tmp_path / "x").write_bytes(COMPRESSED[kind](data)[:-9])
        assert not decompress(tmp_path / "x", tmp_path / "torn" / "copy")
        assert list((tmp_path / "torn").iterdir()) == []


def test_the_copy_of_a_bomb_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(gzip.compress(bytes(40 * 2**20)))
    assert not decompress(tmp_path / "x", tmp_path / "out" / "copy", ArchiveLimits(ratio=50))
    assert list((tmp_path / "out").iterdir()) == []


def test_a_gzip_file_that_broke_off_is_known(tmp_path: Path) -> None:
    data = gzip.compress(make_tar({"a.c": "int a;\n" * 500}))
    path = tmp_path / "x"
    for cut in (0, 5, 20, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        assert not is_whole_gzip(path)
    path.write_bytes(data)
    assert is_whole_gzip(path)


@settings(max_examples=150)
@given(st.data())
def test_damaged_archives_never_crash_or_invent_paths(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("tar", numbered=True) / "x"
    archive = bytearray(make_tar(FILES))
    for _ in range(data.draw(st.integers(1, 8))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))
    try:
        members, _ = read(path, bytes(archive))
    except InputError:
        return
    for member in members:
        assert not member.path.startswith("/")
        assert ".." not in member.path.split("/")
