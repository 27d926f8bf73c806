"""Decoding and identity of contents."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.corpus.text import UnreadableTextError, decode, is_vendored, language_of, printable, swhid, unencoded


def test_swhid_is_the_git_blob_id() -> None:
    # `printf 'hello\n' | git hash-object --stdin` and `git hash-object /dev/null`
    assert swhid(b"hello\n") == "swh:1:cnt:ce013625030ba8dba906f756967f9e9ca394464a"
    assert swhid(b"") == "swh:1:cnt:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"x = 1\n", "x = 1\n", "utf-8"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n", "utf-8-sig"),
        ("\ufeffx = 'é'\n".encode("utf-16-le"), "x = 'é'\n", "utf-16-le"),
        ("\ufeffx = 'é'\n".encode("utf-16-be"), "x = 'é'\n", "utf-16-be"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n", "iso8859-1"),
        (b"#!/bin/python\n# vim: set fileencoding=koi8-r :\n# \xc1\n", None, "koi8-r"),
        (b"x = 1\r\ny = 2\r", "x = 1\r\ny = 2\r", "utf-8"),
    ],
)
def test_text_is_decoded_by_what_it_says_of_itself(data: bytes, text: str | None, encoding: str) -> None:
    found, used = decode(data, "python")
    assert used == encoding
    assert text is None or found == text


@pytest.mark.parametrize(
    ("data", "reason", "words"),
    [
        (b"\x7fELF\x00\x01", "binary", "NUL"),
        (b"x = '\xe9'\n", "encoding", "not utf-8 at byte 5; mend: convert it to UTF-8 or name its encoding"),
        (b"# coding: utf-8\nx = '\xff'\n", "encoding", "not utf-8 at byte"),
        (b"# coding: punycode\nx\n", "encoding", "names the encoding punycode, which is not accepted"),
        (b"# coding: rot13\nk = 1\n", "encoding", "not accepted"),
        (b"# coding: zip\n", "encoding", "not accepted"),
        (b"# coding: no-such-codec\n", "encoding", "not accepted"),
        (b"\xff\xfe\x00", "encoding", "not utf-16-le"),
        ("\ufeffa\0b".encode("utf-16-le"), "binary", "NUL"),
    ],
)
def test_what_is_no_text_is_refused_with_a_reason(data: bytes, reason: str, words: str) -> None:
    with pytest.raises(UnreadableTextError, match=words) as caught:
        decode(data, "python")
    assert caught.value.reason == reason


def test_coding_line_counts_in_the_first_two_lines_only() -> None:
    with pytest.raises(UnreadableTextError, match="not utf-8"):
        decode(b"import os\n# coding: latin-1\nx = '\xe9'\n", "python")
    assert decode(b"\n# coding: latin-1\nx = '\xe9'\n", "python")[1] == "iso8859-1"


def test_other_languages_have_no_coding_line() -> None:
    with pytest.raises(UnreadableTextError):
        decode(b"# coding: latin-1\nint e = '\xe9';\n", "c")


@given(st.binary(max_size=300), st.sampled_from(["python", "c"]))
def test_any_bytes_decode_or_are_refused(data: bytes, language: str) -> None:
    try:
        text, encoding = decode(data, language)
    except UnreadableTextError:
        return
    assert "\0" not in text
    assert encoding


@given(st.binary(max_size=60).map(lambda tail: b"# coding: " + tail))
def test_any_coding_line_decodes_or_is_refused(data: bytes) -> None:
    try:
        decode(data, "python")
    except UnreadableTextError:
        pass


def test_a_megabyte_of_near_coding_lines_takes_no_time() -> None:
    start = time.process_time()
    for data in (b"#" * 2**20, b"# " + b"coding" * 170_000, b"# coding:" + b" " * 2**20, b"#coding=" + b"-" * 2**20):
        try:
            decode(data, "python")
        except UnreadableTextError:
            pass
    assert time.process_time() - start < 1


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(UnreadableTextError):
        unencoded(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pkg/_vendor/six.py", True),
        ("third_party/x.py", True),
        ("a/node_modules/b/c.py", True),
        ("Lib/SITE-PACKAGES/x.py", True),
        ("vendor.py", False),
        ("pkg/vendoring/x.py", False),
    ],
)
def test_vendored_files_are_told_by_their_folders(path: str, expected: bool) -> None:
    assert is_vendored(path) is expected


def test_language_by_data_set_name_wins_over_extension() -> None:
    assert language_of("x.txt", "C++") == "cpp"
    assert language_of("x.py", "Rust") is None
    assert language_of("x.py") == "python"
    assert language_of("x.unknown") is None


def test_names_in_messages_hold_no_control_characters() -> None:
    assert printable("a\x1b[31m\nb") == "a\\x1b[31m\\x0ab"
    assert printable("x\udcff") == "x\\udcff"
    assert printable("y" * 1000).endswith("...")
