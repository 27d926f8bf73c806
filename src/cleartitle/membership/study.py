"""Attacks on models whose training sets are known: what can be told of a text, by what, and how surely."""

from pathlib import Path
from typing import Any, cast

from cleartitle.corpus import Corpus
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json, write_json
from cleartitle.jobs import locked
from cleartitle.membership.attacks import ATTACKS, TRAINED_ATTACKS
from cleartitle.membership.dataset_test import DatasetTestOptions, dataset_test
from cleartitle.membership.study_options import HEADLINE, MembershipOptions
from cleartitle.membership.study_scores import StudyScores, score_study
from cleartitle.membership.study_tables import (
    Measured,
    Side,
    accuracy,
    brief,
    codemi,
    joined,
    judged,
    measure,
    memory_of_tokens,
    output_curve,
    query_curve,
    shadow_curve,
    threshold_curve,
)
from cleartitle.membership.targets import train_models
from cleartitle.membership.texts import TARGET, draw_texts
from cleartitle.options import as_record, fingerprint
from cleartitle.tables import write_table

__all__ = ["CAPABILITY", "score_membership", "study"]

CAPABILITY = "membership"


def study(corpus: Corpus, output: Path, options: MembershipOptions, *, workers: int | None = None) -> dict[str, Any]:
    """Draw files, train a target and its shadows, ask them about every text, run every attack; return the summary.

    The folder can be killed at any moment: the same call goes on and leaves the same figures.

    Raises:
        InputError: the folder holds another run, or the corpus too few files.
        MissingExtraError: torch is not installed.
    """
    options = options.checked()
    key = fingerprint(options, corpus=corpus.key)
    with locked(output):
        run = RunFolder.create(
            output, CAPABILITY, key, options=as_record(options), inputs={"corpus": {"key": corpus.key}}
        )
        texts, drawn = draw_texts(corpus, output / "candidates", options.draw())
        write_table(output / "texts.parquet", texts, key=key)
        shadows = options.draw().shadows
        models = train_models(output, options.models(), shadows=shadows, seed=options.seed, workers=workers)
        score_study(output, options.target, shadows=shadows, workers=workers, key=key)
        write_json(output / "made.json", {"drawn": drawn, "models": models})
        summary = score_membership(output)
        run.finish()
        run.seal()
    return summary


def score_membership(output: Path) -> dict[str, Any]:
    """Make every figure of a study anew from its token scores; writes ``attacks.parquet`` and ``summary.json``."""
    record = read_json(output / "run.json")
    options = _options(record["options"])
    shadows = options.draw().shadows
    scores = StudyScores(output, options.target, shadows=shadows)
    vocabulary = scores.scorers[TARGET].capabilities().vocabulary
    assert vocabulary is not None
    sides = [Side(scores.evidence(number), scores.labels(number)) for number in range(shadows + 1)]
    target, shadow = sides[0], joined(sides[1:])
    whole = Side(scores.with_variants(target.evidence), target.member)
    found = measure(whole, shadow, options, [*codemi(options, vocabulary), *TRAINED_ATTACKS], ATTACKS)
    blind, verdict = judged(scores, target, shadow, found, options)
    write_table(output / "attacks.parquet", found.scores.as_table().append_column("member", [target.member]))
    attacks = {name: brief(result) for name, result in found.results.items()}
    made = read_json(output / "made.json")
    summary = {
        "capability": CAPABILITY,
        "preset": options.preset,
        "scale": _scale(options),
        "options": as_record(options),
        "validity": verdict.verdict,
        "validity_report": {
            **verdict.as_json(),
            "blind": [
                {"name": one.name, "auc": one.auc, "auc_interval": _pair(one.interval), "p": one.p}
                for one in blind.classifiers
            ],
            "features": [vars(feature) for feature in blind.features[:8]],
            "left_out": list(blind.left_out),
        },
        "headline": {"attack": HEADLINE, **attacks.get(HEADLINE, {})} if verdict.may_print else None,
        "attacks": attacks if verdict.may_print else {name: {**WITHHELD} for name in attacks},
        "withheld": None if verdict.may_print else attacks,
        "not_run": found.scores.left_out,
        "tpr": {name: [_tpr(item) for item in result.tpr] for name, result in found.results.items()},
        "differences": found.differences,
        "texts": {"members": int(target.member.sum()), "non_members": int((~target.member).sum()), **made["drawn"]},
        "models": made["models"],
        "vocabulary": vocabulary,
        "table_2": accuracy(target),
        "dataset_test": _dataset(found, target, options),
        "common_tokens": list(threshold_curve(scores, target, shadow, options, vocabulary)),
        "shadow_models": list(shadow_curve(target, sides[1:], options, vocabulary)),
        "output_size": list(output_curve(target, shadow, options, vocabulary)),
        "queries": list(query_curve(target, shadow, options, vocabulary)),
        "renamed": _renamed(scores, target, shadow, options, vocabulary),
        "memory": memory_of_tokens(target),
        "case": _cases(whole, found),
    }
    write_json(output / "summary.json", summary)
    return summary


