"""CodeIPPrompt looks answers up in a whole corpus, beside the source of their prompt."""

import json
from pathlib import Path

from codeip_material import body, number_of, write_answers, write_prompts

from cleartitle.corpus import CorpusOptions, build
from cleartitle.evals.codeipprompt import CodeipOptions, evaluate
from cleartitle.evals.life import verify
from cleartitle.models import open_model
from cleartitle.report import write_report
from cleartitle.tables import read_table
from cleartitle.trace import Index, IndexOptions, build_index

ELSEWHERE = """# SPDX-License-Identifier: AGPL-3.0-only


def tide_table(harbor, moon, offsets):
    heights = []
    for hour in range(24):
        phase = (hour * 15 + moon.angle) % 360
        level = harbor.mean + harbor.swing * offsets[phase // 30]
        if level < harbor.floor:
            level = harbor.floor - (harbor.floor - level) / 3
        heights.append(round(level + moon.pull * 0.17, 2))
    return heights
"""


def test_an_answer_that_copies_another_work_is_seen(tmp_path: Path) -> None:
    prompts = write_prompts(tmp_path / "prompts", 5)
    (tmp_path / "tides").mkdir()
    (tmp_path / "tides" / "tides.py").write_text(ELSEWHERE)
    build([f"folder:{tmp_path / 'tides'}"], tmp_path / "corpus", CorpusOptions(workers=1))
    build_index([tmp_path / "corpus"], tmp_path / "index", IndexOptions(workers=1))
    rows = [
        {
            "prompt_id": prompt["prompt_id"],
            "text": f"```\n{ELSEWHERE}```" if place == 0 else body(number_of(prompt), prompt["language"]),
        }
        for place, prompt in enumerate(prompts.table().to_pylist())
    ]
    model = open_model(write_answers(tmp_path / "answers.jsonl", rows))
    options = CodeipOptions(limit=0, samples=1, score_workers=1, controls=False)
    summary = evaluate(model, prompts, tmp_path / "run", options, against=Index.open(tmp_path / "index"))
    found = summary["against"]
    assert (found["only_other"]["count"], found["only_other_by_class"]) == (1, {"strong_copyleft": 1})
    assert found["own_indexed"] == 0 and found["own"]["value"] is None
    rows = [row for row in read_table(tmp_path / "run" / "against.parquet").to_pylist() if row["other"] > 0]
    assert [row["other_path"] for row in rows] == ["tides.py"]
    assert not any("compared with the source of its prompt alone" in note for note in summary["notes"])
    assert json.loads((tmp_path / "run" / "summary.json").read_text()) == summary
    assert "Against the whole index" in write_report(tmp_path / "run").read_text()
    assert verify(tmp_path / "run").ok
