"""Histograms of ranks and rank changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.membership.attacks import CHANGE_EDGES, LOG_EDGES, change_histogram, linear_edges, rank_histogram


@given(st.lists(st.integers(0, 3_000_000), min_size=1, max_size=200))
def test_shares_sum_to_one_and_the_order_of_ranks_does_not_count(ranks):
    for edges in (LOG_EDGES, linear_edges(50_000)):
        shares = rank_histogram(ranks, edges)
        assert shares.shape == (len(edges),)
        assert shares.sum() == pytest.approx(1)
        assert np.array_equal(shares, rank_histogram(ranks[::-1], edges))


def test_the_toy_example_of_the_paper_falls_into_its_bins():
    shares = rank_histogram([2, 3, 6, 10, 7], [1, 3, 6, 9, 12])
    assert shares.tolist() == pytest.approx([0.2, 0.2, 0.4, 0.2, 0.0])


def test_beyond_and_outside_ranks_fall_into_the_overflow_bin_and_the_last_edge_does_not():
    assert rank_histogram([0, 1, 100, 101], linear_edges(100))[-1] == 0.5


def test_log_edges_tell_the_first_rank_from_the_second():
    assert rank_histogram([1, 1, 2], LOG_EDGES)[:2].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_no_ranks_give_zeros():
    assert not rank_histogram([], LOG_EDGES).any()
    assert not change_histogram([]).any()


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=100))
def test_changes_sum_to_one_and_turn_round_with_their_sign(changes):
    inside = [change for change in changes if not np.isin(np.abs(change), CHANGE_EDGES)] or [0.0]
    shares = change_histogram(inside)
    assert shares.sum() == pytest.approx(1)
    assert shares[::-1].tolist() == pytest.approx(change_histogram([-change for change in inside]).tolist())


def test_no_change_lies_in_the_middle_bin():
    assert change_histogram([0.0])[len(CHANGE_EDGES) // 2] == 1.0
