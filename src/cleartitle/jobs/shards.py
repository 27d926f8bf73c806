"""What a job is made of: shards in, committed parts out."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from cleartitle.errors import CleartitleError, InputError
from cleartitle.progress import console
from cleartitle.tables import part_paths, read_key

try:
    import fcntl
except ImportError:  # pragma: no cover - not on this platform
    fcntl = None

__all__ = [
    "Load",
    "Operation",
    "Shard",
    "ShardError",
    "ShardResult",
    "clear_debris",
    "committed",
    "locked",
    "one_at_a_time",
    "part_name",
]

Operation = Callable[[pa.Table], pa.Table]
"""A pure function from one table to another; it must be picklable (a module-level function or a partial of one)."""
Load = Callable[[], pa.Table]


@dataclass(frozen=True)
class Shard:
    """One piece of the input.

    ``load`` is a table, or a picklable function without arguments that reads it inside the worker. ``key`` names the
    content of this shard alone, so that a change of one input leaves the parts of the others in force.
    """

    index: int
    load: Load | pa.Table
    key: str = ""

    def table(self) -> pa.Table:
        """The rows, read if need be."""
        return self.load if isinstance(self.load, pa.Table) else self.load()

    def part_key(self, key: str) -> str:
        """The key that this shard's part must carry under the job's ``key``."""
        return f"{key}/{self.key}" if self.key else key


@dataclass(frozen=True)
class ShardResult:
    """A committed part: where it is, its number of rows, and whether an earlier run had made it."""

    index: int
    path: Path
    rows: int
    reused: bool


class ShardError(CleartitleError):
    """One shard could not be done; ``index`` names it. Parts committed before stay and are reused by the next run."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


def part_name(index: int) -> str:
    """The file name of a part, ``part-00007.parquet``."""
    return f"part-{index:05d}.parquet"


def committed(shard: Shard, output: Path, key: str) -> ShardResult | None:
    """The part of ``shard`` if it is whole and was made with ``key``."""
    path = output / part_name(shard.index)
    if not path.is_file() or read_key(path) != shard.part_key(key):
        return None
    return ShardResult(shard.index, path, pq.read_metadata(path).num_rows, reused=True)


def clear_debris(output: Path, shards: Iterable[Shard], key: str) -> None:
    """Remove temporary files of killed runs, surplus parts, and parts made with another key."""
    for torn in output.glob(".part-*.tmp"):
        torn.unlink(missing_ok=True)
    expected = {part_name(shard.index): shard.part_key(key) for shard in shards}
    for path in part_paths(output):
        if path.name not in expected or read_key(path) != expected[path.name]:
            path.unlink()


@contextmanager
def locked(output: Path) -> Generator[None]:
    """Hold the folder for one run at a time (advisory; released by the system if the process is killed).

    Raises:
        InputError: another process is writing there.
    """
    output.mkdir(parents=True, exist_ok=True)
    if fcntl is None:  # pragma: no cover - not on this platform
        yield
        return
    with (output / ".lock").open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"{output}: another run is writing here; mend: wait for it or choose another folder"
            ) from None
        yield


@contextmanager
def one_at_a_time(folder: Path) -> Generator[None]:
    """Let one process at a time prepare a folder of the cache: another one waits, and then finds it prepared."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if fcntl is None:  # pragma: no cover - not on this platform
        yield
        return
    with (folder.parent / f".{folder.name}.lock").open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            console().print(f"waiting for another run, which prepares {folder}", soft_wrap=True)
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
