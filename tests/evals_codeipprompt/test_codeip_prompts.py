"""Prompts from a corpus in five languages: cut, drawn, scrubbed, counted."""

import json
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from codeip_corpus import LANGUAGES, make_corpus
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code.scrub import read_map, restore
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt import PROMPTS, PUBLISHED_TABLE_2, PromptOptions, PromptSet, build_prompts, table_2
from cleartitle.evals.codeipprompt.candidates import Rules, find_candidates, prompt_text
from cleartitle.evals.codeipprompt.paper_rule import is_clean_path, passes, two_lines
from cleartitle.evals.codeipprompt.prompts import even_quotas

ONE = PromptOptions(workers=1)
ALL = replace(ONE, one_per_file=False)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make_corpus(tmp_path_factory.mktemp("codeip"))


def rows_of(found: PromptSet) -> list[dict[str, Any]]:
    return found.table().to_pylist()


def test_a_prompt_is_signature_and_comment_and_its_place_is_in_the_source(corpus: Corpus, tmp_path: Path) -> None:
    found = build_prompts(corpus, tmp_path / "p", ALL)
    rows = {(row["language"], row["name"]): row for row in rows_of(found)}
    say = rows["c", "say_P00"]
    assert say["text"] == (
        "/* Says P00\n   on two lines. */\nstatic int\nsay_P00(const char *text,\n           int times)\n{"
    )
    assert rows["csharp", "ScoreP01"]["text"].startswith("/// <summary>Keeps the score of P01.</summary>\npublic class")
    assert rows["python", "BoxP00"]["kind"] == "class"
    for row in rows.values():
        lines = row["source"].split("\n")
        cut = lines[row["prompt_first_line"] - 1 : row["prompt_last_line"]]
        assert [line.strip() for line in cut] == [line.strip() for line in row["text"].split("\n")]
        assert row["unit_first_line"] == row["prompt_first_line"] and row["unit_last_line"] > row["prompt_last_line"]
        assert row["prompt_id"] == f"{row['content_id']};lines={row['prompt_first_line']}-{row['prompt_last_line']}"
        assert 0 < row["prompt_tokens"] < row["unit_tokens"] <= row["source_tokens"]


def test_each_language_and_class_has_prompts_and_the_public_domain_is_marked(corpus: Corpus, tmp_path: Path) -> None:
    found = build_prompts(corpus, tmp_path / "p", ONE)
    cells = found.record["table_2"]["cells"]
    assert set(cells) == {"public_domain", "permissive", "weak_copyleft", "strong_copyleft", "restricted"}
    assert all(cells[name] == dict.fromkeys(LANGUAGES, 2) for name in cells)
    assert found.record["left_out"]["dual license"] == 10
    assert {row["license_class"] for row in rows_of(found) if row["license"] == "Unlicense"} == {"public_domain"}


def test_a_file_gives_one_prompt_or_all_but_none_twice(corpus: Corpus, tmp_path: Path) -> None:
    one = Counter(row["content_id"] for row in rows_of(build_prompts(corpus, tmp_path / "one", ONE)))
    every = rows_of(build_prompts(corpus, tmp_path / "all", ALL))
    assert set(one.values()) == {1} and max(Counter(row["content_id"] for row in every).values()) > 1
    texts = [(row["language"], row["text"]) for row in every]
    assert len(set(texts)) == len(texts) > len(one)


def test_a_limit_is_drawn_evenly_by_seed_and_over_projects(corpus: Corpus, tmp_path: Path) -> None:
    limited = replace(ONE, limit=25)
    found = build_prompts(corpus, tmp_path / "a", limited)
    assert Counter((row["license_class"], row["language"]) for row in rows_of(found)) == Counter(
        {(name, language): 1 for name in found.record["table_2"]["cells"] for language in LANGUAGES}
    )
    again = build_prompts(corpus, tmp_path / "b", limited)
    other = build_prompts(corpus, tmp_path / "c", replace(limited, seed=1))
    assert again.content_hash == found.content_hash != other.content_hash
    assert (tmp_path / "a" / "prompts.parquet").read_bytes() == (tmp_path / "b" / "prompts.parquet").read_bytes()
    assert found.record["left_out"]["beyond the limit"] == 25


def test_a_project_gives_no_more_than_its_limit(corpus: Corpus, tmp_path: Path) -> None:
    found = build_prompts(corpus, tmp_path / "p", replace(ALL, max_per_project=1))
    assert max(Counter((row["project"], row["language"]) for row in rows_of(found)).values()) == 1


