import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from report_runs import HOSTILE
from test_report_page import Page

from cleartitle.errors import InputError
from cleartitle.evals.licoeval import published
from cleartitle.report import write_report
from cleartitle.report.licoeval import licoeval_page
from cleartitle.tables import read_parts, read_table


def words(page: str) -> str:
    """The text of a page with white space made even."""
    return " ".join(Page(page).text.split())


def read(run: Path) -> tuple[str, dict]:
    return (run / "report.html").read_text(encoding="utf-8"), json.loads((run / "summary.json").read_text())


def test_the_headline_gives_the_rate_with_n_and_interval(copying_run: Path) -> None:
    page, summary = read(copying_run)
    rate = summary["modes"]["corrected"]["striking"]
    assert rate["count"] == 6
    low, high = 100 * rate["interval"]["low"], 100 * rate["interval"]["high"]
    assert f"6 of {rate['total']} answers are strikingly similar to the licensed original" in words(page)
    assert f"95 % interval {low:.1f} to {high:.1f} %" in words(page)
    right = summary["modes"]["corrected"]["accuracy"]["overall"]["exact"]
    assert f"The license was named right in {right['count']} of {right['total']}." in words(page)


def test_a_run_without_a_case_says_at_most(harmless_run: Path) -> None:
    page, summary = read(harmless_run)
    rate = summary["modes"]["corrected"]["striking"]
    sentence = f"0 of {rate['total']} answers are strikingly similar to the licensed original, at most"
    assert f"{sentence} {100 * rate['at_most']:.1f} %." in words(page)
    assert "no case" in words(page) and "not ranked: no copyleft case" in words(page)
    assert "That the model copies nothing" in words(page)


def test_a_run_without_a_case_shows_the_closest_answers_and_what_they_lack(harmless_run: Path) -> None:
    page, _ = read(harmless_run)
    section = page[page.index('<section id="cases"') : page.index('<section id="similarity"')]
    assert "Closest answers, all below the standard" in section
    assert section.count('<details class="group"') == 5
    assert section.count("not met") >= 5
    assert "license named" not in section


def test_every_answer_is_accounted_for(copying_run: Path) -> None:
    page, summary = read(copying_run)
    figures = summary["modes"]["corrected"]
    assert (figures["errors"], figures["empty"], figures["refusals"], figures["too_short"]) == (1, 1, 1, 1)
    assert f"{figures['scored']} of {figures['answers']}" in words(page)
    assert "1 failed, 1 empty, 1 refused, 1 too short to judge" in words(page)


def test_each_striking_case_shows_both_texts_license_answer_and_verdict(copying_run: Path) -> None:
    page, _ = read(copying_run)
    units = {row["prompt_id"]: row for row in read_table(copying_run / "prompts.parquet").to_pylist()}
    verdicts = [row for row in read_table(copying_run / "verdicts.parquet").to_pylist() if row["source"] == "model"]
    found = {row["prompt_id"] for row in verdicts}
    assert len(found) == 6
    text = words(page)
    for prompt_id in found:
        unit = units[prompt_id]
        body = " ".join(unit["body"].split())
        assert text.count(body) >= 2, unit["name"]
        assert prompt_id in text
    for expected in ("license named right", "license named wrong", "no license named", "right class, other license"):
        assert expected in text
    assert "offer the source of what the license covers" in text
    assert '<mark class="evidence">MIT License</mark>' in page
    assert page.count('<mark class="comment shared">') >= 2 * 6
    assert "Copyright (c) 2024 The quarry people" in text


def test_copyleft_cases_come_first(copying_run: Path) -> None:
    page, _ = read(copying_run)
    section = page[page.index('<section id="cases"') : page.index('<section id="similarity"')]
    classes = re.findall(r'class="badge plain">[\w.-]+, ([\w ]+)</span>', section)
    assert classes == ["strong copyleft"] * 3 + ["weak copyleft"] + ["permissive"] * 2


def test_the_table_holds_the_published_models_apart_from_the_run(copying_run: Path) -> None:
    page, summary = read(copying_run)
    section = words(page[page.index('<section id="comparison"') : page.index('<section id="cases"')])
    ranked = section.index("Published, ranked by LiCo")
    unranked = section.index("Published, not ranked")
    for row in published()["rows"]:
        place = section.index(row["model"])
        assert (ranked < place < unranked) == (row["copyleft"] > 0)
        assert f"{row['lico']:.3f}" in section
    assert "on another benchmark" in section
    for control in summary["controls"]:
        assert section.index(control["title"]) < ranked


