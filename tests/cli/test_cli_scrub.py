"""Scrubbing and prompts from the command line: real processes, real files."""

import json
import stat
from pathlib import Path

import pytest
from cli_process import cleartitle

SECRET = "hunter2" + "!Xyz"
TEXT = f'# Author: Jane Q. Doe <jane@acme.io>\npassword = "{SECRET}"\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(TEXT)
    return tmp_path


def test_one_file_goes_to_standard_output_and_comes_back_by_the_map(source: Path) -> None:
    done = cleartitle("scrub", "apply", "src/a.py", "--map", "map.json", cwd=source)
    assert done.returncode == 0
    assert done.stdout == '# Author: <PERSON_1> <<EMAIL_1>>\npassword = "<PASSWORD_1>"\n'
    assert SECRET not in done.stderr and "1 EMAIL" in done.stderr
    assert stat.S_IMODE((source / "map.json").stat().st_mode) == 0o600
    (source / "src" / "a.py").write_text(done.stdout)
    back = cleartitle("scrub", "restore", "src/a.py", "--map", "map.json", cwd=source)
    assert back.stdout == TEXT


def test_a_folder_takes_all_texts_and_what_is_no_text_is_named(source: Path) -> None:
    (source / "b.bin").write_bytes(b"\xff\xfe\x00")
    command = ("scrub", "apply", "src/a.py", "b.bin", "gone.py", "-o", "out", "--map", "map.json", "--json")
    done = cleartitle(*command, cwd=source)
    assert done.returncode == 0
    assert json.loads(done.stdout)["counts"] == {"PASSWORD": 1, "EMAIL": 1, "PERSON": 1}
    assert "b.bin: not a text in UTF-8" in done.stderr and "gone.py: could not be read" in done.stderr
    assert SECRET not in (source / "out" / "src" / "a.py").read_text()
    back = cleartitle("scrub", "restore", "out/src/a.py", "--map", "map.json", cwd=source)
    assert back.stdout == TEXT


def test_leaks_are_a_finding_and_shown_masked(source: Path) -> None:
    done = cleartitle("scrub", "leaks", "src/a.py", "--json", cwd=source)
    assert done.returncode == 1 and SECRET not in done.stdout + done.stderr
    assert json.loads(done.stdout)["src/a.py"]["counts"] == {"PASSWORD": 1, "EMAIL": 1, "PERSON": 1}
    table = cleartitle("scrub", "leaks", "src/a.py", cwd=source)
    assert table.returncode == 1 and SECRET not in table.stdout and "1 PASSWORD" in table.stdout
    (source / "clean.py").write_text("x = 1\n")
    assert cleartitle("scrub", "leaks", "clean.py", cwd=source).returncode == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("apply", "src/a.py", "src/a.py"), "need a folder"),
        (("apply", "gone.py"), "no file could be read"),
        (("apply", "src/a.py", "-o", "out", "--map", "out/map.json"), "keep the map elsewhere"),
        (("apply", "src/a.py", "--types", "GENE"), "no such type of secret: GENE"),
        (("apply", "src/a.py", "--names", "--spacy-model", "no_such_model"), "mend:"),
        (("restore", "src/a.py", "--map", "gone.json"), "no such map file"),
    ],
)
def test_wrong_use_gets_one_line_and_status_2(source: Path, words: tuple[str, ...], line: str) -> None:
    done = cleartitle("scrub", *words, cwd=source)
    assert done.returncode == 2 and line in done.stderr and "Traceback" not in done.stderr


def test_prompts_are_built_and_told(tmp_path: Path) -> None:
    for number, expression in enumerate(["MIT", "GPL-3.0-only"]):
        folder = tmp_path / f"project{number}"
        folder.mkdir()
        body = "{\n  int x = 1;\n  x += a;\n  return x;\n}\n"
        text = f"// SPDX-License-Identifier: {expression}\n\n// Mails joe{number}@acme.io.\nint f{number}(int a) {body}"
        (folder / "a.c").write_text(text)
    specs = ("folder:project0", "folder:project1")
    made = cleartitle("corpus", "build", *specs, "--languages", "c", "-o", "corpus", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    words = ("prompts", "build", "corpus", "-o", "prompts", "--scrub-map", "map.json")
    built = cleartitle(*words, cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    assert "2 prompts (corrected mode) from 2 files of 2 projects" in built.stdout
    assert "Scrubbed: 2 places in 2 prompts, 2 in their files." in built.stdout
    assert len(json.loads((tmp_path / "map.json").read_text())["documents"]) == 2
    told = json.loads(cleartitle("prompts", "info", "prompts", "--json", cwd=tmp_path).stdout)
    assert told["table_2"]["cells"] == {"permissive": {"c": 1}, "strong_copyleft": {"c": 1}}
    wrong = cleartitle("prompts", "build", "corpus", "-o", "p2", "--comment-filter", "release", cwd=tmp_path)
    assert wrong.returncode == 2 and "paper mode" in wrong.stderr
