import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.statistics import bootstrap, cluster_rate, rate


def test_zero_of_a_hundred_is_at_most_three_point_six_percent() -> None:
    found = rate(0, 100)
    assert found.value == 0
    assert found.at_most == pytest.approx(1 - 0.025 ** (1 / 100))
    assert str(found) == "0 of 100 (at most 3.6 %)"


def test_wilson_interval_matches_its_closed_form() -> None:
    count, total, z = 7, 23, 1.959963984540054
    share = count / total
    center = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * np.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    interval = rate(count, total).interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((center - half, center + half))


def test_a_rate_of_nothing_has_no_value() -> None:
    found = rate(0, 0)
    assert found.value is None and found.interval is None
    assert str(found) == "no case"


@pytest.mark.parametrize(("count", "total"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(count: int, total: int) -> None:
    with pytest.raises(ValueError, match="rate needs"):
        rate(count, total)


def test_clusters_widen_the_interval() -> None:
    hits = [True] * 20 + [False] * 60
    projects = ["a"] * 20 + ["b"] * 20 + ["c"] * 20 + ["d"] * 20
    clustered, alone = cluster_rate(hits, projects), cluster_rate(hits, list(range(80)))
    assert clustered.interval is not None and alone.interval is not None
    assert "4 clusters" in clustered.interval.method
    assert alone.interval.method == "wilson"
    assert clustered.interval.high - clustered.interval.low > alone.interval.high - alone.interval.low


def test_a_constant_falls_back_to_wilson_instead_of_claiming_certainty() -> None:
    found = cluster_rate([False] * 10, ["a"] * 5 + ["b"] * 5)
    assert found.interval is not None
    assert found.interval.method == "wilson" and found.interval.high > 0


def test_a_bootstrap_needs_a_cluster_for_each_row() -> None:
    with pytest.raises(ValueError, match="as many clusters"):
        bootstrap(lambda sums, n: 0.0, np.zeros((3, 1)), ["a"])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=40))
def test_the_interval_holds_the_value_and_repeats(cases: list[tuple[bool, int]]) -> None:
    hits, clusters = [hit for hit, _ in cases], [cluster for _, cluster in cases]
    first, second = cluster_rate(hits, clusters), cluster_rate(hits, clusters)
    assert first == second
    assert first.interval is not None and first.value is not None
    assert first.interval.low - 1e-12 <= first.value <= first.interval.high + 1e-12


def test_samples_of_one_prompt_are_no_independent_trials() -> None:
    prompts = [number // 10 for number in range(100)]
    never = cluster_rate([False] * 100, ["a", "b"] * 50, prompts)
    assert never.at_most == rate(0, 10).at_most and never.total == 100
    always = cluster_rate([True] * 100, ["a", "b"] * 50, prompts)
    assert always.interval is not None and rate(10, 10).interval is not None
    assert always.interval.low == pytest.approx(rate(10, 10).interval.low)  # type: ignore[union-attr]


def test_one_project_gives_no_bootstrap() -> None:
    found = cluster_rate([True, False, False], ["a"] * 3)
    assert found.interval is not None and found.interval.method == "wilson"
    with pytest.raises(ValueError, match="one cluster"):
        bootstrap(lambda sums, n: 0.0, np.zeros((3, 1)), ["a"] * 3)


def test_the_bootstrap_resamples_whole_clusters() -> None:
    rows, clusters = np.array([[1.0], [1.0], [0.0]]), ["a", "a", "b"]
    seen: set[tuple[float, int]] = set()

    def mean(sums: np.ndarray, n: int) -> float:
        seen.add((float(sums[0]), n))
        return float(sums[0] / n)

    found = bootstrap(mean, rows, clusters)
    assert seen == {(4.0, 4), (2.0, 3), (0.0, 2)}
    assert (found.low, found.high) == (0.0, 1.0)
