"""The heaviest chain of runs, against its plain twin, and in bounded time."""

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from cleartitle.trace.verify import Run, words_in_order

runs = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), max_size=24).map(
    lambda items: [Run(place, right, words, "renamed") for place, (right, words) in enumerate(items)]
)


def twin(runs: list[Run]) -> int:
    best: list[int] = []
    for number, run in enumerate(runs):
        before = [best[i] for i in range(number) if runs[i].right + runs[i].words <= run.right]
        best.append(run.words + max(before, default=0))
    return max(best, default=0)


@given(runs)
def test_the_heaviest_chain_equals_its_twin(runs: list[Run]) -> None:
    assert words_in_order(runs) == twin(runs)


def test_many_runs_take_bounded_time() -> None:
    rng = random.Random(3)
    for places in (range(50_000), range(50_000, 0, -1), [rng.randrange(10**6) for _ in range(50_000)]):
        some = [Run(number, place, rng.randrange(1, 50), "exact") for number, place in enumerate(places)]
        start = time.process_time()
        assert words_in_order(some) > 0
        assert time.process_time() - start < 2
