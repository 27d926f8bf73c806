"""Blind classifiers: how well members and non-members can be told apart by those who never ask the model."""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from cleartitle.evals.statistics import Interval
from cleartitle.membership.blind_features import FEATURES, Surface, surface
from cleartitle.membership.duplicates import Duplicates, near_duplicates, signatures
from cleartitle.membership.statistics import auc, auc_interval

__all__ = ["BlindClassifier", "BlindFeature", "BlindOptions", "BlindReport", "blind_report"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
SIGNIFICANT = 0.05
Columns = npt.NDArray[np.float64]
Sparse = Any  # scipy.sparse.csr_array, whose stubs allow no shape


@dataclass(frozen=True)
class BlindOptions:
    """Fixed before looking.

    Attributes:
        folds: of the cross-validation; a project is never on both sides of it.
        permutations: of the labels.
        vocabulary: most words that the bags hold, by number of texts.
        largest_gram: most texts that the linear classifier takes (a sample beyond).
        seed: of folds, permutations and samples.
    """

    folds: int = 5
    permutations: int = 200
    vocabulary: int = 20_000
    largest_gram: int = 3000
    seed: int = 0


@dataclass(frozen=True)
class BlindClassifier:
    """One classifier: AUC of its out-of-fold scores with interval; ``p`` by permutation of the labels.

    ``scores`` is one number a text (higher: like a member), NaN where the text was in no fold.
    """

    name: str
    auc: float
    interval: Interval | None
    p: float
    scores: Floats = field(repr=False)


@dataclass(frozen=True)
class BlindFeature:
    """AUC of one plain number by itself; above .5 members have more of it."""

    name: str
    auc: float
    members: float
    non_members: float


@dataclass(frozen=True)
class BlindReport:
    """What stands between members and non-members apart from the model.

    ``p`` is of the best classifier, corrected for having picked it: the share of relabelings in which the best of all
    permuted classifiers does as well. ``permuted_by`` is ``text`` or ``project``: labels that hold for whole projects
    are exchanged as whole projects. ``shared_projects`` have texts on both sides.
    """

    classifiers: tuple[BlindClassifier, ...]
    p: float
    permutations: int
    permuted_by: str
    features: tuple[BlindFeature, ...]
    duplicates: Duplicates
    projects: tuple[int, int] | None
    shared_projects: int | None
    left_out: tuple[str, ...]

    @property
    def best(self) -> BlindClassifier:
        """The classifier with the largest AUC."""
        return max(self.classifiers, key=lambda classifier: classifier.auc)

    @property
    def is_telling(self) -> bool:
        """Whether the sets differ beyond chance: ``p`` below .05."""
        return self.p < SIGNIFICANT


def blind_report(
    texts: Sequence[str],
    member: npt.ArrayLike,
    projects: Sequence[Hashable] | None = None,
    *,
    language: str = "python",
    vocabulary: Container[str] | None = None,
    options: BlindOptions | None = None,
) -> BlindReport:
    """Tell members from non-members without the model, as far as that goes.

    Naive Bayes over bags of words, a linear classifier over their tf-idf weights, one over the tenths of each of
    `FEATURES` (length, syntax of an era, comments, licenses, years) and one that sees how the features go together, in
    folds that keep projects together. Das et al. 2024 and Meeus et al. 2025 show that such classifiers beat published
    attacks on several benchmarks. All are solved in closed form for the labels and every permutation of them at once.
    What no classifier here finds can still be there: a small AUC does not show that the sets are alike.

    Args:
        texts: the evaluation texts, exactly as they were scored.
        member: bool, one a text.
        projects: what each text comes from.
        language: of the texts.
        vocabulary: the target's words, where its vocabulary is one of words.
        options: of the check.

    Raises:
        ValueError: fewer than ``folds`` members or non-members, or lengths that differ.
    """
    chosen = options or BlindOptions()
    labels = np.asarray(member, bool)
    if len(labels) != len(texts) or (projects is not None and len(projects) != len(texts)):
        raise ValueError("as many labels (and projects) as texts are needed")
    if min(int(labels.sum()), int((~labels).sum())) < chosen.folds:
        raise ValueError(f"a blind check needs {chosen.folds} members and non-members at least")
    generator = np.random.default_rng(chosen.seed)
    surfaces = [surface(text, language, vocabulary) for text in texts]
    features = np.stack([item.features for item in surfaces])
    sides = (
        [] if projects is None else [{p for p, m in zip(projects, labels, strict=True) if m == one} for one in (0, 1)]
    )
    # Without the one project of a side nothing of that side would be left to learn from.
    alone = any(len(side) < 2 for side in sides)
    groups = _numbered(range(len(texts)) if projects is None or alone else projects)
    folds = _folds(groups, chosen.folds, generator)
    columns, by_project = _labelings(labels, groups, chosen.permutations, generator)
    bag = _bag(surfaces, chosen.vocabulary)
    sample = _sample(len(texts), chosen.largest_gram, generator)
    runs: tuple[tuple[str, npt.NDArray[np.int64] | None, Callable[..., Columns]], ...] = (
        ("naive Bayes, bag of words", None, lambda: _naive_bayes(bag, columns, folds)),
        ("linear, tf-idf", sample, lambda: _ridge(_tf_idf(bag[sample]), columns[sample], folds[sample])),
        ("linear, surface", sample, lambda: _ridge(_tenths(features[sample]), columns[sample], folds[sample])),
        ("joint, surface", sample, lambda: _ridge(_nearness(features[sample]), columns[sample], folds[sample])),
    )
    classifiers: list[BlindClassifier] = []
    areas: list[Floats] = []
    for name, rows, run in runs:
        found = run()
        chosen_rows = np.arange(len(texts)) if rows is None else rows
        areas.append(_areas(found, columns[chosen_rows]))
        scores = np.full(len(texts), np.nan)
        scores[chosen_rows] = found[:, 0]
        p = float((1 + np.count_nonzero(areas[-1][1:] >= areas[-1][0] - 1e-12)) / len(areas[-1]))
        classifiers.append(_classifier(name, scores, labels, None if alone else projects, p))
    left_out = ("projects: a side is of one project, so folds and permutations are by text",) if alone else ()
    largest = np.max(areas, axis=0)
    of_projects = None if projects is None else (len(sides[1]), len(sides[0]))
    return BlindReport(
        tuple(classifiers),
        float((1 + np.count_nonzero(largest[1:] >= largest[0] - 1e-12)) / len(largest)),
        chosen.permutations,
        "project" if by_project else "text",
        _single_features(features, labels),
        near_duplicates(signatures(texts, language), labels),
        of_projects,
        None if projects is None else len(sides[0] & sides[1]),
        left_out,
    )


def _classifier(
    name: str, scores: Floats, labels: Bools, projects: Sequence[Hashable] | None, p: float
) -> BlindClassifier:
    return BlindClassifier(name, auc(scores, labels), auc_interval(scores, labels, projects), p, scores)


def _numbered(names: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    numbers: dict[Hashable, int] = {}
    return np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), np.int64, len(names))


