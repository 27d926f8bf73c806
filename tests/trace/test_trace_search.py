"""A search finds copies whatever was done to them, names their license, and keeps quiet about what is nobody's."""

import json
import random
import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_material import HEADERS, NAMES, function, make_corpus, module

from cleartitle.cli.app import app
from cleartitle.errors import InputError
from cleartitle.trace import Index, IndexOptions, SearchOptions, build_index, load_policy, search

ORIGIN = "m/3.py"
COPIED = function(301)
COMMON = function(7777)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    files = {f"m/{n}.py": module(n, "gpl" if n == 3 else "mit") for n in range(8)}
    corpora = [make_corpus(folder, files)]
    for number in range(12):
        text = HEADERS["mit"] + "\n" + COMMON + "\n" + function(50_000 + number)
        corpora.append(make_corpus(folder, {f"p{number}.py": text}, f"project{number}"))
    build_index(corpora, folder / "index", IndexOptions(workers=1))
    return folder / "index"


@pytest.fixture(scope="module")
def index(path):
    return Index.open(path)


def renamed(text: str) -> str:
    chosen = random.Random(1)
    new = [f"x{number}" for number in range(len(NAMES))]
    chosen.shuffle(new)
    table = dict(zip(NAMES, new, strict=True))
    return re.sub(r"[A-Za-z_]\w*", lambda word: table.get(word.group(), word.group()), text)


def reformatted(text: str) -> str:
    return text.replace("(", "(\n        ").replace(", ", ",\n        ").replace(")", ",\n    )")


