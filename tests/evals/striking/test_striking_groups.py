"""Both groups by the principles of the paper, drawn by seed, and what resembles the training data left out."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from striking_material import build_corpus, corpus_of_functions, function

from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.striking import STUDY_UNITS, StrikingOptions, groups_of_corpora


def _file(row: dict[str, Any]) -> str:
    return Path(row["path"]).stem


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEARTITLE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def training(tmp_path: Path) -> Corpus:
    return corpus_of_functions(tmp_path / "training", range(8))


def test_groups_are_of_the_asked_size_and_pairs_share_no_function(training: Corpus, tmp_path: Path) -> None:
    unseen = corpus_of_functions(tmp_path / "unseen", range(100, 108))
    groups = groups_of_corpora(training, unseen, StrikingOptions(per_group=3))
    rows = groups.units.to_pylist()
    assert groups.units.schema == STUDY_UNITS
    places = Counter((row["pair"], row["group"]) for row in rows)
    assert places == {(pair, group): 3 for pair in ("first", "second") for group in ("accessed", "unseen")}
    assert len({row["prompt_id"] for row in rows}) == 12
    assert all((row["overlap"] is None) == (row["group"] == "accessed") for row in rows)
    assert all(row["repetitions"] is None for row in rows)
    again = groups_of_corpora(training, unseen, StrikingOptions(per_group=3))
    other = groups_of_corpora(training, unseen, StrikingOptions(per_group=3, seed=1))
    assert again.content_hash == groups.content_hash != other.content_hash


def test_a_candidate_like_a_function_of_the_training_data_is_left_out(training: Corpus, tmp_path: Path) -> None:
    copies = {f"copy{seed}": function(seed).replace("return", "print('end')\n    return") for seed in (2, 5)}
    texts = {f"own{seed}": function(seed) for seed in range(200, 204)}
    unseen = build_corpus(tmp_path / "unseen", {**copies, **texts})
    groups = groups_of_corpora(training, unseen, StrikingOptions(per_group=2))
    exclusion = groups.record["exclusion"]
    assert (exclusion["candidates"], exclusion["excluded"], exclusion["training_functions"]) == (6, 2, 8)
    names = {_file(row) for row in groups.units.to_pylist() if row["group"] == "unseen"}
    assert names == set(texts)


def test_methods_of_the_training_data_are_not_drawn_but_exclude(tmp_path: Path) -> None:
    method = "class Keeper:\n" + "".join(
        f"    {line}\n" for line in function(300).replace("(", "(self, ", 1).splitlines()
    )
    training = build_corpus(tmp_path / "training", {"a": function(1), "b": function(2), "c": method})
    unseen = build_corpus(tmp_path / "unseen", {"d": function(300), "e": function(301), "f": function(302)})
    groups = groups_of_corpora(training, unseen, StrikingOptions(per_group=1))
    assert groups.record["training"]["left_out"] == {"method": 1}
    assert groups.record["exclusion"]["excluded"] == 1
    assert not any(_file(row) == "d" for row in groups.units.to_pylist())


def test_the_three_principles_decide_who_takes_part(tmp_path: Path) -> None:
    texts = {
        "bare": function(1, docstring=False),
        "short": function(2, lines=3),
        "broken": "def broken(:\n",
        "silent": function(3, comment=False),
        "plain": 'def plain(a):\n    """Seven lines, complexity 1, no comment."""\n'
        + "".join(f"    a{number} = a + {number}\n" for number in range(7)),
    }
    training = build_corpus(tmp_path / "training", texts)
    unseen = corpus_of_functions(tmp_path / "unseen", range(50, 54))
    groups = groups_of_corpora(training, unseen, StrikingOptions(per_group=1))
    assert groups.record["training"]["left_out"] == {"no docstring": 1, "short body": 1, "syntax error": 1}
    assert groups.record["exclusion"]["training_files_not_cut"] == 1
    drawn = {_file(row) for row in groups.units.to_pylist() if row["group"] == "accessed"}
    assert drawn == {"silent", "plain"}


def test_the_same_function_in_two_files_is_one(tmp_path: Path) -> None:
    texts = {f"project{number}": function(number % 3) + f"\n# {number}\n" for number in range(9)}
    training = build_corpus(tmp_path / "training", texts)
    unseen = corpus_of_functions(tmp_path / "unseen", range(50, 54))
    groups = groups_of_corpora(training, unseen, StrikingOptions(per_group=1))
    assert groups.record["training"]["eligible"] == 3
    assert groups.record["training"]["left_out"] == {"same function again": 6}


def test_fewer_functions_than_asked_for_are_halved_and_none_is_refused(training: Corpus, tmp_path: Path) -> None:
    few = corpus_of_functions(tmp_path / "few", range(100, 105))
    groups = groups_of_corpora(training, few, StrikingOptions(per_group=3))
    places = Counter((row["pair"], row["group"]) for row in groups.units.to_pylist())
    assert places["first", "unseen"] == places["second", "unseen"] == 2
    with pytest.raises(InputError, match="unseen: 0 functions are left"):
        groups_of_corpora(training, training, StrikingOptions(per_group=3))


def test_options_that_mean_nothing_are_refused() -> None:
    for wrong in ({"per_group": 0}, {"jaccard": 0.0}, {"jaccard": 1.5}, {"temperature": 3.0}, {"max_tokens": 0}):
        with pytest.raises(InputError, match="out of range"):
            StrikingOptions(**wrong)  # type: ignore[arg-type]
