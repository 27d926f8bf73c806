"""What people did in the office, as a run like any other: the same offers, transcripts, judgement and figures."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.episodes import OFFERS, Condition, offer_row, prepare_episode
from cleartitle.evals.copyright_bench.evaluate import CopyrightBenchOptions, about_pool, score, write_pictures
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS, Row
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import canonical_json
from cleartitle.jobs import locked
from cleartitle.options import as_record, fingerprint
from cleartitle.tables import table_of, write_groups, write_table

__all__ = ["write_people_run"]

Played = Mapping[tuple[Condition, int], Sequence[Row]]
"""The transcript of each run of a cell that somebody finished."""


def write_people_run(pool: Pool, output: Path, options: CopyrightBenchOptions, played: Played) -> dict[str, Any]:
    """Write the run of people into ``output``, in the place of an earlier state of it, and return its summary.

    Offers are those that any chooser gets with the same pool, seed and pairs, so that `compare_runs` sets people beside
    policies and models on equal offers. Cells have as many runs as were finished.

    Raises:
        InputError: nothing was finished, or the folder holds another run.
    """
    if not played:
        raise InputError(f"{output}: nobody has finished a task yet")
    cells: dict[Condition, list[int]] = {}
    for condition, run in sorted(played, key=lambda place: (options.conditions.index(place[0]), place[1])):
        cells.setdefault(condition, []).append(run)
    transcripts = canonical_json([[condition.task, run, *rows] for (condition, run), rows in played.items()])
    key = fingerprint(options, pool=pool.key, people=transcripts)
    if output.exists():
        if RunFolder.open(output, "copyright-bench").record()["inputs"]["chooser"]["kind"] != "people":
            raise InputError(f"{output}: holds a run of another chooser; mend: choose another folder")
        shutil.rmtree(output)
    with locked(output):
        run = RunFolder.create(
            output,
            "copyright-bench",
            key,
            options=as_record(options),
            inputs={
                "chooser": {"kind": "people", "name": "people"},
                "pool": about_pool(pool),
                "parts": len(cells),
                "finished": len(played),
            },
        )
        used: set[str] = set()
        groups = []
        for condition, runs in cells.items():
            rows = [
                offer_row(condition, one, *prepare_episode(pool, condition, one, options.seed, pairs=options.pairs))
                for one in runs
            ]
            used.update(file["asset"] for row in rows for file in row["files"])
            groups.append(table_of(rows, OFFERS))
        write_groups(output / "prompts.parquet", groups, OFFERS, key=key)
        write_pictures(pool, used, output / "pictures.parquet", key)
        for number, (condition, runs) in enumerate(cells.items()):
            table = table_of((row for one in runs for row in played[condition, one]), TRANSCRIPTS)
            write_table(output / "transcripts" / f"part-{number:05d}.parquet", table, key=key)
        summary = score(output)
        run.finish()
        run.seal()
    return summary
