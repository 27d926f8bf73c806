import numpy as np
import pytest

from cleartitle.membership.codemi import CodeMi
from cleartitle.membership.evidence import Evidence
from cleartitle.models import TokenStats

torch = pytest.importorskip("torch", reason="the classifier of CodeMI is a network of PyTorch")
VOCABULARY = 5000


def item(name: str, ranks: np.ndarray, token: int = 7) -> Evidence:
    count = len(ranks)
    place = np.arange(count, dtype=np.int32)
    stats = TokenStats(place, place, place + 1, np.full(count, token, np.int32), rank=ranks.astype(np.int32))
    return Evidence(name, "p", "x" * count, stats)


def texts(count: int, seed: int) -> tuple[list[Evidence], np.ndarray]:
    """Members whose ranks are low, others whose ranks are 50 times as high."""
    draws = np.random.default_rng(seed)
    member = np.arange(count) % 2 == 0
    ranks = [1 + draws.geometric(0.2 if label else 0.004, 80) for label in member]
    return [item(f"{seed}-{number}", one) for number, one in enumerate(ranks)], member


@pytest.mark.parametrize("mode", ["paper", "corrected"])
def test_it_learns_from_shadows_what_tells_members_apart(mode: str) -> None:
    evidence, member = texts(60, 1)
    attack = CodeMi(mode, VOCABULARY).fit(evidence, member, seed=0)  # pyright: ignore[reportArgumentType]
    others, labels = texts(40, 2)
    called = np.array([attack.score(one) for one in others]) > 0
    assert (called == labels).mean() > 0.9


def test_linear_bins_do_not_see_the_first_fifty_ranks() -> None:
    low, high = item("a", np.full(10, 1)), item("b", np.full(10, 50))
    paper, corrected = CodeMi("paper", VOCABULARY), CodeMi("corrected", VOCABULARY)
    assert np.array_equal(paper.features(low), paper.features(high))
    assert not np.array_equal(corrected.features(low), corrected.features(high))
    assert len(paper.features(low)) == 100


def test_unknown_words_and_tokens_beyond_the_output_fall_into_the_overflow_bin() -> None:
    classifier = CodeMi("paper", VOCABULARY, unknown=1)
    assert classifier.features(item("a", np.full(4, 3), token=1))[-1] == 1.0
    assert classifier.features(item("b", np.array([0, 0, 2, 2])))[-1] == 0.5


def test_equal_seeds_teach_equal_networks() -> None:
    evidence, member = texts(40, 3)
    scores = [[CodeMi("paper", VOCABULARY).fit(evidence, member, seed=seed).score(evidence[0])] for seed in (5, 5, 6)]
    assert scores[0] == scores[1] != scores[2]


def test_the_paper_teaches_the_first_four_fifths_only() -> None:
    evidence, member = texts(40, 4)
    spoiled = [*evidence[:32], *(item(f"n{place}", np.full(80, 4999)) for place in range(8))]
    paper = CodeMi("paper", VOCABULARY)
    assert paper.fit(evidence, member, seed=0).score(evidence[0]) == paper.fit(spoiled, member, seed=0).score(
        evidence[0]
    )


def test_a_text_without_ranks_has_no_score() -> None:
    evidence, member = texts(20, 5)
    attack = CodeMi("corrected", VOCABULARY).fit(evidence, member, seed=0)
    assert np.isnan(attack.score(item("empty", np.empty(0))))