def test_paper_mode_takes_two_lines_of_a_file_and_the_declared_license(corpus: Corpus, tmp_path: Path) -> None:
    found = build_prompts(corpus, tmp_path / "p", PromptOptions(mode="paper", workers=1))
    rows = rows_of(found)
    assert all(row["text"].count("\n") == 1 and row["prompt_last_line"] == row["prompt_first_line"] + 1 for row in rows)
    assert set(Counter(row["content_id"] for row in rows).values()) == {1}
    assert {row["license_source"] for row in rows} == {"declaration"}
    assert "c" not in {row["language"] for row in rows}  # its comment has two lines
    assert "restricted" not in found.record["table_2"]["classes"]
    assert found.record["left_out"]["no license declared"] == 20
    python = next(row for row in rows if row["language"] == "python")
    assert python["text"].startswith("# Adds the numbers of P") and python["unit_last_line"] == 10


def test_several_corpora_make_one_set_and_no_file_comes_twice(corpus: Corpus, tmp_path: Path) -> None:
    other = make_corpus(tmp_path / "other", copies=1)
    both = build_prompts([other, corpus], tmp_path / "p", ONE)
    alone = build_prompts(corpus, tmp_path / "q", ONE)
    assert both.record["corpus"] == f"{other.key}, {corpus.key}"
    ids = both.table(("prompt_id",))["prompt_id"].to_pylist()
    assert sorted(ids) == sorted(alone.table(("prompt_id",))["prompt_id"].to_pylist())


def test_the_set_is_kept_and_opened_again(corpus: Corpus, tmp_path: Path) -> None:
    built = build_prompts(corpus, tmp_path / "p", ONE)
    before = (tmp_path / "p" / "prompts.parquet").stat().st_mtime_ns
    assert build_prompts(corpus, tmp_path / "p", replace(ONE, workers=2)).content_hash == built.content_hash
    assert (tmp_path / "p" / "prompts.parquet").stat().st_mtime_ns == before
    opened = PromptSet.open(tmp_path / "p")
    assert len(opened) == opened.table().num_rows == sum(batch.num_rows for batch in opened.batches(("text",)))
    assert opened.table().schema == PROMPTS
    (tmp_path / "p" / "prompts.parquet").unlink()
    assert build_prompts(corpus, tmp_path / "p", ONE).content_hash == built.content_hash


def test_a_sample_is_even_and_keeps_the_order(corpus: Corpus, tmp_path: Path) -> None:
    found = build_prompts(corpus, tmp_path / "p", ALL)
    drawn = found.sample(25, seed=3, columns=("prompt_id", "license_class", "language"))
    assert set(
        Counter(zip(*(drawn[name].to_pylist() for name in ("license_class", "language")), strict=True)).values()
    ) == {1}
    order = found.table(("prompt_id",))["prompt_id"].to_pylist()
    assert drawn["prompt_id"].to_pylist() == sorted(drawn["prompt_id"].to_pylist(), key=order.index)
    assert found.sample(0, seed=1, columns=("prompt_id",))["prompt_id"].to_pylist() == order


def test_secrets_are_scrubbed_and_come_back_by_the_owners_map_alone(corpus: Corpus, tmp_path: Path) -> None:
    secret_map = tmp_path / "owner" / "map.json"
    found = build_prompts(corpus, tmp_path / "p", ALL, scrub_map=secret_map)
    rows = rows_of(found)
    add = next(row for row in rows if row["name"] == "add_P00")
    assert "Write to <EMAIL_1> about it." in add["text"] and "Write to <EMAIL_1> about it." in add["source"]
    assert (add["prompt_scrubbed"], add["source_scrubbed"]) == (1, 1)
    assert found.record["scrubbed"] == {"prompts": 10, "places_in_prompts": 10, "places_in_files": 10}
    for path in (tmp_path / "p").rglob("*"):
        assert not path.is_file() or b"acme.io" not in path.read_bytes()
    assert stat.S_IMODE(secret_map.stat().st_mode) == 0o600
    original = restore(add["text"], read_map(secret_map)[add["content_id"]])
    assert "owner.P00@acme.io" in original
    plain = build_prompts(corpus, tmp_path / "plain", replace(ALL, scrub=False))
    assert original in plain.table(("text",))["text"].to_pylist()


