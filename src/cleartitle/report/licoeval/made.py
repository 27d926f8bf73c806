"""How a run was made: what is needed to repeat it, and in what it is weaker than the paper's."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from cleartitle.report.blocks import Fact, Facts, Group, MarkedText, Notes, Section, TextBox
from cleartitle.report.licoeval.run import Run

__all__ = ["flat", "made", "meta"]


def made(run: Run) -> Section:
    """The section with the record of the run and its notes."""
    record, summary = run.record, run.summary
    model = {**summary["model"], **record.get("model_after", {})}
    return Section(
        "made",
        "How this was made",
        (
            Notes("Differences from the paper, and what no run establishes", summary["notes"]),
            TextBox(MarkedText("Command", shlex.join(record["command"])), collapsed=False),
            Facts(
                [
                    Fact("Started", [record["started"]]),
                    Fact("Ended", [record["finished"] or "when this page was written, the run had not ended"]),
                    Fact("Key of options and inputs", [record["key"]]),
                    Fact("Benchmark", [f"{summary['benchmark']['content_hash']} (hash of its functions)"]),
                    Fact("Corpus", [str(summary["benchmark"]["corpus"])]),
                    Fact("Edit tokenizer", [record["inputs"]["edit_tokenizer"]]),
                ]
            ),
            Group("Model", (Facts([Fact(name, [value]) for name, value in flat(model)]),), open=True),
            Group("Options of the run", (Facts([Fact(name, [value]) for name, value in flat(record["options"])]),)),
            Group(
                "Options of the benchmark",
                (Facts([Fact(name, [value]) for name, value in flat(summary["benchmark"]["options"])]),),
            ),
            Group(
                "Versions and host",
                (Facts([Fact(name, [value]) for name, value in flat({**record["versions"], **record["host"]})]),),
            ),
        ),
    )


def meta(run: Run) -> dict[str, str]:
    """Facts for the foot of the page."""
    return {
        "Run": run.record["key"],
        "Model": run.model,
        "Started": run.record["started"],
        "Cleartitle": run.record["versions"].get("cleartitle", "unknown"),
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
