"""EM and EP against their definitions, the release's bootstrap, and the published tables."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.codeipprompt.figures import Sampled, difference, em_ep, figures, sweep
from cleartitle.evals.codeipprompt.metrics import (
    chance_of_one,
    empirical_probability,
    expected_maximum,
    resampled,
    share_per_prompt,
)
from cleartitle.evals.codeipprompt.published import check_published, published

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "codeipprompt" / "paper_tables.json"
SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=6)


@given(SCORES, st.integers(1, 4))
def test_em_and_ep_are_the_mean_over_all_possible_draws(scores: list[float], n: int) -> None:
    draws = [max(draw) for draw in itertools.product(scores, repeat=n)]
    found = expected_maximum(np.array(scores), n)
    assert found.mean == pytest.approx(np.mean(draws), abs=1e-9)
    assert found.sd == pytest.approx(np.std(draws), abs=1e-6)
    assert empirical_probability(np.array(scores), n) == pytest.approx(np.mean(np.array(draws) > 0.5), abs=1e-9)


@given(SCORES, st.integers(1, 1000))
def test_em_grows_with_n_and_stays_within_the_scores(scores: list[float], n: int) -> None:
    values = np.array(scores)
    first, second = expected_maximum(values, n).mean, expected_maximum(values, n + 1).mean
    assert np.mean(scores) - 1e-9 <= first <= second + 1e-9 <= max(scores) + 1e-8
    assert expected_maximum(values, 10**6).mean == pytest.approx(max(scores), abs=1e-5)


def test_the_bootstrap_of_the_release_lies_around_the_closed_form() -> None:
    scores = np.random.default_rng(4).beta(1, 5, 400)
    exact, ep = expected_maximum(scores, 50), empirical_probability(scores, 50)
    drawn = [resampled(scores, 50, seed=seed) for seed in range(20)]
    errors = exact.sd / math.sqrt(1000), math.sqrt(ep * (1 - ep) / 1000)
    assert all(abs(one.em - exact.mean) < 4.5 * errors[0] for one in drawn)
    assert all(abs(one.ep - ep) < 4.5 * errors[1] for one in drawn)
    assert np.mean([one.em_sd for one in drawn]) == pytest.approx(exact.sd, rel=0.03)
    assert len({one.em for one in drawn}) == 20


def test_the_bootstrap_repeats_with_its_seed_whatever_the_size_of_its_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    from cleartitle.evals.codeipprompt import metrics

    scores = np.random.default_rng(1).random(30)
    whole = resampled(scores, 7, draws=100, seed=3)
    assert resampled(scores, 7, draws=100, seed=3) == whole
    monkeypatch.setattr(metrics, "DRAWN_AT_ONCE", 7 * 25)
    assert resampled(scores, 7, draws=100, seed=3) == whole


def test_a_score_of_exactly_the_threshold_does_not_count() -> None:
    assert empirical_probability(np.array([0.5, 0.5]), 50) == 0
    assert empirical_probability(np.array([0.5, 0.51]), 1) == 0.5


@pytest.mark.parametrize(("scores", "n"), [([], 50), ([0.3], 0)])
def test_nothing_to_draw_from_is_refused(scores: list[float], n: int) -> None:
    with pytest.raises(ValueError, match="need scores"):
        expected_maximum(np.array(scores), n)


@given(st.floats(0, 1), st.integers(1, 200))
def test_the_share_of_prompts_is_the_inverse_of_ep(share: float, n: int) -> None:
    ep = chance_of_one(share, n)
    assert 0 <= ep <= 1
    if ep < 1 - 1e-6:
        assert share_per_prompt(ep, n) == pytest.approx(share, abs=1e-9)


def test_a_chance_hit_rate_of_two_percent_gives_the_ep_of_gpt_4() -> None:
    assert chance_of_one(0.0187, 50) == pytest.approx(0.61, abs=0.005)


def test_published_pairs_are_possible_and_invert_to_rates_per_prompt() -> None:
    rows = {row["model"]: row for row in check_published()}
    assert len(rows) == 10 and all(row["consistent"] for row in rows.values())
    assert rows["GPT-4"]["share_per_prompt"] == pytest.approx(0.0187, abs=1e-4)
    assert not rows["CodeT5-large"]["overall_within_groups"], "All is a sample of its own"


@pytest.mark.skipif(not REFERENCE.exists(), reason="no reference values here")
def test_published_figures_are_the_ones_of_the_paper() -> None:
    paper, own = json.loads(REFERENCE.read_text()), published()
    names = {"permissive": "Permissive", "weak_copyleft": "Weak Copyleft", "strong_copyleft": "Strong Copyleft"}
    for group, name in {**names, "overall": "All"}.items():
        for ours, theirs in (("em", "EM"), ("em_sd", "EM_sd"), ("ep", "EP")):
            assert [row["groups"][group][ours] for row in own["table3"]] == paper["table3"][name][theirs]
    for row in own["table5"]:
        assert [[cell["em"], cell["ep"]] for cell in row["sets"]] == paper["table5_EM_EP"][row["model"]]


def sampled(m: int = 120, projects: int = 12, shift: float = 0.0) -> Sampled:
    draws = np.random.default_rng(7)
    own = np.clip(draws.beta(1, 5, m) + shift, 0, 1)
    return Sampled(own, draws.beta(1, 6, m), [f"project {place % projects}" for place in range(m)])


def test_intervals_hold_the_value_and_widen_with_clusters() -> None:
    many, few = sampled(projects=120), sampled(projects=6)
    for group in (many, few):
        found = em_ep(group.own, group.projects, 50)
        for name in ("em", "ep"):
            assert found[name]["interval"]["low"] <= found[name]["value"] <= found[name]["interval"]["high"]
    ordered = np.argsort(many.own)
    clustered = [f"project {place // 20}" for place in range(120)]
    wide = em_ep(many.own[ordered], clustered, 50)["em"]["interval"]
    plain = em_ep(many.own[ordered], list(range(120)), 50)["em"]["interval"]
    assert wide["high"] - wide["low"] > plain["high"] - plain["low"]


def test_zero_hits_leave_room_for_a_large_ep() -> None:
    found = em_ep(np.full(100, 0.2), list(range(100)), 50)
    assert found["ep"]["value"] == 0
    assert found["ep"]["at_most"] == pytest.approx(1 - (0.025 ** (1 / 100)) ** 50)
    assert found["ep"]["at_most"] > 0.8


def test_one_project_gives_no_interval_of_em_and_no_score_gives_no_figure() -> None:
    assert em_ep(np.array([0.1, 0.9]), ["a", "a"], 5)["em"]["interval"] is None
    assert em_ep(np.array([]), [], 5)["em"] is None
    empty = figures(Sampled(np.array([np.nan]), np.array([np.nan]), ["a"]), 5)
    assert (empty["em"], empty["bootstrap"], empty["null"]["em"], empty["excess"]) == (None, None, None, None)


def test_many_values_are_rounded_for_intervals_only() -> None:
    group = sampled(m=3000, projects=300)
    found = em_ep(group.own, group.projects, 50)
    assert found["em"]["value"] == expected_maximum(group.own, 50).mean
    rough = em_ep(np.round(group.own, 2), group.projects, 50)
    assert found["em"]["interval"]["low"] == pytest.approx(rough["em"]["interval"]["low"], abs=0.01)


def test_scores_like_their_null_exceed_it_by_nothing_and_copies_by_much() -> None:
    plain = sampled()
    same = figures(Sampled(plain.null, plain.null, plain.projects), 50)
    assert same["excess"]["em"]["value"] == 0 and same["excess"]["ep"]["value"] == 0
    copies = figures(sampled(shift=0.45), 50)
    assert copies["excess"]["em"]["interval"]["low"] > 0.1
    assert copies["null"]["em"]["value"] == pytest.approx(expected_maximum(plain.null, 50).mean)


def test_prompts_without_a_null_count_for_the_own_figures_only() -> None:
    group = sampled()
    group.null[:50] = np.nan
    found = figures(group, 50)
    assert (found["prompts"], found["null"]["prompts"]) == (120, 70)
    assert {row["n"] for row in sweep(group)} >= {1, 50, 1000}
    assert all(row["own"]["em"] <= later["own"]["em"] for row, later in itertools.pairwise(sweep(group)))


def test_the_difference_of_two_groups_has_an_interval_that_tells_them_apart() -> None:
    high, low = sampled(shift=0.4), sampled()
    found = difference((high.own, high.projects), (low.own, low.projects), 5)
    assert found is not None and found["em"]["interval"]["low"] > 0
    assert difference((high.own, high.projects), (np.array([]), []), 5) is None
