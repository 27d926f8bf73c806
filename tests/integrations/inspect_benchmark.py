"""A benchmark folder of self-written functions."""

from pathlib import Path

from licoeval_units import many

from cleartitle.evals.licoeval.benchmark import content_hash
from cleartitle.evals.licoeval.units import Eligibility, cut
from cleartitle.files import write_json
from cleartitle.tables import write_table


def write_benchmark(folder: Path, count: int) -> Path:
    table = cut(many(count), rules=Eligibility())
    units = table.filter([reason is None for reason in table["reason"].to_pylist()]).drop_columns("reason")
    assert units.num_rows == count
    record = {"schema": 3, "units": count, "content_hash": content_hash(units), "options": {"mode": "corrected"}}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "benchmark.json", record)
    write_table(folder / "units.parquet", units, key="test")
    return folder
