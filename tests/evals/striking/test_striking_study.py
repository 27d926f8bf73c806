"""A whole study from recorded answers: figures, checks, life after the run, page and command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_process import cleartitle
from striking_material import corpus_of_functions

from cleartitle.cli.study_commands import striking
from cleartitle.errors import InputError
from cleartitle.evals.life import rescore, verify
from cleartitle.evals.striking import Groups, StrikingOptions, Subject, groups_of_corpora, score_study, study
from cleartitle.report import write_report

OPTIONS = StrikingOptions(per_group=6)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    corpus_of_functions(folder / "training", range(12))
    corpus_of_functions(folder / "unseen", range(100, 112))
    return folder


@pytest.fixture(scope="module")
def groups(place: Path) -> Groups:
    from cleartitle.corpus import Corpus

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEARTITLE_CACHE", str(place / "cache"))
        return groups_of_corpora(
            Corpus.open(place / "training" / "corpus"), Corpus.open(place / "unseen" / "corpus"), OPTIONS
        )


def recorded(path: Path, groups: Groups, copies: dict[str, int], **more: str) -> Path:
    """Answers of a model that copies the first functions of each group, and writes something of its own else."""
    left = dict(copies)
    rows: list[dict[str, Any]] = []
    for unit in groups.units.to_pylist():
        text = unit["signature"] + unit["docstring"] + "    result = []\n    return sorted(result, key=len)\n"
        place = f"{unit['pair']} {unit['group']}"
        if left.get(place, 0):
            left[place] -= 1
            text = unit["signature"] + unit["docstring"] + unit["body"]
        rows.append({"prompt_id": unit["prompt_id"], "text": text, **more})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def run(place: Path, groups: Groups) -> Path:
    """A model that copies 3 and 2 of 6, one that copies 4 and an unseen one, and a control that copies none."""
    files = [
        recorded(place / "copier.jsonl", groups, {"first accessed": 3, "second accessed": 2}),
        recorded(place / "leaky.jsonl", groups, {"first accessed": 4, "second unseen": 1}),
        recorded(place / "idle.jsonl", groups, {}),
    ]
    subjects = [Subject(path.stem, f"replay:{path}", exposed=path.stem != "idle") for path in files]
    study(subjects, groups, place / "run", OPTIONS)
    write_report(place / "run")
    return place / "run"


@pytest.fixture(scope="module")
def summary(run: Path) -> dict[str, Any]:
    return json.loads((run / "summary.json").read_text())


def rates(summary: dict[str, Any], subject: str, pair: str, mode: str = "corrected") -> tuple[int, int, int, int]:
    """Striking and scored, of accessed and of unseen functions."""
    rows = [row for row in summary["modes"][mode]["groups"] if (row["subject"], row["pair"]) == (subject, pair)]
    accessed, unseen = (row["striking"]["published"] for row in sorted(rows, key=lambda row: row["group"]))
    return accessed["count"], accessed["total"], unseen["count"], unseen["total"]


def test_striking_answers_are_counted_by_model_pair_and_group(summary: dict[str, Any]) -> None:
    for mode in ("corrected", "paper"):
        assert rates(summary, "copier", "first", mode) == (3, 6, 0, 6)
        assert rates(summary, "copier", "second", mode) == (2, 6, 0, 6)
        assert rates(summary, "copier", "both", mode) == (5, 12, 0, 12)
        assert rates(summary, "leaky", "both", mode) == (4, 12, 1, 12)
        assert rates(summary, "idle", "both", mode) == (0, 12, 0, 12)


def test_none_among_the_unseen_is_quoted_with_its_exact_upper_bound(summary: dict[str, Any]) -> None:
    row = next(row for row in summary["modes"]["corrected"]["groups"] if row["group"] == "unseen")
    # 1 - 0.025^(1/6): the two-sided bound of Clopper and Pearson, which gives 3.6 % for 0 of 100
    assert row["striking"]["published"]["at_most"] == pytest.approx(1 - 0.025 ** (1 / 6))
    assert "still allows 45.9 %" in summary["notes"][0]


def test_thresholds_are_found_on_the_first_pair_of_the_first_model_only(summary: dict[str, Any]) -> None:
    search = summary["search"]
    assert (search["subject"], search["pair"], search["accessed"], search["unseen"]) == ("copier", "first", 6, 6)
    assert search["found"]["accessed"] == 3 and search["found"]["unseen"] == 0
    assert summary["standards"]["found"] == summary["standards"]["published"]
    curve = search["curves"]["similarity_gt"]
    assert curve["accessed"][60] == 3 and curve["unseen"][60] == 0
    assert search["without"]["all"] == {"accessed": 3, "unseen": 0}


def test_precision_is_that_of_all_striking_answers(summary: dict[str, Any]) -> None:
    rows = {
        (row["subject"], row["pair"]): row["precision"]
        for row in summary["modes"]["corrected"]["precision"]
        if row["standard"] == "published"
    }
    assert (rows["copier", "both"]["count"], rows["copier", "both"]["total"]) == (5, 5)
    assert (rows["leaky", "both"]["count"], rows["leaky", "both"]["total"]) == (4, 5)
    assert (rows["leaky", "second"]["count"], rows["leaky", "second"]["total"]) == (0, 1)
    assert rows["idle", "both"]["value"] is None


def test_the_groups_are_compared_before_and_after_the_answers(summary: dict[str, Any]) -> None:
    assert set(summary["table_ii"]) == {"first", "second"}
    assert set(summary["table_ii"]["first"]) == {"prompt_lines", "body_lines", "complexity", "comments"}
    copier = next(row for row in summary["answers"] if (row["subject"], row["pair"]) == ("copier", "first"))
    assert copier["measures"]["shared_comments"]["cliffs_delta"] == pytest.approx(0.5)


def test_a_finished_study_verifies_scores_anew_and_tells_what_was_altered(run: Path) -> None:
    assert verify(run).ok
    before = (run / "summary.json").read_bytes()
    rescore(run)
    assert (run / "summary.json").read_bytes() == before
    part = run / "answers" / "copier" / "part-00000.parquet"
    content = part.read_bytes()
    part.write_bytes((run / "answers" / "idle" / "part-00000.parquet").read_bytes())
    try:
        found = verify(run)
        assert found.altered == ("answers/copier/part-00000.parquet: changed",)
        assert any("modes.corrected" in line for line in found.differences)
    finally:
        part.write_bytes(content)


def test_the_page_shows_figures_tables_and_false_alarms(run: Path) -> None:
    page = (run / "report.html").read_text()
    for text in (
        "as figure 4",
        "as figure 5",
        "as Table II",
        "Finding the thresholds",
        "false alarm",
        "at most 45.9 %",
    ):
        assert text in page, text
    assert page.count("<svg") == 7  # two a model and the curves
    assert "How often must a function be seen" not in page
    assert "never to a" in page


def test_a_page_for_sharing_holds_no_text_of_functions_or_answers(run: Path) -> None:
    page = write_report(run, redact=True).read_text()
    assert "left out:" in page
    for text in ("never to a", ".strip(", "sorted(result"):
        assert text not in page


def test_what_was_answered_is_not_asked_again_and_a_failed_call_is(place: Path, groups: Groups) -> None:
    path = recorded(place / "half.jsonl", groups, {"first accessed": 3})
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:12]) + "\n")
    subjects = [Subject("half", f"replay:{path}", exposed=True)]
    found = study(subjects, groups, place / "half", OPTIONS)
    both = [row for row in found["modes"]["corrected"]["groups"] if row["pair"] == "both"]
    assert sum(row["errors"] for row in both) == 12
    assert sum(row["striking"]["published"]["total"] for row in both) == 12
    with pytest.raises(InputError, match="another run"):
        study(subjects, groups, place / "half", StrikingOptions(per_group=6, max_tokens=99))


def test_a_study_whose_answers_are_not_complete_is_not_scored(place: Path, run: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(run, tmp_path / "copy")
    (tmp_path / "copy" / "answers" / "idle" / "part-00000.parquet").unlink()
    with pytest.raises(InputError, match="0 of 24 answers are there"):
        score_study(tmp_path / "copy")


def test_models_need_names_of_their_own(groups: Groups, place: Path, tmp_path: Path) -> None:
    twins = [Subject("copier", f"replay:{place / 'copier.jsonl'}", exposed=True)] * 2
    with pytest.raises(InputError, match="name of its own"):
        study(twins, groups, tmp_path / "twins", OPTIONS)
    with pytest.raises(InputError, match="at least one"):
        study([], groups, tmp_path / "none", OPTIONS)


def test_the_command_line_gives_the_same_figures(place: Path, run: Path, summary: dict[str, Any]) -> None:
    corpora = ("--training", "training/corpus", "--unseen", "unseen/corpus")
    models = ("--model", "replay:copier.jsonl", "--model", "replay:leaky.jsonl", "--control", "replay:idle.jsonl")
    words = ("study", "striking", *corpora, *models, "--per-group", "6", "-o", "by-command")
    shown = cleartitle(*words, cwd=place, CLEARTITLE_CACHE=str(place / "cache"), COLUMNS="110")
    assert shown.returncode == 0, shown.stderr
    assert "5 of 12 = 41.7 %" in shown.stdout and "0 of 12 (at most 26.5 %)" in shown.stdout
    found = json.loads((place / "by-command" / "summary.json").read_text())
    assert found["modes"] == summary["modes"] and found["search"] == summary["search"]
    assert (place / "by-command" / "report.html").is_file()


def test_a_dry_run_asks_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("CLEARTITLE_CACHE", str(place / "cache"))
    corpora = {"training": Path("training/corpus"), "unseen": Path("unseen/corpus")}
    assert striking(**corpora, model=("replay:copier.jsonl",), dry_run=True, output=Path("dry"), options=OPTIONS) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["functions"] == 24 and list(found["models"]) == ["copier"]
    assert not (place / "dry").exists()


TRAINING, UNSEEN = Path("training/corpus"), Path("unseen/corpus")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({}, "or --teach alone"),
        ({"training": TRAINING}, "needs both groups"),
        ({"training": TRAINING, "unseen": UNSEEN, "teach": True}, "or --teach alone"),
        ({"teach": True, "model": ("embedded",)}, "or --teach alone"),
        ({"training": Path("nowhere"), "unseen": UNSEEN, "model": ("replay:idle.jsonl",)}, "not a finished corpus"),
        ({"training": TRAINING, "unseen": UNSEEN}, "at least one"),
        ({"training": TRAINING, "unseen": UNSEEN, "model": ("nonsense",)}, "not understood"),
    ],
)
def test_wrong_use_names_the_mend_and_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: dict[str, Any], line: str
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("CLEARTITLE_CACHE", str(place / "cache"))
    with pytest.raises(InputError, match=line):
        striking(**words, output=Path("wrong"), options=OPTIONS)
    assert not (place / "wrong" / "summary.json").exists()