EDITS = {
    "verbatim": lambda text: text,
    "renamed": renamed,
    "reformatted": reformatted,
    "commented": lambda text: "\n".join(f"{line}  # step {number}" if number % 5 == 0 else line
                                        for number, line in enumerate(text.splitlines())),
    "first half": lambda text: text[: len(text) // 2],
    "six lines": lambda text: "\n".join(text.splitlines()[4:10]),
    "inside other code": lambda text: function(901) + "\n" + text + "\n" + function(902),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_a_copy_is_found_with_its_license_and_lines(index, edit):
    found = index.search(EDITS[edit](COPIED))
    assert found.state == "matches"
    best = found.matches[0]
    assert (best.path, best.license, best.license_class) == (ORIGIN, "GPL-3.0-or-later", "strong_copyleft")
    assert "disclose-source" in best.obligations
    assert not best.common
    source = module(3, "gpl").splitlines()
    for span in best.spans:
        assert 1 <= span.query[0] <= span.query[1] <= len(EDITS[edit](COPIED).splitlines())
        assert 1 <= span.origin[0] <= span.origin[1] <= len(source)
    if edit == "verbatim":
        assert best.containment == best.exact == 1
        first = source.index(COPIED.splitlines()[0]) + 1
        assert best.spans[0].origin == (first, first + len(COPIED.splitlines()) - 1)
    if edit == "renamed":
        assert best.spans[0].kind == "renamed" and best.containment > 0.9


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bare")
    corpus = make_corpus(folder, {f"m/{n}.py": module(n, "gpl" if n == 3 else "mit") for n in range(8)})
    build_index([corpus], folder / "index", IndexOptions(texts=False, workers=1))
    return Index.open(folder / "index")


@pytest.mark.parametrize("edit", ["verbatim", "renamed", "reformatted", "first half", "inside other code"])
def test_fingerprints_alone_find_copies_and_their_lines(bare, edit):
    best = bare.search(EDITS[edit](COPIED)).matches[0]
    assert (best.path, best.license) == (ORIGIN, "GPL-3.0-or-later")
    source = module(3, "gpl").splitlines()
    first = source.index(COPIED.splitlines()[0]) + 1
    if edit in ("verbatim", "renamed"):
        lines = [span.origin for span in best.spans]
        assert min(line[0] for line in lines) - first <= 2
        assert first + len(COPIED.splitlines()) - 1 - max(line[1] for line in lines) <= 2


def test_code_that_nobody_holds_is_not_found(index):
    found = index.search("def answer(question):\n" + "\n".join(f"    print({n}, question[{n}:])" for n in range(12)))
    assert (found.state, found.matches) == ("none", ())
    assert found.searched["documents"] == 20


def test_code_that_many_projects_hold_is_common(index):
    found = index.search(COMMON)
    assert found.state == "common"
    assert all(match.common and match.projects > 10 for match in found.matches)


def test_specific_matches_come_before_common_ones(index):
    found = index.search(COMMON + "\n" + COPIED)
    assert found.matches[0].path == ORIGIN
    assert any(match.common for match in found.matches)


@pytest.mark.parametrize("text", ["", "x = 1", "\n\n\n", "# just a comment"])
def test_a_text_of_a_few_words_is_too_short_to_judge(index, text):
    assert index.search(text).state == "too_short"


def test_a_language_narrows_the_search(index):
    assert index.search(COPIED, language="python").state == "matches"
    assert index.search(COPIED, language="java").state == "none"


def test_the_limit_holds(index):
    assert len(index.search(COMMON + COPIED, limit=1).matches) == 1


@given(st.binary(max_size=400))
def test_any_bytes_get_an_answer(index, data):
    assert index.search(data).state in {"matches", "common", "none", "too_short"}


@pytest.mark.parametrize(
    "text", [b"x" * 10**7, b"x " * 10**6, b"\x00\xff" * 10**6, b"(" * 10**6, b"'" * 10**6], ids=range(5)
)
def test_hostile_texts_end(index, text):
    assert index.search(text).state in {"none", "too_short"}


def test_the_best_origin_is_not_vendored_and_the_earliest(tmp_path):
    text = module(42)
    git = lambda folder, date, *words: subprocess.run(  # noqa: E731
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=folder, check=True,
        capture_output=True, env={"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    from cleartitle.corpus import CorpusOptions, build

    specs = []
    for name, date, path in (
        ("late", "2022-01-01T00:00:00Z", "src/a.py"),
        ("early", "2019-01-01T00:00:00Z", "src/a.py"),
        ("copier", "2018-01-01T00:00:00Z", "vendor/a.py"),
    ):
        folder = tmp_path / name
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text)
        git(folder, date, "init", "-q")
        git(folder, date, "add", ".")
        git(folder, date, "commit", "-q", "-m", "x")
        specs.append(f"git:{folder}@HEAD")
    build(specs, tmp_path / "corpus", CorpusOptions(workers=1))
    build_index([tmp_path / "corpus"], tmp_path / "index", IndexOptions(workers=1))
    best = Index.open(tmp_path / "index").search(text).matches[0]
    assert "early" in best.project and best.also == 2 and best.date is not None and best.date.startswith("2019")


def run(capsys, *words) -> tuple[int, list[dict]]:
    status = app([*map(str, words)], result_action="return_value") or 0
    return status, json.loads(capsys.readouterr().out)


def test_the_command_prints_matches_and_fails_by_policy(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("copied.py").write_text(COPIED)
    Path("fine.py").write_text("print('hello')\n")
    status, found = run(capsys, "trace", "search", "copied.py", "fine.py", "--index", path, "--json")
    assert status == 1
    assert [(item["path"], item["state"]) for item in found] == [("copied.py", "matches"), ("fine.py", "too_short")]
    match = found[0]["matches"][0]
    assert {"project", "version", "path", "license", "license_class", "spans", "containment", "common"} <= set(match)
    assert match["spans"][0]["query"] == [1, len(COPIED.splitlines())]
    assert match["action"] == "deny"
    project = match["project"]
    for rules, expected in (
        (f'own_projects = ["{project}"]', 0),
        ('ignore_licenses = ["GPL-*"]', 0),
        ('ignore_paths = ["copied*"]', 0),
        ('[trace.policy]\nstrong_copyleft = "warn"', 0),
        ('[trace.policy]\npermissive = "deny"', 1),
    ):
        Path(".cleartitle.toml").write_text(f"[trace]\n{rules}\n")
        assert run(capsys, "trace", "search", "copied.py", "--index", path, "--json")[0] == expected, rules


def test_the_policy_names_the_index(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("copied.py").write_text(COPIED)
    with pytest.raises(InputError, match="no index named"):
        run(capsys, "trace", "search", "copied.py", "--json")
    with pytest.raises(InputError, match="no index named"):
        search(COPIED)
    Path(".cleartitle.toml").write_text(f'[trace]\nindex = "{path}"\n')
    assert run(capsys, "trace", "search", "copied.py", "--json")[0] == 1
    assert search(COPIED).matches[0].path == ORIGIN


def test_accepted_findings_do_not_fail_again(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("copied.py").write_text(COPIED)
    search = ("trace", "search", "copied.py", "--index", path, "--json")
    assert run(capsys, *search, "--write-baseline", "accepted.json")[0] == 0
    assert run(capsys, *search, "--baseline", "accepted.json")[0] == 0
    Path("copied.py").write_text("\n\nimport os\n" + COPIED)
    assert run(capsys, *search, "--baseline", "accepted.json")[0] == 0, "moved, still accepted"
    Path("other.py").write_text(COPIED)
    assert run(capsys, "trace", "search", "other.py", "--index", path, "--json", "--baseline", "accepted.json")[0] == 1


def test_a_difference_is_searched_for_what_it_adds(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    git = lambda *words: subprocess.run(  # noqa: E731
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], check=True, capture_output=True
    )
    git("init", "-q")
    Path("old.py").write_text(COPIED)
    Path("new name.py").write_text("import os\n")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    Path("old.py").write_text(COPIED + "\n\nprint('a line of our own')\n")
    Path("new name.py").write_text("import os\n\n\n" + function(402))
    status, found = run(capsys, "trace", "search", "--diff", "HEAD", "--index", path, "--json")
    assert status == 0, "the copy stood there before; the new one is permissive"
    assert {item["path"]: [match["path"] for match in item["matches"]] for item in found} == {
        "old.py": [], "new name.py": ["m/4.py"],
    }  # fmt: skip
    with pytest.raises(InputError, match="nothing|unknown|bad|ambiguous"):
        run(capsys, "trace", "search", "--diff", "no-such-revision", "--index", path, "--json")
    with pytest.raises(InputError, match="not a revision"):
        run(capsys, "trace", "search", "--diff=--output=x", "--index", path, "--json")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("[trace]\nown = 1", "may hold"), ("[trace]\nown_projects = 'x'", "list of strings"), ("[", "TOML"),
     ("[trace.policy]\ngpl = 'deny'", "one of"), ("[trace.policy]\npermissive = 'forbid'", "one of")],
)  # fmt: skip
def test_a_policy_that_means_nothing_is_refused(tmp_path, text, reason):
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(InputError, match=reason):
        load_policy(tmp_path / "p.toml")


def test_options_change_what_counts(index):
    short = "\n".join(COPIED.splitlines()[4:8]) + "\n" + function(903)
    assert index.search(short, options=SearchOptions(exact_words=500, renamed_words=500)).state == "none"
    assert index.search(short, options=SearchOptions(exact_words=12)).state == "matches"


@pytest.mark.parametrize(
    "text",
    [b"x " * 5 * 10**6, b"(" * 10**7, bytes(range(256)) * 40_000, b"a b c d e f g h i j k l " * 400_000],
    ids=["one word", "one sign", "all bytes", "one line"],
)
def test_ten_megabytes_of_anything_take_bounded_processor_time(index, text):
    start = time.process_time()
    index.search(text)
    assert time.process_time() - start < 20


def test_a_copy_with_its_comments_gone_is_found_though_no_long_run_is_left(index):
    lines = COPIED.splitlines()
    notes = (f"\n    # note {number} about {number * 7}" if number % 2 else "" for number in range(len(lines)))
    commented = "\n".join(line + note for line, note in zip(lines, notes, strict=True))
    found = index.search(commented)
    assert found.matches[0].path == ORIGIN


def test_an_equal_copy_comes_before_one_under_other_names(tmp_path):
    corpus = make_corpus(tmp_path, {"m/a.py": module(5), "m/b.py": renamed(module(5)), "m/c.py": module(6)})
    build_index([corpus], tmp_path / "index", IndexOptions(workers=1))
    opened = Index.open(tmp_path / "index")
    assert opened.search(function(501)).matches[0].path == "m/a.py"
    assert opened.search(renamed(function(501))).matches[0].path == "m/b.py"


@pytest.mark.parametrize(
    "text",
    [
        "letters = 'a b c d e f g h i j k l m n o p q r s t u v w x y z'",
        "# " + "-+" * 40,
        "day.year, day.month, day.day, day.hour, day.minute, day.second, day.microsecond, day.fold, day.x, day.y",
    ],
    ids=["alphabet", "ruler", "fields"],
)
def test_words_that_anyone_would_write_are_no_match(tmp_path, text):
    corpus = make_corpus(tmp_path, {"m/a.py": module(5) + text + "\n"})
    build_index([corpus], tmp_path / "index", IndexOptions(workers=1))
    query = "def other(day):\n    " + text + "\n    return day\n" + "\n".join(f"# {n} words here" for n in range(9))
    assert Index.open(tmp_path / "index").search(query).state == "none"
