import pytest

from cleartitle.errors import InputError
from cleartitle.licenses import (
    CLASSES,
    OBLIGATIONS,
    UnknownLicenseError,
    classify,
    default_vocabulary,
    expression_ids,
    is_dual,
    license_class,
    load_overrides,
    lookup,
    normalize,
    obligations,
)


def test_every_row_has_a_class_known_obligations_and_a_source():
    rows = default_vocabulary().licenses.values()
    assert len([row for row in rows if not row.is_family]) > 700
    assert all(row.class_ in CLASSES and set(row.obligations) <= set(OBLIGATIONS) and row.source for row in rows)


def test_every_osi_approved_id_is_there_and_none_is_restricted_but_the_unread_ones():
    approved = [row for row in default_vocabulary().licenses.values() if row.osi_approved]
    assert len(approved) >= 150
    assert {row.id for row in approved if row.class_ == "restricted"} <= {"OSC-1.0"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Unlicense", "public_domain"),
        ("CC0-1.0", "public_domain"),
        ("WTFPL", "public_domain"),
        ("MIT", "permissive"),
        ("0BSD", "permissive"),
        ("MIT-0", "permissive"),
        ("Artistic-2.0", "permissive"),
        ("AFL-3.0", "permissive"),
        ("MS-PL", "permissive"),
        ("BSL-1.0", "permissive"),
        ("LGPL-2.1-or-later", "weak_copyleft"),
        ("MPL-2.0", "weak_copyleft"),
        ("CDDL-1.0", "weak_copyleft"),
        ("EPL-1.0", "weak_copyleft"),
        ("AGPL-3.0-only", "strong_copyleft"),
        ("OSL-3.0", "strong_copyleft"),
        ("CC-BY-NC-4.0", "restricted"),
        ("llama3", "restricted"),
        ("bigcode-openrail-m", "restricted"),
        ("BUSL-1.1", "restricted"),
        ("gpl-3.0", "strong_copyleft"),
        ("GPL", "strong_copyleft"),
        ("bsd", "permissive"),
        ("CC-BY", "permissive"),
        ("LGPL", "weak_copyleft"),
        ("public domain", "public_domain"),
    ],
)
def test_class_of_ids_families_aliases_and_github_keys(name: str, expected: str):
    assert license_class(name) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT AND GPL-3.0-only", "strong_copyleft"),
        ("MIT OR GPL-3.0-only", "permissive"),
        ("(MIT OR GPL-3.0-only) AND MPL-2.0", "weak_copyleft"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "weak_copyleft"),
        ("GPL-2.0-only WITH Linux-syscall-note", "strong_copyleft"),
        ("Apache-2.0 WITH LLVM-exception", "permissive"),
        ("mit or apache-2.0", "permissive"),
    ],
)
def test_and_takes_the_strictest_or_the_mildest_and_a_linking_exception_weakens(expression: str, expected: str):
    assert license_class(expression) == expected


@pytest.mark.parametrize(
    "name",
    ["", "foo", "LicenseRef-acme", "other", "MIT/Apache", "MIT AND", "((", "MIT WITH no-such-exception", "x" * 9000],
)
def test_an_unknown_name_raises_one_line_and_is_never_classed_by_guess(name: str):
    with pytest.raises(UnknownLicenseError) as caught:
        license_class(name)
    assert "\n" not in str(caught.value)
    assert classify(name, default="unclassed") == "unclassed"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("gpl-3.0+", "GPL-3.0-or-later"),
        ("GPL-3.0", "GPL-3.0"),
        ("GPL", "GPL"),
        ("mit and (apache-2.0 or bsd-3-clause)", "MIT AND (Apache-2.0 OR BSD-3-Clause)"),
        ("MIT OR MIT", "MIT"),
        ("Apache License 2.0", "Apache-2.0"),
        ("gpl-2.0-only with classpath-exception-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
    ],
)
def test_normalize_gives_spdx_spelling_and_keeps_families(given: str, expected: str):
    assert normalize(given) == expected
    assert normalize(expected) == expected


def test_every_id_normalizes_to_a_fixed_point_and_classes_alike():
    for row in default_vocabulary().licenses.values():
        once = normalize(row.id)
        assert normalize(once) == once
        assert license_class(once) in CLASSES


def test_duals_and_ids_of_an_expression():
    assert is_dual("MIT OR Apache-2.0") and not is_dual("MIT AND Apache-2.0") and not is_dual("MIT OR MIT")
    assert expression_ids("(MIT OR Apache-2.0) AND MIT") == ("MIT", "Apache-2.0")


def test_obligations_unite_under_and_and_follow_the_mildest_choice_under_or():
    assert "network-disclosure" in obligations("AGPL-3.0-only")
    assert "disclose-source" in obligations("MIT AND GPL-3.0-only")
    assert obligations("MIT OR GPL-3.0-only") == obligations("MIT")
    assert obligations("0BSD") == ()


def test_overrides_change_class_and_say_so(tmp_path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[classes]\nMS-PL = "strong_copyleft"\nLicenseRef-acme = "restricted"\n'
        '[obligations]\nMS-PL = ["disclose-source"]\n'
    )
    mine = load_overrides(path)
    assert license_class("MS-PL", mine) == "strong_copyleft"
    assert license_class("MS-PL") == "permissive"
    assert "override mine.toml" in lookup("MS-PL", mine).source
    assert any("permissive -> strong_copyleft" in change for change in mine.overrides)
    assert obligations("MS-PL", mine) == ("disclose-source",)
    assert license_class("LicenseRef-acme OR MS-PL", mine) == "strong_copyleft"
    monkeypatch.setenv("CLEARTITLE_LICENSES", str(path))
    assert license_class("MS-PL") == "strong_copyleft"


@pytest.mark.parametrize(
    "content",
    [
        "[classes]\nMIT = 'nice'",
        "[obligations]\nMIT = ['dance']",
        "[other]\n",
        "[obligations]\nfoo = []",
        "not toml",
        "classes = 3",
    ],
)
def test_a_bad_override_file_names_itself_in_one_line(tmp_path, content: str):
    path = tmp_path / "bad.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=r"bad\.toml") as caught:
        load_overrides(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        load_overrides(tmp_path / "absent.toml")
