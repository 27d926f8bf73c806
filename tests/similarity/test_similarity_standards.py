"""The standard of striking similarity, and shared spans."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.similarity import StrikingStandard, shared_spans

JUST_ABOVE = {"body_lines": 11, "complexity": 4, "similarity": 0.6000001, "shared_comments": 1}


def test_an_answer_just_above_all_four_thresholds_is_striking():
    verdict = StrikingStandard().judge(**JUST_ABOVE)
    assert verdict.striking
    assert verdict.state == "striking"


@pytest.mark.parametrize(
    ("name", "value"), [("body_lines", 10), ("complexity", 3), ("similarity", 0.6), ("shared_comments", 0)]
)
def test_a_value_equal_to_its_threshold_is_not_enough(name, value):
    verdict = StrikingStandard().judge(**{**JUST_ABOVE, name: value})
    assert verdict.state == "not striking"
    assert [criterion.name for criterion in verdict.criteria if not criterion.met] == [name]


def test_too_short_is_a_state_of_its_own():
    verdict = StrikingStandard().judge(**JUST_ABOVE, too_short=True)
    assert verdict.state == "too short"
    assert not verdict.striking


def test_thresholds_can_be_changed():
    assert StrikingStandard(similarity_gt=0.7).judge(**JUST_ABOVE).state == "not striking"


def test_a_run_of_shared_tokens_is_found_in_both_texts_whatever_the_layout():
    reference = "x = 1\nfor item in items:\n    use(item)\n"
    candidate = "y = 2\nfor item in items: use( item )\n"
    (span,) = shared_spans(reference, candidate)
    assert reference[span.reference_start : span.reference_end] == "for item in items:\n    use(item)"
    assert candidate[span.candidate_start : span.candidate_end] == "for item in items: use( item )"
    assert span.tokens == 9


def test_moved_blocks_are_found():
    first, second = "alpha beta gamma delta epsilon", "one two three four five six"
    spans = shared_spans(f"{first} - {second}", f"{second} + {first}")
    assert [span.tokens for span in spans] == [6, 5]


def test_the_longest_of_several_places_is_taken():
    spans = shared_spans("a b c d e x; a b c d e f g", "a b c d e f g")
    assert [(span.tokens, span.reference_start) for span in spans] == [(7, 13)]


def test_shorter_runs_do_not_count():
    assert shared_spans("a b c d", "a b c d") == []
    with pytest.raises(ValueError, match="at least 1"):
        shared_spans("a", "a", min_tokens=0)


@given(st.lists(st.sampled_from("abc(")).map(" ".join), st.lists(st.sampled_from("abc(")).map(" ".join))
def test_spans_hold_equal_tokens_and_do_not_overlap_in_the_candidate(reference, candidate):
    end = 0
    for span in shared_spans(reference, candidate, min_tokens=2):
        left = reference[span.reference_start : span.reference_end].split()
        right = candidate[span.candidate_start : span.candidate_end].split()
        assert left == right
        assert len(left) == span.tokens >= 2
        assert span.candidate_start >= end
        end = span.candidate_end


@pytest.mark.parametrize("hostile", ["a " * 10**5, "a b " * 5 * 10**4, "(" * 10**5])
def test_repetitive_texts_are_marked_in_bounded_time(hostile):
    start = time.process_time()
    spans = shared_spans(hostile, hostile)
    assert sum(span.tokens for span in spans) >= 10**5 - 4
    assert time.process_time() - start < 20
