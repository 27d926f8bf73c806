"""The whole path on self-written units, with recorded answers in place of a model."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from licoeval_units import many

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import Benchmark, LicoevalOptions, evaluate, score_run
from cleartitle.evals.licoeval.controls import other_units
from cleartitle.evals.licoeval.units import Eligibility, cut
from cleartitle.evals.life import rescore
from cleartitle.jobs import locked
from cleartitle.models import Capabilities, Estimate, Generation, Request, open_model
from cleartitle.tables import read_key, read_table, write_table

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


def test_a_failed_call_that_is_asked_again_and_is_empty_is_scored_as_empty(
    tmp_path: Path, benchmark: Benchmark
) -> None:
    """Both have the text ''; what the first came to must not stand."""

    class Changing:
        name = "changing"
        status = "error"

        def describe(self) -> dict[str, Any]:
            return {"adapter": "changing", "served_as": [self.status]}

        def capabilities(self) -> Capabilities:
            return Capabilities(chat=True, completion=False)

        def estimate(self, requests: tuple[Request, ...]) -> Estimate:
            return Estimate(len(requests), 0, 0, None, "none")

        async def generate(self, request: Request) -> list[Generation]:
            return [Generation("", self.status, error=None)]  # type: ignore[arg-type]

        async def aclose(self) -> None:
            return None

    model = Changing()
    summary = evaluate(model, benchmark, tmp_path / "run", LicoevalOptions(controls=False))
    assert summary["modes"]["corrected"]["errors"] == COUNT
    model.status = "empty"
    summary = evaluate(model, benchmark, tmp_path / "run", LicoevalOptions(controls=False))
    figures = summary["modes"]["corrected"]
    assert (figures["errors"], figures["empty"]) == (0, COUNT)


def test_scoring_anew_does_the_work_again(tmp_path: Path, benchmark: Benchmark) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    first = evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions())
    part = tmp_path / "run" / "scores" / "part-00000.parquet"
    whole, key = read_table(part), read_key(part)
    assert key is not None
    write_table(part, whole.slice(0, 7), key=key)  # as an earlier version might have scored
    assert score_run(tmp_path / "run")["modes"] != first["modes"]
    assert rescore(tmp_path / "run") == first


def test_a_run_that_is_not_done_is_not_scored(tmp_path: Path, benchmark: Benchmark) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions())
    (tmp_path / "run" / "generations" / "part-00000.parquet").unlink()
    with pytest.raises(InputError, match="0 of 20 answers are there; mend"):
        score_run(tmp_path / "run")


def test_a_benchmark_with_the_same_names_and_other_texts_is_another_run(tmp_path: Path, benchmark: Benchmark) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions())
    rows = [{**row, "license": "MIT", "license_class": "permissive"} for row in benchmark.units.to_pylist()]
    other = Benchmark(pa.Table.from_pylist(rows, schema=benchmark.units.schema), benchmark.record)
    with pytest.raises(InputError, match="with other inputs"):
        evaluate(open_model(spec), other, tmp_path / "run", LicoevalOptions())


def test_a_run_that_is_under_way_and_a_folder_of_other_files_are_refused(tmp_path: Path, benchmark: Benchmark) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    with locked(tmp_path / "run"), pytest.raises(InputError, match="another run is writing here"):
        evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions())
    with pytest.raises(InputError, match="files that are not a run; mend"):
        evaluate(open_model(spec), benchmark, tmp_path, LicoevalOptions())


def test_one_function_of_one_project_gives_no_interval_that_claims_certainty(
    tmp_path: Path, benchmark: Benchmark
) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    small = Benchmark(benchmark.units.slice(0, 1), benchmark.record)
    figures = evaluate(open_model(spec), small, tmp_path / "run", LicoevalOptions())["modes"]["corrected"]
    assert figures["striking"]["count"] == 1 and figures["lico"]["interval"] is None
    assert not figures["lico"]["ranked"] and figures["lico"]["low"] < figures["lico"]["high"]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30))
def test_the_other_function_is_of_another_project_where_there_is_one(projects: list[str]) -> None:
    others, count = other_units(projects), len(projects)
    for position, other in enumerate(others):
        steps = [(position + step) % count for step in range(1, count)]
        elsewhere = [place for place in steps if projects[place] != projects[position]]
        assert other == (elsewhere[0] if elsewhere else (position + 1) % count)


def test_shards_of_scores_do_not_change_them(
    tmp_path: Path, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = record(tmp_path / "answers.jsonl", answers(benchmark.units))
    whole = evaluate(open_model(spec), benchmark, tmp_path / "whole", LicoevalOptions(samples=2))
    for module, name in (("runner", "PART_REQUESTS"), ("licoeval.shards", "PART_REQUESTS")):
        monkeypatch.setattr(sys.modules[f"cleartitle.evals.{module}"], name, 3)
    for module in ("licoeval.shards", "licoeval.evaluate"):
        monkeypatch.setattr(sys.modules[f"cleartitle.evals.{module}"], "SCORE_UNITS", 3)
    assert evaluate(open_model(spec), benchmark, tmp_path / "cut", LicoevalOptions(samples=2)) == whole
    assert len(list((tmp_path / "cut" / "scores").glob("part-*"))) == 7


def test_a_copy_that_a_content_filter_stopped_is_still_judged(tmp_path: Path, benchmark: Benchmark) -> None:
    rows = answers(benchmark.units)
    for row in rows:
        if row["prompt_id"] == rows[0]["prompt_id"] and not row.get("turn"):
            row["status"] = "refusal"
    spec = record(tmp_path / "answers.jsonl", rows)
    summary = evaluate(open_model(spec), benchmark, tmp_path / "run", LicoevalOptions(limit=0, controls=False))
    corrected = summary["modes"]["corrected"]
    assert corrected["refusals"] == 1 and corrected["striking"]["count"] == 8
