"""Answers are looked up in a whole corpus beside their own source, and both figures are told."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from licoeval_units import many
from rich.console import Console

from cleartitle.corpus import Corpus, CorpusOptions, build
from cleartitle.evals.against import Answer, against_figures, trace_answers
from cleartitle.evals.licoeval import Benchmark, BenchmarkOptions, LicoevalOptions, build_benchmark, evaluate
from cleartitle.evals.life import rescore, verify
from cleartitle.models import open_model
from cleartitle.report import licoeval_table, write_report
from cleartitle.tables import read_table
from cleartitle.trace import Index, IndexOptions, build_index

ELSEWHERE = '''# SPDX-License-Identifier: GPL-3.0-only
# Copyright 2021 Lin Example


def tide_table(harbor, moon, offsets):
    """Heights at each hour."""
    heights = []
    for hour in range(24):
        phase = (hour * 15 + moon.angle) % 360
        level = harbor.mean + harbor.swing * offsets[phase // 30]
        if level < harbor.floor:
            level = harbor.floor - (harbor.floor - level) / 3
        heights.append(round(level + moon.pull * 0.17, 2))
    return heights
'''


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("against")
    texts = {row["project"]: row["text"] for row in many(4).to_pylist()}
    for name, text in {**texts, "tides": ELSEWHERE}.items():
        (folder / name).mkdir()
        (folder / name / "code.py").write_text(text)
    build([f"folder:{folder / name}" for name in texts], folder / "asked", CorpusOptions(workers=1))
    return folder


@pytest.fixture(scope="module")
def benchmark(home: Path) -> Benchmark:
    made = build_benchmark(Corpus.open(home / "asked"), home / "benchmark", BenchmarkOptions(workers=1))
    assert made.units.num_rows == 4
    return made


@pytest.fixture(scope="module")
def index(home: Path, benchmark: Benchmark) -> Index:
    """An index over the source of the first prompt, and over a work that no prompt comes from."""
    own = benchmark.units["project"].to_pylist()[0]
    build([f"folder:{home / own}", f"folder:{home / 'tides'}"], home / "searched", CorpusOptions(workers=1))
    build_index([home / "searched"], home / "index", IndexOptions(workers=1))
    return Index.open(home / "index")


def recorded(path: Path, units: pa.Table) -> str:
    """The first answer copies its own source, the second another work, the third nothing, the fourth fails."""
    body = ELSEWHERE.partition('hour."""\n')[2]
    rows: list[dict[str, Any]] = []
    for number, unit in enumerate(units.to_pylist()):
        text = [unit["body"], body, "    return sorted(value for value in values if value)\n", ""][number]
        status = {"status": "error"} if number == 3 else {}
        head = f"{unit['signature']}{unit['docstring']}"
        rows.append({"prompt_id": unit["prompt_id"], "text": f"```python\n{head}{text}```" if text else "", **status})
        rows.append({"prompt_id": unit["prompt_id"], "turn": 1, "text": "MIT"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"replay:{path}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, benchmark: Benchmark, index: Index) -> Path:
    folder = tmp_path_factory.mktemp("run")
    model = open_model(recorded(folder / "answers.jsonl", benchmark.units))
    evaluate(model, benchmark, folder / "run", LicoevalOptions(limit=0), against=index)
    return folder / "run"


def test_copies_of_other_works_are_seen_beside_those_of_the_own_source(run: Path) -> None:
    summary = json.loads((run / "summary.json").read_text())
    found = summary["against"]
    assert (found["own"]["count"], found["own"]["total"]) == (1, 1)
    assert found["only_other"]["count"] == 1
    assert found["only_other_by_class"] == {"strong_copyleft": 1}
    assert found["answers"] == found["searched_for"] + found["too_short"] == 4
    assert found["mean_best"] > 0
    rows = {row["state"]: row for row in read_table(run / "against.parquet").to_pylist() if row["other"] > 0}
    assert rows["matches"]["other_project"] == "tides" and rows["matches"]["other"] > 0.9
    assert json.loads((run / "run.json").read_text())["against"]["documents"] == 2


def test_both_figures_stand_in_the_table_and_the_page(run: Path) -> None:
    page = write_report(run).read_text()
    assert "Against the whole index" in page and "tides" in page
    out = Console(width=200, file=io.StringIO())
    for part in licoeval_table(json.loads((run / "summary.json").read_text())):
        out.print(part)
    text = " ".join(out.file.getvalue().split())  # pyright: ignore[reportAttributeAccessIssue]
    assert "share words with their own project: 1 of 1" in text
    assert "Seen only against the index, not in the own project: 1 of" in text


def test_a_run_keeps_its_figures_without_the_index(run: Path) -> None:
    before = json.loads((run / "summary.json").read_text())
    assert rescore(run) == before
    assert verify(run).ok


def test_a_run_without_an_index_has_no_such_figures(tmp_path: Path) -> None:
    assert against_figures(tmp_path) is None


def test_short_and_empty_answers_are_counted_apart(tmp_path: Path, index: Index) -> None:
    answers = [Answer("a", 0, "", "p", "swh:1:cnt:0"), Answer("a", 1, "x = 1", "p", "swh:1:cnt:0")]
    trace_answers(answers, index, tmp_path, key="k")
    found = against_figures(tmp_path)
    assert found is not None
    assert (found["too_short"], found["searched_for"], found["own_indexed"]) == (2, 0, 0)
    assert found["own"]["value"] is None and found["mean_best"] is None
