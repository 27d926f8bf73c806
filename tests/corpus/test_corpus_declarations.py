"""What packages and data sets declare."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.corpus.declarations import (
    METADATA_FILES,
    declaration_of,
    declaration_of_values,
    is_license_file,
    project_metadata,
    wheel_metadata,
)
from cleartitle.corpus.documents import LicenseText


def text(path: str, expression: str | None) -> LicenseText:
    return LicenseText("demo", path, "...", None, expression)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("LICENSE", True),
        ("LICENCE.txt", True),
        ("COPYING.LESSER", True),
        ("demo-1.0.dist-info/licenses/AUTHORS.rst", True),
        ("LICENSES/MIT.txt", True),
        ("UNLICENSE", True),
        ("license.py", False),
        ("src/licenses.html", False),
        ("README", False),
    ],
)
def test_license_files_are_told_by_their_names(path: str, expected: bool) -> None:
    assert is_license_file(path) is expected


def test_metadata_win_over_license_files() -> None:
    expression, evidence = declaration_of({"License-Expression": "MIT"}, [text("LICENSE", "GPL-3.0-only")])
    assert expression == "MIT"
    assert json.loads(evidence or "")["from"] == "metadata"


def test_silent_metadata_fall_back_to_a_license_file_in_the_root() -> None:
    expression, evidence = declaration_of({}, [text("LICENSE", "MIT"), text("lib/LICENSE", "GPL-3.0-only")])
    assert expression == "MIT"
    assert json.loads(evidence or "")["paths"] == ["LICENSE"]


@pytest.mark.parametrize(("file", "expected"), [("BSD-3-Clause", "BSD-3-Clause"), ("MIT", "BSD")])
def test_a_vague_declaration_is_made_exact_by_a_license_file_that_fits(file: str, expected: str) -> None:
    metadata = {"Classifier": ["License :: OSI Approved :: BSD License"]}
    assert declaration_of(metadata, [text("demo-1.dist-info/LICENSE", file)])[0] == expected


def test_license_files_that_differ_are_not_guessed_between() -> None:
    expression, evidence = declaration_of({}, [text("LICENSE-MIT", "MIT"), text("LICENSE-APACHE", "Apache-2.0")])
    assert expression is None
    assert json.loads(evidence or "")["status"] == "ambiguous"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["mit"], "MIT"),
        (["gpl-3.0"], "GPL-3.0"),
        (["apache-2.0"], "Apache-2.0"),
        (["MIT", "Apache-2.0"], "Apache-2.0 AND MIT"),
        (["MIT OR Apache-2.0", "BSD-3-Clause"], "BSD-3-Clause AND (MIT OR Apache-2.0)"),
        (["other"], None),
        (["no_license", ""], None),
        ([], None),
        (["MIT", "MIT"], "MIT"),
    ],
)
def test_data_set_values_become_expressions(values: list[str], expected: str | None) -> None:
    assert declaration_of_values(values)[0] == expected


def test_a_value_that_is_not_understood_makes_the_whole_unknown_and_is_kept_as_evidence() -> None:
    expression, evidence = declaration_of_values(["MIT", "quux-17"])
    assert expression is None
    assert "quux-17" in (evidence or "")


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("pyproject.toml", '[project]\nname = "x"\nlicense = "MIT"\n', {"Name": "x", "License": "MIT"}),
        ("pyproject.toml", '[project]\nlicense = {text = "BSD"}\n', {"License": "BSD"}),
        ("pyproject.toml", "[tool.x]\n", {}),
        ("pyproject.toml", "not toml [", {}),
        (
            "package.json",
            '{"name": "x", "license": "ISC", "version": "2"}',
            {"Name": "x", "License": "ISC", "Version": "2"},
        ),
        ("package.json", "[" * 100_000, {}),
        ("setup.cfg", "[metadata]\nname = x\nlicense = MIT\n", {"Name": "x", "License": "MIT"}),
        ("setup.cfg", "%%%", {}),
    ],
)
def test_project_files_give_name_version_and_license(name: str, data: str, expected: dict[str, str]) -> None:
    assert project_metadata(name, data.encode()) == expected


def test_wheel_metadata_keep_every_classifier() -> None:
    fields = wheel_metadata("Name: x\nLicense: Foo\n bar\nClassifier: A\nClassifier: B\n\nbody\nLicense: no\n")
    assert fields["Classifier"] == ["A", "B"]
    assert fields["License"].startswith("Foo")


@given(st.sampled_from(METADATA_FILES), st.binary(max_size=200))
def test_any_bytes_as_metadata_give_a_mapping(name: str, data: bytes) -> None:
    assert isinstance(project_metadata(name, data), dict)
