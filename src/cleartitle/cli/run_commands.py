"""Commands on the folder of a run."""

from pathlib import Path

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.evals.licoeval import score_run
from cleartitle.report import licoeval_table, write_report

__all__ = ["report", "score"]


def report(run: Path) -> int:
    """Write report.html of a run anew from its tables.

    Args:
        run: Folder of a run.
    """
    print(write_report(run))
    return 0


def score(run: Path, *, json: Json = False) -> int:
    """Score the recorded answers of a run anew, without its model.

    Args:
        run: Folder of a run.
        json: Print JSON on standard output.
    """
    summary = score_run(run)
    write_report(run)
    print_json(summary) if json else print_rich(*licoeval_table(summary))
    return 0
