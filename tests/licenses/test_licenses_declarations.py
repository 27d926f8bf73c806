import pytest

from cleartitle.licenses import default_vocabulary, detect_declaration, normalize, parse_declaration
from cleartitle.licenses.declarations import TROVE

OSI = "License :: OSI Approved :: "


def test_every_trove_classifier_names_a_row_of_the_vocabulary():
    assert len(TROVE) > 60
    for expression in TROVE.values():
        assert expression in default_vocabulary().licenses
        assert normalize(expression) == expression


@pytest.mark.parametrize(
    ("metadata", "expression", "status"),
    [
        ({"License-Expression": "MPL-2.0 AND MIT", "License": "BSD"}, "MPL-2.0 AND MIT", "ok"),
        ({"License": "BSD", "Classifier": [OSI + "BSD License"]}, "BSD", "uncertain"),
        ({"License": "BSD-3-Clause", "Classifier": [OSI + "BSD License"]}, "BSD-3-Clause", "ok"),
        ({"license": "Apache 2.0", "classifiers": [OSI + "Apache Software License"]}, "Apache-2.0", "ok"),
        (
            {"License": "GPL", "Classifier": [OSI + "GNU General Public License v2 or later (GPLv2+)"]},
            "GPL-2.0-or-later",
            "ok",
        ),
        ({"License": "GPL-3", "Classifier": [OSI + "MIT License"]}, "GPL-3.0", "uncertain"),
        ({"Classifier": [OSI + "MIT License", "Programming Language :: Python"]}, "MIT", "ok"),
        ({"Classifier": [OSI + "MIT License", OSI + "ISC License (ISCL)"]}, "MIT AND ISC", "uncertain"),
        ({"License": "UNKNOWN", "Classifier": [OSI.removesuffix(" :: ")]}, None, "uncertain"),
        ({"license": {"type": "MIT", "url": "x"}}, "MIT", "ok"),
        ({"license": ["MIT", "Apache-2.0"]}, "MIT OR Apache-2.0", "uncertain"),
        ({}, None, "none"),
    ],
)
def test_package_metadata(metadata: dict[str, object], expression: str | None, status: str):
    found = detect_declaration(metadata)
    assert (found.expression, found.status) == (expression, status)
    assert bool(found.evidence) == bool(metadata)


@pytest.mark.parametrize(
    ("text", "expression", "status"),
    [
        ("(MIT OR Apache-2.0)", "MIT OR Apache-2.0", "ok"),
        ("MIT/Apache-2.0", "MIT OR Apache-2.0", "ok"),
        ("gpl-3.0", "GPL-3.0", "ok"),
        ("LGPL-2.1+", "LGPL-2.1-or-later", "ok"),
        ("GPLv2+", "GPL-2.0-or-later", "ok"),
        ("BSD 3-Clause", "BSD-3-Clause", "ok"),
        ("SEE LICENSE IN LICENSE.md", None, "uncertain"),
        ("UNLICENSED", "LicenseRef-proprietary", "ok"),
        ("other", None, "uncertain"),
        ("My own terms", None, "uncertain"),
        (None, None, "none"),
    ],
)
def test_declared_values_of_npm_github_and_free_fields(text: str | None, expression: str | None, status: str):
    found = parse_declaration(text)
    assert (found.expression, found.status) == (expression, status)