def test_both_modes_stand_side_by_side(copying_run: Path) -> None:
    page, summary = read(copying_run)
    section = words(page[page.index('<section id="figures"') : page.index('<section id="comparison"')])
    for mode in ("corrected", "paper"):
        rate = summary["modes"][mode]["striking"]
        assert f"{rate['count']} of {rate['total']} = " in section
    assert "the same" in section


def test_table_iii_and_the_licenses_stand_beside_the_paper(copying_run: Path) -> None:
    page, summary = read(copying_run)
    section = words(page[page.index('<section id="benchmark"') : page.index('<section id="made"')])
    assert "42,476" in section and "3,073 (73.4 %)" in section and "2,596 (62.0 %)" in section
    for reason, number in summary["benchmark"]["left_out"].items():
        assert f"{reason} {number}" in section


def test_what_a_run_was_made_with_is_in_the_page(copying_run: Path) -> None:
    page, summary = read(copying_run)
    record = json.loads((copying_run / "run.json").read_text())
    text = words(page)
    assert record["key"] in text and summary["benchmark"]["content_hash"] in text
    for note in summary["notes"]:
        assert " ".join(note.split()) in text
    assert "Nothing in this report is legal advice." in text


def test_hostile_corpus_and_answers_stay_text(copying_run: Path, harmless_run: Path) -> None:
    for run in (copying_run, harmless_run):
        page, _ = read(run)
        parsed = Page(page)
        assert sum(tag == "script" for tag, _ in parsed.elements) == 1
        assert not any(tag in ("img", "iframe", "object") for tag, _ in parsed.elements)
        assert not any(name.startswith("on") for _, attributes in parsed.elements for name in attributes)
        assert not set(page) & set("\u202e\u2066\x00\x07\x1b\u200b")
    page, _ = read(copying_run)
    text = Page(page).text
    assert HOSTILE[0] in text and "{{7*7}}" in text


def test_the_report_of_the_same_tables_is_the_same(copying_run: Path) -> None:
    before = (copying_run / "report.html").read_bytes()
    assert write_report(copying_run) == copying_run / "report.html"
    assert (copying_run / "report.html").read_bytes() == before


def test_a_run_of_which_nothing_could_be_scored_still_gives_a_page(harmless_run: Path, tmp_path: Path) -> None:
    from cleartitle.evals.licoeval import score_run
    from cleartitle.evals.tables import GENERATIONS
    from cleartitle.tables import read_key, write_table

    run = tmp_path / "run"
    shutil.copytree(harmless_run, run)
    (part,) = (run / "generations").glob("part-*.parquet")
    key = read_key(part)
    rows = read_parts(run / "generations", GENERATIONS).to_pylist()
    failed = [{**row, "text": "", "status": "error", "error": "connection refused"} for row in rows]
    write_table(part, GENERATIONS.empty_table().from_pylist(failed, schema=GENERATIONS), key=key or "")
    score_run(run)
    page = words(write_report(run).read_text(encoding="utf-8"))
    assert f"None of the {len(rows)} answers could be scored" in page
    assert "nothing was scored" in page


def test_another_capability_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no finished run; mend"):
        write_report(tmp_path)
    (tmp_path / "summary.json").write_text('{"capability": "divination"}')
    with pytest.raises(InputError, match="no report for a run of 'divination'; known: .*licoeval"):
        write_report(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_more_cases_than_the_page_holds_are_all_in_the_table(
    copying_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("cleartitle.report.licoeval.cases")
    monkeypatch.setattr(module, "CASES_IN_FULL", 2)
    page = licoeval_page(copying_run)
    section = page[page.index('<section id="cases"') : page.index('<section id="similarity"')]
    assert section.count('<details class="group"') == 2
    assert "The first 2 follow in full; all stand in verdicts.parquet of the run." in section
    assert sum(f'<th scope="row" class="text" data-sort="{number}">' in section for number in range(1, 7)) == 6


def test_the_closest_answers_come_in_the_order_of_the_similarity_that_is_shown(harmless_run: Path) -> None:
    page, _ = read(harmless_run)
    shown = [float(value) for value in re.findall(r'class="badge plain">similarity ([\d.]+)<', page)]
    assert len(shown) == 5 and shown == sorted(shown, reverse=True)


def test_matplotlib_is_loaded_only_for_a_drawing() -> None:
    code = "import sys, cleartitle.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
