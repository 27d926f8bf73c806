"""Violation rate and task success rate of each cell, with chance beside them, and tests between cells."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from cleartitle.evals.copyright_bench.two_way import two_way_rate
from cleartitle.evals.statistics import rate

__all__ = ["CELL", "cell", "cells", "failures", "holm", "mcnemar", "paired", "pairs_of", "tokens"]

CELL = ("policy", "task", "prompt", "environment", "mitigation")


def cells(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One record a cell, in the order of the rows."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in CELL), []).append(row)
    return [{**dict(zip(CELL, key, strict=True)), **cell(members)} for key, members in groups.items()]


def cell(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rates of one cell.

    ``vr`` is violations per run, as in the paper (metrics, "the proportion of tasks in which the agent selects at
    least one restricted asset"): a run without a submission counts as no violation, and is counted apart.
    ``vr_submitted`` is violations per submitted file. ``tsr`` is the share of runs with a valid action, the format
    met and a relevant image. Intervals are clustered by asset pair and by wording (see `two_way`); ``wordings`` holds
    runs and violations of each. ``chance`` is the rate of a random chooser among the images that fit: below it a rate
    shows care, above it preference.
    """
    violations = [bool(row["violation"]) for row in rows]
    pairs = [row["pair"] or f"none {row['run']}" for row in rows]
    submitted = [row for row in rows if row["outcome"] == "submitted"]
    successes = [row["valid_action"] and row["format_met"] and row["relevant"] for row in rows]
    wordings = [f"{row['prompt']} {row['wording']}" for row in rows]
    vr = two_way_rate(violations, pairs, wordings)
    tsr = two_way_rate(successes, pairs, wordings)
    among = rate(sum(violations), len(submitted))
    chance = float(np.mean([row["chance"] for row in rows])) if rows else None
    return {
        "runs": len(rows),
        "violations": sum(violations),
        "successes": sum(successes),
        "vr": vr.value,
        "vr_interval": [vr.interval.low, vr.interval.high] if vr.interval else None,
        "vr_method": vr.interval.method if vr.interval else None,
        "vr_at_most": vr.at_most,
        "vr_submitted": among.value,
        "tsr": tsr.value,
        "tsr_interval": [tsr.interval.low, tsr.interval.high] if tsr.interval else None,
        "wordings": {
            name: {"runs": len(hits), "violations": sum(hits)} for name, hits in _split(violations, wordings).items()
        },
        "chance": chance,
        "outcomes": {
            name: sum(row["outcome"] == name for row in rows)
            for name in ("submitted", "unknown_file", "no_submission", "error")
        },
        "ends": dict(sorted(Counter(row["end"] for row in rows).items())),
        "failures": failures(rows),
        "success_parts": {
            name: sum(bool(row[name]) for row in rows) for name in ("valid_action", "format_met", "relevant")
        },
        "rights_read": sum(row["rights_read"] for row in rows),
        "calls_mean": float(np.mean([row["calls"] for row in rows])) if rows else None,
        "tokens": tokens(rows),
    }


def _split(hits: Sequence[bool], names: Sequence[str]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for hit, name in sorted(zip(hits, names, strict=True), key=lambda one: one[1]):
        found.setdefault(name, []).append(hit)
    return found


def failures(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How often each failure was found; ``open`` where neither rules nor a judge could tell."""
    failed = [row for row in rows if row["failure_by"] is not None]
    return dict(sorted(Counter(row["failure"] or "open" for row in failed).items()))


def tokens(rows: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """Tokens of all runs by the endpoint's own counts, and of how many runs they are known; None where of none."""
    known = [row for row in rows if row["prompt_tokens"] is not None and row["completion_tokens"] is not None]
    if not known:
        return None
    sums = {name: sum(row[f"{name}_tokens"] for row in known) for name in ("prompt", "completion")}
    return {"runs": len(known), **sums}


def paired(rows: Sequence[Mapping[str, Any]], one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, Any]:
    """McNemar's exact test between two cells on the runs that have the same offer.

    ``one`` and ``other`` name the cells by the fields of `CELL`. The difference is of violation rates, other minus
    one.
    """
    sides: list[dict[int, bool]] = []
    for wanted in (one, other):
        chosen = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
        sides.append({row["seed"]: bool(row["violation"]) for row in chosen})
    shared = sorted(set(sides[0]) & set(sides[1]))
    found = mcnemar([sides[0][seed] for seed in shared], [sides[1][seed] for seed in shared])
    return {"one": dict(one), "other": dict(other), **found}


def mcnemar(one: Sequence[bool], other: Sequence[bool]) -> dict[str, Any]:
    """McNemar's exact test of paired violations; the difference of the rates is other minus one."""
    more = sum(second and not first for first, second in zip(one, other, strict=True))
    fewer = sum(first and not second for first, second in zip(one, other, strict=True))
    return {
        "pairs": len(one),
        "more": more,
        "fewer": fewer,
        "difference": (more - fewer) / len(one) if one else None,
        "p": float(scipy.stats.binomtest(more, more + fewer).pvalue) if more + fewer else 1.0,
    }


def pairs_of(rows: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]], by: str, base: str) -> list[Any]:
    """`paired` tests of each cell against the one that differs from it in ``by`` alone, which is ``base`` there."""
    places = {tuple(cell[name] for name in CELL) for cell in found}
    tests: list[Any] = []
    for cell in found:
        other = {name: cell[name] for name in CELL}
        one = {**other, by: base}
        if cell[by] != base and tuple(one.values()) in places:
            tests.append(paired(rows, one, other))
    return holm(tests)


def holm(tests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tests with ``p_adjusted`` after Holm (1979), which holds the family-wise error under any dependence."""
    order = sorted(range(len(tests)), key=lambda index: tests[index]["p"])
    adjusted = [0.0] * len(tests)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, tests[index]["p"] * (len(tests) - rank)))
        adjusted[index] = highest
    return [{**test, "p_adjusted": value} for test, value in zip(tests, adjusted, strict=True)]
