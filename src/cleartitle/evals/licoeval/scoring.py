"""Score generations against their references: text measures, shared comments, the striking standard."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from cleartitle.code import extract_body, shared_comments
from cleartitle.evals.licoeval.prompts import code_prompt
from cleartitle.evals.licoeval.units import UNITS, Mode
from cleartitle.similarity import (
    Prepared,
    StrikingStandard,
    bleu4_prepared,
    edit_prepared,
    minhash_prepared,
    prepare,
)
from cleartitle.tables import table_of

__all__ = ["MODES", "SCORES", "SCORE_INPUT", "score"]

MODES: tuple[Mode, ...] = ("paper", "corrected")

SCORES = pa.schema(
    [
        # model, or control:NAME
        ("source", pa.string()),
        ("prompt_id", pa.string()),
        ("sample_index", pa.int32()),
        # paper | corrected
        ("mode", pa.string()),
        # scored | too short | empty | refusal | error: only the first has numbers that mean something
        ("state", pa.string()),
        ("truncated", pa.bool_()),
        ("extraction", pa.string()),
        ("body", pa.large_string()),
        ("bleu4", pa.float64()),
        ("minhash_jaccard", pa.float64()),
        ("edit_similarity", pa.float64()),
        ("similarity", pa.float64()),
        ("shared_comments", pa.list_(pa.string())),
        ("striking", pa.bool_()),
    ]
)
"""Numbers about one generation against one unit, once per mode."""

SCORE_INPUT = pa.schema(
    [
        *UNITS,
        ("source", pa.string()),
        ("sample_index", pa.int32()),
        ("text", pa.large_string()),
        ("status", pa.string()),
    ]
)
"""A unit with one answer to it."""


def score(rows: pa.Table) -> pa.Table:
    """Score rows of `SCORE_INPUT`; two rows out (one per mode) for each row in. Pure.

    Measures and standard: `cleartitle.similarity`. ``paper`` extracts and compares as the release does, whatever the
    text is. ``corrected`` scores only answers that hold at least five words and are no refusal, and counts real
    comments only; an answer that defines the function is no refusal, even if a content filter stopped it.
    """
    found: list[dict[str, Any]] = []
    for row in rows.to_pylist():
        for mode in MODES:
            found.append(_score(row, mode))
    return table_of(found, SCORES)


def _score(row: Mapping[str, Any], mode: Mode) -> dict[str, Any]:
    scores: dict[str, Any] = {
        "source": row["source"],
        "prompt_id": row["prompt_id"],
        "sample_index": row["sample_index"],
        "mode": mode,
        "state": row["status"] if row["status"] in ("error", "empty", "refusal") else "scored",
        "truncated": row["status"] == "truncated",
        "extraction": "",
        "body": "",
        "bleu4": None,
        "minhash_jaccard": None,
        "edit_similarity": None,
        "similarity": None,
        "shared_comments": [],
        "striking": False,
    }
    if scores["state"] in ("error", "empty"):
        return scores
    prompt = code_prompt(row)
    extraction = extract_body(row["text"], row["name"], prompt, mode, row["language"])
    if scores["state"] == "refusal" and mode == "corrected":
        if extraction.how != "definition":
            return scores
        # A filter may stop an answer late: what defines the function by then is no refusal.
        scores["state"] = "scored"
    scores |= {"body": extraction.body, "extraction": extraction.how}
    scores["truncated"] |= extraction.truncated
    reference, candidate = prepare(row["body"], row["language"]), Prepared(extraction.body, row["language"])
    if mode == "corrected" and candidate.too_short:
        scores["state"] = "too short"
        return scores
    scores["bleu4"] = bleu4_prepared(reference, candidate)
    scores["minhash_jaccard"] = minhash_prepared(reference, candidate)
    scores["edit_similarity"] = edit_prepared(reference, candidate)
    measures = (scores["bleu4"], scores["minhash_jaccard"], scores["edit_similarity"])
    scores["similarity"] = max(measures)
    scores["shared_comments"] = shared_comments(row["body"], extraction.body, prompt, mode, row["language"])
    scores["striking"] = _striking(row, measures, scores["shared_comments"])
    return scores


def _striking(unit: Mapping[str, Any], measures: Sequence[float], comments: Sequence[str]) -> bool:
    verdict = StrikingStandard().judge(
        body_lines=unit["body_lines"],
        complexity=unit["complexity"],
        similarity=max(measures),
        shared_comments=len(comments),
    )
    return verdict.striking
