import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.labels import sample_size
from cleartitle.labels.sampling import draw_indices, shares


def test_the_published_check_of_352_samples_follows_from_4187_functions() -> None:
    assert sample_size(4187, margin=0.05, confidence=0.95) == 352


def test_without_a_bound_on_the_population_the_textbook_size_results() -> None:
    assert sample_size(10**9) == 385
    assert sample_size(10**9, margin=0.03) == 1068
    assert (sample_size(0), sample_size(1), sample_size(100)) == (0, 1, 80)


def test_wrong_sizes_are_refused() -> None:
    for wrong in ((-1, 0.05, 0.95), (10, 0.0, 0.95), (10, 0.05, 1.0)):
        with pytest.raises(ValueError, match="no sample size"):
            sample_size(*wrong)


@given(st.integers(0, 10**6), st.floats(0.005, 0.4))
def test_a_sample_never_exceeds_its_population_and_grows_with_it(population: int, margin: float) -> None:
    size = sample_size(population, margin)
    assert 0 <= size <= population
    assert size <= sample_size(population + 1, margin) <= size + 1


@given(st.integers(0, 200), st.lists(st.integers(0, 60), min_size=3, max_size=3))
def test_shares_fill_the_total_or_take_all(total: int, sizes: list[int]) -> None:
    found = shares(total, sizes, (0.5, 0.25, 0.25))
    assert sum(found) == min(total, sum(sizes))
    assert all(0 <= one <= size for one, size in zip(found, sizes, strict=True))


def test_draws_depend_on_the_seed_alone() -> None:
    assert draw_indices(100, 10, "a").tolist() == draw_indices(100, 10, "a").tolist()
    assert draw_indices(100, 10, "a").tolist() != draw_indices(100, 10, "b").tolist()
    assert draw_indices(3, 10, "a").tolist() == [0, 1, 2]
    assert draw_indices(0, 10, "a").tolist() == []
