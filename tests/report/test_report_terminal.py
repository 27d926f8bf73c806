import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from cleartitle.evals.licoeval import check_published, published
from cleartitle.report import benchmark_table, corpus_table, licoeval_table, published_table


def lines(renderables: list, width: int) -> list[str]:
    """What a terminal of a width shows."""
    console = Console(width=width, file=io.StringIO(), highlight=False)
    for renderable in renderables:
        console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def summary_of(run: Path) -> dict:
    return json.loads((run / "summary.json").read_text())


@pytest.mark.parametrize("width", [80, 120, 200])
def test_the_table_fits_and_loses_no_number(copying_run: Path, width: int) -> None:
    shown = lines(licoeval_table(summary_of(copying_run)), width)
    assert all(len(line) <= width for line in shown)
    assert not any("…" in line for line in shown)
    for row in published()["rows"]:
        (line,) = [line for line in shown if line.startswith(row["model"] + " ")]
        assert f"{row['striking']}/4187" in line and f"{row['lico']:.3f}" in line
    assert any(line.startswith("6 of 12 answers are strikingly similar") for line in shown)


def test_a_wide_terminal_shows_weak_and_strong_apart(copying_run: Path) -> None:
    narrow, wide = (lines(licoeval_table(summary_of(copying_run)), width) for width in (80, 120))
    assert not any("strong" in line for line in narrow)
    assert any(line.split()[:1] == ["model"] and "weak" in line and "strong" in line for line in wide)


def test_published_rows_can_be_left_out(harmless_run: Path) -> None:
    shown = "\n".join(lines(licoeval_table(summary_of(harmless_run), with_published=False), 100))
    assert "GPT-4o" not in shown and "verbatim copy" in shown
    assert "0.143–1.000" in shown


def test_a_name_is_never_read_as_markup(harmless_run: Path) -> None:
    summary = summary_of(harmless_run)
    summary["model"]["name"] = "[red]m[/red] \x1b[31m\u202e"
    shown = lines(licoeval_table(summary), 120)
    assert any("[red]m[/red] [U+001B][31m[U+202E]" in line for line in shown)


def test_the_published_comparison_agrees_in_every_row() -> None:
    shown = lines([published_table(check_published())], 80)
    assert sum(line.endswith("yes") for line in shown) == 14
    assert not any("NO" in line for line in shown)
    (row,) = [line for line in shown if line.startswith("Claude-3.5-Sonnet")]
    assert row.split() == ["Claude-3.5-Sonnet", "84", "2.01%", "0.71/79", "0.40/5", "0.571", "0.571", "yes"]


def test_a_row_that_does_not_agree_is_called_out() -> None:
    rows = check_published()
    rows[0] = {**rows[0], "agrees": False}
    assert any(line.endswith("NO") for line in lines([published_table(rows)], 80))


@pytest.mark.parametrize("width", [80, 120])
def test_a_benchmark_stands_beside_table_iii(copying_run: Path, width: int) -> None:
    record = summary_of(copying_run)["benchmark"]
    shown = lines(benchmark_table({**record, "left_out": {"no docstring": 7, "method": 12}}), width)
    assert all(len(line) <= width for line in shown)
    (complexity,) = [line for line in shown if line.startswith("complexity")]
    assert complexity.split()[2:9:2] == ["4", "7", "9.1", "95"]
    assert [line.split()[0] for line in shown if line.startswith(("no docstring", "method"))] == ["method", "no"]
    assert any("3,073" in line for line in shown)


def test_a_corpus_is_counted_and_what_was_left_out_is_named() -> None:
    info = {
        "contents": 3,
        "occurrences": 5,
        "projects": 2,
        "bytes": 2_000_000,
        "duplicates": 2,
        "vendored": 1,
        "classes": {"permissive": 4, "unknown": 1},
        "licenses": {f"License-{number}": 20 - number for number in range(15)},
        "trust": {"agree": 5},
        "languages": {"python": 3},
        "conflicts": [{"conflict": "[bold]GPL[/] and MIT", "files": 2, "example": "a: b.py"}],
        "skipped": {"not text": {"count": 4, "lines": ["x.py: binary"]}},
    }
    shown = lines(corpus_table(info), 80)
    assert any("3 files in 5 places of 2 projects" in line for line in shown)
    assert any("3 others" in line and "21" in line for line in shown)
    assert any("[bold]GPL[/] and MIT" in line for line in shown)
    assert any("left out, not text: 4, for example x.py: binary" in line for line in shown)
