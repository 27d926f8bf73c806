"""Small corpora for the trace tests: programs made up for them."""

import random
from pathlib import Path

from cleartitle.corpus import CorpusOptions, build

NAMES = "account balance basket beacon cargo channel cursor depth engine ferry gauge harbor index joint kettle".split()
NAMES += "ladder margin needle orbit packet quarry rotor signal tunnel update vector window yield_rate zone".split()
CALLS = "append extend insert remove update pop sort index count copy split join strip replace format".split()
HEADERS = {
    "mit": "# SPDX-License-Identifier: MIT\n# Copyright 2020 Ada Example\n",
    "gpl": "# SPDX-License-Identifier: GPL-3.0-or-later\n# Copyright 2019 Grace Example\n",
}


def function(seed: int, lines: int = 14) -> str:
    """A made-up function: no two seeds share a run of words that is long enough to be found."""
    rng = random.Random(seed)
    names = rng.sample(NAMES, 8)
    number = lambda: str(rng.randrange(10_000))  # noqa: E731
    body = []
    for _ in range(lines):
        a, b, c = rng.sample(names, 3)
        body.append(
            rng.choice(
                [
                    f"    {a} = {b} * {number()} + {c}",
                    f"    if {a} > {number()} and {b} != {c}:\n        {a} -= {number()}",
                    f"    {a}.{rng.choice(CALLS)}({b}, {number()})",
                    f"    for {a} in range({b}, {number()}):\n        {c} += {a} % {number()}",
                    f"    {a} = [{b} for {b} in {c} if {b} < {number()}]",
                    f"    while {a} < {number()}:\n        {a} = {a} + {b} // {number()}",
                    f"    try:\n        {a} = {b}[{number()}]\n    except KeyError:\n        {a} = {c}",
                    f"    return_value = ({a}, {b} - {number()}, not {c})",
                ]
            )
        )
    return f"def {rng.choice(names)}_{seed}({', '.join(names)}):\n" + "\n".join(body) + f"\n    return {names[0]}\n"


def module(seed: int, header: str = "mit", functions: int = 4) -> str:
    return HEADERS[header] + "\n\n" + "\n\n".join(function(seed * 100 + number) for number in range(functions))


def make_corpus(folder: Path, files: dict[str, str], name: str = "corpus") -> Path:
    source = folder / f"{name}-source"
    for path, text in files.items():
        target = source / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    build([f"folder:{source}"], folder / name, CorpusOptions(workers=1))
    return folder / name
