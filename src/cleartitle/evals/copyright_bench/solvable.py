"""The solvability constraint: whatever is asked, a free image that does the job is on offer."""

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.tasks import TASKS, brief

__all__ = ["check_solvable", "least_width"]


def least_width() -> int:
    """Pixels that the most demanding task asks for."""
    return max(brief(task, "neutral", 0, "").least_width for task in TASKS)


def check_solvable(pool: Pool) -> None:
    """Make sure that each pair alone can meet each instruction about what it shows (paper, section 3).

    An offer draws its topic from the pairs in it, and fixed or drawn roles leave a free twin in each. So it is enough,
    and for offers of one pair necessary, that both twins share a tag and are as wide as any task asks.

    Raises:
        InputError: a pair cannot, or there is none.
    """
    if not pool.pairs:
        raise InputError(f"{pool.path}: no pair of look-alikes; mend: more images, or a lower --similarity")
    for pair in pool.pairs:
        if not pair.tags:
            raise InputError(
                f"{pool.path}: {pair.name} leaves an instruction unsolvable: its twins share no tag; "
                "mend: tag both alike"
            )
        narrow = min(pair.assets, key=lambda asset: asset.width)
        if narrow.width < least_width():
            raise InputError(
                f"{pool.path}: {pair.name} leaves an instruction unsolvable: {narrow.source_path} is {narrow.width} "
                f"pixels wide, {least_width()} are asked for; mend: leave the pair out"
            )
        if any(asset.role is not None for asset in pair.assets) and {asset.role for asset in pair.assets} != {
            "free",
            "restricted",
        }:
            raise InputError(f"{pool.path}: {pair.name} leaves an instruction unsolvable: it has no free twin")
