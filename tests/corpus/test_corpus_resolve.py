"""Trust grades."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.corpus import TRUST_GRADES, resolve

CASES = [
    ("MIT", "MIT", "agree", "MIT", "permissive"),
    ("GPL-2.0-or-later", "GPL-2.0-only", "agree", "GPL-2.0-or-later", "strong_copyleft"),
    ("LGPL-2.1-only", "LGPL-2.1", "agree", "LGPL-2.1-only", "weak_copyleft"),
    ("MIT", "MPL-2.0 AND MIT", "agree", "MIT", "permissive"),
    ("GPL-2.0-or-later", "MIT OR GPL-2.0-only", "agree", "GPL-2.0-or-later", "strong_copyleft"),
    ("BSD-3-Clause", "BSD", "agree", "BSD-3-Clause", "permissive"),
    ("BSD", "BSD-3-Clause", "agree", "BSD-3-Clause", "permissive"),
    ("GPL-2.0", "GPL-2.0-or-later", "agree", "GPL-2.0-or-later", "strong_copyleft"),
    ("BSD", "MIT", "conflict", "BSD", "permissive"),
    ("BSD", "BSD-2-Clause OR BSD-3-Clause", "agree", "BSD", "permissive"),
    ("GPL-3.0-or-later", "GPL", "agree", "GPL-3.0-or-later", "strong_copyleft"),
    ("mit", "MIT", "agree", "mit", "permissive"),
    ("MPL-2.0 OR BSD-3-Clause", "MPL-2.0", "agree", "MPL-2.0 OR BSD-3-Clause", "permissive"),
    ("(MPL-2.0 OR MIT) AND ISC", "MPL-2.0", "conflict", "(MPL-2.0 OR MIT) AND ISC", "permissive"),
    ("GPL-3.0-only", "MIT", "conflict", "GPL-3.0-only", "strong_copyleft"),
    ("GPL-2.0-only", "GPL-3.0-only", "conflict", "GPL-2.0-only", "strong_copyleft"),
    ("GPL-2.0-only", "LGPL-2.0-only", "conflict", "GPL-2.0-only", "strong_copyleft"),
    ("MPL-2.0 AND MIT", "MIT", "conflict", "MPL-2.0 AND MIT", "weak_copyleft"),
    ("BSD-2-Clause", "BSD-3-Clause", "conflict", "BSD-2-Clause", "permissive"),
    ("MIT", None, "header", "MIT", "permissive"),
    (None, "AGPL-3.0-only", "declaration", "AGPL-3.0-only", "strong_copyleft"),
    (None, None, "none", None, None),
]


@pytest.mark.parametrize(("header", "declared", "trust", "license_", "class_"), CASES)
def test_grade_license_and_class(
    header: str | None, declared: str | None, trust: str, license_: str | None, class_: str | None
) -> None:
    found = resolve(header, declared)
    assert (found.trust, found.license, found.license_class) == (trust, license_, class_)
    assert (found.conflict is not None) == (trust == "conflict")


def test_a_conflict_names_both_sides() -> None:
    assert resolve("GPL-3.0-only", "MIT").conflict == "header says GPL-3.0-only, package declares MIT"


def test_a_declaration_does_not_speak_for_a_vendored_file() -> None:
    assert resolve(None, "GPL-3.0-only", vendored=True).trust == "none"
    assert resolve("MIT", "GPL-3.0-only", vendored=True).trust == "header"


@pytest.mark.parametrize(
    ("header", "declared", "trust", "license_"),
    [
        ("AGPL-3.0", "AGPL-3.0-or-later", "agree", "AGPL-3.0-or-later"),
        ("BSD-2-Clause", "GPL-3.0-or-later", "conflict", "GPL-3.0-or-later"),
        ("MIT", None, "none", None),
        (None, "MIT", "declaration", "MIT"),
    ],
)
def test_a_doubtful_header_never_gives_the_license(
    header: str | None, declared: str | None, trust: str, license_: str | None
) -> None:
    found = resolve(header, declared, doubtful=True)
    assert (found.trust, found.license) == (trust, license_)
    if trust == "conflict":
        assert found.conflict == "header seems to say BSD-2-Clause, package declares GPL-3.0-or-later"


@given(st.none() | st.text(max_size=40), st.none() | st.text(max_size=40), st.booleans(), st.booleans())
def test_any_two_texts_get_a_grade(header: str | None, declared: str | None, vendored: bool, doubtful: bool) -> None:
    found = resolve(header, declared, vendored, doubtful)
    assert found.trust in TRUST_GRADES
    assert (found.license is None) == (found.trust == "none")
