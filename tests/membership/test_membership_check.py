import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from char_model import CharModel, texts_of, write_projects

from cleartitle.errors import InputError
from cleartitle.files import read_json
from cleartitle.membership.check import check, score_check
from cleartitle.membership.own_texts import AskOptions
from cleartitle.report import summary_table, write_report
from watching import sizes_below

OPTIONS = AskOptions(permutations=100)
SLOW = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from char_model import CharModel, texts_of
from cleartitle.membership.check import check
from cleartitle.membership.own_texts import AskOptions
if __name__ == "__main__":
    own, other = sys.argv[3].split("|"), sys.argv[4].split("|")
    models = [CharModel(texts_of(own), seconds=float(sys.argv[5])), CharModel(texts_of(other[:2]))]
    check(own, models[0], Path(sys.argv[2]), AskOptions(permutations=100), held_out=other, references=models[1:])
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_projects(tmp_path_factory.mktemp("own"), 1)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_projects(tmp_path_factory.mktemp("other"), 2, projects=12)


@pytest.fixture(scope="module")
def trained(own: list[str], other: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("check") / "run"
    unseen = texts_of(write_projects(tmp_path_factory.mktemp("third"), 3))
    references = [CharModel(unseen[:10]), CharModel(unseen[10:])]
    check(own, CharModel(texts_of(own)), output, OPTIONS, held_out=other, references=references)
    return output


def test_files_that_a_model_was_trained_on_are_told(trained: Path) -> None:
    summary = read_json(trained / "summary.json")
    assert summary["conclusion"].startswith("Consistent with training") and "does not prove" in summary["conclusion"]
    assert summary["attack"] == "reference difference"
    assert summary["dataset_test"]["unit"] == "project" and summary["dataset_test"]["suspects"] == 10
    assert summary["validity_report"]["control"]["auc"] < 0.8
    assert all(row["p"] == pytest.approx(1 / 25) for row in summary["files"])
    words = [one["token"] for one in summary["surest"]]
    assert summary["case"] and words and len(words) == len(set(words))
    assert summary["surest"][0]["probability"] > 2 * summary["surest"][0]["reference"]
    assert "fused" in summary["not_run"]


def test_a_model_that_saw_none_of_it_tells_nothing(own: list[str], other: list[str], tmp_path: Path) -> None:
    unseen = CharModel(texts_of(write_projects(tmp_path / "third", 3)))
    summary = check(own, unseen, tmp_path / "run", OPTIONS, held_out=other)
    assert summary["conclusion"].startswith(("Cannot tell", "No conclusion"))
    assert summary["attack"] == "Min-K %++ (k = 20)"


def test_without_held_out_files_there_is_no_conclusion(own: list[str], tmp_path: Path) -> None:
    summary = check(own[:1], CharModel(texts_of(own)), tmp_path / "run", OPTIONS)
    assert summary["conclusion"].startswith("Cannot tell: there are no files to compare with")
    assert summary["validity"] is None and summary["dataset_test"] is None and not summary["attacks"]
    assert all(row["p"] is None for row in summary["files"])


def test_files_of_another_kind_are_invalid_and_show_no_figure(own: list[str], tmp_path: Path) -> None:
    folders = []
    for number in range(4):
        folder = tmp_path / f"prose{number}"
        folder.mkdir()
        for file in range(6):
            (folder / f"{file}.py").write_text(f'"""Chapter {number}{file}."""\n' + f"# Once upon a time {file}.\n" * 9)
        folders.append(str(folder))
    summary = check(own[:4], CharModel(texts_of(own)), tmp_path / "run", OPTIONS, held_out=folders)
    assert summary["validity"] == "INVALID" and summary["conclusion"].startswith("Cannot tell: INVALID")
    assert not summary["attacks"] and summary["dataset_test"] is None


def test_a_few_projects_a_side_say_that_its_files_are_not_independent(
    own: list[str], other: list[str], tmp_path: Path
) -> None:
    summary = check(own[:3], CharModel(texts_of(own)), tmp_path / "run", OPTIONS, held_out=other[:6])
    assert "counted as independent" in summary["conclusion"], summary["conclusion"]


def test_page_and_terminal_never_say_that_it_proves(trained: Path) -> None:
    for page in (write_report(trained), write_report(trained, redact=True)):
        words = re.sub(r"<[^>]*>", " ", page.read_text())
        for found in re.finditer(r"\bprove[sdn]?\b", words):
            before = words[max(0, found.start() - 60) : found.start()].lower()
            assert re.search(r"\b(not|no|never|none)\b", before), words[found.start() - 80 : found.end() + 20]
        assert "consistent with" in words.lower()
    assert "part0.py" in (trained / "report.html").read_text()
    assert str(summary_table(read_json(trained / "summary.json"))[0]).startswith("Consistent with")
    redacted = (trained / "report-redacted.html").read_text()
    assert "What the model was surest of" not in redacted


def test_figures_made_anew_are_the_same(trained: Path) -> None:
    before, table = read_json(trained / "summary.json"), (trained / "files.parquet").read_bytes()
    assert json.loads(json.dumps(score_check(trained))) == before
    assert (trained / "files.parquet").read_bytes() == table


def test_a_killed_check_goes_on_to_the_same_bytes(own: list[str], other: list[str], tmp_path: Path) -> None:
    def command(output: Path, seconds: float) -> list[str]:
        here = str(Path(__file__).parent)
        return [sys.executable, "-c", SLOW, here, str(output), "|".join(own[:3]), "|".join(other[:3]), str(seconds)]

    process = subprocess.Popen(command(tmp_path / "killed", 0.1), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if any(sizes_below(tmp_path / "killed", "journal.jsonl")):
            break
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    for name in ("killed", "whole"):
        subprocess.run(command(tmp_path / name, 0.0), check=True, stderr=subprocess.DEVNULL)
    for name in ("files.parquet", "summary.json", "texts.parquet"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_a_budget_that_does_not_suffice_is_refused_before_anything_is_sent(own: list[str], tmp_path: Path) -> None:
    model = CharModel(texts_of(own))
    with pytest.raises(InputError, match="nothing was sent"):
        check(own[:2], model, tmp_path / "run", AskOptions(calls=3))
    assert model.asked == 0


def test_fewer_queries_and_a_short_list_are_what_attacks_see(own: list[str], tmp_path: Path) -> None:
    summary = check(own[:1], CharModel(texts_of(own)), tmp_path / "run", AskOptions(queries=10, output_size=5))
    assert all(row["tokens"] == 10 and row["logprob"] is None for row in summary["files"])
    assert "perplexity" in summary["not_run"]


def test_a_hostile_repository_costs_a_file_and_not_the_run(own: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "empty.py").write_text("")
    (folder / "one.py").write_text("x")
    (folder / "bytes.py").write_bytes(b"a = '\xff\xfe'\n" * 4)
    (folder / "binary.py").write_bytes(bytes(range(256)) * 20)
    (folder / "huge.py").write_text("x = 1\n" * 400_000)
    (folder / "good.py").write_text("def good(value):\n    return value  # fine\n")
    (folder / "outside.py").symlink_to("/etc/passwd")
    (folder / "<img src=x onerror=alert(1)>.py").write_text("print('<b>not markup</b>')\n")
    summary = check([str(folder)], CharModel(texts_of(own)), tmp_path / "run", OPTIONS)
    paths = {row["path"] for row in summary["files"]}
    assert "good.py" in paths and not paths & {"huge.py", "outside.py", "empty.py"}
    assert "<img src=x" not in write_report(tmp_path / "run").read_text()
    assert pq.read_table(tmp_path / "run" / "files.parquet").num_rows == len(summary["files"])


def test_one_repository_a_side_is_tested_by_folder(own: list[str], other: list[str], tmp_path: Path) -> None:
    repositories = [str(Path(side[0]).parent) for side in (own, other)]
    summary = check(repositories[:1], CharModel(texts_of(own)), tmp_path / "run", OPTIONS, held_out=repositories[1:])
    assert summary["texts"]["projects"] == 2
    assert summary["dataset_test"]["unit"] == "folder" and summary["dataset_test"]["suspects"] == 10
    assert "10 suspect and 12 held-out folders" in summary["conclusion"]
    assert "Folders were counted as independent" in summary["conclusion"]


def test_what_cannot_be_compared_is_named(own: list[str], other: list[str], tmp_path: Path) -> None:
    model = CharModel(texts_of(own))
    with pytest.raises(InputError, match="the tokenizer of the model"):
        check(own[:1], model, tmp_path / "a", references=[CharModel(texts_of(other), shift=1)])
    with pytest.raises(InputError, match="every file stands in the other set"):
        check(own[:1], model, tmp_path / "b", held_out=own[:1])
    with pytest.raises(InputError, match="nowhere"):
        check([str(tmp_path / "nowhere")], model, tmp_path / "c")
    with pytest.raises(InputError, match="queries is 0"):
        AskOptions(queries=0)
