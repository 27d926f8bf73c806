import csv
from pathlib import Path

import pytest

from cleartitle.errors import InputError
from cleartitle.licenses import grade, license_group, match_as_published, parse_answer

CASES = Path(__file__).resolve().parents[3] / "shared" / "reference" / "licoeval" / "gpt4o_47_cases.csv"


@pytest.mark.skipif(not CASES.exists(), reason="the recorded GPT-4o answers are not here")
def test_paper_mode_equals_the_release_on_the_47_recorded_answers():
    with CASES.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 47
    for row in rows:
        answer = row["model_license_answer"]
        assert (match_as_published(answer) or "") == row["matched_license"]
        assert grade(answer, row["license"], mode="paper").exact == (row["correct"] == "1")


@pytest.mark.parametrize(
    ("answer", "matched"),
    [
        ("Apache-2.0", None),
        ("MIT.", None),
        ("3-Clause BSD License", None),
        ("GPLv3", None),
        ("GPL-3.0-or-later", None),
        ("MIT License, Copyright (c) 2010 X", None),
        ("CC BY-SA 4.0", "cc-by-4.0"),
        ("submit a request to the Apache foundation", "apache-2.0"),
        ("MIT or Apache 2.0", "apache-2.0"),
        ("GNU General Public License v3.0", "gpl-3.0-only"),
    ],
)
def test_paper_mode_keeps_the_known_defects(answer: str, matched: str | None):
    assert match_as_published(answer) == matched


@pytest.mark.parametrize(
    ("answer", "truth", "levels"),
    [
        ("GPLv2", "GPL-2.0-only", (True, True, True)),
        ("GPLv2", "GPL-2.0-or-later", (True, True, True)),
        ("GPL-2.0-only", "GPL-2.0-or-later", (False, True, True)),
        ("GPL", "GPL-2.0-only", (False, True, True)),
        ("GPLv3", "GPL-2.0-only", (False, True, True)),
        ("BSD", "BSD-3-Clause", (False, True, True)),
        ("LGPL", "GPL-2.0-only", (False, False, False)),
        ("MIT", "Apache-2.0", (False, False, True)),
        ("CC0", "MIT", (False, False, True)),
        ("MIT", "MIT OR Apache-2.0", (False, True, True)),
        ("Apache 2.0 or MIT", "MIT OR Apache-2.0", (True, True, True)),
        ("MIT AND Apache-2.0", "MIT OR Apache-2.0", (False, True, True)),
        ("I do not know", "MIT", (False, False, False)),
        ("MIT, Apache 2.0 and GPL", "MIT", (False, False, False)),
    ],
)
def test_three_levels_of_credit(answer: str, truth: str, levels: tuple[bool, bool, bool]):
    result = grade(answer, truth)
    assert (result.exact, result.family, result.class_) == levels
    assert grade(parse_answer(answer), truth) == result


def test_a_hedged_answer_is_credited_and_flagged_and_no_answer_is_marked():
    assert grade("probably MIT", "MIT").hedged and grade("probably MIT", "MIT").exact
    assert not grade("no idea", "MIT").answered


def test_groups_count_public_domain_as_permissive_and_set_restricted_apart():
    assert license_group("CC0-1.0") == "permissive"
    assert license_group("LGPL") == "copyleft"
    assert license_group("CC-BY-NC-4.0") == "restricted"
    assert license_group("CC-BY-NC-4.0", "paper") == "copyleft"
    assert license_group("MS-PL", "paper") == "copyleft"


def test_wrong_use_is_said_in_one_line():
    with pytest.raises(InputError, match="unknown mode"):
        grade("MIT", "MIT", mode="strict")
    with pytest.raises(InputError, match="paper mode"):
        grade(parse_answer("MIT"), "MIT", mode="paper")
