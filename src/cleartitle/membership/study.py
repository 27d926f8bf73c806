"""Attacks on models whose training sets are known: what can be told of a text, by what, and how surely."""

from functools import partial
from pathlib import Path
from typing import Any, cast

from cleartitle.corpus import Corpus
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json, write_json
from cleartitle.jobs import locked
from cleartitle.membership.attacks import TRAINED_ATTACKS
from cleartitle.membership.figures import cases, figures, renamed, together
from cleartitle.membership.study_options import HEADLINE, MembershipOptions
from cleartitle.membership.study_scores import StudyScores, score_study
from cleartitle.membership.study_tables import (
    Side,
    accuracy,
    codemi,
    files_with_token,
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

__all__ = ["CAPABILITY", "recorded_options", "score_membership", "study"]

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
    options = recorded_options(record["options"])
    shadows = options.draw().shadows
    scores = StudyScores(output, options.target, shadows=shadows)
    vocabulary = scores.scorers[TARGET].capabilities().vocabulary
    assert vocabulary is not None
    sides = [Side(scores.evidence(number), scores.labels(number)) for number in range(shadows + 1)]
    target, shadow = sides[0], joined(sides[1:])
    whole = Side(scores.with_variants(target.evidence), target.member)
    taught = partial(codemi, options)
    trained = [*taught(vocabulary), *TRAINED_ATTACKS]
    found = measure(whole, shadow, options.seed, trained)
    values = found.scores.scores.get(HEADLINE)
    counts = [files_with_token(scores, number) for number in range(shadows + 1)]
    blind, verdict = judged(scores, target, shadow, found, options)
    write_table(output / "attacks.parquet", found.scores.as_table().append_column("member", [target.member]))
    made = read_json(output / "made.json")
    summary = {
        "capability": CAPABILITY,
        "preset": options.preset,
        "scale": _scale(options),
        "options": as_record(options),
        **figures(found, blind, verdict, HEADLINE),
        "texts": {"members": int(target.member.sum()), "non_members": int((~target.member).sum()), **made["drawn"]},
        "models": made["models"],
        "vocabulary": vocabulary,
        "table_2": accuracy(target),
        "dataset_test": together(values, target, options.seed),
        "common_tokens": list(threshold_curve(counts, target, shadow, options, trained)),
        "shadow_models": list(shadow_curve(target, sides[1:], options, vocabulary)),
        "output_size": list(output_curve(target, shadow, options, vocabulary, taught)),
        "queries": list(query_curve(target, shadow, options, vocabulary, taught)),
        "renamed": renamed(target, shadow, *scores.renamed(), options.seed, trained),
        "memory": memory_of_tokens(target),
        "case": cases(whole, values),
    }
    write_json(output / "summary.json", summary)
    return summary


def recorded_options(record: dict[str, Any]) -> MembershipOptions:
    """The options that ``run.json`` of a study holds."""
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
