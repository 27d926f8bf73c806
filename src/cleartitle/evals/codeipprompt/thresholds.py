"""From which score on do people see a copy: correlation, precision and recall (CodeIPPrompt, figure 3, table 4)."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import scipy

from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt.metrics import THRESHOLD
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.statistics import bootstrap, rate
from cleartitle.files import sha256_file, write_json
from cleartitle.tables import part_paths, read_table

__all__ = ["STUDY", "THRESHOLDS", "Label", "read_labels", "study_run", "threshold_study"]

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(20))
"""The steps of the paper."""
CONTROL = "control:"
STUDY = "thresholds.json"
ID_NAMES = ("item_id", "pair_id", "id")
SIMILAR = frozenset({"copied", "copy", "similar", "yes", "true", "1"})
NOT_SIMILAR = frozenset({"independent", "different", "not similar", "not copied", "no", "false", "0"})


@dataclass(frozen=True)
class Label:
    """What one person said of one pair: similar, not similar, or None for an answer that is neither."""

    pair: str
    rater: str
    similar: bool | None


def read_labels(path: Path) -> list[Label]:
    """Labels of a CSV file with the columns ``item_id`` (or ``pair_id``), ``rater`` and ``answer``.

    Attention checks (ids that start with `CONTROL`) are passed over. Answers that mean similar are `SIMILAR`, those
    that mean the contrary `NOT_SIMILAR`; any other one is neither.

    Raises:
        InputError: the file cannot be read, or lacks a column.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            names = reader.fieldnames or ()
            identity = next((name for name in ID_NAMES if name in names), None)
            if identity is None or "answer" not in names:
                raise InputError(f"{path}: lacks a column; mend: item_id (or pair_id), rater and answer")
            return [
                Label(row[identity], row.get("rater") or "", _meaning(row["answer"] or ""))
                for row in reader
                if row[identity] and not row[identity].startswith(CONTROL)
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8 ({error})") from None


def _meaning(answer: str) -> bool | None:
    word = " ".join(answer.replace("_", " ").replace("-", " ").split()).lower()
    return True if word in SIMILAR else False if word in NOT_SIMILAR else None


def threshold_study(labels: Iterable[Label], scores: Mapping[str, float], *, seed: int = 0) -> dict[str, Any]:
    """Compare scores with labels, as plain JSON values.

    The last answer of a rater to a pair counts. A pair is similar where most of those who decided say so; ties are left
    out of the tables and counted. The correlations are between the share of such raters and the score, ties included.
    A threshold that was chosen on these pairs looks better on them than it is.

    Args:
        labels: of one or several raters.
        scores: score of each pair; labels of other pairs are counted as ``unknown``.
        seed: of the bootstrap over pairs.

    Raises:
        InputError: no label is of a pair that has a score.
    """
    votes: dict[str, dict[str, bool | None]] = {}
    unknown: set[str] = set()
    for label in labels:
        if label.pair in scores:
            votes.setdefault(label.pair, {})[label.rater] = label.similar
        else:
            unknown.add(label.pair)
    decided = {pair: [vote for vote in raters.values() if vote is not None] for pair, raters in votes.items()}
    pairs = sorted(pair for pair, said in decided.items() if said)
    if not pairs:
        raise InputError("labels: none is of a pair that has a score; mend: label the pairs of this run")
    shares = np.array([np.mean(decided[pair]) for pair in pairs], dtype=np.float64)
    values = np.array([scores[pair] for pair in pairs], dtype=np.float64)
    clear = shares != 0.5
    rows = [_at(threshold, values[clear], shares[clear] > 0.5) for threshold in THRESHOLDS]
    best = max(rows, key=lambda row: (row["f1"] or 0.0, -abs(row["threshold"] - THRESHOLD)))
    return {
        "pairs": len(pairs),
        "raters": len({rater for raters in votes.values() for rater in raters}),
        "votes": sum(len(said) for said in decided.values()),
        "undecided": sum(vote is None for raters in votes.values() for vote in raters.values()),
        "ties": int(np.sum(~clear)),
        "unknown": len(unknown),
        "similar": int(np.sum(shares[clear] > 0.5)),
        "pearson": _correlation(scipy.stats.pearsonr, values, shares, seed),
        "spearman": _correlation(scipy.stats.spearmanr, values, shares, None),
        "thresholds": rows,
        "best": best["threshold"],
    }


def study_run(run: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Compare the labels in CSV files with the scores of a run, in the mode of its headline; keep the study in the run.

    The pairs are ``PROMPT_ID#SAMPLE_INDEX``. ``report.html`` shows the study once it is written anew.

    Raises:
        InputError: no scored CodeIPPrompt run, no labels, or none of this run.
    """
    record = RunFolder.open(run, "codeipprompt").record()
    mode = record["inputs"]["prompts"]["options"]["mode"]
    labels = [label for path in files for label in read_labels(path)]
    wanted = {label.pair for label in labels}
    scores: dict[str, float] = {}
    columns = ["source", "prompt_id", "sample_index", "mode", "value"]
    for path in part_paths(run / "scores"):
        rows = read_table(path, columns).filter((pc.field("source") == "model") & (pc.field("mode") == mode))
        for row in rows.to_pylist():
            pair = f"{row['prompt_id']}#{row['sample_index']}"
            if pair in wanted and row["value"] is not None:
                scores[pair] = row["value"]
    hashes = {path.name: sha256_file(path) for path in files}
    study = {"mode": mode, "files": hashes, **threshold_study(labels, scores, seed=record["options"]["seed"])}
    write_json(run / STUDY, study)
    return study


def _at(threshold: float, values: npt.NDArray[np.float64], similar: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """One row of figure 3, with the counts of table 4; similar is a score strictly above the threshold."""
    above = values > threshold
    counts = {
        "tp": int(np.sum(above & similar)),
        "fp": int(np.sum(above & ~similar)),
        "tn": int(np.sum(~above & ~similar)),
        "fn": int(np.sum(~above & similar)),
    }
    precision = rate(counts["tp"], counts["tp"] + counts["fp"])
    recall = rate(counts["tp"], counts["tp"] + counts["fn"])
    decided = 2 * counts["tp"] + counts["fp"] + counts["fn"]
    return {
        "threshold": threshold,
        **counts,
        "precision": precision.as_json(),
        "recall": recall.as_json(),
        "f1": 2 * counts["tp"] / decided if decided else None,
    }


def _correlation(
    test: Any, values: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], seed: int | None
) -> dict[str, Any]:
    if len(values) < 3 or np.ptp(values) == 0 or np.ptp(shares) == 0:
        return {"r": None, "p": None, "interval": None}
    result = test(values, shares)
    found: dict[str, Any] = {"r": float(result[0]), "p": float(result[1]), "interval": None}
    if seed is not None:
        columns = np.column_stack([values, shares, values * values, shares * shares, values * shares])
        interval = bootstrap(_pearson, columns, list(range(len(values))), seed=seed)
        found["interval"] = {"low": interval.low, "high": interval.high, "method": interval.method}
    return found


def _pearson(sums: Sequence[float] | npt.NDArray[np.float64], n: int) -> float:
    x, y, xx, yy, xy = (float(value) for value in sums)
    spread = max(0.0, n * xx - x * x) * max(0.0, n * yy - y * y)
    return (n * xy - x * y) / spread**0.5 if spread > 0 else 0.0
