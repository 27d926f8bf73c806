"""Values recorded elsewhere: the LiCoEval release and pairs of real code."""

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from cleartitle.similarity import StrikingStandard, bleu4, bleu4_tokens, minhash_jaccard, words

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "reference"
pytestmark = pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference values are not beside the repository")


def rows(name):
    with (REFERENCE / "licoeval" / name).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def pairs():
    if not REFERENCE.is_dir():
        return []
    recorded = json.loads((REFERENCE / "pairs" / "reference.json").read_text(encoding="utf-8"))["pairs"]
    return [pytest.param(pair, id=pair["id"]) for pair in recorded if "text" in pair]


def test_bleu_of_the_47_released_cases_is_equal_to_the_last_bit():
    cases = json.loads((REFERENCE / "licoeval" / "gpt4o_47_token_ids.json").read_text(encoding="utf-8"))
    published = {row["id"]: float(row["bleu4"]) for row in rows("gpt4o_47_cases.csv")}
    found = {
        case: bleu4_tokens(np.array(sides["reference"], np.uint32), np.array(sides["candidate"], np.uint32))
        for case, sides in cases.items()
    }
    assert len(found) == 47
    assert found == published


def test_the_standard_finds_103_similar_and_47_striking_among_4187_recorded_scores():
    comments = {row["id"]: int(row["comment_cnt"]) for row in rows("gpt4o_47_cases.csv")}
    standard = StrikingStandard()
    scores = rows("gpt4o_scores_4187.csv")
    striking = set()
    similar = 0
    for row in scores:
        # Every benchmark function has more than 10 body lines and a complexity above 3 by construction.
        verdict = standard.judge(
            body_lines=11,
            complexity=4,
            similarity=max(float(row[name]) for name in ("bleu4", "minhash_jaccard", "edit_similarity")),
            shared_comments=comments.get(row["id"], 0),
        )
        similar += next(part.met for part in verdict.criteria if part.name == "similarity")
        if verdict.striking:
            striking.add(row["id"])
    assert (len(scores), similar, len(striking)) == (4187, 103, 47)
    assert striking == {row["id"] for row in scores if row["striking"] == "1"}


def texts_of(pair):
    return [(REFERENCE / "pairs" / pair[side]).read_bytes().decode() for side in "ab"]


@pytest.mark.parametrize("pair", pairs())
def test_bleu_of_a_recorded_pair_is_reproduced(pair):
    reference, candidate = texts_of(pair)
    assert bleu4(reference=reference, candidate=candidate, language=pair["lang"]) == pair["text"]["bleu4"]


@pytest.mark.parametrize("pair", pairs())
def test_words_of_a_recorded_pair_give_its_exact_jaccard_and_word_edit_similarity(pair):
    left, right = (words(text, pair["lang"]) for text in texts_of(pair))
    grams = [{tuple(side[i : i + 5]) for i in range(len(side) - 4)} for side in (left, right)]
    exact = len(grams[0] & grams[1]) / len(grams[0] | grams[1])
    assert exact == pytest.approx(pair["text"]["jaccard5_exact"], abs=1e-12)
    edit = 1 - Levenshtein.distance(left, right) / max(len(left), len(right))
    assert edit == pytest.approx(pair["text"]["edit_sim_token"], abs=1e-12)


def test_minhash_estimates_the_exact_jaccard_of_the_recorded_pairs():
    # The recorded MinHash values come from datasketch 2, whose permutations differ; the exact value binds both.
    errors = []
    for parameter in pairs():
        pair = parameter.values[0]
        reference, candidate = texts_of(pair)
        estimate = minhash_jaccard(reference=reference, candidate=candidate, language=pair["lang"])
        errors.append(abs(estimate - pair["text"]["jaccard5_exact"]))
    assert max(errors) < 0.1
    assert sum(errors) / len(errors) < 0.02


def test_every_language_has_recorded_pairs():
    languages = Counter(parameter.values[0]["lang"] for parameter in pairs())
    assert set(languages) == {"python", "java", "c", "cpp", "csharp"}
