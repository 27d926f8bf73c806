"""Put answers to the tests: a table of answers in, a table of results out."""

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cleartitle.evals.humaneval.problems import PROBLEMS
from cleartitle.evals.humaneval.program import Program, assemble
from cleartitle.evals.humaneval.sandbox import Confinement, Limits, run_program
from cleartitle.tables import table_of

__all__ = ["ANSWERED", "CONTROLS", "RESULTS", "execute"]

CONTROLS = {
    "canonical": "the solutions that come with the problems",
    "empty": "the prompt with nothing but pass as its body",
}
"""Built-in answers: all of the first must pass, or this machine is at fault; none of the second."""

ANSWERED = pa.schema(
    [
        *PROBLEMS,
        # model, or control:NAME
        ("source", pa.string()),
        ("sample_index", pa.int32()),
        ("text", pa.large_string()),
        ("status", pa.string()),
    ]
)
"""A problem with one answer to it; the text of a control is not read."""

RESULTS = pa.schema(
    [
        ("source", pa.string()),
        ("prompt_id", pa.string()),
        ("sample_index", pa.int32()),
        # passed | failed | error | timeout | memory | crashed | refused | empty | no answer (the call failed)
        ("outcome", pa.string()),
        ("detail", pa.string()),
        # how the program was found: program | body | other function | nothing | control
        ("how", pa.string()),
        ("program", pa.large_string()),
    ]
)
"""What came of each answer."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")


def execute(rows: pa.Table, *, limits: Limits, confined: Confinement) -> pa.Table:
    """Run the program of each row of `ANSWERED` against its tests; rows of `RESULTS`.

    Results do not depend on the machine, except where a limit decides.
    """
    return table_of([_result(row, limits, confined) for row in rows.to_pylist()], RESULTS)


def _result(row: Mapping[str, Any], limits: Limits, confined: Confinement) -> dict[str, Any]:
    program, how = _program(row)
    if not program:
        outcome, detail = _without_program(row["status"], how)
    else:
        verdict = run_program(
            program, f"{row['prompt'].rstrip()}\n    pass\n", row["entry_point"], row["test"], limits, confined
        )
        outcome, detail = verdict.outcome, _ADDRESS.sub("0x…", verdict.detail)
    return {
        "source": row["source"],
        "prompt_id": row["prompt_id"],
        "sample_index": row["sample_index"],
        "outcome": outcome,
        "detail": detail,
        "how": how,
        "program": program,
    }


def _program(row: Mapping[str, Any]) -> tuple[str, str]:
    if row["source"] == "control:canonical":
        return row["prompt"] + row["canonical_solution"], "control"
    if row["source"] == "control:empty":
        return f"{row['prompt'].rstrip()}\n    pass\n", "control"
    if row["status"] in ("error", "empty", "refusal"):
        return "", "nothing"
    found: Program = assemble(row["text"], row["prompt"], row["entry_point"])
    return found.source, found.how


def _without_program(status: str, how: str) -> tuple[str, str]:
    if status == "error":
        return "no answer", "the call failed"
    if status == "refusal":
        return "refused", ""
    if how == "other function":
        return "error", "the answer defines only functions of other names"
    return "empty", "" if status == "empty" else "no code in the answer"
