import json
import shutil
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow as pa
import pytest

from cleartitle.corpus import CorpusOptions, build
from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.labels import Drawn, LabelOptions, find_task
from cleartitle.labels.journal import Journal
from cleartitle.labels.licenses import HEADER, LICENSE
from cleartitle.labels.rater import Rater
from cleartitle.labels.striking import STRIKING
from cleartitle.tables import read_table


def rater(drawn: Drawn, folder: Path, name: str = "ann", *, highlight: bool = False, seed: int = 0) -> Rater:
    question = STRIKING.question
    journal = Journal(folder / f"{name}.csv", "striking", name, question.title, drawn.run)
    return Rater(name, question, drawn, journal, seed=seed, highlight=highlight)


def test_pairs_hold_both_bodies_and_controls_are_mixed_in(judged_run: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=20, controls=0.2))
    units = {row["prompt_id"]: row for row in read_table(judged_run / "prompts.parquet").to_pylist()}
    controls = [item for item in drawn.items if item.expected is not None]
    assert len(drawn.items) == 25 and [item.expected for item in controls].count("copied") == 3
    for item in drawn.items:
        first, second = (panel.text for panel in item.panels)
        if item.expected is None:
            assert first == dedent(units[item.id.rpartition("#")[0]]["body"]).strip()
        assert (first == second) == (item.expected == "copied" or item.id in drawn.strata[0].drawn)
    assert sum(len(stratum.drawn) for stratum in drawn.strata) == 20


def test_a_draw_repeats_with_its_seed_and_differs_with_another(judged_run: Path) -> None:
    one, two, other = (STRIKING.draw(judged_run, LabelOptions(limit=10, seed=seed)) for seed in (1, 1, 2))
    assert one == two and one.items != other.items


def test_a_rater_sees_nothing_that_tells_model_verdict_or_origin(judged_run: Path, tmp_path: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=12))
    one = rater(drawn, tmp_path)
    for position in range(one.total):
        view = one.view(position)
        assert set(view) == {"rater", "position", "total", "answered", "question", "panels", "context", "given"}
        assert [panel["title"] for panel in view["panels"]] == ["Text A", "Text B"]
        assert all(panel["marks"] == [] for panel in view["panels"])
        told = json.dumps(view)
        for secret in ("secret-model", "swh:", "barn/", "control", "similarity", "score"):
            assert secret not in told, secret


def test_order_and_sides_are_each_raters_own_and_stay(judged_run: Path, tmp_path: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=24, controls=0))
    ann, bob = rater(drawn, tmp_path), rater(drawn, tmp_path, "bob")
    again = rater(drawn, tmp_path)
    assert [item.id for item in ann.items] == [item.id for item in again.items] != [item.id for item in bob.items]
    assert sorted(item.id for item in ann.items) == sorted(item.id for item in bob.items)
    original: list[bool] = []
    for position, item in enumerate(ann.items):
        shown = [panel["text"] for panel in ann.view(position)["panels"]]
        assert shown == [panel["text"] for panel in again.view(position)["panels"]]
        if item.panels[0].text != item.panels[1].text:
            original.append(shown[0] == item.panels[0].text)
    assert 2 < sum(original) < len(original) - 2


def test_marks_are_shown_on_demand_only(judged_run: Path, tmp_path: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=4, controls=0))
    marked = rater(drawn, tmp_path, highlight=True)
    panels = [panel for position in range(4) for panel in marked.view(position)["panels"]]
    assert any(panel["marks"] for panel in panels)
    assert all(0 <= start < end <= len(panel["text"]) for panel in panels for start, end in panel["marks"])


def test_hidden_signs_are_visible_and_long_texts_are_cut(judged_run: Path, tmp_path: Path) -> None:
    drawn = STRIKING.draw(judged_run, LabelOptions(limit=30, controls=0))
    one = rater(drawn, tmp_path)
    told = json.dumps([one.view(position) for position in range(one.total)], ensure_ascii=False)
    assert "[U+202E]" in told and "\u202e" not in told and "\x07" not in told


