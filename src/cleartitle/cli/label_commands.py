"""``cleartitle label``: people judge what the program judges."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.labels import LabelOptions, against, agreement, agreement_table, label, read_votes
from cleartitle.progress import console

__all__ = ["app"]

app = App(name="label", help="Have people judge what the program judges, blind; compute their agreement.")


@app.default
def label_command(
    run: Path,
    *,
    task: str | None = None,
    rater: Annotated[tuple[str, ...], Parameter(negative=())] = ("rater",),
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    options: Annotated[LabelOptions, Parameter(name="*", group="Labels")] = LabelOptions(),  # noqa: B008
) -> int:
    """Open a page on this machine where people judge pairs of texts, or licenses that texts name.

    Each rater opens the address printed for them. Each answer is on disk at once; the same command goes on after any
    end. It ends when all raters have said that they are done.

    Args:
        run: Folder of a run, or of a corpus.
        task: striking or license (of a LiCoEval run), similar (of a CodeIPPrompt run), header (of a corpus); by default
            the first that fits.
        rater: Name of a rater; give it once for each who judges at the same time.
        output: Folder of the CSV files; by default the folder labels of the run.
    """
    with label(run, rater, task=task, output=output, options=options) as server:
        for name, address in server.addresses.items():
            console().print(f"{name}: {address}", soft_wrap=True, markup=False)
        server.serve_forever(poll_interval=0.1)
        for one in server.raters.values():
            print(f"{one.journal.path}: {one.answered} of {one.total} answered")
    return 0


@app.command(name="agreement")
def agreement_command(*labels: Path, run: Path | None = None, json: Json = False) -> int:
    """Agreement of raters: percent, Cohen's and Fleiss' kappa with intervals, and where they differ.

    Args:
        labels: CSV files of raters.
        run: Folder of the run or corpus that was judged: the program's precision and recall by the majority of raters.
        json: Print JSON on standard output.
    """
    votes = read_votes(labels)
    found = agreement(votes)
    beside = None if run is None else against(votes, run)
    if json:
        print_json({**asdict(found), "program": None if beside is None else asdict(beside)})
    else:
        print_rich(*agreement_table(found, beside))
    return 0
