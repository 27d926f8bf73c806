"""The license of each file by a machine-readable ``debian/copyright``."""

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.corpus.declarations import names_the_file
from cleartitle.corpus.readers.debian.copyright import control_paragraphs, parse_copyright

HEAD = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: demo\n\n"
BSD = """
 Redistribution and use in source and binary forms, with or without
 modification, are permitted provided that the following conditions
 are met:
 1. Redistributions of source code must retain the above copyright
    notice, this list of conditions and the following disclaimer.
 2. Redistributions in binary form must reproduce the above copyright
    notice, this list of conditions and the following disclaimer in the
    documentation and/or other materials provided with the distribution.
 .
 THIS SOFTWARE IS PROVIDED BY THE AUTHOR AS IS"""


def licenses(text: str, *paths: str) -> list[str | None]:
    found = parse_copyright(HEAD + text)
    assert found is not None
    return [found.declaration(path)[0] for path in paths]


def stanza(patterns: str, name: str) -> str:
    return f"Files: {patterns}\nCopyright: 2020 Ada\nLicense: {name}\n\n"


def test_the_last_paragraph_that_matches_holds() -> None:
    text = stanza("*", "Expat") + stanza("lib/* src/*.h", "GPL-2+") + stanza("lib/inner/a.c", "BSD-3-clause")
    paths = ("main.c", "lib/x/y.c", "src/deep/x.h", "src/x.c", "lib/inner/a.c", "lib/inner/b.c")
    assert licenses(text, *paths) == [
        "MIT",
        "GPL-2.0-or-later",
        "GPL-2.0-or-later",
        "MIT",
        "BSD-3-Clause",
        "GPL-2.0-or-later",
    ]
    assert licenses(stanza("lib/a.c", "Expat") + stanza("*", "GPL-2+"), "lib/a.c") == ["GPL-2.0-or-later"]


def test_a_file_that_no_paragraph_names_has_no_declaration() -> None:
    assert licenses(stanza("lib/*", "Expat"), "src/a.c") == [None]


def test_evidence_says_what_was_stated_and_for_what() -> None:
    found = parse_copyright(HEAD + stanza("*", "Expat") + stanza("lib/*", "GPL-2+ with OpenSSL exception"))
    assert found is not None
    expression, evidence = found.declaration("lib/a.c")
    assert expression == "GPL-2.0-or-later"
    assert json.loads(evidence or "") == {
        "from": "debian/copyright",
        "files": "lib/*",
        "stated": "GPL-2+ with OpenSSL exception",
        "scope": "file",
    }
    assert names_the_file(evidence)
    assert not names_the_file(found.declaration("a.c")[1])
    assert found.whole == "MIT"


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("GPL-2+ or Expat", "GPL-2.0-or-later OR MIT"),
        ("Expat and BSD-3-clause", "MIT AND BSD-3-Clause"),
        ("GPL-2+ or Expat and Zlib", "GPL-2.0-or-later OR (MIT AND Zlib)"),
        ("GPL-2+ or Expat, and Zlib", "(GPL-2.0-or-later OR MIT) AND Zlib"),
        ("Expat, Zlib, and ISC", "MIT AND Zlib AND ISC"),
        ("public-domain", "LicenseRef-public-domain"),
        ("Apache-2.0", "Apache-2.0"),
        ("LGPL-2.1", "LGPL-2.1"),
        ("Expat and something-of-ours", None),
        ("something-of-ours", None),
    ],
)
def test_short_names_become_expressions(name: str, expression: str | None) -> None:
    assert licenses(stanza("*", name), "a.c") == [expression]


def test_a_name_of_their_own_is_read_by_the_text_below_it() -> None:
    own = f"Files: *\nCopyright: 2020 Ada\nLicense: ours{BSD}\n\n"
    assert licenses(own, "a.c") == ["BSD-2-Clause"]
    alone = stanza("*", "ours") + f"License: ours{BSD}\n"
    assert licenses(alone, "a.c") == ["BSD-2-Clause"]
    assert licenses(stanza("*", "BSD") + f"License: BSD{BSD}\n", "a.c") == ["BSD-2-Clause"]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "This package was put together by Ada.\n\nFiles: *\n", "\0\1\2", ":\n: x\n"]
)
def test_free_text_is_no_statement_about_single_files(text: str) -> None:
    assert parse_copyright(text) is None


def test_patterns_know_escapes_and_single_signs() -> None:
    paths = ("a?.c", "ab.c", "a*.c", "abc.c", "a/.c", ".c")
    assert licenses(stanza(r"a\?.c", "ISC"), *paths) == ["ISC", None, None, None, None, None]
    assert licenses(stanza(r"a\*.c", "ISC"), *paths) == [None, None, "ISC", None, None, None]
    assert licenses(stanza("a?.c", "ISC"), *paths) == ["ISC", "ISC", "ISC", None, "ISC", None]
    assert licenses(stanza("./ab.c,", "ISC"), *paths)[1] == "ISC"


def test_continued_lines_comments_and_windows_ends_are_understood() -> None:
    text = "Files:\n a.c\n b.c\n# said aside\n c.c\nLicense: ISC\n"
    assert licenses(text, "a.c", "b.c", "c.c") == ["ISC"] * 3
    assert licenses(text.replace("\n", "\r\n"), "b.c") == ["ISC"]


@given(st.text("ab*?/\\", max_size=8), st.text("ab/*?", max_size=10))
def test_a_pattern_matches_what_its_plain_regular_expression_matches(pattern: str, path: str) -> None:
    signs = re.findall(r"\\.|\\$|[^\\]", pattern)
    parts = [{"*": ".*", "?": "."}.get(sign, re.escape(sign[-1] if sign != "\\" else "")) for sign in signs]
    expected = re.fullmatch("".join(parts), path, re.DOTALL) is not None
    found = parse_copyright(f"{HEAD}Files: x {pattern}\nLicense: ISC\n")
    assert found is not None
    stripped = pattern.removeprefix("./").rstrip(",")
    assert stripped == pattern
    assert (found.declaration(path)[0] == "ISC") is (expected and pattern != "")


@given(st.text(max_size=400))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    for fields in control_paragraphs(text):
        assert fields
    found = parse_copyright(HEAD + text)
    assert found is not None
    found.declaration("a/b.c")


@pytest.mark.parametrize(
    "text",
    [
        stanza("*a" * 3000 + "b", "Expat"),
        stanza("a " * 400_000, "Expat"),
        stanza("*", "GPL-2+ and " * 90_000),
        stanza("*", "(" * 900_000),
        "License: x\n" + " a\n" * 300_000,
        "Files" * 200_000,
        ",".join(["or"] * 300_000),
    ],
)
def test_a_megabyte_of_malice_is_read_in_seconds(text: str) -> None:
    start = time.process_time()
    found = parse_copyright(HEAD + text)
    assert found is not None
    found.declaration("a" * 4000)
    assert time.process_time() - start < 5
