"""Figures of a membership study from its token scores: the paper's four questions, and every other attack."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np

from cleartitle.membership.attacks import ATTACKS, TRAINED_ATTACKS, AttackScores, LogRanks, RankReference
from cleartitle.membership.attacks.run import fit_attacks, run_attacks
from cleartitle.membership.blind import BlindOptions, BlindReport, blind_report
from cleartitle.membership.codemi import CodeMi
from cleartitle.membership.evidence import Attack, Evidence, TrainedAttack
from cleartitle.membership.results import AttackResult, attack_results, compare_all
from cleartitle.membership.study_options import HEADLINE, MembershipOptions
from cleartitle.membership.study_scores import StudyScores
from cleartitle.membership.texts import role, rows_of
from cleartitle.membership.validity import Validity, judge
from cleartitle.membership.words import WordTokenizer

__all__ = ["Measured", "Side", "measure", "output_curve", "query_curve", "shadow_curve", "threshold_curve"]

CODEMI_C = RankReference().name
PAIRS = ((HEADLINE, "CodeMI paper"), (CODEMI_C, "CodeMI paper"), ("CodeMI corrected", "CodeMI paper"))
"""The comparisons of attacks, named before any result."""


Taught = Callable[[int], tuple[TrainedAttack, TrainedAttack]]
"""CodeMI as released and corrected, for a model that shows so many ranks."""


class Steps(Protocol):
    """The steps of the curves, fixed before looking."""

    @property
    def seed(self) -> int:
        """Of draws and bootstrap."""
        ...

    @property
    def common_in(self) -> tuple[int, ...]:
        """Files of a training set that a token must stand in."""
        ...

    @property
    def output_sizes(self) -> tuple[int, ...]:
        """Likeliest tokens that the model shows."""
        ...

    @property
    def queries(self) -> tuple[int, ...]:
        """Tokens of a text that may be asked about."""
        ...


@dataclass(frozen=True)
class Side:
    """The texts of one set with their labels."""

    evidence: list[Evidence]
    member: np.ndarray

    def map(self, change: Callable[[Evidence], Evidence]) -> "Side":
        """The same texts with changed evidence."""
        return Side([change(item) for item in self.evidence], self.member)


@dataclass(frozen=True)
class Measured:
    """One table of attacks on one set of texts."""

    scores: AttackScores
    results: dict[str, AttackResult]
    differences: list[dict[str, Any]]


def unknown_word(options: MembershipOptions) -> int | None:
    """The number of the word that stands for all unknown ones."""
    return WordTokenizer.unknown_id if options.target == "lstm" else None


def codemi(options: MembershipOptions, output_size: int) -> tuple[CodeMi, CodeMi]:
    """The classifier as released, and the corrected one."""
    unknown = unknown_word(options)
    return CodeMi("paper", output_size, unknown), CodeMi("corrected", output_size, unknown)


def measure(
    target: Side,
    shadow: Side,
    seed: int,
    trained: Sequence[TrainedAttack],
    plain: Sequence[Attack] = ATTACKS,
    pairs: Sequence[tuple[str, str]] = PAIRS,
) -> Measured:
    """Teach what can be taught on the shadows' texts, run everything on the target's, and compare ``pairs``."""
    taught, lacking = fit_attacks(trained, shadow.evidence, shadow.member, seed=seed)
    attacks = [*plain, *taught]
    scores = run_attacks(attacks, target.evidence)
    own = run_attacks([attack for attack in attacks if attack.name in scores.scores], shadow.evidence)
    scores = replace(scores, left_out={**scores.left_out, **lacking})
    log_odds = {attack.name: 0.0 for attack in taught}
    results = attack_results(
        scores, target.member, shadow=own, shadow_member=shadow.member, thresholds=log_odds, seed=seed
    )
    compared = compare_all(scores, target.member, pairs, seed=seed)
    differences = [
        {"attack": first, "against": second, "p_holm": p, "clear": found.is_clear, **asdict(found)}
        for (first, second), (found, p) in compared.items()
    ]
    return Measured(scores, results, differences)


def judged(
    scores: StudyScores, target: Side, shadow: Side, measured: Measured, options: MembershipOptions
) -> tuple[BlindReport, Validity]:
    """The blind check of the target's texts, and the verdict on the headline attack with its model control.

    The control is the first shadow, which saw none of the target's texts: the same attack asks it about them, with the
    other shadows as references.
    """
    vocabulary = None
    if options.target == "lstm":
        vocabulary = set(WordTokenizer.load(scores.run / "models" / role(0)).words)
    control = None
    if scores.shadows > 1:
        others = [role(number) for number in range(2, scores.shadows + 1)]
        asked = Side(scores.evidence(0, asked=role(1), references=others), target.member)
        attack = next(attack for attack in TRAINED_ATTACKS if attack.name == HEADLINE)
        control = measure(asked, shadow, options.seed, [attack], []).scores.scores.get(HEADLINE)
    name = HEADLINE if HEADLINE in measured.scores.scores else next(iter(measured.scores.scores))
    check = BlindOptions(permutations=options.permutations, seed=options.seed)
    return verdict_on(name, measured.scores.scores[name], target, check, control=control, vocabulary=vocabulary)


def verdict_on(
    attack: str,
    values: np.ndarray,
    target: Side,
    options: BlindOptions,
    *,
    control: np.ndarray | None = None,
    vocabulary: set[str] | None = None,
    language: str = "python",
    unit: str = "project",
) -> tuple[BlindReport, Validity]:
    """The blind check of these texts, and what it leaves of an attack whose scores are ``values``."""
    projects = [str(item.project) for item in target.evidence]
    texts = [item.text for item in target.evidence]
    blind = blind_report(texts, target.member, projects, language=language, vocabulary=vocabulary, options=options)
    return blind, judge(blind, attack, values, target.member, projects, control=control, unit=unit, seed=options.seed)


def threshold_curve(
    counts: Sequence[Mapping[str, int]],
    target: Side,
    shadow: Side,
    steps: Steps,
    trained: Sequence[TrainedAttack],
    plain: Sequence[Attack] = ATTACKS,
) -> Iterator[dict[str, Any]]:
    """All attacks over tokens that are common in every training set, for each step of the filter.

    ``counts`` says for each training set in how many of its files a token stands.
    """
    for least in steps.common_in:

        def common(item: Evidence, least: int = least) -> Evidence:
            words = [item.text[s:e] for s, e in zip(item.target.start, item.target.end, strict=True)]
            return at_rows(
                item, np.array([all(count.get(word, 0) >= least for count in counts) for word in words], bool)
            )

        found = measure(target.map(common), shadow.map(common), steps.seed, trained, plain) if least else None
        found = found or measure(target, shadow, steps.seed, trained, plain)
        rows = [len(common(item).target) for item in target.evidence]
        yield {
            "common_in": least,
            "tokens_per_file": float(np.mean(rows)),
            "attacks": {name: brief(result) for name, result in found.results.items()},
            "differences": found.differences,
        }


def output_curve(
    target: Side, shadow: Side, steps: Steps, vocabulary: int, taught: Taught, plain: Sequence[Attack] = ()
) -> Iterator[dict[str, Any]]:
    """RQ3: attacks on ranks where the model lists its likeliest tokens only; shadows are cut alike."""
    for size in [*(size for size in steps.output_sizes if size < vocabulary), vocabulary]:

        def cut(item: Evidence, size: int = size) -> Evidence:
            return replace(item, target=item.target.cut_to(size))

        trained = [*taught(size), LogRanks(), RankReference()]
        found = measure(target.map(cut), shadow.map(cut), steps.seed, trained, plain)
        yield {"output_size": size, "attacks": {name: brief(result) for name, result in found.results.items()}}


def query_curve(
    target: Side, shadow: Side, steps: Steps, output_size: int, taught: Taught, plain: Sequence[Attack] = ATTACKS
) -> Iterator[dict[str, Any]]:
    """RQ4: only some tokens of a text are asked about, at random or the rarest in public.

    ``CodeMI paper`` is taught on whole shadow texts, as released; all other attacks on shadow texts cut alike.
    """
    paper, corrected = taught(output_size)
    known = any(item.frequency is not None for item in target.evidence)
    for choice in ("random", "rare") if known else ("random",):
        for queries in steps.queries:

            def asked(item: Evidence, queries: int = queries, choice: str = choice) -> Evidence:
                return at_rows(item, _chosen(item, queries, choice, steps.seed))

            few = target.map(asked)
            released = measure(few, shadow, steps.seed, [paper], [])
            matched = measure(few, shadow.map(asked), steps.seed, [corrected, LogRanks(), RankReference()], plain)
            results = {**released.results, **matched.results}
            yield {
                "choice": choice,
                "queries": queries,
                "attacks": {name: brief(result) for name, result in results.items()},
            }


def shadow_curve(
    target: Side, shadows: Sequence[Side], options: MembershipOptions, output_size: int
) -> Iterator[dict[str, Any]]:
    """RQ2: CodeMI taught by the first one, two, … shadows."""
    for count in range(1, len(shadows) + 1):
        found = measure(target, joined(shadows[:count]), options.seed, codemi(options, output_size), [])
        yield {"shadows": count, "attacks": {name: brief(result) for name, result in found.results.items()}}


def joined(sides: Sequence[Side]) -> Side:
    """Several sets as one."""
    return Side([item for side in sides for item in side.evidence], np.concatenate([side.member for side in sides]))


def accuracy(side: Side) -> dict[str, float]:
    """Table 2: share of tokens that the model puts first, in texts that it saw and in those that it did not."""
    found: dict[str, float] = {}
    for name, label in (("members", True), ("non_members", False)):
        ranks = [item.target.rank for item, member in zip(side.evidence, side.member, strict=True) if member == label]
        found[name] = float(np.mean(np.concatenate([rank == 1 for rank in ranks if rank is not None])))
    return {**found, "gap": found["members"] - found["non_members"]}


def memory_of_tokens(side: Side) -> dict[str, Any]:
    """Figures 11 and 12: log-probability and rank by public frequency, of members and of non-members.

    The top fifth of the distinct tokens by public frequency is apart from the rest (figure 11, histogram over nats);
    figure 12 has the mean log2 of the rank in ten bands of equally many tokens, from the commonest to the rarest.
    """
    token = np.concatenate([item.target.token for item in side.evidence])
    frequency = np.concatenate([item.frequency for item in side.evidence if item.frequency is not None])
    rank = np.concatenate([item.target.rank for item in side.evidence if item.target.rank is not None])
    logprob = np.concatenate([item.target.logprob for item in side.evidence if item.target.logprob is not None])
    member = np.repeat(side.member, [len(item.target) for item in side.evidence])
    kinds, first = np.unique(token, return_index=True)
    border = np.quantile(frequency[first], 0.8) if len(kinds) else 0.0
    edges = np.linspace(-15, 0, 31)
    histograms = {
        f"{'top' if top else 'tail'} {'members' if label else 'non-members'}": _histogram(
            logprob[((frequency >= border) == top) & (member == label)], edges
        )
        for top in (True, False)
        for label in (True, False)
    }
    order = np.argsort(-frequency, kind="stable")
    bands = [
        {
            "frequency": float(np.mean(frequency[rows])),
            "members": float(np.mean(np.log2(np.maximum(rank[rows][member[rows]], 1)))),
            "non_members": float(np.mean(np.log2(np.maximum(rank[rows][~member[rows]], 1)))),
        }
        for rows in np.array_split(order, 10)
        if member[rows].any() and not member[rows].all()
    ]
    return {"edges": edges.tolist(), "histograms": histograms, "rank_by_frequency": bands}


def at_rows(item: Evidence, rows: np.ndarray) -> Evidence:
    """The evidence of these rows alone; scores of other forms of the text are dropped, their rows are others."""
    return replace(
        item,
        target=item.target.at(rows),
        references=tuple(reference.at(rows) for reference in item.references),
        frequency=None if item.frequency is None else item.frequency[rows],
        classes=None if item.classes is None else item.classes[rows],
        lowercase=None,
        prefixed=None,
        member_prefixed=None,
        neighbours=(),
    )


def brief(result: AttackResult) -> dict[str, Any]:
    """What tables and curves show of one attack."""
    record = result.as_json()
    interval = result.auc_interval
    return {
        "auc": result.auc,
        "auc_interval": None if interval is None else [interval.low, interval.high],
        **{name: record[name] for name in ("accuracy", "accuracy_rule", "precision", "recall", "unscored")},
    }


def _histogram(values: np.ndarray, edges: np.ndarray) -> list[float]:
    counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
    return (counts / max(counts.sum(), 1)).tolist()


def _chosen(item: Evidence, queries: int, choice: str, seed: int) -> np.ndarray:
    """Rows of a text that a budget allows, ascending; a smaller budget's are among a larger one's."""
    order = np.random.default_rng([seed, *item.id.encode()[-16:]]).permutation(len(item.target))
    if choice == "rare" and item.frequency is not None:
        order = order[np.argsort(item.frequency[order], kind="stable")]
    return np.sort(order[:queries])


def files_with_token(scores: StudyScores, number: int) -> Counter[str]:
    """In how many files of a training set each token stands."""
    scorer = scores.scorers[role(0)]
    counts: Counter[str] = Counter()
    for row in rows_of(scores.texts, role(number), member=True):
        spans = scorer.tokenize(row["text"])
        counts.update({row["text"][start:end] for start, end in zip(spans.start, spans.end, strict=True)})
    return counts
