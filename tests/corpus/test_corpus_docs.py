"""The page about the corpus says what the code does."""

import re
from pathlib import Path

from cleartitle.corpus import CONTENTS, LICENSE_TEXTS, OCCURRENCES, SPECS, STARTERS, TRUST_GRADES, starter_pins
from cleartitle.corpus.readers.columns import ROLES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "corpus.md").read_text(encoding="utf-8")


def test_the_page_names_every_kind_of_spec() -> None:
    for kind in re.findall(r"^([a-z]+)(?=:|-|\s)", SPECS, re.MULTILINE):
        assert f"| `{kind}" in PAGE


def test_the_page_lists_every_column_alias_in_order() -> None:
    for role, names in ROLES.items():
        assert f"| `{role}` | `{' '.join(names)}` |" in PAGE


def test_the_page_lists_every_column_of_every_table() -> None:
    for schema in (CONTENTS, OCCURRENCES, LICENSE_TEXTS):
        assert f"`{' '.join(schema.names)}`" in PAGE


def test_the_page_explains_every_grade_of_trust() -> None:
    for grade in TRUST_GRADES:
        assert f"| `{grade}` |" in PAGE


def test_the_page_lists_the_packages_of_every_starter_list() -> None:
    row = r"^\| ([\w.+-]+) \| ([^|]+) \| ([^|]+) \| ([a-z ]+) \| [\d,]+ \| [\d,]+ \|$"
    rows = re.findall(row, PAGE, re.MULTILINE)
    assert rows == [
        (pin.name, pin.version, pin.license, pin.license_class.replace("_", " "))
        for name in STARTERS
        for pin in starter_pins(name)
    ]


def test_the_page_names_every_reason_that_the_code_gives() -> None:
    source = Path(__file__).resolve().parents[2] / "src" / "cleartitle" / "corpus"
    code = "\n".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    reasons = set(re.findall(r'(?:Skipped|_LeftOutError|UnreadableTextError)\(\s*"([a-z_]+)"', code))
    assert len(reasons) > 10
    for reason in reasons:
        assert f"`{reason}`" in PAGE
