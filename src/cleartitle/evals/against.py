"""Look each answer up in an index, so that copies of other works than its own source are seen as well."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.evals.statistics import cluster_rate
from cleartitle.progress import progress
from cleartitle.tables import read_table, table_of, write_table
from cleartitle.trace import Index, Match

__all__ = ["AGAINST", "FILE_NAME", "Answer", "against_figures", "trace_answers"]

FILE_NAME = "against.parquet"

LIMIT = 50
"""Matches of one answer that are looked at, best first."""

AGAINST = pa.schema(
    [
        ("prompt_id", pa.string()),
        ("sample_index", pa.int32()),
        # project of the answer's own source
        ("project", pa.string()),
        # matches | common | none | too_short
        ("state", pa.string()),
        ("words", pa.int32()),
        # whether the index holds the file of the answer's own source
        ("own_indexed", pa.bool_()),
        # share of the answer's words that stand in its own source, 0 without a match there; common words count
        ("own", pa.float64()),
        # the same for the best match in another project whose words are not common
        ("other", pa.float64()),
        ("other_project", pa.string()),
        ("other_version", pa.string()),
        ("other_path", pa.string()),
        ("other_license", pa.string()),
        ("other_class", pa.string()),
    ]
)
"""What an index holds of one answer."""


@dataclass(frozen=True)
class Answer:
    """The text of an answer without its prompt, and where the prompt was taken from: project and content id."""

    prompt_id: str
    sample_index: int
    text: str
    project: str
    content: str


def trace_answers(answers: Iterable[Answer], index: Index, run: Path, *, key: str) -> dict[str, Any]:
    """Look the answers up, write ``against.parquet`` into the run, and return what was searched, for its record.

    A match in the answer's own project counts as its own source. A match shows shared words: not that the model has
    seen that very work, which may be a copy of the own source itself.
    """
    rows: list[dict[str, Any]] = []
    held = list(answers)
    indexed = _indexed({answer.content for answer in held}, index)
    with progress("trace", len(held), "answer") as advance:
        for answer in held:
            rows.append(_row(answer, index, answer.content in indexed))
            advance(1)
    write_table(run / FILE_NAME, table_of(rows, AGAINST), key=key)
    segments = [segment["name"] for segment in index.manifest["segments"]]
    return {**index.searched, "index": index.path.name, "segments": segments}


def against_figures(run: Path) -> dict[str, Any] | None:
    """Figures of ``against.parquet``, with the intervals of `cluster_rate` over projects; None without such a table.

    ``own``: answers that share words with their own project, of those whose source the index holds. ``other``:
    answers that share words, which are not common, with another project. ``only_other``: of these the ones that do not
    match their own project, which comparing with the own source alone cannot see; by license class as well. Answers
    that are empty, failed or too short to be searched for are counted apart (``too_short``).
    """
    if not (run / FILE_NAME).is_file():
        return None
    rows = read_table(run / FILE_NAME).to_pylist()
    judged = [row for row in rows if row["state"] != "too_short"]
    indexed = [row for row in judged if row["own_indexed"]]
    only = [row for row in judged if row["other"] > 0 and row["own"] == 0]
    return {
        "answers": len(rows),
        "searched_for": len(judged),
        "too_short": len(rows) - len(judged),
        "own_indexed": len(indexed),
        "own": _rate(indexed, [row["own"] > 0 for row in indexed]),
        "other": _rate(judged, [row["other"] > 0 for row in judged]),
        "only_other": _rate(judged, [row["other"] > 0 and row["own"] == 0 for row in judged]),
        "only_other_by_class": dict(sorted(Counter(row["other_class"] or "unknown" for row in only).items())),
        "mean_own": _mean([row["own"] for row in indexed]),
        "mean_best": _mean([max(row["own"], row["other"]) for row in judged]),
    }


def _row(answer: Answer, index: Index, own_indexed: bool) -> dict[str, Any]:
    found = index.search(answer.text, limit=LIMIT)
    own = [match for match in found.matches if match.project == answer.project or match.swhid == answer.content]
    others = [match for match in found.matches if match not in own and not match.common]
    best: Match | None = max(others, key=lambda match: match.containment, default=None)
    return {
        "prompt_id": answer.prompt_id,
        "sample_index": answer.sample_index,
        "project": answer.project,
        "state": found.state,
        "words": found.words,
        "own_indexed": own_indexed,
        "own": max((match.containment for match in own), default=0.0),
        "other": best.containment if best else 0.0,
        "other_project": best.project if best else None,
        "other_version": best.version if best else None,
        "other_path": best.path if best else None,
        "other_license": best.license if best else None,
        "other_class": best.license_class if best else None,
    }


def _indexed(contents: set[str], index: Index) -> set[str]:
    wanted = pa.array(sorted(contents), pa.string())
    found: set[str] = set()
    for segment in index.segments:
        held = pc.is_in(wanted, value_set=segment.documents["swhid"].combine_chunks())  # pyright: ignore[reportAttributeAccessIssue]
        found.update(wanted.filter(held).to_pylist())
    return found


def _rate(rows: list[dict[str, Any]], hits: list[bool]) -> dict[str, Any]:
    projects, prompts = ([row[name] for row in rows] for name in ("project", "prompt_id"))
    return cluster_rate(hits, projects, prompts).as_json()


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
