"""Map a pure function over the shards of a table: many processes, markers of completion, resume."""

from cleartitle.jobs.local import default_workers, map_shards
from cleartitle.jobs.shards import Shard, ShardError, ShardResult, locked, one_at_a_time, part_name

__all__ = [
    "Shard",
    "ShardError",
    "ShardResult",
    "default_workers",
    "locked",
    "map_shards",
    "one_at_a_time",
    "part_name",
]
