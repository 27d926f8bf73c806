"""Scoring rate of the text measures on one core, beside NLTK, datasketch and rapidfuzz doing the same.

Run: python benchmarks/similarity.py [--part text|programs|all] [--smoke] [--pairs N] [--files N]. The part `programs`
is described in programs.py beside this file. The texts are functions of Python's standard library, each
against itself with its names changed. datasketch 1.x is compared when it is installed (2.x hashes otherwise). Times
are processor seconds of this process, the best of several rounds.
"""

import argparse
import sysconfig
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import programs
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from pygments.lexers.python import PythonLexer
from rapidfuzz.distance import Levenshtein

from cleartitle.code import rename_identifiers, units
from cleartitle.similarity import Prepared, bleu4_prepared, edit_prepared, minhash_prepared, regex_tokens, words

MODULES = ("argparse.py", "inspect.py", "shutil.py", "tarfile.py", "turtle.py", "typing.py", "zipfile.py", "doctest.py")


def bodies(count: int) -> list[tuple[str, str]]:
    """Pairs of a function body of 20 lines or more and the same with other names."""
    found: list[tuple[str, str]] = []
    for name in MODULES:
        path = Path(sysconfig.get_path("stdlib")) / name
        if not path.is_file():  # a package in later versions
            continue
        text = path.read_text(encoding="utf-8")
        for unit in units(text):
            if unit.body_lines >= 20 and not unit.is_nested:
                found.append((unit.body, rename_identifiers(unit.body, seed=1)))
    return found[:count]


