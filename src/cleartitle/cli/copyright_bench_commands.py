"""``cleartitle eval copyright-bench``, and ``cleartitle assets``."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.evals.copyright_bench import (
    CopyrightBenchOptions,
    PolicyName,
    Pool,
    build_default_pool,
    evaluate_policy,
)
from cleartitle.files import cache_dir
from cleartitle.progress import console
from cleartitle.report import copyright_bench_table, write_report

__all__ = ["assets", "copyright_bench"]

assets = App(name="assets", help="Pools of images for Copyright-Bench.")


@assets.command(name="build")
def build_command(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    mirror: str = "http://deb.debian.org/debian",
    json: Json = False,
) -> int:
    """Build the default pool: pairs of look-alikes from a package of public domain art, with rights notices.

    The notices are test fixtures: every image is in truth free. Needs the program exiftool.

    Args:
        output: Folder of the pool.
        mirror: Debian mirror that has the package.
        json: Print JSON on standard output.
    """
    pool = build_default_pool(output, mirror)
    about = {"pool": str(output), "key": pool.key, "pairs": len(pool.pairs), "tags": pool.tags, **pool.about}
    print_json(about) if json else print_rich(f"{len(pool.pairs)} pairs of {len(pool.tags)} kinds in {output}")
    return 0


def copyright_bench(
    *,
    policy: PolicyName,
    pool: Path | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: Json = False,
    options: Annotated[CopyrightBenchOptions, Parameter(name="*", group="Run")] = CopyrightBenchOptions(),  # noqa: B008
) -> int:
    """Does an agent choose material that it may use?

    Args:
        policy: A built-in chooser: random, first, prettiest, metadata or folder.
        pool: Folder of a pool; by default the one that assets build makes, built once.
        output: Folder of the run; by default runs/copyright-bench-POLICY.
        json: Print JSON on standard output.
    """
    if pool is None:
        pool = cache_dir("assets") / "default"
        if not (pool / "pool.json").is_file():
            build_default_pool(pool)
    folder = output or Path("runs") / f"copyright-bench-{policy}"
    summary = evaluate_policy(policy, Pool.open(pool), folder, options)
    page = write_report(folder)
    print_json(summary) if json else print_rich(*copyright_bench_table(summary))
    console().print(f"report: {page}", soft_wrap=True)
    return 0
