"""Check a finished run: are its files as they were, and do its answers still give its figures?"""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.evals.licoeval.evaluate import score_run
from cleartitle.evals.licoeval.scoring import SCORES
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.tables import read_parts, read_table

__all__ = ["Verification", "verify"]


@dataclass(frozen=True)
class Verification:
    """What `verify` found; ``ok`` when there is nothing.

    ``altered`` names files that are not the ones that the run sealed. ``differences`` names figures and tables that
    scoring the recorded answers anew does not give. A difference without an altered file means that the program, or a
    library of it, scores otherwise than the one that made the run: ``run.json`` names those versions.
    """

    altered: tuple[str, ...]
    differences: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the run stands as it was recorded."""
        return not self.altered and not self.differences


def verify(path: Path) -> Verification:
    """Compare the hashes of a run, then score its answers anew in a folder apart and compare tables and figures.

    Raises:
        InputError: the folder holds no finished run.
    """
    altered = RunFolder.open(path).altered()
    with tempfile.TemporaryDirectory(prefix="cleartitle-") as name:
        anew = Path(name)
        for part in ("run.json", "prompts.parquet", "generations", "followups"):
            source = path / part
            if source.is_dir():
                shutil.copytree(source, anew / part)
            else:
                shutil.copy2(source, anew / part)
        summary = score_run(anew)
        differences = _differ("summary", read_json(path / "summary.json"), summary)
        tables = {
            "scores": [read_parts(folder / "scores", SCORES) for folder in (path, anew)],
            "verdicts": [read_table(folder / "verdicts.parquet") for folder in (path, anew)],
        }
        differences += [line for name, (old, new) in tables.items() for line in _rows(name, old, new)]
    return Verification(tuple(altered), tuple(differences))


def _differ(name: str, old: Any, new: Any) -> list[str]:
    """Paths of the values in which two JSON documents differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [*old, *(key for key in new if key not in old)]
        return [line for key in keys for line in _differ(f"{name}.{key}", old.get(key), new.get(key))]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = zip(old, new, strict=True)
        return [line for index, pair in enumerate(pairs) for line in _differ(f"{name}[{index}]", *pair)]
    return [] if old == new else [f"{name}: recorded {old!r}, now {new!r}"]


def _rows(name: str, old: pa.Table, new: pa.Table) -> list[str]:
    if old.num_rows != new.num_rows:
        return [f"{name}: recorded {old.num_rows} rows, now {new.num_rows}"]
    changed = [column for column in old.column_names if old[column].to_pylist() != new[column].to_pylist()]
    return [f"{name}: column {column} differs" for column in changed]
