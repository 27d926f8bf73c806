"""Which tasks there are, and which of them a folder has."""

from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import Pool
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import sha256_file
from cleartitle.labels.licenses import HEADER, LICENSE
from cleartitle.labels.look_alikes import LOOK_ALIKES
from cleartitle.labels.question import Task
from cleartitle.labels.similar import SIMILAR
from cleartitle.labels.striking import STRIKING

__all__ = ["TASKS", "find_task", "key_of", "task_named"]

TASKS = (STRIKING, LICENSE, SIMILAR, HEADER, LOOK_ALIKES)
"""Of one kind of folder the first is the default."""


def find_task(path: Path, name: str | None = None) -> Task:
    """The task of this name for a folder, or its default one.

    Raises:
        InputError: neither a run nor a corpus nor a pool, or a kind of folder that has no such task.
    """
    kind = kind_of(path)
    fit = [task for task in TASKS if task.of == kind]
    found = next((task for task in fit if name in (None, task.name)), None)
    if found is None:
        known = ", ".join(task.name for task in fit) or "none"
        raise InputError(f"{path}: no task {name or 'to judge'} for a folder of {kind}; tasks of it: {known}")
    return found


def kind_of(path: Path) -> str:
    """``corpus``, ``pool``, or the capability of a run.

    Raises:
        InputError: the folder is none of these.
    """
    named = next((kind for kind in ("corpus", "pool") if (path / f"{kind}.json").is_file()), None)
    return named or str(RunFolder.open(path).record().get("capability"))


def key_of(path: Path) -> str:
    """What names the content of a corpus, pool or run in labels.

    Raises:
        InputError: the folder is none of these.
    """
    kind = kind_of(path)
    if kind == "corpus":
        return sha256_file(path / "corpus.json")[:16]
    return Pool.open(path).key if kind == "pool" else RunFolder.open(path, kind).key


def task_named(name: str) -> Task:
    """A task by its name.

    Raises:
        InputError: there is none.
    """
    found = next((task for task in TASKS if task.name == name), None)
    if found is None:
        raise InputError(f"{name!r}: no such task; known: {', '.join(task.name for task in TASKS)}")
    return found
