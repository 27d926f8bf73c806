"""Self-written functions in any number, unlike each other, for the tests of the study."""

import random
from pathlib import Path

from cleartitle.corpus import Corpus, CorpusOptions, build

NOUNS = (
    "barley lantern harbor violin saddle copper meadow anchor thistle ledger orchard kettle pigeon bramble quarry "
    "ribbon walnut glacier tannery sparrow cellar juniper mortar fathom pebble cradle hamlet trellis gable otter"
).split()
VERBS = (
    "gather weigh mend polish count ferry stack sort brew carve glean haul knead plant shear sift thresh wind".split()
)


def function(seed: int, *, docstring: bool = True, comment: bool = True, lines: int = 14) -> str:
    """A function of its own, whose words come from ``seed``; more than 10 lines of body, complexity 5 by default."""
    draw = random.Random(seed)
    a, b, c, d, e = draw.sample(NOUNS, 5)
    verb, second = draw.sample(VERBS, 2)
    number = draw.randrange(3, 97)
    head = f"def {verb}_{a}_{seed}({b}, {c}={number}):\n"
    text = f'    """{verb.capitalize()} the {a} of each {b} before the {d} is {second}ed."""\n' if docstring else ""
    remark = f"    # the {e} goes to {a} number {number}, never to a {c}\n" if comment else ""
    body = [
        f"    {d} = []",
        f"    {e} = {number * 7}",
        f"    for {a} in {b}:",
        f"        if {a} is None or {a} in {d}:",
        f"            {e} -= {c}",
        f"        elif len({a}) > {number + 1}:",
        f"            {d}.append({a}.strip('{verb}'))",
        "        else:",
        f"            {e} += {number + 5}",
        f"    while {e} > {number} and {d}:",
        f"        {e} -= len({d}.pop())",
        f"    {second} = [{a} for {a} in {d} if {a} != '{c}']",
        f"    {second}.sort(key=lambda {a}: (len({a}), '{e}'))",
        f"    return {second}, {e} * {number}",
    ]
    return head + text + remark + "\n".join(body[: lines - 1] + body[-1:]) + "\n"


def build_corpus(folder: Path, texts: dict[str, str]) -> Corpus:
    """A corpus of these files in one project."""
    (folder / "sources").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "sources" / f"{name}.py").write_text(text, encoding="utf-8")
    build([f"folder:{folder / 'sources'}"], folder / "corpus", CorpusOptions(workers=1))
    return Corpus.open(folder / "corpus")


def corpus_of_functions(folder: Path, seeds: range) -> Corpus:
    """One file a function."""
    return build_corpus(folder, {f"file{seed}": "import os\n\n\n" + function(seed) for seed in seeds})
