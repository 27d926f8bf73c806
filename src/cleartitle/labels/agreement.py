"""Do raters agree with each other, and do they agree with the program?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from cleartitle.errors import InputError
from cleartitle.evals.kappa import cohen_kappa, cohen_of_sums, fleiss_kappa, fleiss_of_sums, fleiss_rows
from cleartitle.evals.statistics import Interval, Rate, bootstrap, rate
from cleartitle.labels.journal import Label, latest, read_labels

__all__ = ["Agreement", "Disagreement", "PairAgreement", "RaterCheck", "Votes", "agreement", "read_votes"]

UNSURE = "unsure"


@dataclass(frozen=True)
class Votes:
    """All answers to one question about one run: by rater, by item, the last one given; controls apart."""

    task: str
    question_version: str
    run: str
    by_rater: dict[str, dict[str, str]]
    controls: dict[str, dict[str, Label]]
    seconds: dict[str, list[float]]

    def of_item(self, item: str) -> dict[str, str]:
        """Each rater's answer to one item."""
        return {rater: given[item] for rater, given in self.by_rater.items() if item in given}

    @property
    def items(self) -> list[str]:
        """Every item that has an answer, in the order of its id."""
        return sorted({item for given in self.by_rater.values() for item in given})

    def majority(self, item: str) -> str | None:
        """The answer of more than half of those who are sure; None where there is none."""
        sure = [answer for answer in self.of_item(item).values() if answer != UNSURE]
        if not sure:
            return None
        answer, count = Counter(sure).most_common(1)[0]
        return answer if 2 * count > len(sure) else None


@dataclass(frozen=True)
class RaterCheck:
    """One rater: items answered, attention checks passed, and the median of seconds spent on an answer."""

    rater: str
    items: int
    checks: Rate
    median_seconds: float | None


@dataclass(frozen=True)
class PairAgreement:
    """Two raters on the items that both judged.

    ``same`` is the share of equal answers, ``kappa`` Cohen's, with an interval by bootstrap over items; None where
    nothing varies. ``confusion`` counts answers of the first (rows) and second (columns) in the order of ``answers``.
    """

    first: str
    second: str
    same: Rate
    kappa: float | None
    interval: Interval | None
    answers: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Disagreement:
    """An item on which raters differ, with each one's answer."""

    item: str
    answers: dict[str, str]


@dataclass(frozen=True)
class Agreement:
    """Agreement of raters on one question.

    ``fleiss`` is over the items with two ratings or more (``rated_twice``), ``unanimous`` the share of these on which
    all agree. "I cannot tell" is an answer like the others. Agreement does not show that the raters are right, and
    raters who were shown the same marks, or who talk, agree for that reason.
    """

    task: str
    question_version: str
    run: str
    raters: tuple[RaterCheck, ...]
    items: int
    rated_twice: int
    unanimous: Rate
    fleiss: float | None
    fleiss_interval: Interval | None
    pairs: tuple[PairAgreement, ...]
    disagreements: tuple[Disagreement, ...]


def read_votes(paths: Sequence[Path]) -> Votes:
    """The answers in some CSV files, of one or of several raters each.

    Raises:
        InputError: a file cannot be read, or the files hold answers to different questions, about different runs, or by
            one rater in two of them.
    """
    if not paths:
        raise InputError("no CSV is named; mend: name the files that `cleartitle label` wrote")
    by_rater: dict[str, list[Label]] = {}
    places: dict[str, Path] = {}
    known: tuple[str, str, str] | None = None
    for path in paths:
        for label in read_labels(path):
            found = (label.task, label.question_version, label.run)
            known = known or found
            if found != known:
                raise InputError(f"{path}: answers to {_words(found)}, beside answers to {_words(known)}")
            if places.setdefault(label.rater, path) != path:
                raise InputError(f"{path}: {label.rater!r} is a rater of {places[label.rater]} as well")
            by_rater.setdefault(label.rater, []).append(label)
    if known is None:
        raise InputError(f"{', '.join(map(str, paths))}: no answers")
    last = {rater: latest(labels) for rater, labels in by_rater.items()}
    return Votes(
        *known,
        by_rater={rater: dict(_answers(labels.values())) for rater, labels in last.items()},
        controls={
            rater: {name: one for name, one in labels.items() if one.is_control} for rater, labels in last.items()
        },
        seconds={
            rater: [one.seconds for one in labels.values() if not one.is_control] for rater, labels in last.items()
        },
    )


def agreement(votes: Votes) -> Agreement:
    """Percent agreement, Cohen's kappa of each pair, Fleiss' of all, attention checks, and where raters differ."""
    answers = tuple(sorted({answer for given in votes.by_rater.values() for answer in given.values()}))
    items = votes.items
    twice = [item for item in items if len(votes.of_item(item)) >= 2]
    counts = np.array([_counts(votes.of_item(item).values(), answers) for item in twice], dtype=float)
    differ = [Disagreement(item, votes.of_item(item)) for item in twice if len(set(votes.of_item(item).values())) > 1]
    kappa = fleiss_kappa(counts) if twice else None
    return Agreement(
        task=votes.task,
        question_version=votes.question_version,
        run=votes.run,
        raters=tuple(_check(votes, rater) for rater in sorted(votes.by_rater)),
        items=len(items),
        rated_twice=len(twice),
        unanimous=rate(len(twice) - len(differ), len(twice)),
        fleiss=kappa,
        fleiss_interval=None
        if kappa is None or len(twice) < 2
        else bootstrap(fleiss_of_sums, fleiss_rows(counts), range(len(twice))),
        pairs=tuple(_pair(votes, *pair, answers) for pair in combinations(sorted(votes.by_rater), 2)),
        disagreements=tuple(differ),
    )


def _check(votes: Votes, rater: str) -> RaterCheck:
    controls = votes.controls[rater].values()
    seconds = votes.seconds[rater]
    passed = sum(label.answer == label.expected for label in controls)
    median = float(np.median(seconds)) if seconds else None
    return RaterCheck(rater, len(votes.by_rater[rater]), rate(passed, len(controls)), median)


def _pair(votes: Votes, first: str, second: str, answers: tuple[str, ...]) -> PairAgreement:
    left, right = votes.by_rater[first], votes.by_rater[second]
    shared = [item for item in sorted(left) if item in right]
    size = len(answers)
    place = {answer: number for number, answer in enumerate(answers)}
    cells = [place[left[item]] * size + place[right[item]] for item in shared]
    table = np.bincount(cells, minlength=size * size).reshape(size, size) if cells else np.zeros((size, size), int)
    kappa = cohen_kappa(table)
    rows = np.eye(size * size)[cells] if kappa is not None and len(shared) > 1 else None
    return PairAgreement(
        first,
        second,
        rate(int(np.trace(table)), len(shared)),
        kappa,
        None if rows is None else bootstrap(cohen_of_sums, rows, range(len(shared))),
        answers,
        tuple(tuple(int(value) for value in row) for row in table),
    )


def _answers(labels: Iterable[Label]) -> Iterable[tuple[str, str]]:
    return ((label.item_id, label.answer) for label in labels if not label.is_control)


def _counts(given: Iterable[str], answers: Sequence[str]) -> list[int]:
    found = Counter(given)
    return [found[answer] for answer in answers]


def _words(found: tuple[str, str, str]) -> str:
    return f"{found[0]} ({found[1]}) of run {found[2]}"
