"""Shards on one machine: a pool of processes, each shard written to its own part."""

import multiprocessing
import os
import pickle
import pickletools
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from cleartitle.jobs.shards import Operation, Shard, ShardError, ShardResult, clear_debris, committed, locked, part_name
from cleartitle.progress import progress
from cleartitle.tables import write_table

__all__ = ["default_workers", "map_shards"]


def default_workers() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def map_shards(
    operation: Operation,
    shards: Sequence[Shard],
    output: Path,
    *,
    key: str,
    workers: int | None = None,
    retries: int = 2,
    label: str = "",
) -> list[ShardResult]:
    """Apply ``operation`` to each shard and commit the result as ``output/part-NNNNN.parquet``.

    ``key`` names the options and inputs. A committed part with the same key is reused; one with another key and
    surplus parts are removed first, so parts of two runs never stand side by side. ``workers`` processes (default: one
    a processor; 1 runs in this process) hold at most two shards each. If a worker is killed, the shards that were in
    flight are tried again one at a time, each up to ``retries`` times more. An interrupted or killed run leaves its
    committed parts, and the next run goes on from there. Results come in the order of the shard indices.

    Raises:
        ShardError: an operation raised, or its worker was killed on every try. Shards in flight are finished first.
        InputError: another run is writing to ``output``.
        ValueError: two shards share an index.
    """
    if len({shard.index for shard in shards}) != len(shards):
        raise ValueError("two shards share an index")
    workers = default_workers() if workers is None else workers
    output = Path(output)
    with locked(output):
        clear_debris(output, shards, key)
        found = [(shard, committed(shard, output, key)) for shard in shards]
        results = [result for _, result in found if result is not None]
        todo = [shard for shard, result in found if result is None]
        if todo:
            with progress(label or "shards", len(shards), "shard") as advance:
                if results:
                    advance(len(results))
                run = _run_here if workers <= 1 else _Pool(min(workers, len(todo)), retries).run
                with closing(run(operation, todo, output, key)) as finished:
                    for result in finished:
                        results.append(result)
                        advance(1)
    return sorted(results, key=lambda result: result.index)


def _run_here(operation: Operation, shards: Sequence[Shard], output: Path, key: str) -> Generator[ShardResult]:
    for shard in shards:
        try:
            yield _do(operation, shard, output, key)
        except Exception as error:
            raise _failed(shard, error) from error


def _do(operation: Operation, shard: Shard, output: Path, key: str) -> ShardResult:
    table = operation(shard.table())
    path = output / part_name(shard.index)
    write_table(path, table, key=shard.part_key(key))
    return ShardResult(shard.index, path, table.num_rows, reused=False)


def _failed(shard: Shard, error: BaseException) -> ShardError:
    text = " ".join(str(error).split())[:500]
    return ShardError(shard.index, f"shard {shard.index}: {type(error).__name__}: {text}")


class _Pool:
    """A process pool that outlives its workers."""

    def __init__(self, workers: int, retries: int) -> None:
        self.workers = workers
        self.retries = retries

    def run(self, operation: Operation, shards: Sequence[Shard], output: Path, key: str) -> Generator[ShardResult]:
        """Yield results as shards finish; raise the first error once the shards in flight are finished."""
        queue = deque(shards)
        suspects: deque[Shard] = deque()
        while queue or suspects:
            if suspects:
                yield self._alone(operation, suspects.popleft(), output, key)
                continue
            error: ShardError | None = None
            with _Workers(self.workers, operation, shards) as workers:
                flying: dict[Future[ShardResult], Shard] = {}
                while (queue and not suspects and error is None) or flying:
                    while queue and not suspects and error is None and len(flying) < 2 * self.workers:
                        shard = queue.popleft()
                        try:
                            flying[workers.submit(_do, operation, shard, output, key)] = shard
                        except BrokenProcessPool:
                            suspects.append(shard)
                    done, _ = wait(flying, return_when=FIRST_COMPLETED)
                    for future in done:
                        shard = flying.pop(future)
                        try:
                            yield future.result()
                        except BrokenProcessPool:
                            suspects.append(shard)
                        except Exception as problem:
                            error = error or _failed(shard, problem)
                            error.__cause__ = problem
            if error is not None:
                raise error
            suspects = deque(sorted(suspects, key=lambda shard: shard.index))

    def _alone(self, operation: Operation, shard: Shard, output: Path, key: str) -> ShardResult:
        """Run a shard that was in flight when a worker was killed: alone, so that blame falls on the right one."""
        if (result := committed(shard, output, key)) is not None:
            return replace(result, reused=False)
        for _ in range(self.retries):
            with _Workers(1, operation, [shard]) as workers:
                try:
                    return workers.submit(_do, operation, shard, output, key).result()
                except BrokenProcessPool:
                    continue
                except Exception as problem:
                    raise _failed(shard, problem) from problem
        raise ShardError(
            shard.index,
            f"shard {shard.index}: its worker process was killed {self.retries + 1} times (out of memory?); "
            "mend: smaller shards or fewer workers",
        )


class _Workers:
    """Worker processes tied to this one: they end at once when the block is left by an error or this process dies."""

    def __init__(self, count: int, operation: Operation, shards: Sequence[Shard]) -> None:
        loads = [shard.load for shard in shards[:1] if not isinstance(shard.load, pa.Table)]
        self.needs_main = _names_main([operation, *loads])
        # Spawned, not forked: a fork copies the locks of running threads.
        context = multiprocessing.get_context("spawn")
        reader, self.writer = context.Pipe(duplex=False)
        self.reader = reader
        self.pool = ProcessPoolExecutor(count, mp_context=context, initializer=_start_worker, initargs=(reader,))

    def __enter__(self) -> "_Workers":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.writer.close()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.writer.close()
        self.reader.close()

    def submit(
        self, function: Callable[..., ShardResult], *arguments: Operation | Shard | Path | str
    ) -> Future[ShardResult]:
        """Hand one call to a worker."""
        with _main_module(shown=self.needs_main):
            return self.pool.submit(function, *arguments)


def _names_main(objects: Sequence[object]) -> bool:
    try:
        # The name of a module, not text that holds these letters: data of a partial is in there too.
        found = {str(value) for _, value, _ in pickletools.genops(pickle.dumps(objects)) if isinstance(value, str)}
        return "__main__" in found or any(value.startswith("__main__ ") for value in found)
    except Exception:  # The worker's own attempt gives the error, with the shard.
        return True


@contextmanager
def _main_module(shown: bool) -> Generator[None]:
    """Start workers that do not run the caller's script again, unless they need functions of it.

    A spawned process imports the main module, and a script without a ``__name__`` guard would start all over there.
    """
    main = sys.modules["__main__"]
    if not shown:
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _start_worker(parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pa.set_cpu_count(1)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    # Nothing is ever sent: the call returns when the other end is closed, by intent or by the parent's death.
    with suppress(EOFError, OSError):
        parent.recv()
    os._exit(1)
