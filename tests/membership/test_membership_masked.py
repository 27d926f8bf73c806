"""Masked names: what is asked, and what counts as an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from membership_evidence import stats

from cleartitle.errors import InputError
from cleartitle.membership.attacks import Inclusion
from cleartitle.membership.evidence import Evidence
from cleartitle.membership.masked import FillTemplate, MaskOptions, completions, mask_requests, masked_places
from cleartitle.models import Generation

TEXT = """\
# Remember the harbour pilots
def dock_vessel(vessel, harbour):
    berth = harbour.assign(vessel)
    print("moored at", berth)
    return berth
"""


def test_names_are_asked_at_their_first_place_and_builtins_never():
    places = masked_places(TEXT, MaskOptions())
    # "harbour" stands in the comment before, "print" is a builtin.
    assert [place.expected for place in places] == ["dock_vessel", "vessel", "berth", "assign"]
    assert all(place.before + place.expected + place.behind == TEXT for place in places)


def test_strings_and_comments_are_asked_by_their_first_new_word():
    found = {(place.kind, place.expected) for place in masked_places(TEXT, MaskOptions(kinds=("string", "comment")))}
    assert found == {("string", "moored"), ("comment", "Remember")}


def test_more_places_than_the_budget_are_sampled_alike_each_time():
    options = MaskOptions(places=2, seed=5)
    places = masked_places(TEXT, options)
    assert len(places) == 2 and places == masked_places(TEXT, options)


def test_context_is_cut_to_what_the_options_say():
    place = masked_places(TEXT, MaskOptions(context=10, after=4))[-1]
    assert len(place.before) == 10 and len(place.behind) == 4


def test_requests_continue_the_text_or_fill_it_in():
    options = MaskOptions(places=1, max_tokens=5)
    places = masked_places(TEXT, options)
    (plain,), (filled,) = (
        mask_requests("t", places, options),
        mask_requests("t", places, options, FillTemplate("<P>", "<S>", "<M>")),
    )
    assert plain.prompt == places[0].before and plain.id == "t/0" and plain.sampling.max_tokens == 5
    assert filled.prompt == f"<P>{places[0].before}<S>{places[0].behind}<M>"


def test_answers_are_counted_and_failed_calls_are_not():
    places = masked_places(TEXT, MaskOptions())
    answers = {
        "t/0": Generation("dock_vessel(vessel):"),
        "t/1": Generation("```python\nvessel, port", status="truncated"),
        "t/2": Generation("", status="error", error="gone"),
        "t/3": Generation("", status="empty"),
    }
    found = completions("t", places, answers)
    assert [item.answer is None for item in found] == [False, False, True, False]
    item = Evidence("t", None, TEXT, stats([]), completions=found)
    assert Inclusion().score(item) == pytest.approx(2 / 3)


@given(st.text(max_size=300))
def test_any_text_gives_places_that_lie_in_it(text):
    options = MaskOptions(kinds=("identifier", "string", "comment"))
    for place in masked_places(text, options):
        assert place.before + place.expected + place.behind == text
        assert len(place.expected) >= 4 and place.expected not in place.before.split()


def test_options_without_a_meaning_are_refused_with_the_mend():
    with pytest.raises(InputError, match="choose among identifier, string, comment"):
        MaskOptions(kinds=("docstring",))
    with pytest.raises(InputError, match="at least 1"):
        MaskOptions(places=0)
