"""One search over indexes on several machines: scatter to the shards, gather, rank once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from cleartitle.errors import InputError, require
from cleartitle.trace.index import Index, answer
from cleartitle.trace.matches import Result
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.verify import Found
from cleartitle.trace.votes import Sightings, sightings_of
from cleartitle.trace.words import CHANNELS, SHORTEST, word_stream

__all__ = ["RayShards", "ShardedIndex", "Shards", "ThreadShards"]


class Shard:
    """One index, asked in two steps: how widely runs are spread must be known of all shards before any one compares.

    Nothing is kept between the steps, so that a shard may start anew at any time.
    """

    def __init__(self, path: str) -> None:
        self.index = Index.open(path)

    def searched(self) -> dict[str, Any]:
        """What this shard looks through."""
        return self.index.searched

    def sightings(self, data: bytes, language: str | None, options: SearchOptions) -> Sightings:
        """How widely the runs of a query are spread in this shard, and how well its documents do."""
        return sightings_of(*self.index.look(word_stream(data), language, options))

    def compare(self, data: bytes, sightings: Sightings, language: str | None, options: SearchOptions) -> list[Found]:
        """The documents of this shard that match."""
        query = word_stream(data)
        votes, best = self.index.look(query, language, options)
        return self.index.compare(query, votes, best, sightings, options)


class Shards(Protocol):
    """A way to reach shards."""

    names: list[str]

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """The answer of each shard, in order; an exception object where one did not answer."""
        ...

    def close(self) -> None:
        """Let go of the shards."""
        ...


class ThreadShards:
    """Shards in this process, one thread each: indexes on several disks of one machine."""

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self.names = [str(path) for path in paths]
        self._shards = [Shard(name) for name in self.names]
        self._pool = ThreadPoolExecutor(max(1, len(self._shards)))

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """The answer of each shard, in order; an exception object where one did not answer."""
        calls = [self._pool.submit(getattr(shard, method), *arguments) for shard in self._shards]
        return [_outcome(call.result) for call in calls]

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


class RayShards:
    """Shards as Ray actors, one each (extra ``cluster``); Ray starts an actor that died anew, on a node that has room.

    Every node must see the folder of the shard that it serves. ``seconds`` is how long one step may take on a shard.
    ``address`` is that of a running cluster; without it Ray runs on this machine alone. Only Ray's own defaults say
    who may reach the cluster: keep it on a network that you trust.

    Raises:
        MissingExtraError: Ray is not installed.
    """

    def __init__(self, paths: Sequence[str | Path], *, seconds: float = 10.0, address: str | None = None) -> None:
        self._ray: Any = require("ray", "cluster")
        self.names = [str(path) for path in paths]
        self._seconds = seconds
        self._started = not self._ray.is_initialized()
        if self._started:
            self._ray.init(address=address, include_dashboard=False, log_to_driver=False, configure_logging=False)
        actor = self._ray.remote(Shard)
        self.actors = [actor.options(num_cpus=0, max_restarts=-1).remote(name) for name in self.names]

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """The answer of each shard, in order; an exception object where one did not answer in time."""
        calls = [_outcome(lambda actor=actor: getattr(actor, method).remote(*arguments)) for actor in self.actors]
        waiting = [call for call in calls if not isinstance(call, Exception)]
        if waiting:
            self._ray.wait(waiting, num_returns=len(waiting), timeout=self._seconds)
        return [
            call if isinstance(call, Exception) else _outcome(lambda call=call: self._ray.get(call, timeout=0.001))
            for call in calls
        ]

    def close(self) -> None:
        """End the actors, and Ray if this object started it."""
        for actor in self.actors:
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()


class ShardedIndex:
    """An index in shards by document. It answers as one index that holds the segments of all of them.

    ``search`` is that of ``Index``. If shards do not answer, the result is that of the others: ``searched`` then holds
    ``"partial": true`` and names them under ``missing``, so that "nothing found" is not taken for more than it is.

    Raises:
        InputError: no shard answers.
    """

    def __init__(self, shards: Shards) -> None:
        self.shards = shards
        self._known: dict[str, dict[str, Any]] = {}
        self._searched()

    def __enter__(self) -> "ShardedIndex":
        return self

    def __exit__(self, *_: object) -> None:
        self.shards.close()

    def search(
        self,
        text: str | bytes,
        language: str | None = None,
        limit: int = 10,
        *,
        path: str | None = None,
        options: SearchOptions | None = None,
    ) -> Result:
        """Works that share words with ``text``, best first; at most ``limit`` of them.

        Raises:
            InputError: no shard answers.
        """
        options = options or SearchOptions()
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        query = word_stream(data)
        if len(query) < SHORTEST:
            return Result(path, "too_short", len(query), self._summary(set()), ())
        parts = self.shards.ask("sightings", data, language, options)
        missing = {number for number, part in enumerate(parts) if isinstance(part, Exception)}
        self._some_answer(missing, parts)
        sightings = Sightings.together([part for part in parts if not isinstance(part, Exception)])
        answers = self.shards.ask("compare", data, sightings, language, options)
        missing |= {number for number, part in enumerate(answers) if isinstance(part, Exception)}
        self._some_answer(missing, answers)
        found = [item for number, part in enumerate(answers) if number not in missing for item in part]
        return answer(path, data, query, found, limit, sightings, self._summary(missing))

    def _some_answer(self, missing: set[int], parts: list[Any]) -> None:
        if len(missing) == len(self.shards.names):
            reason = next(
                (str(part).splitlines()[0] for part in parts if isinstance(part, Exception) and str(part)), ""
            )
            raise InputError(
                f"none of {len(missing)} shards answers ({reason}); mend: start them, or look at their logs"
            )

    def _searched(self) -> None:
        parts = self.shards.ask("searched")
        self._some_answer({number for number, part in enumerate(parts) if isinstance(part, Exception)}, parts)
        for name, part in zip(self.shards.names, parts, strict=True):
            if not isinstance(part, Exception):
                self._known[name] = part

    def _summary(self, missing: set[int]) -> dict[str, Any]:
        absent = [name for number, name in enumerate(self.shards.names) if number in missing or name not in self._known]
        parts = [self._known[name] for name in self.shards.names if name not in absent]
        return {
            "index": [part["index"] for part in parts],
            **{
                name: sum(part[name] for part in parts)
                for name in ("segments", "documents", "origins", "words", "source_bytes")
            },
            "guaranteed_words": {channel.name: channel.guarantee for channel in CHANNELS},
            "shards": len(self.shards.names),
            "partial": bool(absent),
            "missing": absent,
        }


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:  # whatever a shard dies of, the others go on
        return error
