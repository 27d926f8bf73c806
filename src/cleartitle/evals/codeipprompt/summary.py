"""The figures of a run in one mode: EM and EP by class and language with the null beside them, sweep, lengths, sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle.evals.codeipprompt.correlations import correlations
from cleartitle.evals.codeipprompt.figures import Sampled, difference, em_ep, figures, sweep
from cleartitle.evals.codeipprompt.metrics import THRESHOLD, Scores, chance_of_one, expected_maximum
from cleartitle.evals.codeipprompt.prompts import REPORTED_APART, Mode
from cleartitle.evals.codeipprompt.reduce import Reduced

__all__ = ["LIGHT", "PAPER_CLASSES", "Figures", "control_figures", "summarize"]

PAPER_CLASSES = ("permissive", "weak_copyleft", "strong_copyleft")
"""The classes of Table 3; "overall" in ``paper`` mode is over these."""
LIGHT = (
    "prompt_id",
    "language",
    "license_class",
    "project",
    "prompt_tokens",
    "source_tokens",
    "null_match",
    "null_same_project",
    "training",
)
"""Columns of the prompts of a run that a summary needs."""

Mask = npt.NDArray[np.bool_]
Row = dict[str, Any]


@dataclass(frozen=True)
class Figures:
    """What figures are computed with: draws per figure, draws in training sets, resamples, seed."""

    n: int
    training_n: int
    draws: int
    seed: int


def summarize(
    prompts: Sequence[Row], own: Reduced, null: Reduced | None, mode: Mode, chosen: Figures
) -> dict[str, Any]:
    """Figures of the model in one mode, as plain JSON values.

    Args:
        prompts: rows of `LIGHT` in the order of the run.
        own: scores of the answers against their own sources.
        null: scores of the same answers against other sources; None where no prompt has a null.
        mode: see `score`.
        chosen: how many draws.

    ``overall`` leaves out public-domain code, whose copying is no infringement; it stands in ``apart``. In ``paper``
    mode it is over the three classes of the paper alone.
    """
    nulls = np.full(len(prompts), np.nan) if null is None else null.best
    everything = Sampled(own.best, nulls, [row["project"] for row in prompts])
    classes = np.array([row["license_class"] or "restricted" for row in prompts], dtype=object)
    languages = np.array([row["language"] for row in prompts], dtype=object)
    apart = np.isin(classes, REPORTED_APART)
    counted = np.isin(classes, PAPER_CLASSES) if mode == "paper" else ~apart

    def of(mask: Mask) -> dict[str, Any]:
        return figures(everything.where(mask), chosen.n, seed=chosen.seed, draws=chosen.draws)

    def by(values: npt.NDArray[np.object_], within: Mask) -> dict[str, Any]:
        return {str(value): of(within & (values == value)) for value in sorted(set(values[within].tolist()))}

    lengths = {name: np.array([row[name] for row in prompts], float) for name in ("prompt_tokens", "source_tokens")}
    return {
        **own.counts(),
        "overall": of(counted),
        "by_class": by(classes, ~apart),
        "by_language": by(languages, counted),
        "by_language_and_class": {
            language: by(classes, ~apart & (languages == language)) for language in sorted(set(languages.tolist()))
        },
        "apart": by(classes, apart),
        "single_answers": _singles(own, null, chosen.n),
        "sweep": sweep(everything.where(counted)),
        "length": {name: correlations(values[counted], own.best[counted]) for name, values in lengths.items()},
        "training": _training(prompts, everything, chosen),
    }


def _singles(own: Reduced, null: Reduced | None, n: int) -> dict[str, Any]:
    """EM and EP where a draw is one answer, not the best of the answers to a prompt; all classes together."""

    def record(scores: Scores) -> dict[str, Any] | None:
        if not len(scores):
            return None
        share = float(np.mean(scores > THRESHOLD))
        largest = expected_maximum(scores, n)
        return {
            "answers": len(scores),
            "em": largest.mean,
            "em_sd": largest.sd,
            "ep": chance_of_one(share, n),
            "share": share,
        }

    return {"n": n, "own": record(own.singles), "null": record(null.singles) if null is not None else None}


def _training(prompts: Sequence[Row], everything: Sampled, chosen: Figures) -> list[dict[str, Any]]:
    """Table 5: prompts that stand in each training set, those that stand in no other, and those outside all."""
    names = [entry["set"] for entry in prompts[0]["training"]] if prompts else []
    held = np.array([[entry["match"] != "none" for entry in row["training"]] for row in prompts], dtype=bool)
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        inside: Mask = held[:, place]
        alone: Mask = np.sum(held, axis=1) == 1
        outside: Mask = np.sum(held, axis=1) == 0
        groups: dict[str, Mask] = {"in": inside, "only_here": inside & alone, "out": outside}
        matches = [row["training"][place]["match"] for row in prompts]
        found: dict[str, Any] = {
            "set": name,
            "n": chosen.training_n,
            "matches": {match: matches.count(match) for match in ("exact", "near", "none")},
        }
        for title, mask in groups.items():
            group = everything.where(mask)
            found[title] = figures(group, chosen.training_n, seed=chosen.seed, draws=chosen.draws)
        pair = [_known(everything.where(groups[title])) for title in ("in", "out")]
        found["difference"] = difference(pair[0], pair[1], chosen.training_n, seed=chosen.seed)
        rows.append(found)
    return rows


def _known(group: Sampled) -> tuple[Scores, Sequence[Any]]:
    known = group.where(~np.isnan(group.own))
    return known.own, known.projects


def control_figures(prompts: Sequence[Row], scores: Reduced, chosen: Figures) -> dict[str, Any]:
    """EM and EP of a control over all prompts; it answers each once."""
    known = _known(Sampled(scores.best, scores.best, [row["project"] for row in prompts]))
    return {**scores.counts(), "overall": em_ep(*known, chosen.n, seed=chosen.seed)}
