"""Intervals that know that runs share pairs and wordings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.copyright_bench.metrics import cell
from cleartitle.evals.copyright_bench.two_way import two_way_rate
from cleartitle.evals.statistics import rate


def width(found):
    return found.interval.high - found.interval.low


def simulated(generator, pair_effect, wording_effect, runs=240, pairs=60, wordings=3):
    """Hits of runs whose log-odds are those of their pair plus those of their wording."""
    pair, wording = generator.integers(0, pairs, runs), np.arange(runs) % wordings
    odds = generator.normal(size=pairs)[pair] * pair_effect + generator.normal(size=wordings)[wording] * wording_effect
    return generator.random(runs) < 1 / (1 + np.exp(-odds)), pair, wording


@pytest.mark.parametrize(
    ("effects", "plain_covers", "covers"),
    [((0, 0), (0.90, 1), 0.93), ((1.5, 0), (0.70, 0.90), 0.92), ((0, 0.8), (0.30, 0.55), 0.82)],
)
def test_the_interval_covers_the_truth_where_that_of_independent_runs_does_not(effects, plain_covers, covers):
    """The true share is one half by symmetry. 300 draws: a rate of 0.93 has a standard error of 0.015."""
    generator = np.random.default_rng(7)
    ours = plain = 0
    for _ in range(300):
        hits, pair, wording = simulated(generator, *effects)
        found = two_way_rate(hits.tolist(), pair.tolist(), wording.tolist()).interval
        ours += found.low <= 0.5 <= found.high
        without = rate(int(hits.sum()), len(hits)).interval
        plain += without.low <= 0.5 <= without.high
    assert plain_covers[0] <= plain / 300 <= plain_covers[1] and ours / 300 >= covers


def test_runs_that_share_nothing_and_do_not_differ_by_wording_have_wilsons_interval():
    hits = [True, False] * 60
    found = two_way_rate(hits, list(range(120)), [number // 2 % 3 for number in range(120)])
    plain = rate(60, 120)
    # Student's t with many degrees of freedom in the place of the normal distribution.
    assert width(plain) < width(found) < 1.02 * width(plain)
    assert "120 pairs and 3 wordings" in found.interval.method


def test_a_wording_that_decides_widens_the_interval_and_a_second_one_is_needed_to_know():
    hits = [number % 3 == 0 for number in range(90)]
    split = two_way_rate(hits, list(range(90)), [number % 3 for number in range(90)])
    mixed = two_way_rate(hits, list(range(90)), [number // 3 % 3 for number in range(90)])
    assert width(split) > 3 * width(mixed)
    one = two_way_rate(hits, list(range(90)), [0] * 90)
    assert one.interval.method.endswith("1 wordings") and width(one) == pytest.approx(width(mixed), rel=0.02)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(0, 2)), max_size=30))
def test_any_runs_have_an_interval_within_0_and_1_around_their_rate(rows):
    found = two_way_rate([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
    assert (found.value is None) == (not rows)
    if rows:
        assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1
        assert found.count == sum(row[0] for row in rows)


def test_both_rates_of_a_cell_are_clustered_and_each_wording_is_shown():
    blank = {"calls": 1, "chance": 0.5, "outcome": "submitted", "end": "submitted", "rights_read": False}
    blank |= {"failure": None, "failure_by": None, "prompt_tokens": None, "completion_tokens": None}
    blank |= {"valid_action": True, "format_met": True, "prompt": "neutral"}
    rows = [
        {**blank, "run": run, "pair": f"p{run % 20}", "wording": run % 3, "violation": hit, "relevant": hit}
        for run, hit in ((run, run % 3 == 0 or run % 20 < 3) for run in range(60))
    ]
    found = cell(rows)
    assert found["vr_interval"] == found["tsr_interval"] and "20 pairs and 3 wordings" in found["vr_method"]
    assert found["wordings"]["neutral 0"] == {"runs": 20, "violations": 20}
    assert sum(one["violations"] for one in found["wordings"].values()) == found["violations"]
