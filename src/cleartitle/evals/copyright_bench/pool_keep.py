"""A pool without the pairs that people rejected."""

import shutil
import tempfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.cues import check_cues
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.solvable import check_solvable

__all__ = ["keep_pairs"]


def keep_pairs(pool: Pool, names: Collection[str], output: Path) -> Pool:
    """Write the pairs of these names as a pool of their own; the checks of a new pool are made again.

    Raises:
        InputError: a name that the pool does not hold, a folder that is not empty, or a pool that is no longer fit.
    """
    known = {pair.name for pair in pool.pairs}
    if strange := sorted(set(names) - known):
        raise InputError(f"{pool.path}: holds no {strange[0]}; mend: name the pool that was looked through")
    if output.exists() and any(output.iterdir()):
        raise InputError(f"{output}: holds files; mend: choose another folder")
    pairs = tuple(pair for pair in pool.pairs if pair.name in set(names))
    check_solvable(replace(pool, pairs=pairs))
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".build-") as folder:
        building = Path(folder)
        for pair in pairs:
            for asset in pair.assets:
                for notice in ("free", "restricted", "stripped"):
                    target = building / "images" / notice / f"{asset.name}.jpg"
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(pool.file(asset, notice), target)
        about = {name: value for name, value in pool.record.items() if name not in ("version", "pairs", "files", "key")}
        of = {"kept_of": {"pool": str(pool.key), "pairs": len(pool.pairs)}}
        Pool.write(building, pairs, {**about, **of})
        check_cues(Pool.open(building), named=output)
        (building / "images").replace(output / "images")
        (building / "pool.json").replace(output / "pool.json")
    return Pool.open(output)
