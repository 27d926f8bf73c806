"""HumanEval beside LiCo: in the table, in the summary, in the report, and in what is ranked."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from licoeval_units import GOOD
from rich.console import Console

from cleartitle.corpus import Corpus, CorpusOptions, build
from cleartitle.errors import InputError
from cleartitle.evals.humaneval import HumanevalOptions, problems
from cleartitle.evals.humaneval import evaluate as evaluate_humaneval
from cleartitle.evals.licoeval import (
    Benchmark,
    BenchmarkOptions,
    LicoevalOptions,
    build_benchmark,
    evaluate,
)
from cleartitle.evals.licoeval.ranking import rank
from cleartitle.evals.life import verify
from cleartitle.models import open_model
from cleartitle.report import licoeval_table, write_report

COPIED = 6
LICO = {"value": 0.5, "low": 0.5, "high": 0.5, "imputed": [], "ranked": True, "unranked_because": None}


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Eight functions of as many projects, written for these tests."""
    root = tmp_path_factory.mktemp("corpus")
    for number, expression in enumerate(["MIT", "Apache-2.0", "GPL-3.0-only", "LGPL-2.1-or-later"] * 2):
        folder = root / f"project{number}"
        folder.mkdir()
        (folder / "code.py").write_text(GOOD.replace("{license}", expression).replace("{name}", f"work_{number}"))
    specs = [f"folder:{path}" for path in sorted(root.glob("project*"))]
    build(specs, root / "corpus", CorpusOptions(workers=1))
    return build_benchmark(Corpus.open(root / "corpus"), root / "benchmark", BenchmarkOptions(workers=1))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory, benchmark: Benchmark) -> Path:
    """Recorded answers of one model: copies in LiCoEval, and one of four problems solved in HumanEval."""
    path = tmp_path_factory.mktemp("beside") / "some-model.jsonl"
    rows: list[dict[str, object]] = []
    for number, unit in enumerate(benchmark.units.to_pylist()):
        body = unit["body"] if number < COPIED else "    return [animals, hay, limit, animals, hay]\n"
        rows.append({"prompt_id": unit["prompt_id"], "text": unit["signature"] + unit["docstring"] + body})
        rows.append({"prompt_id": unit["prompt_id"], "turn": 1, "text": unit["license"]})
    for number, problem in enumerate(problems().to_pylist()[:4]):
        text = problem["prompt"] + (problem["canonical_solution"] if number == 0 else "    return None\n")
        rows.append({"prompt_id": problem["prompt_id"], "text": text})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def measured(answers: Path) -> Path:
    folder = answers.parent / "humaneval"
    evaluate_humaneval(open_model(f"replay:{answers}"), folder, HumanevalOptions(limit=4, workers=1))
    return folder


def table_of(summary: dict[str, Any], width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    for part in licoeval_table(summary):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.network
def test_a_model_that_cannot_code_is_shown_but_not_ranked(
    answers: Path, measured: Path, benchmark: Benchmark, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    summary = evaluate(open_model(f"replay:{answers}"), benchmark, run, LicoevalOptions(limit=0), measured)
    assert (summary["humaneval"]["count"], summary["humaneval"]["total"]) == (1, 4)
    lico = summary["modes"]["corrected"]["lico"]
    assert lico["value"] is not None and lico["ranked"] is False and lico["capable"] is False
    assert "pass@1 of 0.250 on HumanEval is not above 0.5" in lico["unranked_because"]
    row = next(line for line in table_of(summary, 120) if line.startswith("some-model"))
    assert "25.0%" in row
    page = write_report(run).read_text()
    assert "25.0 % (4.6 to 69.9 %, 4 of 164 problems)" in page and "HumanEval not above 0.5" in page
    assert "72.6 %" in page, "the published figures stand in the same column"
    assert verify(run).ok


@pytest.mark.network
def test_a_figure_can_be_added_to_a_run_that_ended_and_stays(
    answers: Path, measured: Path, benchmark: Benchmark, tmp_path: Path
) -> None:
    run, model = tmp_path / "run", f"replay:{answers}"
    before = evaluate(open_model(model), benchmark, run, LicoevalOptions(limit=0))
    assert before["humaneval"] is None and before["modes"]["corrected"]["lico"]["capable"] is None
    for width in (80, 120):
        lines = table_of(before, width)
        at = next(number for number, line in enumerate(lines) if line.startswith("some-model"))
        assert " not " in lines[at] and lines[at + 1].strip() == "measured"
    assert "not measured" in write_report(run).read_text()
    with_figure = evaluate(open_model(model), benchmark, run, LicoevalOptions(limit=0), measured)
    assert with_figure["humaneval"]["count"] == 1
    assert evaluate(open_model(model), benchmark, run, LicoevalOptions(limit=0)) == with_figure


@pytest.mark.network
def test_the_figure_of_another_model_is_refused_before_anything_is_asked(
    answers: Path, measured: Path, benchmark: Benchmark, tmp_path: Path
) -> None:
    other = tmp_path / "another.jsonl"
    other.write_text(answers.read_text())
    with pytest.raises(InputError, match="HumanEval of some-model, not of another"):
        evaluate(open_model(f"replay:{other}"), benchmark, tmp_path / "run", LicoevalOptions(limit=0), measured)
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="holds no run; mend"):
        evaluate(open_model(f"replay:{other}"), benchmark, tmp_path / "run", LicoevalOptions(), tmp_path / "nowhere")


def test_the_estimate_decides_and_a_wide_interval_is_named() -> None:
    interval = {"low": 0.2, "high": 0.8, "method": "wilson"}
    below = rank(LICO, {"value": 0.5, "interval": interval})
    assert below["ranked"] is False and "reaches above" in below["unranked_because"]
    assert rank(LICO, {"value": 0.51, "interval": interval})["ranked"] is True
    assert rank(LICO, None)["ranked"] is True and rank(LICO, None)["capable"] is None
    both = rank({**LICO, "ranked": False, "unranked_because": "no copyleft case"}, {"value": 0.0, "interval": interval})
    assert both["unranked_because"].startswith("no copyleft case; pass@1")
