"""How a run was made: what is needed to repeat it, and in what it is weaker than the paper's."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cleartitle.report.blocks import Block, Fact, Facts, Group, MarkedText, Notes, Section, TextBox

__all__ = ["flat", "made_of", "meta_of"]


def made_of(
    record: Mapping[str, Any],
    summary: Mapping[str, Any],
    inputs: Sequence[Fact],
    options: tuple[str, Mapping[str, Any]],
    between: Sequence[Block] = (),
) -> Section:
    """The section with the record of a run and its notes.

    Args:
        record: ``run.json``.
        summary: ``summary.json``, with ``model`` and ``notes``.
        inputs: what the run was given.
        options: title and options of what it was given.
        between: more, before the model.
    """
    model = {**summary["model"], **record.get("model_after", {})}
    ended = record["finished"] or "when this page was written, the run had not ended"
    return Section(
        "made",
        "How this was made",
        (
            Notes("Differences from the paper, and what no run establishes", summary["notes"]),
            TextBox(MarkedText("Command", shlex.join(record["command"])), collapsed=False),
            Facts(
                [
                    Fact("Started", [record["started"]]),
                    Fact("Ended", [ended]),
                    Fact("Key of options and inputs", [record["key"]]),
                    *inputs,
                ]
            ),
            *between,
            Group("Model", (_facts(model),), open=True),
            Group("Options of the run", (_facts(record["options"]),)),
            Group(options[0], (_facts(options[1]),)),
            Group("Versions and host", (_facts({**record["versions"], **record["host"]}),)),
        ),
    )


def meta_of(record: Mapping[str, Any], model: str) -> dict[str, str]:
    """Facts for the foot of the page."""
    return {
        "Run": record["key"],
        "Model": model,
        "Started": record["started"],
        "Cleartitle": record["versions"].get("cleartitle", "unknown"),
    }


def flat(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Names and values of nested mappings, with the names joined by dots."""
    for key, item in value.items():
        name = f"{before}{key}"
        if isinstance(item, dict):
            yield from flat(item, f"{name}.")
        elif isinstance(item, list):
            yield name, ", ".join(map(str, item)) or "–"
        else:
            yield name, "–" if item is None else str(item)


def _facts(values: Mapping[str, Any]) -> Facts:
    return Facts([Fact(name, [value]) for name, value in flat(values)])
