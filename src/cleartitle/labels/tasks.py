"""Which tasks there are, and which of them a folder has."""

from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.labels.licenses import HEADER, LICENSE
from cleartitle.labels.question import Task
from cleartitle.labels.similar import SIMILAR
from cleartitle.labels.striking import STRIKING

__all__ = ["TASKS", "find_task", "task_named"]

TASKS = (STRIKING, LICENSE, SIMILAR, HEADER)
"""Of one kind of folder the first is the default."""


def find_task(path: Path, name: str | None = None) -> Task:
    """The task of this name for a folder, or its default one.

    Raises:
        InputError: neither a run nor a corpus, or a kind of folder that has no such task.
    """
    kind = "corpus" if (path / "corpus.json").is_file() else str(RunFolder.open(path).record().get("capability"))
    fit = [task for task in TASKS if task.of == kind]
    found = next((task for task in fit if name in (None, task.name)), None)
    if found is None:
        known = ", ".join(task.name for task in fit) or "none"
        raise InputError(f"{path}: no task {name or 'to judge'} for a folder of {kind}; tasks of it: {known}")
    return found


def task_named(name: str) -> Task:
    """A task by its name.

    Raises:
        InputError: there is none.
    """
    found = next((task for task in TASKS if task.name == name), None)
    if found is None:
        raise InputError(f"{name!r}: no such task; known: {', '.join(task.name for task in TASKS)}")
    return found
