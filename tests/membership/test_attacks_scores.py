"""Every attack against numbers worked out by hand, and against what must hold of any text."""

import math
import zlib

import numpy as np
import pytest
from hypothesis import given as with_examples
from hypothesis import strategies as st
from membership_evidence import evidence_of, labeled, stats

from cleartitle.membership.attacks import (
    ATTACKS,
    ConRecall,
    DcPdd,
    EzMia,
    HighestPosterior,
    Inclusion,
    Lira,
    Lowercase,
    MinK,
    MinKPlusPlus,
    Neighbours,
    Perplexity,
    PolarizedNeighbours,
    RankGain,
    Recall,
    ReferenceDifference,
    Rmia,
    SyntaxClass,
    Wbc,
    ZlibMean,
    ZlibSum,
    is_hit,
    run_attacks,
)
from cleartitle.membership.attacks.arrays import BEYOND_LOGPROB, IMPOSSIBLE
from cleartitle.membership.evidence import Completion, Evidence, given, missing
from cleartitle.membership.token_classes import IDENTIFIER, KEYWORD, NUMBER

LOGPROBS = st.lists(st.floats(-20, -(2**-10), width=32), min_size=1, max_size=40)
SHORT = [-1.0, -2.0, -3.0, -4.0, -5.0]


def one(logprob, **more) -> Evidence:
    keys = {"rank", "top1", "mean", "spread", "token", "position", "truncated", "tokens_in_text"}
    text = more.pop("text", "a = 1\n")
    beside = {key: more.pop(key) for key in list(more) if key not in keys}
    return Evidence("t", None, text, stats(logprob, **more), **beside)


def test_perplexity_is_the_mean_log_probability():
    assert Perplexity().score(one(SHORT)) == pytest.approx(-3.0)


def test_highest_posterior_is_the_mean_of_the_largest_probabilities_whatever_stands_there():
    item = one([-9.0, -9.0], top1=np.log([0.5, 0.25]))
    assert HighestPosterior().score(item) == pytest.approx(0.375, rel=1e-6)


def test_zlib_forms_divide_the_mean_and_the_sum_by_the_compressed_length():
    length = len(zlib.compress(b"a = 1\n"))
    assert ZlibMean().score(one(SHORT)) == pytest.approx(-3 / length)
    assert ZlibSum().score(one(SHORT)) == pytest.approx(-15 / length)


def test_zlib_sum_of_chosen_positions_estimates_that_of_the_whole_text():
    whole = one([-2.0] * 12, text="x" * 48)
    some = one([-2.0] * 4, position=[1, 5, 7, 9], tokens_in_text=12, text="x" * 48)
    # The first token has no row here, so eleven can be scored.
    assert ZlibSum().score(some) == pytest.approx(ZlibSum().score(whole) * 11 / 12)


def test_zlib_sum_of_a_cut_text_compresses_only_what_was_scored():
    text = "".join(chr(97 + (7 * n * n) % 26) for n in range(400))
    cut = one([-2.0] * 10, text=text, truncated=90, tokens_in_text=100)
    assert ZlibSum().score(cut) == pytest.approx(-20 / len(zlib.compress(text[:40].encode())))


def test_lowercase_is_the_ratio_of_log_perplexities():
    assert Lowercase().score(one([-1.0, -1.0], lowercase=stats([-3.0] * 5))) == pytest.approx(3.0)


def test_min_k_takes_the_lowest_share_and_at_least_one_token():
    assert MinK(20).score(one(SHORT)) == pytest.approx(-5.0)
    assert MinK(40).score(one(SHORT)) == pytest.approx(-4.5)
    assert MinK(5).score(one([-1.0, -7.0])) == pytest.approx(-7.0)


def test_min_k_plus_plus_measures_each_token_against_its_distribution():
    item = one([-1.0, -2.0], mean=[-2.0, -1.0], spread=[0.5, 2.0])
    assert MinKPlusPlus(100).score(item) == pytest.approx((2.0 - 0.5) / 2)
    assert MinKPlusPlus(50).score(item) == pytest.approx(-0.5)


