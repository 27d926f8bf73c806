"""Open a folder to raters."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.files import write_json
from cleartitle.jobs import locked
from cleartitle.labels.journal import Journal
from cleartitle.labels.question import Drawn, LabelOptions, Task
from cleartitle.labels.rater import Rater, check_rater
from cleartitle.labels.server import LabelServer
from cleartitle.labels.tasks import find_task
from cleartitle.options import as_record

__all__ = ["label"]


@contextmanager
def label(
    path: Path,
    raters: Sequence[str] = ("rater",),
    *,
    task: str | None = None,
    output: Path | None = None,
    options: LabelOptions = LabelOptions(),  # noqa: B008
) -> Generator[LabelServer]:
    """A server, not yet running, on which ``raters`` judge items of the run or corpus in ``path``.

    Their answers stand in ``output`` (by default the folder ``labels`` of the run), one ``TASK-RATER.csv`` each, beside
    ``TASK.json`` with the question, the options and the draw. With the same options the work goes on where it stopped;
    with a larger limit or another seed other items come on top, and what was answered stays.

    Raises:
        InputError: nothing to judge there, a wrong name, or labels of another run or question in the folder.
    """
    if len(set(raters)) != len(raters) or not raters:
        raise InputError("raters need different names; mend: give each --rater once")
    names = [check_rater(name) for name in raters]
    chosen = find_task(path, task)
    drawn = chosen.draw(path, options)
    folder = output or path / "labels"
    with locked(folder):
        journals = [
            Journal(folder / f"{chosen.name}-{name}.csv", chosen.name, name, chosen.question.title, drawn.run)
            for name in names
        ]
        write_json(folder / f"{chosen.name}.json", _record(chosen, drawn, options))
        workers = [
            Rater(name, chosen.question, drawn, journal, seed=options.seed, highlight=options.highlight)
            for name, journal in zip(names, journals, strict=True)
        ]
        server = LabelServer(workers, options.port)
        try:
            yield server
        finally:
            server.server_close()


def _record(task: Task, drawn: Drawn, options: LabelOptions) -> dict[str, object]:
    return {
        "task": task.name,
        "question_version": task.question.title,
        "question": task.question.as_json(),
        "run": drawn.run,
        "options": as_record(options),
        "strata": [asdict(stratum) for stratum in drawn.strata],
        "controls": {item.id: item.expected for item in drawn.items if item.expected is not None},
    }
