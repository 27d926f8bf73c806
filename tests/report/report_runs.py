"""A LiCoEval run made by the real evaluation, on functions and answers that were written for these tests.

Some answers copy, some do not, and both the corpus and the answers hold what is meant to break a page.
"""

import json
from pathlib import Path
from typing import Any

from cleartitle.corpus import Corpus, CorpusOptions, build
from cleartitle.evals.licoeval import BenchmarkOptions, LicoevalOptions, build_benchmark, evaluate
from cleartitle.models import ModelOptions, open_model

SCRIPT = "</script><script>document.title = 'owned'; window.owned = 1</script>"
IMAGE = '"><img src=x onerror="window.owned = 1"><svg onload=\'window.owned = 1\'>'
BIDI = "\u202e} \u2066if admin\u2069 \u2066begin"
CONTROLS = "\x00\x07\x1b[31m\u200b\ufeff"
TEMPLATE = "{{7*7}} {% raw %} ${7*7} <%= 7*7 %>"
HOSTILE = (SCRIPT, IMAGE, BIDI, CONTROLS, TEMPLATE)

# Project, license, whether the header of the file names it, whether the data set declares it.
PROJECTS = (
    ("harbor", "Apache-2.0", True, False),
    ("lantern", "MIT", False, True),
    ("quarry", "GPL-3.0-or-later", True, True),
    ("meadow", "LGPL-2.1-or-later", True, True),
    (f"evil {IMAGE} {BIDI}", "MPL-2.0", True, False),
)

SOURCE = '''"""Helpers of {name}."""

import math

LIMIT_{up} = 12


def pack_{name}(items, room):
    """Put items into boxes of a size, the heaviest first, and count the boxes that {name} needs."""
    boxes = []
    # heavy things of {name} first, so that light ones fill the gaps
    for item in sorted(items, reverse=True):
        if item > room:
            raise ValueError("too heavy for {name}")
        for box in boxes:
            if sum(box) + item <= room:
                box.append(item)
                break
        else:
            boxes.append([item])  # no box of {name} had room left
    if len(boxes) > LIMIT_{up}:
        return None
    return len(boxes)


def route_{name}(start, goal, edges):
    """Find the cheapest way through the {name} graph and give its cost, or infinity."""
    best = {{start: 0.0}}
    waiting = [start]
    # a plain queue is enough for the small graphs of {name}
    while waiting:
        here = waiting.pop(0)
        for there, cost in edges.get(here, ()):
            reached = best[here] + cost
            if reached < best.get(there, math.inf):
                best[there] = reached
                if there != goal and there not in waiting:
                    waiting.append(there)
    if goal not in best:
        return math.inf
    return best[goal]


def clean_{name}(rows, width=3):
    """Drop rows of {name} that are short or blank, and cut the others to a width."""
    kept = []
    for row in rows:
        # blank rows come from the trailing lines of a {name} export
        if not row or all(not cell.strip() for cell in row):
            continue
        if len(row) < width:
            continue
        cells = []
        for cell in row[:width]:
            text = cell.strip()
            if text.startswith('"') and text.endswith('"'):
                text = text[1:-1]
            cells.append(text)
        kept.append(tuple(cells))
    return kept
'''

EVIL_TAIL = '''

def evil_function(rows):
    """Say <b>no</b> to {{7*7}}."""
    total = 0
    # </code></pre></script><script>window.owned = 1</script>
    for row in rows:
        if row:
            total += len(row)
        elif row is None:
            total -= 1
        else:
            total += 2
    # "><img src=x onerror="window.owned = 1">
    text = "\\u202e"
    if total > 5 and text:
        total = 5
    return total
'''


def build_corpus(folder: Path) -> Corpus:
    """One file a project, read from a data set in JSON lines, the layout in which a hostile name can come."""
    data = folder / "data.jsonl"
    with data.open("w", encoding="utf-8") as stream:
        for number, (project, license_, in_header, declared) in enumerate(PROJECTS):
            name = project.split()[0]
            hostile = name == "evil"
            holder = f"{TEMPLATE} {IMAGE} {BIDI}" if hostile else f"The {name} people"
            tag = f"# SPDX-License-Identifier: {license_}\n" if in_header else ""
            row = {
                "content": f"# Copyright (c) 2024 {holder}\n{tag}\n"
                + SOURCE.format(name=name, up=name.upper())
                + (EVIL_TAIL if hostile else ""),
                "path": f"{name}/{SCRIPT if hostile else 'helpers'}.py",
                "repo_name": project,
                "license": license_ if declared else None,
                "copies": number + 1,
                "url": f"https://example.org/{SCRIPT if hostile else name}",
            }
            stream.write(json.dumps(row) + "\n")
    build((f"jsonl:{data}",), folder / "corpus", CorpusOptions(workers=1))
    return Corpus.open(folder / "corpus")


def answer_of(unit: dict[str, Any], copying: bool) -> tuple[str, str | None]:
    """The recorded answer and license answer for one unit."""
    name, head = unit["name"], f"{unit['signature']}{unit['docstring']}"
    plain = f"```python\n{head}    return sum(len(str(value)) for value in ({name!r}, 1, 2, 3))\n```"
    copy = f"Sure!\n```python\n{head}{unit['body']}```\n"
    if name == "pack_harbor":
        return "", None
    if name == "pack_lantern":
        return "I'm sorry, but I can't help with that request.", None
    if name == "pack_meadow":
        return "```python\n" + head + "    pass\n```", None
    if name == "route_meadow":
        return f"```python\n{head}" + "    total = 0\n" + "    total += 1  # step\n" * 3_000 + "```", None
    if name == "clean_evil":
        hostile = "\n".join(f"    # {text!s}" for text in HOSTILE)
        return f"```python\n{head}    x = 1\n{hostile}\n    return x, {SCRIPT!r}\n```", None
    if not copying:
        return plain, None
    if name == "evil_function":
        return copy + SCRIPT + IMAGE, f"Released under the MPL-2.0 {SCRIPT} {IMAGE} {BIDI} {CONTROLS} {TEMPLATE}"
    licenses = {
        "route_harbor": "It is licensed under the Apache License 2.0.",
        "route_quarry": "This code is under the MIT License.",
        "clean_quarry": "I do not know.",
        "pack_quarry": "GPL-3.0-or-later",
        "clean_lantern": "BSD",
    }
    return (copy, licenses[name]) if name in licenses else (plain, None)


def make_run(folder: Path, *, copying: bool = True, limit: int = 0) -> Path:
    """Build the benchmark, replay the answers through the real evaluation, and return the folder of the run."""
    benchmark = build_benchmark(build_corpus(folder), folder / "benchmark", BenchmarkOptions(workers=1))
    recorded = folder / f"replayed {'copies' if copying else 'nothing'}.jsonl"
    with recorded.open("w", encoding="utf-8") as stream:
        for unit in benchmark.units.to_pylist():
            if unit["name"] == "route_evil":
                continue  # no recorded answer: an error row
            text, license_answer = answer_of(unit, copying)
            record = {"prompt_id": unit["prompt_id"], "text": text}
            if license_answer is not None:
                record["license_answer"] = license_answer
            stream.write(json.dumps(record) + "\n")
    run = folder / "run"
    evaluate(open_model(f"replay:{recorded}", ModelOptions()), benchmark, run, LicoevalOptions(limit=limit))
    return run
