"""How a run was made: what is needed to repeat it, what was asked, and in what it is weaker than the paper's."""

import shlex

from cleartitle.report.blocks import (
    Cell,
    Column,
    Fact,
    Facts,
    Group,
    MarkedText,
    Notes,
    RowGroup,
    Section,
    Table,
    TextBox,
)
from cleartitle.report.codeipprompt.run import Run
from cleartitle.report.codeipprompt.wording import group_title
from cleartitle.report.licoeval.made import flat

__all__ = ["made", "meta"]


def made(run: Run) -> Section:
    """The section with the record of the run and its notes."""
    record, summary = run.record, run.summary
    model = {**summary["model"], **record.get("model_after", {})}
    null = summary["null"]
    sets = record["inputs"]["training_sets"]
    pairs = (
        f"{null['class']:,} prompts have a null of their language and license class, {null['language']:,} of their "
        f"language alone, {null['none']:,} none; {null['same_project']:,} have one of their own project"
    )

    def facts(values: dict[str, object]) -> Facts:
        return Facts([Fact(name, [value]) for name, value in flat(values)])

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
                    Fact("Prompts", [f"{summary['prompt_set']['content_hash']} (hash of the prompt set)"]),
                    Fact("Corpus", [str(summary["prompt_set"]["corpus"])]),
                    Fact("Null", [pairs]),
                    Fact("Training sets", [", ".join(one["name"] for one in sets) or "none"]),
                ]
            ),
            _cells(run),
            Group("Model", (facts(model),), open=True),
            Group("Options of the run", (facts(record["options"]),)),
            Group("Options of the prompts", (facts(summary["prompt_set"]["options"]),)),
            Group("Versions and host", (facts({**record["versions"], **record["host"]}),)),
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


def _cells(run: Run) -> Table:
    rows = [
        (
            Cell(group_title(cell["language"])),
            Cell(group_title(cell["license_class"])),
            Cell.number(cell["prompts"]),
        )
        for cell in run.summary["cells"]
    ]
    columns = (Column("language"), Column("license class"), Column("prompts", "number"))
    return Table("Prompts of this run", columns, [RowGroup(rows)])
