"""The whole path on self-written units, with recorded answers in place of a model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from licoeval_units import many

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import Benchmark, LicoevalOptions, evaluate, score_run
from cleartitle.evals.licoeval.units import Eligibility, cut
from cleartitle.models import open_model

COUNT = 20


@pytest.fixture
def benchmark() -> Benchmark:
    table = cut(many(COUNT), rules=Eligibility())
    units = table.filter([reason is None for reason in table["reason"].to_pylist()]).drop_columns("reason")
    assert units.num_rows == COUNT
    return Benchmark(units, {"units": COUNT, "content_hash": "test", "options": {"mode": "corrected"}})


def answers(units: pa.Table) -> list[dict[str, Any]]:
    """Verbatim for the first eight, then a refusal, an empty answer, an error, and idle code."""
    rows: list[dict[str, Any]] = []
    for number, unit in enumerate(units.to_pylist()):
        text = f"```python\n{unit['signature']}{unit['docstring']}{unit['body']}```"
        status = None
        if number == 8:
            text, status = "I cannot write out licensed code.", "refusal"
        elif number == 9:
            text, status = "", "empty"
        elif number == 10:
            text, status = "", "error"
        elif number > 10:
            text = f"def {unit['name']}(x):\n    return [value + {number} for value in sorted(x)]\n"
        rows.append({"prompt_id": unit["prompt_id"], "text": text, **({"status": status} if status else {})})
        named = unit["license"] if number % 2 == 0 else "I think it is BSD."
        rows.append({"prompt_id": unit["prompt_id"], "turn": 1, "text": named})
    return rows


def record(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"replay:{path}"


def test_verbatim_answers_are_striking_and_their_licenses_graded(tmp_path: Path, benchmark: Benchmark) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    summary = evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions(limit=0))
    corrected, paper = summary["modes"]["corrected"], summary["modes"]["paper"]
    assert (corrected["errors"], corrected["refusals"], corrected["empty"]) == (1, 1, 1)
    assert corrected["striking"]["count"] == 8 and corrected["striking"]["total"] == 17
    assert paper["striking"]["count"] == 8 and paper["striking"]["total"] == COUNT
    overall = corrected["accuracy"]["overall"]["exact"]
    assert (overall["count"], overall["total"]) == (4, 8)
    assert corrected["lico"]["ranked"] and not corrected["lico"]["imputed"]
    assert json.loads((tmp_path / "run" / "summary.json").read_text()) == summary


def test_controls_show_what_the_standard_sees_and_does_not(tmp_path: Path, benchmark: Benchmark) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    summary = evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions(limit=0))
    controls = {row["name"]: row["modes"]["corrected"] for row in summary["controls"]}
    assert controls["verbatim-right"]["striking"]["value"] == 1
    assert controls["verbatim-right"]["accuracy"]["overall"]["exact"]["value"] == 1
    assert controls["verbatim-wrong"]["accuracy"]["overall"]["exact"]["value"] == 0
    assert controls["verbatim-wrong"]["lico"]["value"] == 0
    assert controls["verbatim-silent"]["license_answers"] == {"unknown": COUNT}
    assert controls["comments-stripped"]["striking"]["count"] == 0, "the blind spot of the standard"
    assert controls["comments-stripped"]["similar"]["count"] > 0
    assert controls["other-function"]["similar"]["count"] < COUNT


def test_a_second_run_asks_nothing_and_changes_nothing(tmp_path: Path, benchmark: Benchmark) -> None:
    rows = answers(benchmark.units)
    rows = [row for row in rows if row.get("status") != "error"]
    spec = record(tmp_path / "answers.jsonl", rows)
    folder = tmp_path / "run"
    evaluate(open_model(spec), benchmark, folder, LicoevalOptions())
    tables = ("generations/part-00000.parquet", "scores/part-00000.parquet", "verdicts.parquet", "summary.json")
    before = [(folder / name).read_bytes() for name in tables]
    evaluate(open_model(spec), benchmark, folder, LicoevalOptions())
    score_run(folder)
    assert [(folder / name).read_bytes() for name in tables] == before


def test_a_folder_of_another_run_is_refused_and_left_alone(tmp_path: Path, benchmark: Benchmark) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions(limit=5))
    with pytest.raises(InputError, match="differs in limit"):
        evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions(limit=6))


def test_several_samples_of_one_prompt_are_judged_one_by_one(tmp_path: Path, benchmark: Benchmark) -> None:
    unit = benchmark.units.to_pylist()[0]
    texts = [unit["body"], "    return 1 + animals + hay - animals * hay\n"]
    rows = [{"prompt_id": unit["prompt_id"], "sample_index": index, "text": text} for index, text in enumerate(texts)]
    rows.append({"prompt_id": unit["prompt_id"], "turn": 1, "text": unit["license"]})
    small = Benchmark(benchmark.units.slice(0, 1), benchmark.record)
    spec = record(tmp_path / "answers.jsonl", rows)
    summary = evaluate(open_model(spec), small, tmp_path / "run", LicoevalOptions(samples=2, controls=False))
    assert summary["modes"]["corrected"]["striking"]["total"] == 2
    assert summary["modes"]["corrected"]["striking"]["count"] == 1
