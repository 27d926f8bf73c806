"""Attacks on a model of somebody else, with sets of the user: who knows what was trained on, and what was not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json, write_json
from cleartitle.membership.attacks import ATTACKS, TRAINED_ATTACKS
from cleartitle.membership.blind import BlindOptions
from cleartitle.membership.codemi import CodeMi
from cleartitle.membership.evidence import Attack, Evidence, TrainedAttack
from cleartitle.membership.figures import cases, figures, renamed, together
from cleartitle.membership.own_texts import (
    ASKED,
    REWRITES,
    AskOptions,
    conduct,
    evidence_of,
    of_first_reference,
    pieces,
)
from cleartitle.membership.rewrites import python_rewrites
from cleartitle.membership.shadows import Shadows, no_shadows
from cleartitle.membership.study_options import HEADLINE, MembershipOptions
from cleartitle.membership.study_tables import (
    PAIRS,
    Side,
    accuracy,
    measure,
    memory_of_tokens,
    output_curve,
    query_curve,
    threshold_curve,
    verdict_on,
)
from cleartitle.membership.texts import TARGET
from cleartitle.membership.token_classes import token_classes
from cleartitle.models import TokenScorer
from cleartitle.models.scoring_recorded import RecordedScorer
from cleartitle.tables import write_table

__all__ = ["EVALUATION", "evaluate", "score_evaluation"]

EVALUATION = "membership-evaluate"
MEMBERS, NON_MEMBERS = "members", "non-members"
LEAST_TEXTS = 10
LEAST_PIECES = {MEMBERS: 6, NON_MEMBERS: 6}
HEADLINES = (HEADLINE, "reference difference", "rank gain", "Min-K %++ (k = 20)", "perplexity", "highest posterior")
"""The attack whose figure is judged: the first of these that the access to the models allows, whatever it finds."""
OWN_PAIRS = (
    *PAIRS,
    ("reference difference", "perplexity"),
    ("Min-K %++ (k = 20)", "perplexity"),
    ("rank gain", "highest posterior"),
)
"""The comparisons of attacks, named before any result; those of which an attack did not run are left out."""


def evaluate(
    members: Sequence[str],
    non_members: Sequence[str],
    scorer: TokenScorer,
    output: Path,
    options: AskOptions = AskOptions(),  # noqa: B008 - frozen
    *,
    references: Sequence[TokenScorer] = (),
    public: Corpus | None = None,
    shadow: Path | None = None,
) -> dict[str, Any]:
    """Measure every attack on a model where the user knows which files it was trained on; return the summary.

    The folder can be killed at any moment: the same call goes on and leaves the same figures.

    Args:
        members: specs of files that the model was trained on (folders, git repositories, data sets).
        non_members: specs of files that it was not trained on, best drawn at random from the same source.
        scorer: the model in question.
        output: folder of the run.
        options: what is asked.
        references: models that saw neither set, with the same tokenizer.
        public: corpus of public code for token frequencies.
        shadow: folder of a membership study whose shadows teach the trained attacks; their architecture and vocabulary
            may be others than the model's.

    Raises:
        InputError: too few files in a set, a reference of another tokenizer, a budget that does not suffice, no study
            in ``shadow``, or the folder holds another run.
    """
    return conduct(
        EVALUATION,
        {MEMBERS: members, NON_MEMBERS: non_members},
        scorer,
        output,
        options,
        score_evaluation,
        known=(MEMBERS, NON_MEMBERS),
        least=LEAST_TEXTS,
        references=references,
        public=public,
        shadow=None if shadow is None else RunFolder.open(shadow, "membership"),
    )


def score_evaluation(output: Path) -> dict[str, Any]:
    """Make every figure of an evaluation anew from its token scores; writes ``attacks.parquet`` and ``summary.json``.

    Raises:
        InputError: the study whose shadows teach is gone, or another one is in its place.
    """
    record = read_json(output / "run.json")
    options, inputs = record["options"], record["inputs"]
    seed = options["seed"]
    texts, evidence, references = evidence_of(output, members=MEMBERS)
    unit, found_in = pieces(texts, LEAST_PIECES)
    evidence = [replace(item, project=piece) for item, piece in zip(evidence, found_in, strict=True)]
    target = Side(evidence, np.array([one == MEMBERS for one in texts["set"].to_pylist()], bool))
    if min(int(target.member.sum()), int((~target.member).sum())) < LEAST_TEXTS:
        raise InputError(f"{output}: the model scored too few files of a set; mend: at least {LEAST_TEXTS} each")
    gives = RecordedScorer(output / ASKED / f"{TARGET}.parquet").capabilities()
    shown = options["output_size"] or gives.output_size
    size = shown or gives.vocabulary
    shadows = _shadows(inputs["shadow"])
    shadow = no_shadows() if shadows is None else shadows.fitted(evidence, shown)

    def taught(output_size: int) -> tuple[TrainedAttack, TrainedAttack]:
        if shadows is None:
            return CodeMi("paper", output_size), CodeMi("corrected", output_size)
        return shadows.codemi(output_size, whole=output_size == gives.vocabulary)

    trained = [*(taught(size) if size is not None else ()), *TRAINED_ATTACKS]
    found = measure(target, shadow, seed, trained, pairs=OWN_PAIRS)
    headline = next((name for name in HEADLINES if name in found.scores.scores), None)
    if headline is None:
        raise InputError(f"{output}: the model tells too little for any attack; mend: one that gives log-probabilities")
    values = found.scores.scores[headline]
    control = _control(headline, target, shadow, references, seed)
    check = BlindOptions(permutations=options["permutations"], seed=seed)
    languages = Counter(texts["language"].to_pylist())
    blind, verdict = verdict_on(
        headline, values, target, check, control=control, language=languages.most_common(1)[0][0], unit=unit
    )
    write_table(output / "attacks.parquet", found.scores.as_table().append_column("member", [target.member]))
    steps = MembershipOptions(seed=seed)
    has_ranks = all(item.target.rank is not None for item in evidence)
    curves = has_ranks and size is not None
    plain = [attack for attack in ATTACKS if attack.name in found.scores.scores]
    ranked = [attack for attack in plain if attack.needs <= {"rank", "rank or top1", "reference"}]
    summary = {
        "capability": EVALUATION,
        "model": inputs["models"][0],
        "references": inputs["models"][1:],
        "shadow": None if shadows is None else shadows.describe(gives.vocabulary),
        "options": options,
        "calls": record["asked"]["calls"],
        **figures(found, blind, verdict, headline),
        "texts": {
            "members": int(target.member.sum()),
            "non_members": int((~target.member).sum()),
            "not_scored": sum(one["asked"] for one in inputs["texts"].values()) - len(evidence),
            "in_both_sets": inputs["texts"][MEMBERS]["in_both_sets"],
            "projects": len(set(texts["project"].to_pylist())),
            "unit": unit,
        },
        "vocabulary": gives.vocabulary,
        "table_2": accuracy(target) if has_ranks else None,
        "dataset_test": together(values, target, seed),
        "common_tokens": list(threshold_curve(_common(target, shadow), target, shadow, steps, trained, plain)),
        "output_size": list(output_curve(target, shadow, steps, size, taught, ranked)) if curves and size else [],
        "queries": list(query_curve(target, shadow, steps, size, taught, plain)) if curves and size else [],
        "renamed": _renamed(target, shadow, seed, trained, plain),
        "memory": _memory(target),
        "case": cases(target, values),
    }
    write_json(output / "summary.json", summary)
    return summary


def _shadows(wanted: dict[str, str] | None) -> Shadows | None:
    if wanted is None:
        return None
    found = RunFolder.open(Path(wanted["folder"]), "membership")
    if found.key != wanted["key"] or found.altered():
        raise InputError(f"{found.path}: not the study whose shadows taught this run; mend: restore it")
    return Shadows.open(found.path)


def _control(headline: str, target: Side, shadow: Side, references: int, seed: int) -> np.ndarray | None:
    """The same attack on a model that saw neither set: the first reference, with the others beside it."""
    if not references:
        return None

    asked_of = target.map(of_first_reference)
    trained = [attack for attack in TRAINED_ATTACKS if attack.name == headline]
    plain: list[Attack] = [attack for attack in ATTACKS if attack.name == headline]
    if references == 1 and trained:
        return None  # Taught with a reference, and none is left to stand beside the first.
    return measure(asked_of, shadow, seed, trained, plain, ()).scores.scores.get(headline)


def _common(target: Side, shadow: Side) -> list[Counter[str]]:
    """In how many members' files each token stands: of the user's set, and of all shadows together."""
    found: list[Counter[str]] = []
    for side in (target, shadow):
        counts: Counter[str] = Counter()
        for item, member in zip(side.evidence, side.member, strict=True):
            if member:
                counts.update({item.text[s:e] for s, e in zip(item.target.start, item.target.end, strict=True)})
        found.append(counts)
    return found if shadow.evidence else found[:1]


def _renamed(
    target: Side, shadow: Side, seed: int, trained: Sequence[TrainedAttack], plain: Sequence[Attack]
) -> dict[str, Any]:
    """Attacks on the first rewrite of each text that has one, by the model's scores alone (`AskOptions.variants`)."""
    forms = [python_rewrites(item.text, REWRITES) if item.neighbours else [] for item in target.evidence]
    # A rewrite that could not be scored would shift the others.
    kept = np.array(
        [bool(form) and len(form) == len(item.neighbours) for form, item in zip(forms, target.evidence, strict=True)]
    )
    if not kept.any():
        return {"texts": 0, "refused": "no rewrites were asked about; mend: --variants, Python files"}

    def alone(item: Evidence) -> Evidence:
        return Evidence(item.id, item.project, item.text, item.target, classes=item.classes)

    changed: list[Evidence] = []
    for item, form, keep in zip(target.evidence, forms, kept, strict=True):
        if keep:
            stats = item.neighbours[0]
            classes = token_classes(form[0], stats.start, stats.end)
            changed.append(Evidence(item.id, item.project, form[0], stats, classes=classes))
    bare = shadow.map(lambda item: replace(item, references=(), frequency=None))
    return renamed(target.map(alone), bare, changed, kept, seed, trained, plain)


def _memory(target: Side) -> dict[str, Any] | None:
    full = all(
        item.frequency is not None and item.target.rank is not None and item.target.logprob is not None
        for item in target.evidence
    )
    return memory_of_tokens(target) if full else None