@pytest.mark.parametrize(
    "wrong",
    [
        {"position": 99},
        {"position": True},
        {"position": "0"},
        {"choice": "maybe"},
        {"choice": ["copied"]},
        {"comment": "x" * 3000},
        {"seconds": float("nan")},
        {"seconds": "1"},
        {"detail": None},
    ],
)
def test_a_wrong_answer_is_refused_and_leaves_no_row(judged_run: Path, tmp_path: Path, wrong: dict[str, Any]) -> None:
    one = rater(STRIKING.draw(judged_run, LabelOptions(limit=4)), tmp_path)
    one.view(0)
    given = {"position": 0, "choice": "copied", "detail": "", "comment": "", "seconds": 1}
    with pytest.raises(InputError):
        one.answer({**given, **wrong})
    assert one.journal.path.read_text().count("\n") == 1
    one.answer(given)
    assert one.answered == 1 and one.view(0)["given"] == {"choice": "copied", "detail": "", "comment": ""}
    assert one.view()["position"] == 1


def test_license_answers_are_sampled_by_the_margin_and_read_by_the_program(judged_run: Path) -> None:
    drawn = LICENSE.draw(judged_run, LabelOptions(controls=0))
    assert drawn.strata[0].size == len(drawn.items) == 8
    said = LICENSE.tool(judged_run, [item.id for item in drawn.items])
    texts = {item.id: item.panels[0].text for item in drawn.items}
    for item, text in texts.items():
        assert said.values[item] == ("MIT" if text == "MIT" else "GPL" if "GPL." in text else said.values[item])
        assert (said.values[item] == "none") == (text == "I do not know.")


def test_a_named_license_is_written_in_one_form(judged_run: Path) -> None:
    question = LICENSE.question
    assert question.value_of("named", " mit ") == "MIT"
    assert question.value_of("named", "gpl") == "GPL"
    assert question.value_of("named", "mit or apache-2.0") == "MIT OR Apache-2.0"
    assert question.value_of("none", "ignored") == "none"
    for wrong in ("", "no such license", "<script>", "(" * 5000):
        with pytest.raises(InputError, match="is no SPDX expression"):
            question.value_of("named", wrong)


def test_headers_of_a_corpus_are_shown_without_the_rest_of_the_file(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(12):
        named = "# SPDX-License-Identifier: MIT\n" if number % 3 else "# Some helpers.\n"
        (source / f"m{number}.py").write_text(
            f"# Copyright 2020 Barn {number}\n{named}\n\ndef secret_{number}():\n    pass\n"
        )
    build([f"folder:{source}"], tmp_path / "corpus", CorpusOptions())
    assert find_task(tmp_path / "corpus") is HEADER
    drawn = HEADER.draw(tmp_path / "corpus", LabelOptions())
    judged = [item for item in drawn.items if item.expected is None]
    assert len(judged) == drawn.strata[0].size == 8
    assert all("SPDX" in item.panels[0].text and "def secret" not in item.panels[0].text for item in judged)
    said = HEADER.tool(tmp_path / "corpus", [item.id for item in judged])
    assert set(said.values.values()) == {"MIT"}


def test_folders_without_a_task_are_refused_in_one_line(judged_run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        find_task(tmp_path)
    with pytest.raises(InputError, match="no task header .* tasks of it: striking, license"):
        find_task(judged_run, "header")
    copy = tmp_path / "run"
    shutil.copytree(judged_run, copy)
    part = copy / "scores" / "part-00000.parquet"
    table = read_table(part)
    states = pa.array(["error"] * table.num_rows)
    from cleartitle.tables import write_table

    write_table(part, table.set_column(table.schema.get_field_index("state"), "state", states))
    with pytest.raises(InputError, match="no answer could be scored"):
        STRIKING.draw(copy, LabelOptions())
    for path in (copy / "followups").glob("*.parquet"):
        path.unlink()
    with pytest.raises(InputError, match="no license was asked for"):
        LICENSE.draw(copy, LabelOptions())
    record = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps({**record, "capability": "humaneval"}))
    with pytest.raises(InputError, match="for a folder of humaneval; tasks of it: none"):
        find_task(copy)
    assert RunFolder.open(judged_run).key == STRIKING.draw(judged_run, LabelOptions()).run


def test_options_out_of_range_are_refused() -> None:
    for wrong in ({"limit": -1}, {"margin": 0.0}, {"controls": 0.9}, {"port": 70_000}):
        with pytest.raises(InputError, match="out of range"):
            LabelOptions(**wrong)