def test_min_k_plus_plus_of_a_certain_token_is_no_number_out_of_bounds():
    item = one([0.0, 0.0], mean=[0.0, 0.0], spread=[0.0, math.nan])
    assert MinKPlusPlus(100).score(item) == 0.0


def test_dc_pdd_takes_first_occurrences_and_bounds_them():
    item = one(np.log([0.5, 0.9, 0.001]), token=[7, 7, 8], frequency=np.array([0.1, 0.1, 0.2]))
    low = 0.001 * math.log(5)
    assert DcPdd().score(item) == pytest.approx((0.01 + low) / 2, rel=1e-5)
    assert DcPdd(bound=None).score(item) == pytest.approx((0.5 * math.log(10) + low) / 2, rel=1e-5)


def test_syntax_class_reads_its_tokens_alone_and_none_gives_no_score():
    item = one([-1.0, -2.0, -6.0], classes=np.array([KEYWORD, IDENTIFIER, IDENTIFIER], np.int8))
    assert SyntaxClass("names", (IDENTIFIER,)).score(item) == pytest.approx(-4.0)
    assert math.isnan(SyntaxClass("numbers", (NUMBER,)).score(item))


def test_reference_difference_takes_the_mean_of_several_references():
    item = one([-1.0, -1.0], references=(stats([-2.0, -4.0]), stats([-4.0, -6.0])))
    assert ReferenceDifference().score(item) == pytest.approx(3.0)


def test_rank_gain_compares_logarithms_and_reads_a_token_beyond_as_far_away():
    item = one([-1.0] * 2, rank=[1, 10], references=(stats([-1.0] * 2, rank=[10, 10]),))
    assert RankGain().score(item) == pytest.approx(math.log(10) / 2)
    beyond = one([-1.0], rank=[1], references=(stats([-1.0], rank=[0]),))
    assert RankGain().score(beyond) == pytest.approx(math.log(100_000))


def test_wbc_counts_won_windows_of_each_size():
    item = one([-1.0, -1.0, -5.0], references=(stats([-2.0, -2.0, -2.0]),))
    # Changes +1 +1 -3: windows of two win 1 of 2, the one of three none, a wider one is the same.
    assert Wbc(windows=(2,)).score(item) == 0.5
    assert Wbc(windows=(2, 3, 9)).score(item) == pytest.approx(1 / 6)


def test_ez_mia_looks_at_missed_tokens_and_gives_the_most_where_nothing_got_worse():
    def item(own, ranks):
        return one(own, rank=ranks, references=(stats([-3.0] * len(own)),))

    assert EzMia().score(item([-1.0, -4.0, -9.0], [2, 5, 1])) == pytest.approx(2 / 3)
    assert EzMia().score(item([-1.0, -2.0], [2, 2])) == 1.0
    assert EzMia().score(item([-4.0, -5.0], [2, 2])) == 0.0
    assert EzMia().score(item([-0.1, -0.1], [1, 1])) == 1.0


def test_ez_mia_reads_the_top_choice_from_its_probability_where_there_are_no_ranks():
    ranked = one([-1.0, -4.0, -0.2], rank=[2, 5, 1], references=(stats([-3.0] * 3),))
    topped = one([-1.0, -4.0, -0.2], top1=[-0.5, -0.5, -0.2], references=(stats([-3.0] * 3),))
    assert EzMia().score(topped) == EzMia().score(ranked)
    assert missing(EzMia(), [topped]) is None


def test_recall_compares_the_tokens_that_both_scored():
    item = one([-1.0, -2.0], position=[1, 2], prefixed=stats([-9.0, -2.0, -4.0]))
    assert Recall().score(item) == pytest.approx(2.0)


