"""Thresholds are read from the answers of both groups, and what the answers cannot tell is said."""

from dataclasses import asdict, replace

from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.striking.thresholds import CRITERIA, CURVES, GRID, Answer, _counts, curves, find, passes, without
from cleartitle.similarity import StrikingStandard

ANSWERS = st.builds(Answer, st.integers(1, 40), st.integers(1, 14), st.floats(0, 1, allow_nan=False), st.integers(0, 6))
COPY = Answer(20, 6, 0.95, 3)
OWN = Answer(20, 6, 0.25, 0)


@given(st.lists(ANSWERS, max_size=12), st.data())
def test_counts_over_the_grid_are_those_of_judging_each_answer(answers: list[Answer], data: st.DataObject) -> None:
    counts = _counts(answers, GRID)
    place = tuple(data.draw(st.integers(0, len(GRID[name]) - 1)) for name in CRITERIA)
    values = {name: GRID[name][index] for name, index in zip(CRITERIA, place, strict=True)}
    standard = StrikingStandard(**values)  # type: ignore[arg-type]
    assert counts[place] == sum(passes(answer, standard) for answer in answers)


def test_the_published_thresholds_are_kept_where_nothing_speaks_against_them() -> None:
    found = find([COPY] * 5 + [OWN] * 3, [OWN] * 8)
    assert found is not None
    assert found.standard == StrikingStandard()
    assert (found.accessed, found.unseen) == (5, 0)
    # Any threshold below the copies does as well, and similarity need not be looked at where comments decide.
    assert found.plateau["similarity_gt"] == (-1, 0.94)
    assert found.plateau["body_lines_gt"] == (-1, 19)
    assert found.plateau["complexity_gt"] == (-1, 5)
    assert found.plateau["shared_comments_gt"] == (-1, 2)
    assert found.equivalent > 1


def test_unseen_answers_that_pass_the_published_standard_move_a_threshold() -> None:
    """Twelve lines, unseen, with a shared comment: only a longer body tells them apart."""
    found = find([COPY] * 5, [replace(COPY, body_lines=12)] * 3)
    assert found is not None
    assert (found.accessed, found.unseen) == (5, 0)
    assert found.standard == StrikingStandard(body_lines_gt=12)
    assert found.plateau["body_lines_gt"] == (12, 19)


def test_an_unseen_answer_that_nothing_tells_apart_costs_all_accessed_ones_like_it() -> None:
    found = find([COPY, replace(COPY, shared_comments=4)], [COPY])
    assert found is not None
    assert (found.accessed, found.unseen) == (1, 0)
    assert not passes(COPY, found.standard)


def test_answers_that_are_all_unlike_give_no_thresholds() -> None:
    assert find([], []) is None
    assert find([COPY], [COPY]) is None


@given(st.lists(ANSWERS, max_size=10), st.lists(ANSWERS, max_size=10))
def test_what_is_found_is_reached_and_no_better_one_passes_fewer_unseen(
    accessed: list[Answer], unseen: list[Answer]
) -> None:
    found = find(accessed, unseen)
    published = StrikingStandard()
    if found is None:
        return
    assert found.accessed == sum(passes(answer, found.standard) for answer in accessed) > 0
    assert found.unseen == sum(passes(answer, found.standard) for answer in unseen)
    assert found.unseen <= sum(passes(answer, published) for answer in unseen)
    for name, (low, high) in found.plateau.items():
        assert low <= getattr(found.standard, name) <= high


def test_curves_fall_and_pass_through_the_standard() -> None:
    accessed, unseen = [COPY, replace(COPY, similarity=0.7), OWN], [OWN, replace(COPY, body_lines=8)]
    found = curves(accessed, unseen, StrikingStandard())
    assert list(found) == list(CRITERIA)
    for name, curve in found.items():
        assert curve["thresholds"] == list(CURVES[name])
        for group in ("accessed", "unseen"):
            assert curve[group] == sorted(curve[group], reverse=True)
        here = curve["thresholds"].index(asdict(StrikingStandard())[name])
        assert (curve["accessed"][here], curve["unseen"][here]) == (2, 0)


def test_each_criterion_shows_what_it_keeps_out() -> None:
    unseen = [replace(COPY, body_lines=8), replace(COPY, shared_comments=0), replace(COPY, shared_comments=0)]
    found = without([COPY], unseen, StrikingStandard())
    assert found["all"] == {"accessed": 1, "unseen": 0}
    assert found["body_lines_gt"] == {"accessed": 1, "unseen": 1}
    assert found["complexity_gt"] == {"accessed": 1, "unseen": 0}
    assert found["shared_comments_gt"] == {"accessed": 1, "unseen": 2}
