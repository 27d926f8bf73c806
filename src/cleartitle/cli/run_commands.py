"""Commands on the folder of a run."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.evals.licoeval import CompareOptions, compare
from cleartitle.evals.life import SCORINGS, rescore, verify
from cleartitle.membership.scorings import SCORINGS as MEMBERSHIP_SCORINGS
from cleartitle.report import comparison_table, summary_table, write_comparison, write_report

__all__ = ["compare_command", "report", "score", "verify_command"]

ALL_SCORINGS = {**SCORINGS, **MEMBERSHIP_SCORINGS}


def report(run: Path, *, redact: Annotated[bool, Parameter(negative=())] = False) -> int:
    """Write report.html of a run anew from its tables.

    Args:
        run: Folder of a run.
        redact: Write report-redacted.html for sharing: hashes stand in the place of all texts.
    """
    print(write_report(run, redact=redact))
    return 0


def score(run: Path, *, json: Json = False) -> int:
    """Score the recorded answers of a run anew, without its model; for HumanEval this runs their programs again.

    Args:
        run: Folder of a run.
        json: Print JSON on standard output.
    """
    summary = rescore(run, ALL_SCORINGS)
    write_report(run)
    print_json(summary) if json else print_rich(*summary_table(summary))
    return 0


def verify_command(run: Path, *, json: Json = False) -> int:
    """Check that a run is as it was recorded, and that its answers still give its figures.

    The status is 1 where a file was altered or a figure differs.

    Args:
        run: Folder of a run.
        json: Print JSON on standard output.
    """
    found = verify(run, ALL_SCORINGS)
    if json:
        print_json({"ok": found.ok, **asdict(found)})
    else:
        lines = [f"altered: {line}" for line in found.altered] + [f"differs: {line}" for line in found.differences]
        print("\n".join(lines or [f"{run}: files and figures are as recorded"]))
    return 0 if found.ok else 1


def compare_command(
    first: Path,
    second: Path,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: Json = False,
    options: Annotated[CompareOptions, Parameter(name="*", group="Comparison")] = CompareOptions(),  # noqa: B008
) -> int:
    """Compare two runs on the same prompts; the status is 1 where the second is worse beyond the tolerance.

    Args:
        first: Folder of a run.
        second: Folder of another run: another model, or a later version.
        output: File for a page with the figures and the answers whose verdict changed.
        json: Print JSON on standard output.
    """
    found = compare(first, second, options)
    print_json(asdict(found)) if json else print_rich(*comparison_table(found))
    if output is not None:
        write_comparison(found, first, second, output)
    return 1 if found.regressions else 0
