"""Life after a run: verify it, compare it with another, share it without its texts."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from licoeval_units import many

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import (
    Benchmark,
    CompareOptions,
    LicoevalOptions,
    compare,
    evaluate,
)
from cleartitle.evals.licoeval.units import Eligibility, cut
from cleartitle.evals.life import rescore, verify
from cleartitle.models import open_model

COUNT = 40
IDLE = "    rows = [animals, hay, limit]\n    return [row for row in rows if row is not None and {n} > 3]\n"


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    table = cut(many(COUNT), rules=Eligibility())
    units = table.filter([reason is None for reason in table["reason"].to_pylist()]).drop_columns("reason")
    return Benchmark(units, {"units": COUNT, "content_hash": "test", "options": {"mode": "corrected"}})


def run(folder: Path, benchmark: Benchmark, copied: int, license_answer: str | None = None) -> Path:
    """A run of a model that copies the first ``copied`` functions and names ``license_answer`` or the right license."""
    rows: list[dict[str, object]] = []
    for number, unit in enumerate(benchmark.units.to_pylist()):
        body = unit["body"] if number < copied else IDLE.replace("{n}", str(number))
        rows.append({"prompt_id": unit["prompt_id"], "text": unit["signature"] + unit["docstring"] + body})
        rows.append({"prompt_id": unit["prompt_id"], "turn": 1, "text": license_answer or unit["license"]})
    folder.mkdir(parents=True)
    answers = folder / "answers.jsonl"
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    evaluate(open_model(f"replay:{answers}"), benchmark, folder / "run", LicoevalOptions(limit=0, controls=False))
    return folder / "run"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, benchmark: Benchmark) -> Path:
    return run(tmp_path_factory.mktemp("life") / "a", benchmark, 10)


def test_a_finished_run_stands_as_recorded(finished: Path) -> None:
    assert verify(finished).ok


def test_an_altered_summary_and_an_added_table_are_named(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(finished, copy)
    summary = json.loads((copy / "summary.json").read_text())
    summary["modes"]["corrected"]["striking"]["count"] = 0
    (copy / "summary.json").write_text(json.dumps(summary))
    shutil.copy(copy / "prompts.parquet", copy / "more.parquet")
    found = verify(copy)
    assert set(found.altered) == {"summary.json: changed", "more.parquet: added"}
    assert any(
        line.startswith("summary.modes.corrected.striking.count: recorded 0, now 10") for line in found.differences
    )


def test_an_exchanged_answer_is_found_by_its_hash_and_its_figures(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(finished, copy)
    part = copy / "generations" / "part-00000.parquet"
    table = pq.read_table(part)
    texts = table["text"].to_pylist()
    texts[0] = texts[-1]
    index = table.schema.get_field_index("text")
    changed = table.set_column(index, table.schema.field(index), pa.array(texts, pa.large_string()))
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), part)
    found = verify(copy)
    assert "generations/part-00000.parquet: changed" in found.altered
    assert "summary.modes.corrected.striking.count: recorded 10, now 9" in found.differences


def test_scoring_anew_mends_figures_but_never_hides_altered_answers(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(finished, copy)
    (copy / "summary.json").write_text("{}")
    assert not verify(copy).ok
    rescore(copy)
    assert verify(copy).ok
    (copy / "followups" / "part-00000.parquet").unlink()
    with pytest.raises(InputError, match="followups/part-00000.parquet: gone"):
        rescore(copy)


def test_an_unfinished_run_cannot_be_verified(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(finished, copy)
    record = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps({**record, "sha256": {}}))
    with pytest.raises(InputError, match="not finished"):
        verify(copy)


def test_a_run_compared_with_itself_differs_in_nothing(finished: Path) -> None:
    found = compare(finished, finished)
    assert found.pairs == COUNT and found.p is None and not found.regressions
    assert all(one.difference == 0 for one in found.differences)


def test_a_model_that_copies_more_is_a_regression(finished: Path, tmp_path: Path, benchmark: Benchmark) -> None:
    more = run(tmp_path / "b", benchmark, 30)
    found = compare(finished, more)
    striking = next(one for one in found.differences if one.name == "striking")
    assert striking.difference == pytest.approx(0.5)
    assert striking.interval is not None and striking.interval.low > 0
    assert len(found.only_second) == 20 and not found.only_first and found.both == 10
    assert found.p == pytest.approx(2 * 0.5**20)
    assert "striking" in found.regressions
    assert "striking" not in compare(finished, more, CompareOptions(tolerance=0.9)).regressions
    assert "striking" not in compare(more, finished).regressions


def test_wrong_licenses_lower_lico_and_only_the_strict_gate_takes_a_single_case(
    finished: Path, tmp_path: Path, benchmark: Benchmark
) -> None:
    wrong = run(tmp_path / "c", benchmark, 10, "WTFPL")
    found = compare(finished, wrong)
    assert "lico" in found.regressions
    one_more = run(tmp_path / "d", benchmark, 11)
    assert "striking" not in compare(finished, one_more).regressions
    assert "striking" in compare(finished, one_more, CompareOptions(strict=True)).regressions


def test_runs_of_other_prompts_cannot_be_compared(finished: Path, tmp_path: Path, benchmark: Benchmark) -> None:
    other = Benchmark(
        benchmark.units.set_column(
            0, benchmark.units.schema.field(0), [[f"{name}x" for name in benchmark.units["prompt_id"].to_pylist()]]
        ),
        benchmark.record,
    )
    with pytest.raises(InputError, match="share no scored answer"):
        compare(finished, run(tmp_path / "e", other, 3))
