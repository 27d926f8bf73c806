"""The command line as a person or a script meets it: real processes, real files."""

import json
from pathlib import Path

import pytest
from cli_process import cleartitle

from cleartitle.evals.licoeval import open_benchmark, open_units


@pytest.fixture
def answers(benchmark: Path, tmp_path: Path) -> str:
    rows: list[dict[str, object]] = []
    for unit in open_benchmark_units(benchmark):
        rows.append({"prompt_id": unit["prompt_id"], "text": unit["signature"] + unit["docstring"] + unit["body"]})
        rows.append({"prompt_id": unit["prompt_id"], "turn": 1, "text": "MIT License"})
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"replay:{path}"


def open_benchmark_units(benchmark: Path) -> list[dict[str, str]]:
    return open_benchmark(benchmark).units.to_pylist()


def test_a_run_leaves_summary_and_report_and_prints_its_table(benchmark: Path, answers: str, tmp_path: Path) -> None:
    command = ("eval", "licoeval", "--model", answers, "--benchmark", str(benchmark), "--limit", "8")
    done = cleartitle(*command, "--output", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "8 of 8" in done.stdout and "verbatim" in done.stdout
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["prompts"] == 8
    assert (tmp_path / "run" / "report.html").read_text().startswith("<!doctype html>")
    assert open_units(tmp_path / "run").num_rows == 8
    again = cleartitle("score", "run", "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == json.loads((tmp_path / "run" / "summary.json").read_text())


def test_json_alone_stands_on_standard_output(benchmark: Path, answers: str, tmp_path: Path) -> None:
    command = ("eval", "licoeval", "--model", answers, "--benchmark", str(benchmark), "--output", "run", "--json")
    done = cleartitle(*command, cwd=tmp_path)
    assert json.loads(done.stdout)["capability"] == "licoeval"


def test_a_dry_run_asks_nothing_and_writes_nothing(benchmark: Path, tmp_path: Path) -> None:
    command = ("eval", "licoeval", "--model", "openai:some-model", "--benchmark", str(benchmark), "--dry-run")
    prices = ("--price-prompt", "1", "--price-completion", "2", "--output", "run")
    done = cleartitle(
        *command, *prices, cwd=tmp_path, OPENAI_API_KEY="not-a-key", OPENAI_BASE_URL="http://127.0.0.1:9/v1"
    )
    assert done.returncode == 0, done.stderr
    estimate = json.loads(done.stdout)
    assert estimate["calls"] == 12 and estimate["cost"] > 0
    assert not (tmp_path / "run").exists()


def test_the_published_rows_all_come_out(tmp_path: Path) -> None:
    done = cleartitle("eval", "licoeval", "--published", "--json", cwd=tmp_path)
    rows = json.loads(done.stdout)
    assert done.returncode == 0 and len(rows) == 14 and all(row["agrees"] for row in rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("eval", "licoeval", "--benchmark", "nowhere"), "nowhere"),
        (("eval", "licoeval", "--corpus", "nowhere"), "no such corpus; mend:"),
        (("corpus", "info", "nowhere"), "not a finished corpus"),
        (("license", "show", "GPLX"), "unknown license 'GPLX'"),
        (("license", "detect", "nowhere"), "could not be read"),
        (("report", "nowhere"), "nowhere"),
        (("eval", "licoeval", "--model", "gpt-4"), "mend"),
    ],
)
def test_wrong_use_is_one_line_and_status_two(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    done = cleartitle(*words, cwd=tmp_path, CLEARTITLE_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_error_is_told_when_quiet_too(tmp_path: Path) -> None:
    done = cleartitle("--quiet", "corpus", "info", "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: nowhere") and done.stderr.count("\n") == 1


def test_licenses_are_shown_parsed_and_detected(tmp_path: Path) -> None:
    shown = json.loads(cleartitle("license", "show", "AGPL-3.0-only", "--json", cwd=tmp_path).stdout)
    assert shown["class"] == "strong_copyleft" and "network-disclosure" in shown["obligations"]
    parsed = json.loads(cleartitle("license", "answer", "It is GPLv3 or later.", "--json", cwd=tmp_path).stdout)
    assert parsed["expression"] == "GPL-3.0-or-later"
    (tmp_path / "a.py").write_text("# SPDX-License-Identifier: MPL-2.0\nx = 1\n")
    found = json.loads(cleartitle("license", "detect", "a.py", "--json", cwd=tmp_path).stdout)
    assert found[0]["expression"] == "MPL-2.0"


def test_a_run_is_verified_compared_and_shared_without_its_texts(benchmark: Path, answers: str, tmp_path: Path) -> None:
    command = ("eval", "licoeval", "--from", answers.removeprefix("replay:"), "--benchmark", str(benchmark))
    assert cleartitle(*command, "--output", "run", cwd=tmp_path).returncode == 0
    assert cleartitle("verify", "run", cwd=tmp_path).returncode == 0
    same = cleartitle("compare", "run", "run", "-o", "page.html", "--json", cwd=tmp_path)
    assert same.returncode == 0 and json.loads(same.stdout)["regressions"] == []
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    shared = cleartitle("report", "run", "--redact", cwd=tmp_path)
    assert shared.stdout.strip() == "run/report-redacted.html"
    open_page = (tmp_path / "run" / "report.html").read_text()
    redacted = (tmp_path / "run" / "report-redacted.html").read_text()
    assert "the old mule eats first" in open_page
    assert "the old mule" not in redacted and "Share the hay" not in redacted
    with (tmp_path / "run" / "verdicts.parquet").open("ab") as stream:
        stream.write(b"x")
    altered = cleartitle("verify", "run", cwd=tmp_path)
    assert altered.returncode in (1, 2) and "verdicts.parquet" in altered.stdout + altered.stderr
