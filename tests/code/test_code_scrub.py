import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code.scrub import TYPES, ScrubOptions, leaks, read_map, restore, scrub, write_map
from cleartitle.errors import InputError

# Made up for these tests, in the formats of their issuers; built from parts, so that no scanner takes them for real.
PLANTED = {
    "PRIVATE_KEY": [
        "-----BEGIN RSA PRIVATE "
        + "KEY-----\nMIIEowIBAAKCAQEA75rXabcd\nabcdABCDefgh+/==\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE " + "KEY-----\\nMIIEowIBAAKCAQEA75rXabcd\\nabcdABCDefgh0123",
    ],
    "CREDENTIALS": ["app:pa55w0rd"],
    "API_KEY": [
        "AKIA" + "QWERTYUIOPASDFGH",
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "11ABCDEFG0abcdefghijkl",
        "glpat-" + "abcDEF123456_abcdef-",
        "xoxb-" + "123456789012-abcdefABCDEF",
        "AIza" + "Sy" * 17 + "A",
        "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "sk-ant-" + "a1B2c3d4" * 6,
        "hf_" + "abcdEFGHij" * 3 + "KLMN",
        "npm_" + "a1" * 18,
        "wJalrXUtnFEMI/K7MDENG/bPx" + "RfiCYabcdefghij",
    ],
    "TOKEN": ["eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"],
    "PASSWORD": ["hunter2!"],
    "EMAIL": ["jane.doe+code@mail.acme.io", "jane (at) acme.org", "jane [at] acme [dot] org"],
    "IBAN": ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"],
    "CARD": ["4111 1111 1111 1111", "5500005555555559", "3782-822463-10005"],
    "SSN": ["536-22-8726"],
    "IP": ["192.168.178.23", "84.23.11.9", "203.0.113.42", "2a02:8108:96c0:1a2b::5"],
    "PHONE": ["+49 30 1234567", "(555) 123-4567", "555-123-4567", "(415) 555-2671", "415-555-2671", "+1-212-555-0143"],
    "PERSON": ["Jane Q. Doe"],
}
AROUND = {
    "CREDENTIALS": ("postgres://", "@db.internal:5432/x"),
    "PASSWORD": ('password = "', '"'),
    "PERSON": ("# Author: ", ""),
}
ASSIGNED = [
    ('password = "hunter2!"', "hunter2!"),
    ("PASSWORD: 'correct horse'", None),
    ('api_key="abcdefghijklmnopqrst"', "abcdefghijklmnopqrst"),
    ('api_key="environment"', None),
    ('private_key="keys/server.pem"', None),
    ('token: "9f8e7d6c5b"', "9f8e7d6c5b"),
    ('token = "WHILE"', None),
    ("# password: hunter2x", "hunter2x"),
    ("password: hunter2x", None),
    ("DB_PASSWORD=s3cretValue9", "s3cretValue9"),
    ("https://x.org/?token=a1b2c3d4e5&x=1", "a1b2c3d4e5"),
    ("Authorization: Bearer abcdEFGH1234567890abcd", "abcdEFGH1234567890abcd"),
    ("AccountKey=" + "a1b2" * 21 + "ab==;", "a1b2" * 21 + "ab=="),
    ("https://hooks.slack.com/services/" + "T00000000/B00000000/XXXXXXXX", "T00000000/B00000000/XXXXXXXX"),
    ('__author__ = "Ann Other"', "Ann Other"),
    (" * @author John Smith", "John Smith"),
    ("    # TODO(bob): later", "bob"),
    ("# written by Donald Duck", "Donald Duck"),
    ("tel: 030 / 123 45 67", "030 / 123 45 67"),
]
CLEAN = [
    "loss = (a@b.T) + w@x.mean()",
    "@app.route('/users')",
    '[assembly: AssemblyVersion("1.2.3.45")]',
    "version 10.20.3.4",
    "if author is None:",
    "author: Optional[str] = None",
    "token = 'IDENTIFIER'",
    "password = getpass()",
    "password = '{password}'",
    'secret: "<your secret>"',
    "api_key = os.environ['SERVICE_API_KEY_NAME']",
    "oid 1.3.6.1.4.1.311 and 2.5.29.46",
    "127.0.0.1 0.0.0.0 255.255.255.0 ::1",
    "2011-12-13 10:11:12",
    "std::vector<std::string>::iterator a::b::c",
    "n = 1234567890123456  # no card",
    "x = +6.64830387 - 3.14159265358979",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "123e4567-e89b-12d3-a456-426614174000",
    "git@host.example",
    'if "-----BEGIN PRIVATE KEY-----" in text:',
    "TODO(later) in code",
    "disk-12345678901234567890123456789012345",
    "Copyright (c) 2010 John Smith",
]
PIECES = st.sampled_from(
    [
        *(value for values in PLANTED.values() for value in values),
        *CLEAN,
        *(
            " ",
            "\n",
            '"',
            "'",
            "=",
            "<EMAIL_1>",
            "<PASSWORD_3>",
            "password = ",
            "a",
            "1",
            ".",
            "@",
            "+",
            "-",
            "# TODO(bob)",
        ),
    ]
)


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in PLANTED.items() for value in values])
def test_what_is_planted_is_found_by_its_type_and_comes_back(kind: str, value: str) -> None:
    before, after = AROUND.get(kind, ("# see ", " there"))
    if "/K7MDENG/" in value:
        before, after = "aws_secret_access_key = ", ""
    text = f"x = 1\n{before}{value}{after}\ny = 2\n"
    found = scrub(text)
    assert found.text == f"x = 1\n{before}<{kind}_1>{after}\ny = 2\n"
    assert found.counts == {kind: 1} and found.replaced == 1
    assert restore(found.text, found.mapping) == text


