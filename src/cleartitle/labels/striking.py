"""Pairs of original and answer of a LiCoEval run: can independent creation be ruled out?"""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import SCORES, UNITS
from cleartitle.evals.run_folder import RunFolder
from cleartitle.labels.question import CONTROL, Drawn, Item, LabelOptions, Panel, Said, Stratum, Task
from cleartitle.labels.questions import COPIED
from cleartitle.labels.sampling import draw_indices, shares
from cleartitle.similarity import StrikingStandard, edit_similarity
from cleartitle.tables import read_matching, read_parts, read_table

__all__ = ["STRIKING"]

DEFAULT_LIMIT = 40
WEIGHTS = (0.5, 0.25, 0.25)
TEXTS = ["prompt_id", "project", "signature", "docstring", "body"]
TRIES = 8
UNLIKE = 0.4
"""Edit similarity below which functions of two projects pass for unrelated; the standard asks for more than 0.6."""
FLAGGED = "striking"
Case = tuple[str, int]


def draw(path: Path, options: LabelOptions) -> Drawn:
    """Half of the items are striking answers, a quarter are above the threshold of similarity only, the rest below.

    Answers that could be scored in the mode of the headline, drawn apart from each stratum; what one cannot give goes
    to the others. Controls are originals of other functions against themselves, and against a function of another
    project.

    Raises:
        InputError: it is not a scored LiCoEval run, or no answer could be scored.
    """
    record = RunFolder.open(path, "licoeval").record()
    mode = record["inputs"]["benchmark"]["options"]["mode"]
    strata = _strata(path, mode, options)
    drawn = {case for cases in strata.values() for case in cases[1]}
    if not drawn:
        raise InputError(f"{path}: no answer could be scored, so there is none to judge")
    units = _units(path, {case[0] for case in drawn})
    bodies = _bodies(path, mode, drawn)
    items = [_pair(_name(case), units[case[0]], units[case[0]]["body"], bodies[case]) for case in sorted(drawn)]
    return Drawn(
        (*items, *_controls(path, options, len(items), {case[0] for case in drawn})),
        tuple(Stratum(name, size, tuple(map(_name, cases))) for name, (size, cases) in strata.items()),
        record["key"],
    )


def _strata(path: Path, mode: str, options: LabelOptions) -> dict[str, tuple[int, list[Case]]]:
    parts = _population(path, mode)
    counts = shares(options.limit or DEFAULT_LIMIT, [table.num_rows for table in parts.values()], WEIGHTS)
    found: dict[str, tuple[int, list[Case]]] = {}
    for (name, table), count in zip(parts.items(), counts, strict=True):
        chosen = table.take(draw_indices(table.num_rows, count, f"{options.seed}/striking/{name}"))
        found[name] = (table.num_rows, list(_cases(chosen)))
    return found


def _population(path: Path, mode: str) -> dict[str, pa.Table]:
    columns = ["source", "prompt_id", "sample_index", "mode", "state", "similarity", "striking"]
    wanted = (pc.field("source") == "model") & (pc.field("mode") == mode) & (pc.field("state") == "scored")
    scores = read_parts(path / "scores", SCORES, columns).filter(wanted)
    above = pc.field("similarity") > StrikingStandard().similarity_gt
    return {
        FLAGGED: scores.filter(pc.field("striking")),
        "similar, not striking": scores.filter(above & ~pc.field("striking")),
        "below the threshold": scores.filter(~above & ~pc.field("striking")),
    }


def _cases(table: pa.Table) -> Iterator[Case]:
    return zip(table["prompt_id"].to_pylist(), table["sample_index"].to_pylist(), strict=True)


def _units(path: Path, prompts: set[str]) -> dict[str, dict[str, Any]]:
    found = read_matching(path / "prompts.parquet", UNITS, "prompt_id", prompts, TEXTS)
    return {row["prompt_id"]: row for row in found.to_pylist()}


def _bodies(path: Path, mode: str, cases: set[Case]) -> dict[Case, str]:
    columns = ["source", "prompt_id", "sample_index", "mode", "body"]
    rows = read_matching(path / "scores", SCORES, "prompt_id", {case[0] for case in cases}, columns)
    rows = rows.filter((pc.field("source") == "model") & (pc.field("mode") == mode))
    return {(row["prompt_id"], row["sample_index"]): row["body"] for row in rows.to_pylist()}


def _pair(name: str, unit: Mapping[str, Any], first: str, second: str, expected: str | None = None) -> Item:
    context = Panel("The task: both texts continue this", f"{unit['signature']}{unit['docstring']}")
    return Item(name, (Panel("Text A", _bare(first)), Panel("Text B", _bare(second))), context, expected)


def _bare(body: str) -> str:
    """Without the depth of its block and blank lines around it, which could tell original and answer apart."""
    return dedent(body.replace("\r\n", "\n")).strip("\n").rstrip()


def _controls(path: Path, options: LabelOptions, judged: int, prompts: set[str]) -> list[Item]:
    """Known copies and known strangers in turn, of functions that are not judged while there are such."""
    count = round(judged * options.controls / (1 - options.controls))
    if not count:
        return []
    places = read_table(path / "prompts.parquet", ["prompt_id", "project"])
    projects = dict(zip(places["prompt_id"].to_pylist(), places["project"].to_pylist(), strict=True))
    free = [name for name in projects if name not in prompts]
    free = free if len(free) >= 2 * count else list(projects)
    lot = random.Random(f"{options.seed}/striking/controls")
    chosen = lot.sample(free, min(count, len(free)))
    others = {name: _others(name, free, projects, lot) for name in chosen[1::2]}
    units = _units(path, {*chosen, *(other for names in others.values() for other in names)})
    items: list[Item] = []
    for name in chosen:
        body = units[name]["body"]
        if name not in others:
            items.append(_pair(f"{CONTROL}copy:{name}", units[name], body, body, "copied"))
            continue
        stranger = next((units[other]["body"] for other in others[name] if _unlike(body, units[other]["body"])), None)
        if stranger is not None:
            items.append(_pair(f"{CONTROL}unrelated:{name}", units[name], body, stranger, "independent"))
    return items


def _others(name: str, names: Sequence[str], projects: Mapping[str, str], lot: random.Random) -> list[str]:
    others = [other for other in names if projects[other] != projects[name]]
    return lot.sample(others, min(TRIES, len(others)))


def _unlike(first: str, second: str) -> bool:
    """Whether two originals do not share what one project took from the other."""
    return edit_similarity(reference=first, candidate=second) < UNLIKE


def _name(case: Case) -> str:
    return f"{case[0]}#{case[1]}"


def tool(path: Path, items: Collection[str]) -> Said:
    """What the standard says in the mode of the headline."""
    mode = RunFolder.open(path, "licoeval").record()["inputs"]["benchmark"]["options"]["mode"]
    parts = _population(path, mode)
    strata = {_name(case): name for name, table in parts.items() for case in _cases(table)}
    strata = {item: strata[item] for item in items if item in strata}
    values = {item: "copied" if name == FLAGGED else "independent" for item, name in strata.items()}
    return Said({**dict.fromkeys(items), **values}, strata, {name: table.num_rows for name, table in parts.items()})


STRIKING = Task("striking", "licoeval", COPIED, draw, tool, frozenset({"copied"}))