def seconds_each(work: Callable[[Any], object], items: list[Any], rounds: int) -> float:
    """Best processor time of one item over some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for item in items:
            work(item)
        best = min(best, (time.process_time() - start) / len(items))
    return best


def plain_words(text: str) -> list[str]:
    """The words as the release of LiCoEval cuts them, with Pygments as it is."""
    return " ".join([value for _, value in PythonLexer().get_tokens(text)]).split()


def report(label: str, ours: float, theirs: float, peer: str, difference: float) -> None:
    print(
        f"{label:<32} {1 / ours:>9,.0f}/s {peer:<16} {1 / theirs:>9,.0f}/s  "
        f"{theirs / ours:>6.1f} times   largest difference {difference:.1e}"
    )


def prepare_both(pair: tuple[str, str]) -> tuple[Prepared, Prepared]:
    return Prepared(pair[0]), Prepared(pair[1])


def with_words(pair: tuple[str, str]) -> tuple[Prepared, Prepared]:
    """Both texts with their tokens cut and nothing else done."""
    left, right = prepare_both(pair)
    for side in (left, right):
        assert side.words is not None
        side.edit_tokens()
    return left, right


def nltk_bleu(pair: tuple[list[str], list[str]]) -> float:
    return float(sentence_bleu([pair[0]], pair[1], smoothing_function=SmoothingFunction().method4))


def datasketch_minhash(minhash: Any, pair: tuple[list[str], list[str]]) -> float:
    sketches = []
    for side in pair:
        sketch = minhash(num_perm=256)
        for start in range(len(side) - 4):
            sketch.update(" ".join(side[start : start + 5]).encode())
        sketches.append(sketch)
    return float(sketches[0].jaccard(sketches[1]))


def datasketch_batch(minhash: Any, pair: tuple[list[str], list[str]]) -> float:
    sketches = []
    for side in pair:
        sketch = minhash(num_perm=256)
        sketch.update_batch([" ".join(side[start : start + 5]).encode() for start in range(len(side) - 4)])
        sketches.append(sketch)
    return float(sketches[0].jaccard(sketches[1]))


def rapidfuzz_edit(pair: tuple[list[str], list[str]]) -> float:
    return float(Levenshtein.normalized_similarity(*pair))


def difference_of(ours: list[float], theirs: list[float]) -> float:
    return float(np.max(np.abs(np.array(ours) - np.array(theirs))))


def fresh(measure: Callable[[Prepared, Prepared], float], pair: tuple[str, str], tokens: Any) -> float:
    """A measure on texts whose words are cut already, all later steps included."""
    left, right = prepare_both(pair)
    for side, known in zip((left, right), tokens, strict=True):
        side.__dict__["words"] = known
    return measure(left, right)


def compare(
    label: str,
    measure: Callable[[Prepared, Prepared], float],
    peer: str,
    other: Callable[[Any], float],
    pairs: list[tuple[str, str]],
    cut: Callable[[str], list[str]],
    rounds: int,
) -> None:
    tokens = [(cut(left), cut(right)) for left, right in pairs]
    ours = [measure(*prepare_both(pair)) for pair in pairs]
    difference = difference_of(ours, [other(pair) for pair in tokens])
    cut_words = cut is words
    if cut_words:
        items = list(zip(pairs, tokens, strict=True))
        alone = seconds_each(lambda item: fresh(measure, *item), items, rounds)
    else:
        alone = seconds_each(lambda item: measure(*item), [with_words(pair) for pair in pairs], rounds)
    report(f"{label}, tokens given", alone, seconds_each(other, tokens, rounds), peer, difference)
    whole = seconds_each(lambda pair: measure(*prepare_both(pair)), pairs, rounds)
    their_cut = plain_words if cut_words else cut
    theirs = seconds_each(lambda pair: other((their_cut(pair[0]), their_cut(pair[1]))), pairs, rounds)
    report(f"{label}, from text", whole, theirs, peer, difference)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few pairs once, to see that it runs")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--part", choices=("text", "programs", "all"), default="all")
    options = parser.parse_args()
    if options.part != "text":
        programs.run(20 if options.smoke else options.files, peers=not options.smoke)
    if options.part == "programs":
        return
    pairs = bodies(5 if options.smoke else options.pairs)
    rounds = 1 if options.smoke else 3
    lengths = [len(words(left)) for left, _ in pairs]
    print(f"{len(pairs)} pairs, {int(np.median(lengths))} words in the median text, one core")
    cutting = seconds_each(lambda pair: (words(pair[0]), words(pair[1])), pairs, rounds)
    plain = seconds_each(lambda pair: (plain_words(pair[0]), plain_words(pair[1])), pairs, rounds)
    unequal = sum(words(text) != plain_words(text) for pair in pairs for text in pair)
    report("cutting both texts into words", cutting, plain, "Pygments", float(unequal))
    compare("BLEU-4", bleu4_prepared, "NLTK", nltk_bleu, pairs, words, rounds)
    try:
        import datasketch
    except ImportError:
        print("MinHash: datasketch is not installed, so it is not compared; mend: pip install 'datasketch<2'")
    else:
        for peer, other in (("datasketch", datasketch_minhash), ("datasketch batch", datasketch_batch)):
            compare("MinHash", minhash_prepared, peer, partial(other, datasketch.MinHash), pairs, words, rounds)
    compare("edit", edit_prepared, "rapidfuzz", rapidfuzz_edit, pairs, lambda text: regex_tokens(text.strip()), rounds)
    three = seconds_each(lambda pair: all_three(*prepare_both(pair)), pairs, rounds)
    print(f"{'all three, from text':<32} {1 / three:>9,.0f}/s")
    reference = {left: Prepared(left) for left, _ in pairs}
    for prepared in reference.values():
        all_three(prepared, prepared)
    kept = seconds_each(lambda pair: all_three(reference[pair[0]], Prepared(pair[1])), pairs, rounds)
    print(f"{'all three, reference kept':<32} {1 / kept:>9,.0f}/s")


def all_three(left: Prepared, right: Prepared) -> tuple[float, float, float]:
    return bleu4_prepared(left, right), minhash_prepared(left, right), edit_prepared(left, right)


if __name__ == "__main__":
    main()