WITHHELD: dict[str, Any] = {"auc": None, "auc_interval": None, "accuracy": None, "withheld": "the run is INVALID"}


def _options(record: dict[str, Any]) -> MembershipOptions:
    values: dict[str, Any] = {
        name: tuple(cast("list[int]", value)) if isinstance(value, list) else value for name, value in record.items()
    }
    return MembershipOptions(**values)


def _scale(options: MembershipOptions) -> str:
    draw, models = options.draw(), options.models()
    return (
        f"{options.preset}: {draw.files} files a set, at most {draw.words} words a file, {draw.shadows} shadows, "
        f"vocabulary {models.vocabulary}; the paper has 24,000 files a set, whole files, 10 shadows, 100,002 words. "
        "Small training sets are remembered better, and their non-members hold words that no model here saw."
    )


def _renamed(
    scores: StudyScores, target: Side, shadow: Side, options: MembershipOptions, vocabulary: int
) -> dict[str, Any]:
    """The same attacks where every text is asked about as a rewrite of the same program, beside the texts as they are.

    Names of locals, order of imports and quotes differ. Only texts that could be rewritten are in either figure.
    """
    evidence, kept = scores.renamed()
    member = target.member[kept]
    if not member.any() or member.all():
        return {"texts": int(kept.sum()), "refused": "too few texts could be rewritten"}
    plain = Side([item for item, keep in zip(target.evidence, kept, strict=True) if keep], member)
    trained = [*codemi(options, vocabulary), *TRAINED_ATTACKS]
    before, after = (measure(side, shadow, options, trained) for side in (plain, Side(evidence, member)))
    return {
        "texts": int(kept.sum()),
        "attacks": {
            name: {"auc": before.results[name].auc, "auc_renamed": result.auc}
            for name, result in after.results.items()
            if name in before.results
        },
    }


def _dataset(found: Measured, target: Side, options: MembershipOptions) -> dict[str, Any]:
    """The dataset-level test of the members against the non-members, by the headline attack."""
    values = found.scores.scores.get(HEADLINE)
    if values is None:
        return {"refused": f"{HEADLINE} did not run"}
    test = dataset_test(values[target.member], values[~target.member], options=DatasetTestOptions(seed=options.seed))
    record = {name: value for name, value in vars(test).items() if name not in ("null", "power")}
    power = None if test.power is None else vars(test.power)
    return {**record, "power": power, "sentence": test.sentence}


def _tpr(item: Any) -> dict[str, Any]:
    return {"fpr": item.fpr, "rate": None if item.rate is None else item.rate.as_json(), "refused": item.refused}


def _pair(interval: Any) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _cases(whole: Side, found: Measured) -> list[dict[str, Any]]:
    """Figure 10: the surest member and the surest non-member with the rank of each token."""
    values = found.scores.scores.get(HEADLINE)
    cases: list[dict[str, Any]] = []
    for label, best in ((True, max), (False, min)):
        places = [place for place, member in enumerate(whole.member) if member == label]
        if values is None or not places:
            continue
        item = whole.evidence[best(places, key=lambda place: float(values[place]))]
        rank = item.target.rank
        assert rank is not None
        cases.append(
            {
                "member": label,
                "project": item.project,
                "text": item.text,
                "tokens": [
                    [int(start), int(end), int(one)]
                    for start, end, one in zip(item.target.start, item.target.end, rank, strict=True)
                ],
            }
        )
    return cases