@pytest.mark.parametrize(("text", "value"), ASSIGNED)
def test_what_stands_beside_a_telling_word_is_found_if_it_looks_like_it(text: str, value: str | None) -> None:
    assert list(scrub(text).mapping.values()) == ([] if value is None else [value])


@pytest.mark.parametrize("text", CLEAN)
def test_ordinary_code_is_left_alone(text: str) -> None:
    assert scrub(text).text == text


def test_equal_values_share_a_placeholder_and_others_count_on() -> None:
    found = scrub("a@x.org b@x.org a@x.org")
    assert found.text == "<EMAIL_1> <EMAIL_2> <EMAIL_1>"
    assert found.counts == {"EMAIL": 3} and len(found.mapping) == 2


def test_a_later_part_of_a_document_gets_the_same_placeholders() -> None:
    whole = scrub("a@x.org b@x.org")
    part = scrub("c@x.org b@x.org", known=whole.mapping)
    assert part.text == "<EMAIL_3> <EMAIL_2>"
    assert restore(part.text, part.mapping) == "c@x.org b@x.org"


def test_only_the_types_that_are_asked_for_are_replaced() -> None:
    assert scrub("a@x.org 84.23.11.9", options=ScrubOptions(types=("IP",))).text == "a@x.org <IP_1>"
    with pytest.raises(InputError, match="GENE"):
        ScrubOptions(types=("GENE",))


def test_placeholders_that_a_text_had_before_are_not_confused_with_new_ones() -> None:
    text = "<EMAIL_1> wrote to a@x.org"
    found = scrub(text)
    assert found.text == "<EMAIL_1> wrote to <EMAIL_2>"
    assert restore(found.text, found.mapping) == text
    assert scrub("<EMAIL_999999999> a@x.org").text == "<EMAIL_999999999> <EMAIL_1>"


@given(st.lists(PIECES, max_size=12).map("".join))
def test_scrubbing_twice_changes_nothing_more_and_all_comes_back(text: str) -> None:
    once = scrub(text)
    assert scrub(once.text).text == once.text
    assert restore(once.text, once.mapping) == text
    assert list(once.counts) == [name for name in TYPES if name in once.counts]


@given(st.text(max_size=300))
def test_any_text_comes_back(text: str) -> None:
    found = scrub(text)
    assert restore(found.text, found.mapping) == text
    assert scrub(found.text).text == found.text


def test_no_value_shows_in_representations() -> None:
    secret = "hunter2!" + "xyz"
    assert secret not in repr(scrub(f'password = "{secret}"'))
    assert secret not in repr(leaks(f'password = "{secret}"'))


def test_leaks_are_counted_and_masked() -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    found = leaks(f'a = "{key}"\nb = "{key}"\n# jane@acme.io, joe@example.com\n')
    assert found.counts == {"API_KEY": 2, "EMAIL": 2} and found.distinct == {"API_KEY": 1, "EMAIL": 2}
    assert found.total == 4 and found.examples == 1
    assert [item.line for item in found.findings] == [1, 2, 3, 3]
    assert found.findings[0].masked == "AKIA… (20 characters)"
    assert not any(key in item.masked or "jane" in item.masked for item in found.findings)


def test_what_the_prompt_holds_is_no_leak() -> None:
    assert leaks("mail jane@acme.io or joe@acme.io", prompt="# jane@acme.io").counts == {"EMAIL": 1}
    assert leaks("mail <EMAIL_1>").total == 0


def test_the_map_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    mask = os.umask(0)
    try:
        write_map(path, {"a.py": {"<EMAIL_1>": "a@x.org"}})
        write_map(path, {"a.py": {"<EMAIL_1>": "b@x.org"}})
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_map(path) == {"a.py": {"<EMAIL_1>": "b@x.org"}}
    assert [entry.name for entry in tmp_path.iterdir()] == ["map.json"]


@pytest.mark.parametrize("content", ["{not json: sEcret9}", "[]", '{"kind": "other", "documents": {}}', '"x"'])
def test_another_file_is_no_map_and_its_content_does_not_show(tmp_path: Path, content: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_map(path)
    assert str(path) in str(error.value) and "sEcret9" not in str(error.value)


@pytest.mark.parametrize(
    ("seed", "size"),
    [("a", 1_000_000), ("1 ", 1_000_000), ("a@a.", 1_000_000), ("-----BEGIN PRIVATE KEY-----", 1_000_000)]
    + [(seed, 200_000) for seed in ("password='a", "a@a.aa ", "a://a:", "4111 ", "+1", "0:", "A_", "eyJaaaaaaaa.")]
    + [(seed, 200_000) for seed in ("(415) 555", "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n", "# Author: Aa ")],
)  # fmt: skip
def test_hostile_text_takes_time_in_proportion(seed: str, size: int) -> None:
    text = (seed * (size // len(seed) + 1))[:size]
    started = time.process_time()
    scrub(text)
    assert time.process_time() - started < 10 * size / 1_000_000