def test_con_recall_weighs_a_prefix_of_non_members_against_one_of_members():
    own, after, members = [-1.0, -1.0, -9.0], [-3.0, -3.0], [-2.0, -2.0]
    item = one(own, prefixed=stats(after), member_prefixed=stats(members))
    # Over the two tokens that all scored: (3 - 2) / 1.
    assert ConRecall().score(item) == pytest.approx(1.0)
    assert ConRecall(contrast=0.0).score(item) == pytest.approx(Recall().score(item))
    assert math.isnan(ConRecall().score(one(own, prefixed=stats(after))))
    apart = one(own, prefixed=stats(after), member_prefixed=stats(members, position=[7, 8]))
    assert math.isnan(ConRecall().score(apart))


def test_lira_measures_in_the_spread_of_eight_references_and_is_not_run_with_fewer():
    means = [-3.0, -3.2, -2.8, -3.1, -2.9, -3.0, -3.3, -2.7]
    item = one([-2.0, -2.0], references=tuple(stats([mean, mean]) for mean in means))
    assert Lira().score(item) == pytest.approx((-2.0 - np.mean(means)) / np.std(means, ddof=1), rel=1e-5)
    few = one([-2.0, -2.0], references=tuple(stats([mean, mean]) for mean in means[:7]))
    assert math.isnan(Lira().score(few))
    assert "needs eight references" in (missing(Lira(), [few]) or "")


def test_neighbours_subtract_the_mean_of_the_rewrites():
    item = one([-1.0], neighbours=(stats([-2.0]), stats([-4.0, -4.0]), stats([])))
    assert Neighbours().score(item) == pytest.approx(2.0)


def test_polarized_neighbours_measure_how_far_likely_and_unlikely_tokens_lie_apart():
    item = one([-1.0, -2.0], neighbours=(stats([-1.0, -6.0]),))
    assert PolarizedNeighbours().score(item) == pytest.approx(5.0 - 1.0)


def test_rmia_is_the_ratio_to_the_mean_probability_of_the_references():
    item = one([math.log(0.5)], references=(stats([math.log(0.2)]), stats([math.log(0.4)])))
    assert Rmia().score(item) == pytest.approx(math.log(0.5 / ((1.3 * 0.3 + 0.7) / 2)), rel=1e-5)


def test_inclusion_counts_answered_places_and_takes_the_first_word():
    given_up = Completion("name", "identifier", None)
    found = (Completion("name", "identifier", " name + 1"), Completion("name", "identifier", "names"), given_up)
    assert Inclusion().score(one([], completions=found)) == 0.5
    assert is_hit(Completion("total", "string", "(total)"))
    assert not is_hit(Completion("total", "string", ""))


@with_examples(LOGPROBS)
def test_a_server_that_says_impossible_or_beyond_gives_a_number_all_the_same(values):
    own = np.array([*values, -math.inf, math.nan])
    assert Perplexity().score(one(own)) == pytest.approx(
        (np.float32(values).astype(float).sum() + IMPOSSIBLE + BEYOND_LOGPROB) / len(own), rel=1e-6
    )


@with_examples(LOGPROBS, st.integers(0, 2**31))
def test_attacks_on_values_alone_do_not_depend_on_the_order_of_tokens(values, seed):
    order = np.random.default_rng(seed).permutation(len(values))
    other = np.linspace(-3, -1, len(values))
    for attack in (Perplexity(), MinK(), ReferenceDifference(), Rmia()):
        before = attack.score(one(values, references=(stats(other),)))
        after = attack.score(one(np.array(values)[order], references=(stats(other[order]),)))
        assert before == pytest.approx(after, rel=1e-6, abs=1e-9)


@with_examples(LOGPROBS, st.floats(0.1, 3))
def test_a_likelier_text_scores_higher_in_every_attack_on_likelihood(values, gain):
    lower = np.array(values) - gain
    count = len(values)
    beside = {
        "references": (stats([-10.0] * count),),
        "lowercase": stats([-30.0] * count),
        "neighbours": (stats([-5.0] * count),),
        "classes": np.full(count, IDENTIFIER, np.int8),
        "frequency": np.full(count, 0.01),
    }
    shape = {"mean": [-1.0] * count, "spread": [1.0] * count, "rank": [2] * count}
    for attack in (Perplexity(), ZlibMean(), ZlibSum(), Lowercase(), MinK(), MinKPlusPlus(), DcPdd(bound=None),
                   SyntaxClass("names", (IDENTIFIER,)), ReferenceDifference(), Rmia(), Neighbours()):  # fmt: skip
        assert attack.score(one(values, **beside, **shape)) > attack.score(one(lower, **beside, **shape)), attack.name
    for attack in (Wbc(), EzMia()):
        assert attack.score(one(values, **beside, **shape)) >= attack.score(one(lower, **beside, **shape)), attack.name


