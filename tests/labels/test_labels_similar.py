"""Pairs of a CodeIPPrompt run."""

from pathlib import Path
from typing import Any

import pytest
from codeip_material import body, number_of, other_body, write_answers, write_prompts

from cleartitle.evals.codeipprompt import CodeipOptions, evaluate, study_run
from cleartitle.labels import LabelOptions, against, agreement, find_task, read_votes
from cleartitle.labels.journal import Journal
from cleartitle.labels.similar import SIMILAR
from cleartitle.models import open_model
from cleartitle.tables import read_table


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every fifth prompt is answered with the original, prompt and all."""
    folder = tmp_path_factory.mktemp("codeip")
    prompts = write_prompts(folder / "prompts", 30)
    rows: list[dict[str, Any]] = []
    for prompt in prompts.table().to_pylist():
        number, language = number_of(prompt), prompt["language"]
        copied = number % 5 == 0
        text = f"{prompt['text']}\n{body(number, language)}" if copied else other_body(number, language)
        rows.append({"prompt_id": prompt["prompt_id"], "sample_index": 0, "text": text})
    model = open_model(write_answers(folder / "answers.jsonl", rows))
    evaluate(model, prompts, folder / "run", CodeipOptions(limit=0, samples=1, score_workers=1))
    return folder / "run"


def test_pairs_show_original_and_answer_without_the_prompt(run: Path) -> None:
    assert find_task(run) is SIMILAR
    drawn = SIMILAR.draw(run, LabelOptions(limit=12, controls=0.2))
    prompts = {row["prompt_id"]: row for row in read_table(run / "prompts.parquet").to_pylist()}
    flagged = drawn.strata[0]
    assert flagged.name == "above 0.5" and len(flagged.drawn) == 6
    for item in drawn.items:
        first, second = (panel.text for panel in item.panels)
        if item.expected is None:
            prompt = prompts[item.id.rpartition("#")[0]]
            assert item.context is not None and item.context.text == prompt["text"]
            assert first and second and prompt["text"].splitlines()[-1].strip() not in second
            assert (first.split() == second.split()) == (item.id in flagged.drawn)
    assert {item.expected for item in drawn.items} >= {None, "copied"}


def test_labels_feed_agreement_and_the_study_of_thresholds(run: Path, tmp_path: Path) -> None:
    drawn = SIMILAR.draw(run, LabelOptions(limit=12, controls=0))
    flagged = set(drawn.strata[0].drawn)
    journal = Journal(tmp_path / "ann.csv", "similar", "ann", SIMILAR.question.title, drawn.run)
    for item in drawn.items:
        journal.add(item.id, "copied" if item.id in flagged else "independent", 1, "", "2026-01-01T00:00:00+00:00")
    votes = read_votes([journal.path])
    assert agreement(votes).items == 12
    found = against(votes, run)
    assert (found.precision.value, found.recall.value, found.same.value) == (1, 1, 1)
    study = study_run(run, [journal.path])
    assert study["pairs"] == 12 and study["unknown"] == 0
