"""What was said and done in an episode, one row a message."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from cleartitle.evals.copyright_bench.office import Office
from cleartitle.evals.runner import clean_text
from cleartitle.models import Generation

__all__ = ["TRANSCRIPTS", "Row", "Transcript", "submitted_path"]

Row = dict[str, Any]

TRANSCRIPTS = pa.schema(
    [
        pa.field("episode_id", pa.string(), nullable=False),
        pa.field("step", pa.int32(), nullable=False),
        # instruction | assistant | tool | nudge | end
        pa.field("role", pa.string(), nullable=False),
        # What was said; of a tool what the agent read; of the end the reason
        pa.field("text", pa.large_string(), nullable=False),
        # Of a tool: its name, and the arguments as the agent wrote them
        pa.field("tool", pa.string()),
        pa.field("arguments", pa.large_string()),
        # Of the assistant: the status of `Generation`; of a tool: ok | error;
        # of the end: submitted | stopped | step limit | error
        pa.field("state", pa.string()),
        # Name of the asset whose pixels the agent got
        pa.field("picture", pa.string()),
        pa.field("reasoning", pa.large_string()),
        # Of the assistant: JSON list of {name, arguments}
        pa.field("tool_calls", pa.large_string()),
        pa.field("finish_reason", pa.string()),
        pa.field("prompt_tokens", pa.int32()),
        pa.field("completion_tokens", pa.int32()),
    ]
)
"""Messages of an episode in their order. The last one, and only that, has the role ``end``."""


class Transcript:
    """Collects the messages of one episode."""

    def __init__(self, episode_id: str, instruction: str) -> None:
        self.episode_id = episode_id
        self.rows: list[Row] = []
        self._add("instruction", instruction)

    def assistant(self, generation: Generation) -> None:
        """An answer of the model."""
        calls = [
            {"name": clean_text(call.name), "arguments": clean_text(call.arguments)} for call in generation.tool_calls
        ]
        self._add(
            "assistant",
            generation.text,
            state=generation.status,
            reasoning=generation.reasoning and clean_text(generation.reasoning),
            tool_calls=json.dumps(calls, ensure_ascii=False) if calls else None,
            finish_reason=generation.finish_reason,
            prompt_tokens=generation.prompt_tokens,
            completion_tokens=generation.completion_tokens,
        )

    def tool(self, name: str, arguments: str, state: str, text: str, picture: str | None = None) -> None:
        """A call, and what came of it."""
        self._add(
            "tool", text, tool=clean_text(name)[:200], arguments=clean_text(arguments), state=state, picture=picture
        )

    def calls(self, office: Office) -> None:
        """All calls that an office has seen: for choosers that say nothing."""
        for call in office.calls:
            self.tool(call.name, json.dumps(call.arguments, ensure_ascii=False), call.state, call.answer)

    def nudge(self, text: str) -> None:
        """What the loop itself said."""
        self._add("nudge", text)

    def end(self, state: str, text: str = "") -> list[Row]:
        """Close the transcript and give its rows."""
        self._add("end", text, state=state)
        return self.rows

    def _add(self, role: str, text: str, **more: Any) -> None:
        row = dict.fromkeys(TRANSCRIPTS.names)
        row |= {"episode_id": self.episode_id, "step": len(self.rows), "role": role, "text": clean_text(text)}
        self.rows.append(row | more)


def submitted_path(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The path that was handed in and accepted, None if there is none."""
    for row in rows:
        if row["role"] == "tool" and row["tool"] == "submit_selection" and row["state"] == "ok":
            return str(json.loads(row["arguments"])["path"])
    return None
