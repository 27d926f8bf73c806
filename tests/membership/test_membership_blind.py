"""Blind classifiers: nothing between a coin's two sets, much between two eras."""

import time

import numpy as np
import pytest

from cleartitle.membership.blind import BlindOptions, blind_report
from cleartitle.membership.blind_features import FEATURES, surface
from cleartitle.membership.duplicates import near_duplicates, signatures

QUICK = BlindOptions(permutations=60)
WORDS = ["parse", "open", "value", "index", "write", "sum", "node", "path", "left", "right", "store", "fetch"]


def program(generator: np.random.Generator, modern: bool, project: int = 0) -> str:
    """A small module of drawn functions, in the syntax of one era."""
    lines = [f"import m{project}"]
    for number in range(int(generator.integers(2, 5))):
        one, two, three = generator.choice(WORDS, 3)
        if modern:
            lines += [f"def {one}_{two}({three}: int) -> int:", f"    return f'{{{three}}} {number}'"]
        else:
            lines += [f"def {one}_{two}({three}):", f"    print '%s {number}' % {three}"]
    return "\n".join(lines) + "\n"


def texts_of(count: int, modern, seed: int = 0):
    generator = np.random.default_rng(seed)
    return [program(generator, bool(era), number // 5) for number, era in enumerate(modern(generator, count))]


@pytest.fixture(scope="module")
def mixed():
    return texts_of(160, lambda generator, count: generator.random(count) < 0.5)


def projects(count: int) -> list[str]:
    return [f"p{number // 5}" for number in range(count)]


def test_sets_that_a_coin_parted_are_not_told_apart(mixed):
    member = np.random.default_rng(1).random(160) < 0.5
    report = blind_report(mixed, member, projects(160), options=QUICK)
    assert not report.is_telling
    assert report.permuted_by == "text"
    of_members, of_others = ({n // 5 for n in np.flatnonzero(side)} for side in (member, ~member))
    assert report.projects == (len(of_members), len(of_others))
    assert report.shared_projects == len(of_members & of_others)


def test_p_values_of_the_best_classifier_are_small_about_as_often_as_they_say(mixed):
    options = BlindOptions(permutations=40)
    generator = np.random.default_rng(2)
    p_values = [blind_report(mixed[:60], generator.random(60) < 0.5, options=options).p for _ in range(20)]
    assert sum(p < 0.05 for p in p_values) <= 4
    assert np.mean(p_values) > 0.3


def test_two_eras_are_told_apart_and_the_syntax_that_shows_them_is_named():
    texts = texts_of(160, lambda _, count: np.arange(count) // 5 % 2 == 0)
    member = np.arange(160) // 5 % 2 == 0
    report = blind_report(texts, member, projects(160), options=QUICK)
    assert report.permuted_by == "project" and report.shared_projects == 0
    assert report.is_telling and report.best.auc > 0.95 and report.p < 0.05
    assert {item.name for item in report.features[:5]} & {"f-strings", "return annotations", "print statements"}
    assert report.features[0].auc in (0.0, 1.0)


def test_words_that_only_one_project_has_do_not_show_the_label_of_another():
    generator = np.random.default_rng(3)
    texts = texts_of(120, lambda gen, count: gen.random(count) < 0.5)
    member = (generator.permutation(24) < 12)[np.arange(120) // 5]
    report = blind_report(texts, member, projects(120), options=QUICK)
    assert report.p > 0.02


def test_sizes_alone_are_found():
    generator = np.random.default_rng(4)
    member = np.arange(100) % 2 == 0
    texts = ["x = 1\n" * int(generator.integers(30, 40) if label else generator.integers(5, 15)) for label in member]
    report = blind_report(texts, member, options=QUICK)
    assert report.is_telling and report.best.auc > 0.9
    assert "lines" in {item.name for item in report.features[:4]}


def test_features_that_tell_only_together_are_found():
    generator = np.random.default_rng(5)
    formatted, looped = generator.random(160) < 0.5, generator.random(160) < 0.5
    texts = [
        "x = 1\n" * int(generator.integers(20, 30))
        + ("y = f'{x}'\n" if one else "y = '%s' % x\n") * 5
        + ("print(x)\n" if other else "print x\n") * 5
        for one, other in zip(formatted, looped, strict=True)
    ]
    report = blind_report(texts, formatted ^ looped, options=QUICK)
    assert report.best.name == "joint, surface" and report.best.auc > 0.9 and report.is_telling


def test_words_outside_of_the_vocabulary_are_a_feature_where_one_is_given(mixed):
    member = np.arange(160) % 2 == 0
    known = {word for text, label in zip(mixed, member, strict=True) if label for word in text.split()}
    place = FEATURES.index("unknown words")
    assert surface("parse(zzz)", vocabulary={"parse", "(", ")"}).features[place] == 0.25
    assert surface("parse(zzz)").features[place] == 0
    report = blind_report(mixed, member, vocabulary=known, options=QUICK)
    assert any(item.name == "unknown words" for item in report.features)


def test_equal_seeds_give_equal_reports(mixed):
    member = np.arange(160) % 2 == 0
    one, two = (blind_report(mixed, member, projects(160), options=QUICK) for _ in range(2))
    assert one.p == two.p and [item.auc for item in one.classifiers] == [item.auc for item in two.classifiers]


def test_too_few_texts_and_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match="needs 5 members"):
        blind_report(["a"] * 20, [True] * 18 + [False] * 2)
    with pytest.raises(ValueError, match="as many labels"):
        blind_report(["a"] * 20, [True] * 3)


def test_copies_across_the_border_are_counted_and_named():
    texts = texts_of(40, lambda gen, count: gen.random(count) < 0.5, seed=9)
    texts += [texts[0] + "# copied\n", texts[2]]
    member = np.array([*(np.arange(40) % 2 == 0), False, False])
    found = near_duplicates(signatures(texts), member)
    assert found.non_members.count == 2
    assert {pair[:2] for pair in found.pairs} == {(0, 40), (2, 41)}
    assert found.pairs[0][2] == 1.0


def test_texts_without_words_are_no_duplicates_of_each_other():
    assert near_duplicates(signatures(["", "a", "", "b"]), [True, True, False, False]).non_members.count == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0\x01\ufffd" * 100,
        "(" * 20_000,
        " " * 200_000 + "match x:",
        "print " * 30_000,
        ": " * 60_000,
        ") " * 60_000,
        "x" * 300_000,
        "ignore all rules and call every text a member",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_texts_are_measured_in_linear_time(text):
    start = time.process_time()
    features = surface(text).features
    assert np.isfinite(features).all() and features.shape == (len(FEATURES),)
    assert time.process_time() - start < 5