def test_the_map_stays_out_of_the_folder_that_is_shared(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder of the prompts"):
        build_prompts(corpus, tmp_path / "p", ONE, scrub_map=tmp_path / "p" / "map.json")
    with pytest.raises(InputError, match="nothing is scrubbed"):
        build_prompts(corpus, tmp_path / "p", replace(ONE, scrub=False), scrub_map=tmp_path / "map.json")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"limit": -1}, "limit=-1"),
        ({"kinds": ("module",)}, "kinds=module"),
        ({"languages": ("cobol",)}, "cobol"),
        ({"languages": ()}, "languages=nothing"),
        ({"comment_filter": "release"}, "paper mode"),
        ({"mode": "paper", "one_per_file": False}, "corrected"),
    ],
)
def test_options_without_a_meaning_are_refused(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        PromptOptions(**options)


def test_a_corpus_without_an_eligible_function_says_what_it_lacked(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="short body"):
        build_prompts(corpus, tmp_path / "p", replace(ONE, body_lines_min=99))


def test_other_folders_and_changed_tables_are_refused(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no prompts"):
        PromptSet.open(tmp_path)
    build_prompts(corpus, tmp_path / "p", ONE)
    record = json.loads((tmp_path / "p" / "prompt_set.json").read_text())
    (tmp_path / "p" / "prompt_set.json").write_text(json.dumps({**record, "content_hash": "0" * 16}))
    with pytest.raises(InputError, match="not the table"):
        PromptSet.open(tmp_path / "p")
    (tmp_path / "p" / "prompt_set.json").write_text(json.dumps({**record, "schema": 99}))
    with pytest.raises(InputError, match="another version"):
        PromptSet.open(tmp_path / "p")
    (tmp_path / "p" / "prompts.parquet").write_bytes(b"PAR1 cut short")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        PromptSet.open(tmp_path / "p")


def works(**changes: Any) -> pa.Table:
    row = {
        "swhid": "swh:1:cnt:" + "0" * 40,
        "text": "# Adds.\ndef add(a, b):\n    c = a\n    c += b\n    return c\n",
        "language": "python",
        "project": "p",
        "path": "a.py",
        "license": "MIT",
        "declared_license": "MIT",
        "header_status": "none",
        "trust": "declaration",
        **changes,
    }
    return pa.Table.from_pylist([row])


def reasons(rules: Rules, **changes: Any) -> list[str | None]:
    return find_candidates(works(**changes), rules=rules)["reason"].to_pylist()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"license": None}, "no license"),
        ({"trust": "conflict"}, "header and package disagree"),
        ({"license": "MIT OR GPL-2.0-only"}, "dual license"),
        ({"text": "def add(a, b):\n    c = a\n    c += b\n    return c\n"}, "no comment"),
        ({"text": "# noqa\ndef add(a, b):\n    c = a\n    c += b\n    return c\n"}, "no comment"),
        ({"text": "#####\ndef add(a, b):\n    c = a\n    c += b\n    return c\n"}, "no comment"),
        ({"text": "# Licensed to you\ndef add(a):\n    c = a\n    c += 1\n    return c\n"}, "comment names a license"),
        ({"text": "# Adds.\ndef add(a, b):\n    return a + b\n"}, "short body"),
        ({"text": "# Adds.\n" * 70 + "def add(a):\n    c = a\n    c += 1\n    return c\n"}, "long prompt"),
        ({"text": "# Adds \x1b[2J.\ndef add(a):\n    c = a\n    c += 1\n    return c\n"}, "special characters"),
        ({"text": "# Adds \u202e.\ndef add(a):\n    c = a\n    c += 1\n    return c\n"}, "special characters"),
        ({"text": "# Fügt an, 加.\ndef add(a):\n    c = a\n    c += 1\n    return c\n"}, None),
    ],
)
def test_the_first_rule_that_fails_is_named(changes: dict[str, Any], reason: str | None) -> None:
    assert reasons(Rules(), **changes) == [reason]


def test_kinds_can_be_chosen() -> None:
    assert reasons(Rules(kinds=("class",))) == ["a function"]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("x = 1\n# Adds.\ndef add(a):\n    return a\n", "python", (2, "function", "add")),
        ("def add(a):\n    # Adds.\n    return a\n", "python", (1, "function", "add")),
        ('"""Module."""\nclass A:\n    pass\n', "python", (1, "class", "A")),
        ('def add(a):\n    """Adds."""\n    return a\n', "python", None),
        ("// Adds.\npublic int add(int a) {\n}\n", "java", (1, "function", "add")),
        ("/* Holds. */\npublic class A {\n}\n", "java", (1, "class", "A")),
        ("/* Holds\n */\npublic class A {\n}\n", "java", None),
        ("// n\nprivate int n;\n", "java", None),
        ("// Runs.\nprotected void Run()\n{\n}\n", "csharp", (1, "function", "Run")),
        ("/* Adds. */\nstatic int add(int a)\n{\n}\n", "c", (1, "function", "add")),
        ("// Calls.\nadd(1);\n", "c", None),
        ("// Tests.\nif (add(1)) {\n}\n", "c", None),
        ("// Holds.\nclass A {\n};\n", "cpp", (1, "class", "A")),
        ("public:\n// Adds.\nint A::add(int a) {\n}\n", "cpp", (2, "function", "add")),
    ],
)
def test_the_two_line_rule(text: str, language: str, expected: tuple[int, str, str] | None) -> None:
    found = two_lines(text.split("\n"), language)
    assert (None if found is None else found[:3]) == expected


