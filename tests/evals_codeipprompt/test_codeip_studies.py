"""Length correlations, human labels against scores, and prompts that stand in training sets."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt.correlations import correlations
from cleartitle.evals.codeipprompt.thresholds import THRESHOLDS, Label, read_labels, threshold_study
from cleartitle.evals.codeipprompt.training_set import TrainingSet, find_matches


def test_correlations_have_the_values_of_a_case_computed_by_hand() -> None:
    found = correlations(np.array([1.0, 2, 3, 4, 5]), np.array([0.2, 0.1, 0.4, np.nan, 0.3]))
    assert found["n"] == 4
    assert found["spearman"]["r"] == pytest.approx(0.6)
    assert found["kendall"]["r"] == pytest.approx(1 / 3)
    x, y = np.array([1.0, 2, 3, 5]), np.array([0.2, 0.1, 0.4, 0.3])
    by_hand = float(((x - x.mean()) * (y - y.mean())).sum() / (4 * x.std() * y.std()))
    assert found["pearson"]["r"] == pytest.approx(by_hand)


@pytest.mark.parametrize("scores", [[0.1, 0.2], [0.3, 0.3, 0.3], [float("nan")] * 4])
def test_where_nothing_varies_there_is_no_correlation(scores: list[float]) -> None:
    found = correlations(np.arange(float(len(scores))), np.array(scores))
    assert found["pearson"] == {"r": None, "p": None}


def labels_of(pairs: dict[str, str]) -> list[Label]:
    """Letters are the votes of raters: s similar, n not, - undecided."""
    meaning = {"s": True, "n": False, "-": None}
    return [
        Label(pair, f"rater {number}", meaning[vote])
        for pair, votes in pairs.items()
        for number, vote in enumerate(votes)
    ]


def test_precision_and_recall_follow_the_confusion_matrix_of_the_paper() -> None:
    scores = {"a": 0.9, "b": 0.7, "c": 0.6, "d": 0.5, "e": 0.3, "f": 0.1, "g": 0.8, "h": 0.2}
    votes = {"a": "sss", "b": "ssn", "c": "nnn", "d": "ssn", "e": "nns", "f": "nnn", "g": "s-n", "h": "---"}
    found = threshold_study(labels_of(votes), scores)
    assert (found["pairs"], found["ties"], found["raters"], found["undecided"]) == (7, 1, 3, 4)
    row = next(row for row in found["thresholds"] if row["threshold"] == 0.5)
    assert {name: row[name] for name in ("tp", "fp", "tn", "fn")} == {"tp": 2, "fp": 1, "tn": 2, "fn": 1}
    assert row["precision"]["value"] == pytest.approx(2 / 3) and row["recall"]["value"] == pytest.approx(2 / 3)
    assert [row["threshold"] for row in found["thresholds"]] == list(THRESHOLDS)
    shares = [1, 2 / 3, 0, 2 / 3, 1 / 3, 0, 0.5]
    values = [scores[name] for name in "abcdefg"]
    assert found["pearson"]["r"] == pytest.approx(np.corrcoef(values, shares)[0, 1])
    assert found["pearson"]["interval"]["low"] <= found["pearson"]["r"] <= found["pearson"]["interval"]["high"]


def test_the_last_answer_of_a_rater_counts_and_strange_pairs_are_counted() -> None:
    labels = [Label("a", "x", True), Label("a", "x", False), Label("zz", "x", True)]
    found = threshold_study(labels, {"a": 0.9})
    assert (found["similar"], found["votes"], found["unknown"]) == (0, 1, 1)
    with pytest.raises(InputError, match="none is of a pair"):
        threshold_study([Label("zz", "x", True)], {"a": 0.9})


def test_labels_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "answer,item_id,task,rater,seconds\ncopied,p#0,code,ann,3\nindependent,p#1,code,ann,4\n"
        "unsure,p#2,code,ann,1\ncopied,control:copy:p,code,ann,2\nNot_Similar,p#3,code,ann,2\n"
    )
    assert [(label.pair, label.similar) for label in read_labels(path)] == [
        ("p#0", True),
        ("p#1", False),
        ("p#2", None),
        ("p#3", False),
    ]
    path.write_text("pair,said\na,yes\n")
    with pytest.raises(InputError, match="lacks a column"):
        read_labels(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a CSV file"):
        read_labels(path)


FIRST = '''# adds up what the ferry carries
def carried(loads, limit):
    """Sum of loads up to a limit."""
    total = 0
    for load in sorted(loads):
        if total + load > limit:
            break
        total += load
    return total
'''
SECOND = """int berth(const int *free, int count) {
    /* first berth that nobody holds */
    for (int place = 0; place < count; place++) {
        if (free[place]) {
            return place;
        }
    }
    return -1;
}
"""


def asked(text: str, language: str) -> dict[str, Any]:
    source = f"\n\n{text}\n"
    return {
        "source": source,
        "language": language,
        "unit_first_line": 3,
        "unit_last_line": 2 + text.count("\n"),
    }


PROMPTS = [
    asked(FIRST, "python"),
    asked(SECOND, "c"),
    asked(FIRST.replace("return total\n", "return total + 0\n"), "python"),
]


def matches(path: Path, prompts: list[dict[str, Any]] = PROMPTS) -> list[str]:
    return [found[0]["match"] for found in find_matches(prompts, [TrainingSet.parse(f"seen={path}")])]


def test_a_unit_is_found_exactly_within_a_file_and_nearly_where_words_differ(tmp_path: Path) -> None:
    (tmp_path / "ferry.py").write_text("import os\n\n\n" + FIRST.replace("\n    total = 0", "   \n\n    total = 0"))
    assert matches(tmp_path) == ["exact", "none", "near"]


def test_tables_without_languages_are_read_in_those_of_the_prompts(tmp_path: Path) -> None:
    path = tmp_path / "windows.jsonl"
    path.write_text(json.dumps({"text": SECOND}) + "\n" + json.dumps({"text": "x = 1"}) + "\n")
    assert matches(path) == ["none", "exact", "none"]


def test_renamed_code_is_not_in_the_set(tmp_path: Path) -> None:
    (tmp_path / "berth.c").write_text(SECOND.replace("free", "open_").replace("place", "spot").replace("count", "n"))
    assert matches(tmp_path)[1] == "none"


def test_a_prompt_without_a_unit_is_compared_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "ferry.py").write_text(FIRST)
    whole = {**PROMPTS[0], "unit_first_line": None, "unit_last_line": None}
    assert matches(tmp_path, [whole]) == ["exact"]


def test_what_is_no_training_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing is there"):
        TrainingSet.parse("a=/no/such/place")
    path = tmp_path / "table.jsonl"
    path.write_text('{"words": "x"}\n')
    with pytest.raises(InputError, match="no column of texts"):
        matches(path)
    path.write_text("not json\n")
    with pytest.raises(InputError, match="cannot be read as a table"):
        matches(path)


def test_the_description_names_the_content_and_not_the_place(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ferry.py").write_text(FIRST)
    first, second = (TrainingSet("seen", tmp_path / name) for name in ("a", "b"))
    assert first.describe() == second.describe()
    (tmp_path / "b" / "more.py").write_text(FIRST)
    assert first.describe() != second.describe()
