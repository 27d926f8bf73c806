"""What every evaluation does around its own questions: one folder, from the first question to the sealed figures."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.evals.run_folder import RunFolder
from cleartitle.jobs import locked
from cleartitle.models import Model
from cleartitle.options import as_record
from cleartitle.tables import write_table

__all__ = ["Scoring", "conduct", "model_key"]

VOLATILE = frozenset({"spent", "served_as", "refused_parameters", "key_from", "workers", "threads", "batch"})
"""What a model's description says of one session, and not of the model."""


@dataclass(frozen=True)
class Scoring:
    """How the recorded answers of a run become its figures, without the model.

    ``score`` reads ``run.json``, ``prompts.parquet`` and the folders of answers of a run, writes what ``derived`` names
    (tables, and folders of parts, which it reuses where they are of the same answers) and ``summary.json``, and returns
    the summary. ``kept`` names what ``score`` reads beside tables, files or folders of the run. `cleartitle.evals.life`
    needs no more of a capability.
    """

    score: Callable[[Path], dict[str, Any]]
    derived: tuple[str, ...]
    kept: tuple[str, ...] = ()


def model_key(model: Model) -> dict[str, Any]:
    """Name and description of a model without what belongs to one session: its part in the key of a run."""
    described = {name: value for name, value in model.describe().items() if name not in VOLATILE}
    return {"name": model.name, **described}


def conduct(
    model: Model,
    output: Path,
    capability: str,
    key: str,
    *,
    options: Any,
    inputs: Mapping[str, Any],
    prompts: pa.Table | Callable[[Path], None],
    answer: Callable[[], Coroutine[Any, Any, None]],
    score: Callable[[Path], dict[str, Any]],
    notes: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Make the run in ``output``, or go on with it: record, prompts, answers, figures, end, seal; return the summary.

    Args:
        model: it is closed at the end, whatever happens.
        output: folder of the run.
        capability: name that ``run.json`` and ``summary.json`` carry.
        key: names options, model and prompts (`cleartitle.options.fingerprint`, `model_key`).
        options: dataclass of the operation.
        inputs: what the run reads beside the model, for the record.
        prompts: what is asked, for ``prompts.parquet``; or what writes that file, where it may not fit in memory.
        answer: asks everything, with `cleartitle.evals.runner.ask`.
        score: see `Scoring`.
        notes: more for the record that is not part of the key.

    Raises:
        InputError: the folder holds another run, or one that is under way.
    """
    with locked(output):
        run = RunFolder.create(
            output,
            capability,
            key,
            options=as_record(options),
            inputs={"model": {"name": model.name, **model.describe()}, **inputs},
        )
        if notes:
            run.note(**notes)
        if isinstance(prompts, pa.Table):
            write_table(output / "prompts.parquet", prompts, key=key)
        else:
            prompts(output / "prompts.parquet")
        asyncio.run(_closing(model, answer))
        summary = score(output)
        run.finish(model_after=model.describe())
        run.seal()
    return summary


async def _closing(model: Model, answer: Callable[[], Coroutine[Any, Any, None]]) -> None:
    try:
        await answer()
    finally:
        await model.aclose()