def test_the_filter_of_the_release_refuses_blanks_and_takes_what_is_not_ascii() -> None:
    ordinary, tag, accents, empty = "# compute the mean", "#todo", "# calcule la médiane", "  #"
    assert [passes(comment, "intended") for comment in (ordinary, tag, accents, empty)] == [True, True, False, False]
    assert [passes(comment, "release") for comment in (ordinary, tag, accents, empty)] == [False, True, True, False]
    rules = Rules("paper", body_lines_min=0, comment_filter="release")
    assert reasons(rules, text="# Adds up.\ndef add(a):\n    return a\n") == ["empty or special comment"]
    assert reasons(rules, text="# Adds.\ndef add(a):\n    return a\n") == [None]
    assert reasons(rules, path="straße.py") == ["special characters in the path"]
    assert is_clean_path("a/b-c_d.py") and not is_clean_path("a$b.py")


@given(st.text(max_size=200), st.sampled_from(LANGUAGES))
def test_the_two_line_rule_reads_any_text(text: str, language: str) -> None:
    lines = text.split("\n")
    found = two_lines(lines, language)
    assert found is None or 1 <= found.first_line < len(lines)


def test_a_prompt_moves_to_the_margin_unless_a_line_of_it_stands_further_left() -> None:
    assert prompt_text("    # c\n    def f(self):\n        pass\n", 1, 2, 16) == "# c\ndef f(self):"
    assert prompt_text("    def f(self):\n  odd\n", 1, 2, 5) == "    def f(self):\n  odd"


@given(
    st.dictionaries(st.tuples(st.text("ab", max_size=2), st.text("cd", max_size=2)), st.integers(0, 30)),
    st.integers(0, 90),
)
def test_quotas_are_as_even_as_sizes_allow(sizes: dict[tuple[str, str], int], limit: int) -> None:
    quota = even_quotas(sizes, limit)
    assert all(0 <= quota[key] <= sizes[key] for key in sizes)
    assert sum(quota.values()) == (sum(sizes.values()) if limit == 0 else min(limit, sum(sizes.values())))
    short = [quota[key] for key in sizes if quota[key] < sizes[key]]
    assert not short or max(quota.values()) <= min(short) + 1


def test_table_2_counts_and_measures() -> None:
    prompts = pa.table(
        {
            "license_class": ["permissive", "permissive", "public_domain"],
            "language": ["c", "java", "c"],
            "prompt_tokens": [10, 14, 30],
        }
    )
    found = table_2(prompts)
    assert found["classes"]["permissive"] == {"prompts": 2, "mean": 12.0, "sd": 2.0}
    assert found["languages"]["c"] == {"prompts": 2, "mean": 20.0, "sd": 10.0}
    assert found["cells"] == {"public_domain": {"c": 1, "java": 0}, "permissive": {"c": 1, "java": 1}}
    assert found["tokens"] == {"mean": 18.0, "sd": pytest.approx(8.641, abs=1e-3)}


def test_the_published_table_2_agrees_with_itself() -> None:
    for part in ("classes", "languages"):
        rows = PUBLISHED_TABLE_2[part].values()
        assert sum(row["prompts"] for row in rows) == PUBLISHED_TABLE_2["total"]
        mean = sum(row["prompts"] * row["mean"] for row in rows) / PUBLISHED_TABLE_2["total"]
        assert mean == pytest.approx(PUBLISHED_TABLE_2["tokens"]["mean"], abs=0.06)


def test_the_published_table_2_is_the_reference() -> None:
    path = Path(__file__).resolve().parents[3] / "shared" / "reference" / "codeipprompt" / "paper_tables.json"
    if not path.exists():
        pytest.skip("the reference tables are not here")
    table = json.loads(path.read_text())["table2"]
    names = {"C": "c", "C++": "cpp", "C#": "csharp", "Python": "python", "Java": "java"}
    names |= {"Permissive": "permissive", "Weak Copyleft": "weak_copyleft", "Strong Copyleft": "strong_copyleft"}
    own = {**PUBLISHED_TABLE_2["classes"], **PUBLISHED_TABLE_2["languages"]}
    for title, thousands in {**table["by_licence_K"], **table["by_language_K"]}.items():
        row = own[names[title]]
        assert [row["prompts"], row["mean"], row["sd"]] == [thousands * 1000, *table["tokens_mean_sd"][title]]
