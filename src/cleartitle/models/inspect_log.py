"""Answers from a log of Inspect AI (``.eval``), and from an output of its models; needs the extra ``inspect``."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError, require
from cleartitle.models.answers import answer
from cleartitle.models.protocol import Generation, ToolCall

__all__ = ["STORE_KEY", "generation_of", "log_records"]

STORE_KEY = "cleartitle_answers"
"""Where the store of a sample holds its answers: prompt id, sample index, turn and the fields of `Generation`."""

FINISH_REASONS = {"max_tokens": "length", "model_length": "length"}


def generation_of(output: Any, *, chat: bool) -> Generation:
    """A `Generation` from Inspect's ``ModelOutput``; what Inspect reports as an error of the output is one here."""
    if output.error or not output.choices:
        reason = " ".join(str(output.error or "the provider gave no choice").split())
        return Generation("", "error", "error", reason)
    usage = output.usage
    return answer(
        output.completion,
        FINISH_REASONS.get(output.stop_reason, output.stop_reason),
        reasoning=_reasoning(output.message.content),
        chat=chat,
        tool_calls=_calls(output.message.tool_calls),
        prompt_tokens=usage.input_tokens if usage else None,
        completion_tokens=usage.output_tokens if usage else None,
    )


def _reasoning(content: Any) -> str | None:
    parts = content if isinstance(content, list) else []
    return "\n".join(part.reasoning for part in parts if part.type == "reasoning") or None


def _calls(value: Any) -> tuple[ToolCall, ...]:
    """Calls with their arguments as JSON; of arguments that Inspect could not parse only its reason is left."""
    return tuple(
        ToolCall(call.id, call.function, call.parse_error or json.dumps(call.arguments, ensure_ascii=False))
        for call in value or ()
    )


def log_records(path: Path) -> Iterator[Mapping[str, Any]]:
    """Records for `ReplayModel`, one per answer.

    They come from the store where the task was ours. Of another task the first message of the assistant counts, with
    the id of the sample as prompt id and its epoch as the sample. A sample that failed is an answer with an error.

    Raises:
        MissingExtraError: inspect_ai is not installed.
        InputError: no log, a damaged one, or one whose run did not end well.
    """
    inspect_log = require("inspect_ai.log", "inspect")
    try:
        header = inspect_log.read_eval_log(str(path), header_only=True)
        if header.status != "success":
            raise InputError(
                f"{path}: the status of this log is {header.status}, not success; "
                f"mend: `inspect eval-retry {path.name}` and take the log that it writes"
            )
        for sample in inspect_log.read_eval_log_samples(
            str(path), all_samples_required=False, resolve_attachments=True
        ):
            yield from _sample_records(sample)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError(f"{path}: not a readable log of Inspect ({' '.join(str(error).split())[:120]})") from None


def _sample_records(sample: Any) -> Iterator[Mapping[str, Any]]:
    identity = {"prompt_id": str(sample.id), "sample_index": sample.epoch - 1}
    if sample.error is not None:
        reason = " ".join(str(sample.error.message).split())[:200]
        yield {**identity, "turn": 0, "text": "", "status": "error", "error": reason}
        return
    answers = sample.store.get(STORE_KEY)
    if answers is not None:
        yield from answers
        return
    texts = [message.text for message in sample.messages if message.role == "assistant"]
    yield from ({**identity, "text": text} for text in texts[:1])
