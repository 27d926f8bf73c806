"""Attacks that shadow models teach."""

import math
from dataclasses import replace

import numpy as np
import pytest
from membership_evidence import labeled

from cleartitle.membership.attacks import (
    ATTACKS,
    TRAINED_ATTACKS,
    Fused,
    LogRanks,
    RankReference,
    SequenceNetwork,
    fit_attacks,
)
from cleartitle.membership.attacks.run import run_attacks
from cleartitle.membership.statistics import auc


@pytest.fixture(scope="module")
def shadow():
    return labeled(160, 0.12, seed=11)


@pytest.fixture(scope="module")
def target():
    return labeled(160, 0.12, seed=12)


@pytest.fixture(scope="module")
def tables(shadow, target):
    fitted, left_out = fit_attacks(TRAINED_ATTACKS, *shadow, seed=0)
    assert set(left_out) <= {"sequence network"}, "without torch"
    return run_attacks([*ATTACKS, *fitted], target[0])


def test_shadows_teach_what_parts_the_texts_of_another_model(tables, target):
    areas = {name: auc(scores, target[1]) for name, scores in tables.scores.items()}
    assert areas["log-rank histogram"] > 0.6
    assert areas["ranks with references (CodeMI-C)"] > areas["log-rank histogram"] + 0.1
    assert areas["fused"] > areas["perplexity"] + 0.05


def test_log_odds_of_as_many_members_as_others_lie_around_zero(tables):
    assert abs(np.mean(tables.scores["fused"] > 0) - 0.5) < 0.15


def test_shadows_that_remember_nothing_teach_nothing(target):
    fitted, _ = fit_attacks(TRAINED_ATTACKS, *labeled(160, 0.0, seed=13), seed=0)
    null, member = labeled(160, 0.0, seed=14)
    for name, scores in run_attacks(fitted, null).scores.items():
        assert abs(auc(scores, member) - 0.5) < 0.12, name


def test_teaching_twice_gives_equal_scores(shadow, target):
    convex = [attack for attack in TRAINED_ATTACKS if attack.name != "sequence network"]
    scores = [
        [attack.score(item) for attack in fit_attacks(convex, *shadow, seed=seed)[0] for item in target[0][:5]]
        for seed in (0, 1)
    ]
    assert scores[0] == scores[1]


def test_without_shadows_every_trained_attack_is_left_out_with_a_line():
    fitted, left_out = fit_attacks(TRAINED_ATTACKS, [], np.empty(0, bool), seed=0)
    assert not fitted
    assert set(left_out) == {attack.name for attack in TRAINED_ATTACKS}
    assert "needs rank and shadows" in left_out["log-rank histogram"]


def test_a_text_without_the_evidence_that_was_taught_has_no_score(shadow, target):
    attack = RankReference().fit(*shadow, seed=0)
    assert math.isnan(attack.score(replace(target[0][0], references=())))


def test_fused_uses_ranks_alone_where_shadows_give_no_more(shadow):
    texts = [replace(item, target=item.target.cut_to(100), references=(), lowercase=None, prefixed=None,
                     neighbours=(), classes=None, frequency=None) for item in shadow[0]]  # fmt: skip
    attack = Fused(ATTACKS).fit(texts, shadow[1], seed=0)
    assert attack.needs == {"rank", "rank or top1"}
    assert auc([attack.score(item) for item in texts], shadow[1]) > 0.6


def test_shadow_texts_of_one_label_are_refused(shadow):
    with pytest.raises(ValueError, match="members and non-members"):
        fit_attacks([LogRanks()], shadow[0], np.ones(len(shadow[0]), bool), seed=0)
    with pytest.raises(ValueError, match="labels"):
        fit_attacks([LogRanks()], shadow[0], np.ones(3, bool), seed=0)


def test_a_sequence_network_reads_ranks_in_order_and_is_the_same_twice(shadow, target):
    pytest.importorskip("torch", reason="a sequence network is taught with PyTorch")
    one, two = (SequenceNetwork().fit(*shadow, seed=3) for _ in range(2))
    scores = [one.score(item) for item in target[0]]
    assert auc(scores, target[1]) > 0.7
    assert scores == [two.score(item) for item in target[0]]
    assert one.needs == {"rank", "reference"}
    assert math.isnan(one.score(replace(target[0][0], references=())))
    bare = [replace(item, references=()) for item in shadow[0]]
    alone = SequenceNetwork().fit(bare, shadow[1], seed=3)
    assert alone.needs == {"rank"} and alone.score(target[0][0]) == alone.score(replace(target[0][0], references=()))
    long, short = labeled(2, 0.1, seed=5, tokens=900)[0][0], labeled(2, 0.1, seed=5, tokens=2)[0][0]
    assert math.isfinite(one.score(long)) and math.isfinite(one.score(short))
