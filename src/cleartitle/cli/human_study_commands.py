"""``cleartitle human-study``: the tasks of Copyright-Bench for people."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.evals.copyright_bench import Pool, default_pool
from cleartitle.labels.human_study import Study, StudyOptions, StudyServer
from cleartitle.progress import console
from cleartitle.report import copyright_bench_table, write_report

__all__ = ["app"]

app = App(name="human-study", help="Put people to the tasks of Copyright-Bench, in a browser.")

Output = Annotated[Path, Parameter(name=["--output", "-o"])]
Options = Annotated[StudyOptions, Parameter(name="*", group="Study")]


@app.default
def serve_command(
    *,
    output: Output = Path("human-study"),
    pool: Path | None = None,
    options: Options = StudyOptions(),  # noqa: B008
) -> int:
    """Serve the tasks on this machine until it is interrupted; the same command goes on from there.

    The printed address is the invitation: everybody who opens it, and agrees to the consent text, gets a random number,
    one of the prompts by lot, and the three tasks in an order of their own. No personal data is kept.

    Args:
        output: Folder of the study.
        pool: Folder of a pool; by default the one that assets build makes.
    """
    study = Study(output, _pool(pool), options)
    server = StudyServer(study)
    console().print(f"invitation: {server.address}", soft_wrap=True, markup=False)
    try:
        server.serve_forever(poll_interval=0.1)
    finally:
        server.server_close()
        study.close()
    return 0


@app.command
def results(
    *,
    output: Output = Path("human-study"),
    pool: Path | None = None,
    json: Json = False,
    options: Options = StudyOptions(),  # noqa: B008
) -> int:
    """Write what people have finished as a run, in the folder results of the study.

    It is a run like that of a policy or a model: score, verify, report and copyright-bench-ranking take it.

    Args:
        output: Folder of the study.
        pool: Folder of the pool of the study.
        json: Print JSON on standard output.
    """
    study = Study(output, _pool(pool), options)
    summary = study.results()
    page = write_report(output / "results")
    if json:
        print_json({"study": study.state, **summary})
    else:
        counts = ", ".join(f"{count} {name}" for name, count in study.state.items() if isinstance(count, int))
        print_rich(f"people: {counts}", *copyright_bench_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    return 0


def _pool(path: Path | None) -> Pool:
    return default_pool() if path is None else Pool.open(path)
