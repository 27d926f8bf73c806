"""Arrow schemas that every evaluation shares."""

import pyarrow as pa

__all__ = ["GENERATIONS", "GENERATIONS_VERSION"]

GENERATIONS_VERSION = 1

GENERATIONS = pa.schema(
    [
        ("prompt_id", pa.string()),
        ("sample_index", pa.int32()),
        # 0 for the first answer, 1 for the answer to the follow-up in the same conversation, …
        ("turn", pa.int32()),
        ("text", pa.large_string()),
        # ok | empty | refusal | truncated | error
        ("status", pa.string()),
        ("finish_reason", pa.string()),
        ("error", pa.string()),
        ("reasoning", pa.large_string()),
        # JSON list of {id, name, arguments}; null where there is none
        ("tool_calls", pa.string()),
        ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()),
    ]
)
"""One answer of a model, keyed ``(prompt_id, sample_index, turn)``. Timings stand in a side file."""
