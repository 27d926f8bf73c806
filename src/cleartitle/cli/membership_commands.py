"""``cleartitle membership``: was this code in a model's training set?"""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.corpus import Corpus
from cleartitle.evals.licoeval.prepare import starter_corpus
from cleartitle.membership.study import study as study_membership
from cleartitle.membership.study_options import MembershipOptions
from cleartitle.progress import console
from cleartitle.report import summary_table, write_report

__all__ = ["app"]

app = App(name="membership", help="Was this code in a model's training set?")


@app.command
def study(
    *,
    corpus: Path | None = None,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("runs/membership"),
    workers: int | None = None,
    json: Json = False,
    options: Annotated[MembershipOptions, Parameter(name="*", group="Study")] = MembershipOptions(),  # noqa: B008
) -> int:
    """Train a model and its shadows on known files, and see which attack tells members from non-members, and how well.

    Args:
        corpus: Folder of a corpus with Python files; by default the starter corpus, which is fetched once.
        output: Folder of the run.
        workers: Processes, one a processor by default.
        json: Print the summary as JSON on standard output.
    """
    opened = starter_corpus() if corpus is None else Corpus.open(corpus)
    summary = study_membership(opened, output, options, workers=workers)
    page = write_report(output)
    print_json(summary) if json else print_rich(*summary_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    return 0
