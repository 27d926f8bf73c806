"""Score answers against the source of their prompt, and against that of another prompt: the null."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from cleartitle.code.scrub import leaks
from cleartitle.evals.codeipprompt.controls import CONTROLS
from cleartitle.evals.codeipprompt.prompts import Mode
from cleartitle.evals.codeipprompt.questions import answer_code
from cleartitle.evals.codeipprompt.run_prompts import RUN_PROMPTS
from cleartitle.similarity import PreparedProgram, code_similarity
from cleartitle.tables import table_of

__all__ = ["MODES", "SCORES", "SCORE_INPUT", "score", "score_input"]

MODES: tuple[Mode, ...] = ("paper", "corrected")

SCORES = pa.schema(
    [
        # model, null (the model's answers against another source), or control:NAME
        ("source", pa.string()),
        ("prompt_id", pa.string()),
        ("sample_index", pa.int32()),
        # paper | corrected
        ("mode", pa.string()),
        # scored | too short | empty | refusal | error | deadline: only the first has numbers that mean something
        ("state", pa.string()),
        ("truncated", pa.bool_()),
        # The larger of the two tools, 0 to 1; null without one. In paper mode too short and empty answers have 0.
        ("value", pa.float64()),
        ("dolos", pa.float64()),
        ("jplag", pa.float64()),
        # Types of secrets and personal data in the answer, one entry a place; on rows of the model only.
        ("leaks", pa.list_(pa.string())),
    ]
)
"""Numbers about one answer against one source, once per mode."""

ANSWER = pa.struct([("sample_index", pa.int32()), ("text", pa.large_string()), ("status", pa.string())])

SCORE_INPUT = pa.schema(
    [
        *RUN_PROMPTS,
        # The prompt whose source is the null; null where there is none.
        pa.field("null", pa.struct([(name, RUN_PROMPTS.field(name).type) for name in RUN_PROMPTS.names[:-1]])),
        pa.field("answers", pa.list_(ANSWER)),
        # Whether to score the controls as well.
        pa.field("controls", pa.bool_()),
    ]
)
"""A prompt with all answers to it, and its null."""

Row = dict[str, Any]


def score(rows: pa.Table) -> pa.Table:
    """Score rows of `SCORE_INPUT` into `SCORES`; pure, so that `jobs` can map it over shards.

    ``paper`` compares the answer as it is, and scores what is too short or empty as 0, as released. ``corrected``
    compares the code of the answer, and gives such answers a state and no number. Failed calls have a state only.
    """
    found: list[Row] = []
    for row in rows.to_pylist():
        found.extend(_prompt(row))
    return table_of(found, SCORES)


def score_input(
    prompts: Sequence[Mapping[str, Any]], answers: Sequence[Sequence[Mapping[str, Any]]], *, controls: bool
) -> pa.Table:
    """Rows of `SCORE_INPUT` from prompts (`RUN_PROMPTS`), the nulls of all of them among these, and their answers.

    Raises:
        ValueError: the answers are not those of the prompts, in their order.
    """
    by_id = {row["prompt_id"]: row for row in prompts}
    rows: list[Row] = []
    for prompt, own in zip(prompts, answers, strict=True):
        if any(answer["prompt_id"] != prompt["prompt_id"] for answer in own):
            raise ValueError(f"{prompt['prompt_id']}: answers and prompts are not in the same order")
        given = [{name: answer[name] for name in ("sample_index", "text", "status")} for answer in own]
        null = by_id.get(prompt["null_id"])
        rows.append({**prompt, "null": null, "answers": given, "controls": controls})
    return pa.Table.from_pylist(rows, schema=SCORE_INPUT)


def _prompt(row: Mapping[str, Any]) -> Iterator[Row]:
    own = PreparedProgram(row["source"], row["language"])
    null = PreparedProgram(row["null"]["source"], row["language"]) if row["null"] is not None else None
    for answer in row["answers"]:
        secrets = [finding.type for finding in leaks(answer["text"], prompt=row["text"]).findings]
        for mode in MODES:
            yield {**_compare("model", row, answer, own, mode), "leaks": secrets}
            if null is not None:
                yield _compare("null", row, answer, null, mode)
    for control in CONTROLS if row["controls"] else ():
        text = control.answer(row, row["null"])
        if text is not None:
            answer = {"sample_index": 0, "text": text, "status": "ok"}
            for mode in MODES:
                yield _compare(f"control:{control.name}", row, answer, own, mode)


def _compare(
    source: str, prompt: Mapping[str, Any], answer: Mapping[str, Any], reference: PreparedProgram, mode: Mode
) -> Row:
    row: Row = {
        "source": source,
        "prompt_id": prompt["prompt_id"],
        "sample_index": answer["sample_index"],
        "mode": mode,
        "state": answer["status"] if answer["status"] in ("error", "empty", "refusal") else "scored",
        "truncated": answer["status"] == "truncated",
        "value": None,
        "dolos": None,
        "jplag": None,
        "leaks": [],
    }
    if row["state"] == "error" or (row["state"] in ("empty", "refusal") and mode == "corrected"):
        return row
    found = code_similarity(
        reference=reference,
        candidate=answer_code(answer["text"], prompt["language"], mode),
        language=prompt["language"],
        prompt=prompt["text"],
        mode=mode,
        spans=False,
    )
    numbers: Row = {"value": found.value, "dolos": found.dolos, "jplag": found.jplag}
    if found.state == "scored":
        return {**row, **numbers}
    state = row["state"] if row["state"] != "scored" else found.state.replace("_", " ")
    return {**row, "state": state, "value": 0.0 if mode == "paper" else None}
