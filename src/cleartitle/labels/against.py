"""Does the program say what people say? Its precision and recall, judged by the majority of raters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cleartitle.errors import InputError
from cleartitle.evals.statistics import CONFIDENCE, Interval, Rate, rate
from cleartitle.labels.agreement import Votes
from cleartitle.labels.question import Said
from cleartitle.labels.tasks import key_of, task_named

__all__ = ["Against", "Share", "against"]

DRAWS = 2000
OTHER = frozenset({"none", "several"})
"""Answers to the question for a name that are no name."""


@dataclass(frozen=True)
class Share:
    """A share with its interval and the judged items behind it; ``value`` is None where there is no case."""

    value: float | None
    interval: Interval | None
    n: int


@dataclass(frozen=True)
class Against:
    """The program beside the majority of raters.

    Of ``judged`` items ``decided`` have a majority and a verdict of the program. ``same`` is the share of equal answers
    among these as drawn. ``precision`` is the share of what the program flags that people confirm, ``recall`` the share
    of what people find that the program flags; for questions about a name: of the names that it reads, and of those
    that people read, the share that is the same. Recall is over the whole population: each item counts for as many as
    its stratum holds for each one judged. ``differences`` lists item, people's answer, program's answer. People may be
    wrong as well, and "independent" is no finding of law.
    """

    judged: int
    decided: int
    same: Rate
    precision: Share
    recall: Share
    strata: dict[str, tuple[int, int]]
    differences: tuple[tuple[str, str, str], ...]


def against(votes: Votes, path: Path) -> Against:
    """Compare the majority of raters with what the program says of the run or corpus in ``path``.

    Raises:
        InputError: the labels are of another run, or of an unknown task.
    """
    task = task_named(votes.task)
    run = key_of(path)
    if run != votes.run:
        raise InputError(f"{path}: is run {run}, and the labels are of run {votes.run}; mend: name their run")
    items = votes.items
    said = task.tool(path, items)
    people = {item: answer for item in items if (answer := votes.majority(item)) is not None}
    program = {item: value for item in people if (value := said.values[item]) is not None}
    decided = sorted(program)
    same = [people[item] == program[item] for item in decided]
    if task.positive is None:
        flagged = [program[item] not in OTHER for item in decided]
        found = [people[item] not in OTHER for item in decided]
        hits = same
    else:
        flagged = [program[item] in task.positive for item in decided]
        found = [people[item] in task.positive for item in decided]
        hits = [left and right for left, right in zip(flagged, found, strict=True)]
    strata = [said.strata[item] for item in decided]
    return Against(
        judged=len(items),
        decided=len(decided),
        same=rate(sum(same), len(same)),
        precision=_plain(hits, flagged),
        recall=_weighted(hits, found, strata, said),
        strata={name: (strata.count(name), size) for name, size in said.sizes.items()},
        differences=tuple((item, people[item], program[item]) for item in decided if people[item] != program[item]),
    )


def _plain(hits: Sequence[bool], of: Sequence[bool]) -> Share:
    """Share among what was drawn with one chance: what is flagged is a stratum, or a simple random sample."""
    found = rate(sum(hit and one for hit, one in zip(hits, of, strict=True)), sum(of))
    return Share(found.value, found.interval, found.total)


def _weighted(hits: Sequence[bool], found: Sequence[bool], strata: Sequence[str], said: Said) -> Share:
    """Recall over strata: a ratio of weighted sums, with a bootstrap over items within strata.

    Where no item of a stratum was judged, it is not known. A stratum in which people found nothing may still hold
    something: the lower end then takes the exact upper bound of its share.
    """
    hit = np.array([left and right for left, right in zip(hits, found, strict=True)], dtype=float)
    find = np.array(found, dtype=float)
    counts = {name: strata.count(name) for name in said.sizes}
    if not find.any() or any(not counts[name] for name, size in said.sizes.items() if size):
        return Share(None, None, int(find.sum()))
    if len(said.sizes) == 1:
        return _plain(hits, found)
    weights = {name: said.sizes[name] / counts[name] for name in counts if counts[name]}
    places = {name: np.flatnonzero([one == name for one in strata]) for name in weights}
    value = _ratio(hit, find, places, weights)
    generator = np.random.default_rng(0)
    draws: list[float] = []
    for _ in range(DRAWS):
        chosen = {name: generator.choice(place, len(place)) for name, place in places.items()}
        if any(find[place].any() for place in chosen.values()):
            draws.append(_ratio(hit, find, chosen, weights))
    low, high = np.percentile(draws, [100 * (1 - CONFIDENCE) / 2, 100 * (1 + CONFIDENCE) / 2])
    missed = sum(
        (rate(0, len(place)).at_most or 0.0) * said.sizes[name]
        for name, place in places.items()
        if not find[place].any()
    )
    caught = sum(weights[name] * hit[place].sum() for name, place in places.items())
    whole = sum(weights[name] * find[place].sum() for name, place in places.items())
    low = min(float(low), float(caught / (whole + missed)))
    return Share(value, Interval(low, float(high), f"bootstrap within strata, {DRAWS} draws, seed 0"), int(find.sum()))


def _ratio(hit: np.ndarray, find: np.ndarray, places: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> float:
    caught = sum(weights[name] * hit[place].sum() for name, place in places.items())
    return float(caught / sum(weights[name] * find[place].sum() for name, place in places.items()))