def _folds(groups: npt.NDArray[np.int64], count: int, generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """The fold of each text: projects whole, the largest first, each into the smallest fold.

    Labels do not count, so that permuted labels meet the same folds as the true ones.
    """
    sizes = np.bincount(groups)
    order = generator.permutation(len(sizes))
    filled = np.zeros(count, np.int64)
    fold_of = np.zeros(len(sizes), np.int64)
    for group in order[np.argsort(-sizes[order], kind="stable")]:
        fold = int(filled.argmin())
        fold_of[group] = fold
        filled[fold] += sizes[group]
    return fold_of[groups]


def _labelings(
    labels: Bools, groups: npt.NDArray[np.int64], permutations: int, generator: np.random.Generator
) -> tuple[Columns, bool]:
    """The labels (column 0) and their permutations, shape (n, 1 + permutations), and whether projects were moved."""
    members = np.bincount(groups, labels)
    sizes = np.bincount(groups)
    by_project = bool(((members == 0) | (members == sizes)).all()) and len(sizes) < len(labels)
    columns = np.empty((len(labels), 1 + permutations))
    columns[:, 0] = labels
    for number in range(1, permutations + 1):
        if by_project:
            columns[:, number] = generator.permutation(members > 0)[groups]
        else:
            columns[:, number] = generator.permutation(labels)
    return columns, by_project


def _bag(surfaces: Sequence[Surface], largest: int) -> Sparse:
    """Counts of the words that at least two texts hold, shape (n, words)."""
    counts = [Counter(item.words) for item in surfaces]
    texts_with = Counter(word for count in counts for word in count)
    common = sorted(
        (word for word, number in texts_with.items() if number > 1), key=lambda word: (-texts_with[word], word)
    )
    place = {word: number for number, word in enumerate(common[:largest])}
    rows = [[(place[word], number) for word, number in count.items() if word in place] for count in counts]
    pointers = np.cumsum([0, *map(len, rows)])
    indices = np.fromiter((column for row in rows for column, _ in row), np.int64, pointers[-1])
    values = np.fromiter((number for row in rows for _, number in row), np.float64, pointers[-1])
    return scipy.sparse.csr_array((values, indices, pointers), shape=(len(rows), max(len(place), 1)))


def _naive_bayes(bag: Sparse, columns: Columns, folds: npt.NDArray[np.int64]) -> Columns:
    """Out-of-fold log-odds of multinomial naive Bayes (add one, equal priors), one column a labeling."""
    scores = np.full(columns.shape, np.nan)
    total = np.asarray(bag.sum(axis=1)).ravel()
    for fold in np.unique(folds):
        test = folds == fold
        train = bag[~test]
        of_members = train.T @ columns[~test]
        of_all = np.asarray(train.sum(axis=0)).ravel()[:, None]
        weights = np.log(of_members + 1) - np.log(of_all - of_members + 1)
        words = bag.shape[1]
        sums = of_members.sum(axis=0)
        shift = np.log(sums + words) - np.log(of_all.sum() - sums + words)
        scores[test] = bag[test] @ weights - total[test][:, None] * shift
    return scores


def _tf_idf(bag: Sparse) -> Floats:
    """Gram matrix of texts with weights (1 + log count) log(n / texts with the word), of length one."""
    weighted = bag.copy()
    texts_with = np.maximum(np.bincount(bag.indices, minlength=bag.shape[1]), 1)
    weighted.data = (1 + np.log(weighted.data)) * np.log(1 + bag.shape[0] / texts_with)[weighted.indices]
    length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    gram = np.asarray((weighted @ weighted.T).todense())
    scale = np.where(length > 0, length, 1.0)
    return gram / scale[:, None] / scale[None, :]


def _tenths(features: Floats) -> Floats:
    """Gram matrix of texts with each feature as its tenth, one of ten indicators scaled by how rare it is."""
    blocks: list[Floats] = []
    for column in features.T:
        edges = np.unique(np.quantile(column, np.linspace(0, 1, 11)[1:-1]))
        place = np.searchsorted(edges, column, side="right")
        block = np.eye(len(edges) + 1)[place]
        share = block.mean(axis=0)
        blocks.append((block - share) / np.sqrt(np.maximum(share, 1e-9)))
    rows = np.concatenate(blocks, axis=1) / np.sqrt(features.shape[1])
    return rows @ rows.T


def _nearness(features: Floats) -> Floats:
    """Gram matrix of texts by a Laplace kernel over the ranks of their features, as wide as their median distance.

    It is the limit of a forest of random cuts along one feature each (Balog et al. 2016, The Mondrian Kernel), and
    unlike a forest it costs no more for many labelings than for one.
    """
    ranks = scipy.stats.rankdata(features, axis=0)
    distance = scipy.spatial.distance.cdist(ranks, ranks, "cityblock")
    return np.exp(-distance / max(float(np.median(distance)), 1e-9))


def _ridge(gram: Floats, columns: Columns, folds: npt.NDArray[np.int64]) -> Columns:
    """Out-of-fold values of kernel ridge regression on balanced labels, one column a labeling."""
    scores = np.full(columns.shape, np.nan)
    for fold in np.unique(folds):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        inner = gram[np.ix_(train, train)]
        center = inner.mean(axis=0)
        centered = inner - center - center[:, None] + inner.mean()
        cross = gram[np.ix_(test, train)]
        cross = cross - cross.mean(axis=1, keepdims=True) - center + inner.mean()
        strength = max(float(np.trace(centered)) / len(train), 1e-9)
        positive = np.maximum(columns[train].sum(axis=0), 1)
        negative = np.maximum(len(train) - columns[train].sum(axis=0), 1)
        balanced = columns[train] / positive - (1 - columns[train]) / negative
        factor = scipy.linalg.cho_factor(centered + strength * np.eye(len(train)))
        scores[test] = cross @ scipy.linalg.cho_solve(factor, balanced)
    return scores


def _areas(scores: Columns, columns: Columns) -> Floats:
    return np.array([auc(scores[:, number], columns[:, number] > 0) for number in range(columns.shape[1])])


def _sample(count: int, largest: int, generator: np.random.Generator) -> npt.NDArray[np.int64]:
    return np.arange(count) if count <= largest else np.sort(generator.choice(count, largest, replace=False))


def _single_features(features: Floats, labels: Bools) -> tuple[BlindFeature, ...]:
    """Every feature by itself, the most telling first."""
    found = [
        BlindFeature(name, auc(column, labels), float(np.median(column[labels])), float(np.median(column[~labels])))
        for name, column in zip(FEATURES, features.T, strict=True)
    ]
    return tuple(sorted(found, key=lambda item: -abs(item.auc - 0.5)))