def test_every_attack_parts_texts_that_a_model_remembers_and_none_finds_what_is_not_there():
    from cleartitle.membership.statistics import auc

    remembered, member = labeled(300, 0.5, seed=1)
    forgotten, _ = labeled(300, 0.0, seed=2)
    blind = {
        "highest posterior",
        "DC-PDD",
        "masked place inclusion",
    }  # these see little or nothing of the planted memory
    found, null = run_attacks(ATTACKS, remembered), run_attacks(ATTACKS, forgotten)
    for name, scores in found.scores.items():
        assert name in blind or auc(scores, member) > 0.65, name
        assert abs(auc(null.scores[name], member) - 0.5) < 0.12, name


def test_an_empty_text_has_no_score_and_breaks_nothing():
    nothing = stats([], rank=[], top1=[], mean=[], spread=[])
    item = Evidence("empty", None, "", nothing, (nothing,), nothing, nothing, nothing, (nothing,),
                    np.empty(0), np.empty(0, np.int8))  # fmt: skip
    assert all(math.isnan(attack.score(item)) for attack in ATTACKS)


APART = ("masked place inclusion", "LiRA (offline)")


def test_a_single_token_has_a_score_in_every_attack():
    item = evidence_of(np.random.default_rng(0), 0, 0.0, tokens=1)
    scores = {attack.name: attack.score(item) for attack in ATTACKS if attack.name not in APART}
    other = {name for name, score in scores.items() if math.isnan(score) and not name.startswith("likelihood of")}
    assert not other


def test_what_cannot_run_is_named_with_what_it_needs_and_what_there_is():
    table = run_attacks(ATTACKS, [one(SHORT)])
    assert set(table.scores) == {"perplexity", "zlib (mean)", "zlib (sum)", "Min-K % (k = 20)"}
    assert table.left_out["rank gain"] == "rank gain: needs rank and reference, this run has only logprob"
    assert set(table.scores) | set(table.left_out) == {attack.name for attack in ATTACKS}


def test_needs_that_no_single_text_meets_are_named_too():
    texts = [one(SHORT, lowercase=stats([-1.0])), one([], lowercase=stats([-1.0]))]
    assert missing(Lowercase(), texts) is None
    apart = [one(SHORT), one([], lowercase=stats([-1.0]))]
    assert "no text of this run has them all" in (missing(Lowercase(), apart) or "")


def test_texts_that_lack_evidence_are_empty_cells_of_the_table():
    full = one(SHORT, references=(stats(SHORT),))
    table = run_attacks([ReferenceDifference()], [full, Evidence("u", None, "", stats(SHORT))])
    assert table.unscored == {"reference difference": 1}
    assert table.as_table()["reference difference"].to_pylist() == [0.0, None]


def test_two_attacks_or_texts_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two texts"):
        run_attacks(ATTACKS, [one(SHORT), one(SHORT)])
    with pytest.raises(ValueError, match="two attacks"):
        run_attacks([MinK(), MinK()], [one(SHORT)])


def test_references_and_arrays_of_other_rows_are_refused():
    with pytest.raises(ValueError, match="other positions"):
        one(SHORT, references=(stats(SHORT[:3]),))
    with pytest.raises(ValueError, match="frequency has 2 rows"):
        one(SHORT, frequency=np.ones(2))


def test_evidence_tells_what_it_holds():
    assert given(one(SHORT, rank=[1] * 5)) == {"logprob", "rank", "rank or top1"}
    assert given(one([])) == frozenset()
