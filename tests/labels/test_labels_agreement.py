import json
from pathlib import Path

import pytest
from cli_process import cleartitle

from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.labels import LabelOptions, against, agreement, read_votes
from cleartitle.labels.journal import Journal
from cleartitle.labels.striking import STRIKING

WHEN = "2026-01-01T00:00:00+00:00"


def write(path: Path, rater: str, answers: dict[str, str], run: str = "run", question: str = "copied/1") -> Path:
    journal = Journal(path / f"{rater}.csv", "striking", rater, question, run)
    for item, answer in answers.items():
        journal.add(item, answer, 2, "", WHEN)
    return journal.path


def test_agreement_of_a_worked_example(tmp_path: Path) -> None:
    table = {("copied", "copied"): 20, ("copied", "independent"): 5, ("independent", "copied"): 10}
    pairs = [pair for pair, count in table.items() for _ in range(count)] + [("independent", "independent")] * 15
    sides = [{f"i{number:02}": pair[side] for number, pair in enumerate(pairs)} for side in (0, 1)]
    found = agreement(read_votes([write(tmp_path, "ann", sides[0]), write(tmp_path, "bob", sides[1])]))
    (pair,) = found.pairs
    assert pair.confusion == ((20, 5), (10, 15)) and pair.answers == ("copied", "independent")
    assert pair.kappa == pytest.approx(0.4) and (pair.same.count, pair.same.total) == (35, 50)
    assert pair.interval is not None and 0.05 < pair.interval.low < 0.4 < pair.interval.high < 0.7
    # Pooled shares are 0.55 and 0.45.
    assert found.fleiss == pytest.approx((0.7 - 0.505) / 0.495)
    assert found.fleiss_interval is not None and found.fleiss_interval.low < found.fleiss < found.fleiss_interval.high
    assert len(found.disagreements) == 15
    assert found.disagreements[0].answers == {"ann": "copied", "bob": "independent"}


def test_controls_are_checks_and_enter_no_agreement(tmp_path: Path) -> None:
    checks = {"control:copy:x": "copied", "control:unrelated:y": "copied", "a": "copied"}
    found = agreement(read_votes([write(tmp_path, "ann", checks), write(tmp_path, "bob", {"a": "copied"})]))
    ann, bob = found.raters
    assert (ann.items, ann.checks.count, ann.checks.total) == (1, 1, 2)
    assert bob.checks.value is None
    assert found.items == 1 and found.pairs[0].kappa is None and found.fleiss is None


def test_one_rater_alone_is_described(tmp_path: Path) -> None:
    found = agreement(read_votes([write(tmp_path, "ann", {"a": "copied"})]))
    assert found.pairs == () and found.fleiss is None and found.unanimous.value is None


def test_answers_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    first = write(tmp_path, "ann", {"a": "copied"})
    with pytest.raises(InputError, match="beside answers to striking"):
        read_votes([first, write(tmp_path, "bob", {"a": "copied"}, run="other")])
    with pytest.raises(InputError, match="beside answers to striking"):
        read_votes([first, write(tmp_path, "cid", {"a": "copied"}, question="copied/2")])
    (tmp_path / "more").mkdir()
    with pytest.raises(InputError, match="'ann' is a rater of"):
        read_votes([first, write(tmp_path / "more", "ann", {"a": "copied"})])
    with pytest.raises(InputError, match="mend: name the files"):
        read_votes([])
    with pytest.raises(InputError, match="no answers"):
        read_votes([write(tmp_path, "eve", {})])


def test_the_majority_of_those_who_are_sure_decides(tmp_path: Path) -> None:
    sets = {
        "ann": {"a": "copied", "b": "copied", "c": "unsure", "d": "copied"},
        "bob": {"a": "copied", "b": "independent", "c": "unsure", "d": "unsure"},
        "cid": {"a": "independent", "b": "unsure"},
    }
    votes = read_votes([write(tmp_path, rater, answers) for rater, answers in sets.items()])
    assert [votes.majority(item) for item in "abcd"] == ["copied", None, None, "copied"]


def test_precision_and_weighted_recall_of_the_standard(judged_run: Path, tmp_path: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=16, controls=0))
    strata = {stratum.name: stratum for stratum in drawn.strata}
    striking, below = strata["striking"], strata["below the threshold"]
    assert (striking.size, len(striking.drawn)) == (8, 8) and len(below.drawn) == 8 and below.size == 22
    answers = {item: "copied" for item in striking.drawn[1:]} | {striking.drawn[0]: "independent"}
    answers |= {item: "independent" for item in below.drawn[1:]} | {below.drawn[0]: "copied"}
    votes = read_votes([write(tmp_path, "ann", answers, run=RunFolder.open(judged_run).key)])
    found = against(votes, judged_run)
    assert found.judged == found.decided == 16
    assert found.precision.value == pytest.approx(7 / 8) and found.precision.n == 8
    # One of eight below stands for 22 / 8 of the run.
    assert found.recall.value == pytest.approx(7 / (7 + 22 / 8))
    assert found.recall.interval is not None
    assert found.recall.interval.low < found.recall.value < found.recall.interval.high
    assert {row[0] for row in found.differences} == {striking.drawn[0], below.drawn[0]}


def test_recall_stays_open_where_people_found_nothing_in_a_sample(judged_run: Path, tmp_path: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=16, controls=0))
    strata = {stratum.name: stratum for stratum in drawn.strata}
    answers = dict.fromkeys(strata["striking"].drawn, "copied")
    key = RunFolder.open(judged_run).key
    only = against(read_votes([write(tmp_path, "ann", answers, run=key)]), judged_run)
    assert only.precision.value == 1 and only.recall.value is None
    answers |= dict.fromkeys(strata["below the threshold"].drawn, "independent")
    (tmp_path / "all").mkdir()
    found = against(read_votes([write(tmp_path / "all", "ann", answers, run=key)]), judged_run)
    assert found.recall.value == 1
    # None of 8: up to 36.9 % of 22 could be copies.
    assert found.recall.interval is not None
    assert found.recall.interval.low == pytest.approx(8 / (8 + 0.36942 * 22), rel=1e-3)


def test_labels_of_another_run_are_refused(judged_run: Path, tmp_path: Path) -> None:
    votes = read_votes([write(tmp_path, "ann", {"a#0": "copied"}, run="other")])
    with pytest.raises(InputError, match="the labels are of run other; mend"):
        against(votes, judged_run)


def test_the_command_prints_tables_and_json(judged_run: Path, tmp_path: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=6, controls=0))
    key = RunFolder.open(judged_run).key
    first = {item.id: "copied" for item in drawn.items}
    second = {**first, drawn.items[0].id: "independent"}
    write(tmp_path, "ann", first, run=key)
    write(tmp_path, "bob", second, run=key)
    words = ("label", "agreement", "ann.csv", "bob.csv", "--run", str(judged_run))
    shown = cleartitle(*words, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "5 of 6 = 83.33 %" in shown.stdout and "Fleiss' kappa" in shown.stdout and "precision" in shown.stdout
    told = json.loads(cleartitle(*words, "--json", cwd=tmp_path).stdout)
    assert told["pairs"][0]["same"]["count"] == 5 and told["program"]["judged"] == 6
    wrong = cleartitle("label", "agreement", "absent.csv", cwd=tmp_path)
    assert wrong.returncode == 2 and "absent.csv: could not be read" in wrong.stderr
