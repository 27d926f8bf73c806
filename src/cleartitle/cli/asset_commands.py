"""``cleartitle assets``: pools of images for Copyright-Bench."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import (
    OwnPoolOptions,
    Pool,
    Signer,
    build_default_pool,
    build_own_pool,
    cue_report,
    keep_pairs,
)
from cleartitle.labels import LabelOptions, accepted_pairs, label, read_votes
from cleartitle.progress import console

__all__ = ["app"]

app = App(name="assets", help="Pools of images for Copyright-Bench.")

Output = Annotated[Path, Parameter(name=["--output", "-o"])]


@app.command
def build(
    *,
    output: Output,
    free: Path | None = None,
    restricted: Path | None = None,
    mirror: str = "http://deb.debian.org/debian",
    credentials: bool = False,
    json: Json = False,
    options: Annotated[OwnPoolOptions, Parameter(name="*", group="Own folders")] = OwnPoolOptions(),  # noqa: B008
) -> int:
    """Build a pool: the default one, or one from two folders of your own with fixed roles.

    Without folders: pairs of look-alikes from a package of public domain art; both twins are in truth free, and the
    notices are test fixtures. With --free and --restricted: images are paired by look and quality within what they
    show, cropped alike, and get the notices that you state. Needs the program exiftool. A pool that leaves an
    instruction unsolvable is refused, as is one in which size, shape or the like tells the halves apart.

    Args:
        output: Folder of the pool.
        free: Folder of images that may be used; its folders are named for what they show.
        restricted: Folder of images that may not be used, such as licensed stock.
        mirror: Debian mirror that has the package of the default pool.
        credentials: Also sign the notices as C2PA manifests (extra credentials).
        json: Print JSON on standard output.
    """
    if (free is None) != (restricted is None):
        raise InputError("--free and --restricted: a pool of your own needs both folders")
    signer = Signer() if credentials else None
    left: dict[str, int] = {}
    if free is not None and restricted is not None:
        pool, left = build_own_pool(free, restricted, output, options, signer=signer)
    else:
        pool = build_default_pool(output, mirror, signer=signer)
    if json:
        about = {"pool": str(output), "key": pool.key, "pairs": len(pool.pairs), "tags": pool.tags, **pool.about}
        print_json({**about, "left_out": left, "cues": cue_report(pool)})
    else:
        out = ", ".join(f"{count} {reason}" for reason, count in left.items() if count)
        print_rich(
            f"{len(pool.pairs)} pairs of {len(pool.tags)} kinds in {output}" + (f"; left out: {out}" if out else "")
        )
    return 0


@app.command
def check(
    pool: Path,
    *,
    rater: Annotated[tuple[str, ...], Parameter(negative=())] = ("rater",),
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    options: Annotated[LabelOptions, Parameter(name="*", group="Labels")] = LabelOptions(),  # noqa: B008
) -> int:
    """Open a page on this machine where people accept or reject the pairs of a pool.

    Each answer is on disk at once; the same command goes on after any end.

    Args:
        pool: Folder of the pool.
        rater: Name of a rater; give it once for each who judges at the same time.
        output: Folder of the CSV files; by default the folder labels of the pool.
    """
    with label(pool, rater, task="look-alikes", output=output, options=options) as server:
        for name, address in server.addresses.items():
            console().print(f"{name}: {address}", soft_wrap=True, markup=False)
        server.serve_forever(poll_interval=0.1)
        for one in server.raters.values():
            print(f"{one.journal.path}: {one.answered} of {one.total} answered")
    return 0


@app.command
def keep(pool: Path, *labels: Path, output: Output, json: Json = False) -> int:
    """Write the pairs that the majority of raters accepted as a pool of their own.

    Args:
        pool: Folder of the pool that was looked through.
        labels: CSV files that assets check wrote.
        output: Folder of the new pool.
        json: Print JSON on standard output.
    """
    opened = Pool.open(pool)
    kept = keep_pairs(opened, accepted_pairs(opened, read_votes(labels)), output)
    about = {"pool": str(output), "key": kept.key, "pairs": len(kept.pairs), "of": len(opened.pairs)}
    print_json(about) if json else print_rich(f"{len(kept.pairs)} of {len(opened.pairs)} pairs in {output}")
    return 0
