"""How a run was made: its prompts, null and training sets, beside what every run says."""

from cleartitle.report.blocks import Cell, Column, Fact, RowGroup, Section, Table
from cleartitle.report.codeipprompt.run import Run
from cleartitle.report.codeipprompt.wording import group_title
from cleartitle.report.made import made_of

__all__ = ["made"]


def made(run: Run) -> Section:
    """The section with the record of the run and its notes."""
    null, prompts = run.summary["null"], run.summary["prompt_set"]
    sets = run.record["inputs"]["training_sets"]
    pairs = (
        f"{null['class']:,} prompts have a null of their language and license class, {null['language']:,} of their "
        f"language alone, {null['none']:,} none; {null['same_project']:,} have one of their own project"
    )
    inputs = [
        Fact("Prompts", [f"{prompts['content_hash']} (hash of the prompt set)"]),
        Fact("Corpus", [str(prompts["corpus"])]),
        Fact("Null", [pairs]),
        Fact("Training sets", [", ".join(one["name"] for one in sets) or "none"]),
    ]
    return made_of(run.record, run.summary, inputs, ("Options of the prompts", prompts["options"]), [_cells(run)])


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
