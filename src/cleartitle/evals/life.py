"""Life after a run, whatever its capability: score its answers anew, and check that it stands as it was recorded."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.evals import codeipprompt, copyright_bench, humaneval, license_choice, licoeval, striking
from cleartitle.evals.run_folder import RunFolder
from cleartitle.evals.session import Scoring
from cleartitle.files import read_json
from cleartitle.jobs import locked
from cleartitle.tables import part_paths, read_table

__all__ = ["Verification", "rescore", "verify"]

SCORINGS: dict[str, Scoring] = {
    "codeipprompt": codeipprompt.SCORING,
    "copyright-bench": copyright_bench.SCORING,
    "humaneval": humaneval.SCORING,
    "license-choice": license_choice.SCORING,
    "licoeval": licoeval.SCORING,
    "striking": striking.SCORING,
}
"""By the capability that ``run.json`` names. Rooms above this one have their own (`cleartitle.membership.scorings`)."""


@dataclass(frozen=True)
class Verification:
    """What `verify` found; ``ok`` when there is nothing.

    ``altered`` names files that are not the ones that the run sealed. ``differences`` names figures and tables that
    scoring the recorded answers anew does not give. A difference without an altered file means that the program, or a
    library of it, scores otherwise than the one that made the run: ``run.json`` names those versions. For programs that
    are run (HumanEval) the machine counts as well, where a limit on time or memory decides.
    """

    altered: tuple[str, ...]
    differences: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the run stands as it was recorded."""
        return not self.altered and not self.differences


def rescore(path: Path, scorings: Mapping[str, Scoring] = SCORINGS) -> dict[str, Any]:
    """Score a finished run anew, in place and without its model, and seal the new figures.

    ``scorings`` are those of the capabilities that are known.

    Raises:
        InputError: the folder holds no finished run, one that is under way, one of a capability that has no scores, or
            its prompts or answers were altered since it ended.
    """
    run = RunFolder.open(path)
    scoring = _scoring(run, scorings)
    with locked(path):
        if altered := [line for line in run.altered() if not _derived(line.partition(":")[0], scoring)]:
            raise InputError(
                f"{path}: {altered[0]} since the run ended; mend: restore it, or score it as recorded answers"
            )
        for name in scoring.derived:
            for part in part_paths(path / name):
                part.unlink()
        summary = scoring.score(path)
        run.seal()
    return summary


def verify(path: Path, scorings: Mapping[str, Scoring] = SCORINGS) -> Verification:
    """Compare the hashes of a run, then score its answers anew in a folder apart and compare tables and figures.

    ``scorings`` are those of the capabilities that are known.

    Raises:
        InputError: the folder holds no finished run, or one of a capability that has no scores.
    """
    run = RunFolder.open(path)
    scoring = _scoring(run, scorings)
    altered = run.altered()
    with tempfile.TemporaryDirectory(prefix="cleartitle-") as folder:
        anew = Path(folder)
        for source in ("run.json", *run.files()):
            if not _derived(source, scoring):
                (anew / source).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path / source, anew / source)
        for name in scoring.kept:
            if (path / name).exists():
                (anew / name).symlink_to((path / name).resolve())
        scoring.score(anew)
        differences = _differ("summary", read_json(path / "summary.json"), read_json(anew / "summary.json"))
        for derived in scoring.derived:
            differences += _tables_differ(derived, path / derived, anew / derived)
    return Verification(tuple(altered), tuple(differences))


def _scoring(run: RunFolder, scorings: Mapping[str, Scoring]) -> Scoring:
    capability = run.record().get("capability")
    if not isinstance(capability, str) or capability not in scorings:
        raise InputError(f"{run.path}: a run of {capability!r}, whose answers are not scored apart")
    return scorings[capability]


def _derived(name: str, scoring: Scoring) -> bool:
    return name == "summary.json" or name.split("/")[0] in scoring.derived


def _differ(name: str, old: Any, new: Any) -> list[str]:
    """Paths of the values in which two JSON documents differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [*old, *(key for key in new if key not in old)]
        return [line for key in keys for line in _differ(f"{name}.{key}", old.get(key), new.get(key))]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = zip(old, new, strict=True)
        return [line for index, pair in enumerate(pairs) for line in _differ(f"{name}[{index}]", *pair)]
    return [] if old == new else [f"{name}: recorded {old!r}, now {new!r}"]


def _tables_differ(name: str, old: Path, new: Path) -> list[str]:
    """Differences of two tables, or of two folders of parts, of which two are in memory at a time."""
    title = name.removesuffix(".parquet")
    rows = [[table.num_rows for table in _tables(path)] for path in (old, new)]
    if sum(rows[0]) != sum(rows[1]):
        return [f"{title}: recorded {sum(rows[0])} rows, now {sum(rows[1])}"]
    if rows[0] != rows[1]:
        return [f"{title}: recorded in other parts"]
    changed: dict[str, None] = {}
    for left, right in zip(_tables(old), _tables(new), strict=True):
        if left.column_names != right.column_names:
            return [f"{title}: recorded with other columns"]
        changed |= dict.fromkeys(column for column in left.column_names if left[column] != right[column])
    return [f"{title}: column {column} differs" for column in changed]


def _tables(path: Path) -> Iterator[pa.Table]:
    for part in part_paths(path) if path.is_dir() else [path]:
        yield read_table(part)
