import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.labels import cohen_kappa, fleiss_kappa

# Ten items judged by 14 raters with five answers: a worked example in wide use, kappa 0.210.
FOURTEEN = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_cohen_of_worked_examples() -> None:
    # p_o = 0.7, p_e = 0.5; then two tables with p_o = 0.6 and p_e = 0.54 and 0.46.
    assert cohen_kappa([[20, 5], [10, 15]]) == pytest.approx(0.4)
    assert cohen_kappa([[45, 15], [25, 15]]) == pytest.approx(0.06 / 0.46)
    assert cohen_kappa([[25, 35], [5, 35]]) == pytest.approx(0.14 / 0.54)


def test_fleiss_of_a_worked_example() -> None:
    assert fleiss_kappa(FOURTEEN) == pytest.approx(0.210, abs=0.0005)


def test_kappa_is_not_defined_where_nothing_varies_or_nothing_was_rated() -> None:
    assert cohen_kappa([[7, 0], [0, 0]]) is None
    assert cohen_kappa(np.zeros((2, 2))) is None
    assert fleiss_kappa([[3, 0], [2, 0]]) is None
    assert fleiss_kappa([[1, 0], [0, 1]]) is None


def test_what_is_no_table_of_counts_is_refused() -> None:
    with pytest.raises(ValueError, match="square"):
        cohen_kappa([[1, 2, 3], [1, 2, 3]])
    with pytest.raises(ValueError, match="counts"):
        fleiss_kappa([[1, -1]])


TABLE = st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=3, max_size=3)


@given(TABLE)
def test_cohen_is_symmetric_and_at_most_one(table: list[list[int]]) -> None:
    kappa = cohen_kappa(table)
    other = cohen_kappa(np.transpose(table))
    if kappa is None or other is None:
        assert kappa is other
        return
    assert kappa == pytest.approx(other)
    assert kappa <= 1
    assert (kappa == pytest.approx(1)) == (np.trace(table) == np.sum(table))


@given(TABLE)
def test_fleiss_of_two_raters_is_kappa_with_pooled_shares(table: list[list[int]]) -> None:
    counts = np.array(table, dtype=float)
    rows = [np.eye(3)[one] + np.eye(3)[two] for one in range(3) for two in range(3) for _ in range(table[one][two])]
    if not rows:
        return
    pooled = (counts.sum(axis=0) + counts.sum(axis=1)) / (2 * counts.sum())
    expected = float(pooled @ pooled)
    found = fleiss_kappa(rows)
    if found is None:
        assert expected == pytest.approx(1)
        return
    observed = np.trace(counts) / counts.sum()
    assert found == pytest.approx((observed - expected) / (1 - expected))
