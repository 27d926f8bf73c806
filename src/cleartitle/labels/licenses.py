"""Texts that may name a license: answers of a model, and headers of files. Which license do they name?"""

import random
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.corpus import CONTENTS
from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.tables import GENERATIONS
from cleartitle.files import sha256_file
from cleartitle.labels.question import CONTROL, Drawn, Item, LabelOptions, Panel, Said, Stratum, Task
from cleartitle.labels.questions import NAMES_LICENSE
from cleartitle.labels.sampling import draw_indices, sample_size
from cleartitle.licenses import lookup, parse_answer
from cleartitle.tables import read_matching, read_parts

__all__ = ["HEADER", "LICENSE"]

HEADER_LINES = 120
KNOWN = ("MIT", "Apache-2.0", "BSD-3-Clause", "GPL-3.0-only", "LGPL-2.1-or-later", "MPL-2.0", "ISC", "AGPL-3.0-only")
ANSWERS = "answers to the license question"
HEADERS = "files with a license in the header"
SILENT = (
    "I cannot see where this code comes from.",
    "Helpers for reading tables. See the manual for examples.",
    "This file is part of the test suite.",
)


def draw_answers(path: Path, options: LabelOptions) -> Drawn:
    """Answers of a model to the license question.

    Raises:
        InputError: it is not a LiCoEval run, or holds no such answer.
    """
    key = RunFolder.open(path, "licoeval").key
    answers = read_parts(path / "followups", GENERATIONS, ["prompt_id", "text", "status"])
    answers = answers.filter(pc.field("status") != "error")
    if not answers.num_rows:
        raise InputError(f"{path}: no license was asked for, because no answer is striking, or each call failed")
    chosen = answers.take(_indices(answers.num_rows, options, "license")).to_pylist()
    items = [Item(row["prompt_id"], (Panel("Answer to: what is the license?", row["text"]),)) for row in chosen]
    return _drawn(items, answers.num_rows, ANSWERS, key, options)


def tool_answers(path: Path, items: Collection[str]) -> Said:
    """What `cleartitle.licenses.parse_answer` reads in the answers."""
    names = read_parts(path / "followups", GENERATIONS, ["status"]).filter(pc.field("status") != "error")
    rows = read_matching(path / "followups", GENERATIONS, "prompt_id", items, ["prompt_id", "text"]).to_pylist()
    values: dict[str, str | None] = {}
    for row in rows:
        read = parse_answer(row["text"])
        values[row["prompt_id"]] = read.expression or ("several" if read.status == "ambiguous" else "none")
    return _said(items, values, names.num_rows, ANSWERS)


def draw_headers(path: Path, options: LabelOptions) -> Drawn:
    """Leading comments of files of a corpus in which a license was read: LiCoEval's check (section IV-B2).

    Raises:
        InputError: it is no corpus, or no header of it names a license.
    """
    if not (path / "corpus.json").is_file():
        raise InputError(f"{path}: holds no corpus; mend: name the folder that `cleartitle corpus build` wrote")
    names = read_parts(path / "contents", CONTENTS, ["swhid", "header_license"])
    names = names.filter(pc.field("header_license").is_valid())
    if not names.num_rows:
        raise InputError(f"{path}: no header names a license, so there is nothing to check")
    chosen = names["swhid"].take(_indices(names.num_rows, options, "header")).to_pylist()
    columns = ["swhid", "text", "header_end_line"]
    rows = read_matching(path / "contents", CONTENTS, "swhid", set(chosen), columns).to_pylist()
    items = [
        Item(row["swhid"], (Panel("Start of a file", _head(row["text"], row["header_end_line"])),)) for row in rows
    ]
    key = sha256_file(path / "corpus.json")[:16]
    return _drawn(items, names.num_rows, HEADERS, key, options)


def tool_headers(path: Path, items: Collection[str]) -> Said:
    """What `cleartitle.licenses.detect` read in the headers when the corpus was built."""
    columns = ["swhid", "header_license"]
    names = read_parts(path / "contents", CONTENTS, columns).filter(pc.field("header_license").is_valid())
    judged = names.filter(pc.field("swhid").isin(pa.array(sorted(items), pa.string()))).to_pylist()
    return _said(items, {row["swhid"]: row["header_license"] for row in judged}, names.num_rows, HEADERS)


def _said(items: Collection[str], values: Mapping[str, str | None], size: int, stratum: str) -> Said:
    return Said({**dict.fromkeys(items), **values}, dict.fromkeys(values, stratum), {stratum: size})


def _head(text: str, end: int) -> str:
    return "".join(text.splitlines(keepends=True)[: min(max(end, 1), HEADER_LINES)])


def _indices(size: int, options: LabelOptions, name: str) -> npt.NDArray[np.int64]:
    return draw_indices(size, options.limit or sample_size(size, options.margin), f"{options.seed}/{name}")


def _drawn(items: Sequence[Item], size: int, name: str, run: str, options: LabelOptions) -> Drawn:
    stratum = Stratum(name, size, tuple(item.id for item in items))
    title = items[0].panels[0].title
    return Drawn((*items, *_controls(title, len(items), options)), (stratum,), run)


def _controls(title: str, judged: int, options: LabelOptions) -> list[Item]:
    """Texts that name a license in full, and texts that name none, in turn."""
    count = round(judged * options.controls / (1 - options.controls))
    lot = random.Random(f"{options.seed}/license/controls")
    items: list[Item] = []
    for number in range(count):
        if number % 2:
            text, expected = lot.choice(SILENT), "none"
        else:
            expected = lot.choice(KNOWN)
            text = f"{lookup(expected).name} ({expected})."
        items.append(Item(f"{CONTROL}{expected}:{number}", (Panel(title, text),), None, expected))
    return items


LICENSE = Task("license", "licoeval", NAMES_LICENSE, draw_answers, tool_answers, None)
HEADER = Task("header", "corpus", NAMES_LICENSE, draw_headers, tool_headers, None)
