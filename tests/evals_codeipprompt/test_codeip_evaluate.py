"""The whole path on made-up programs in five languages, with recorded answers in place of a model."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from codeip_material import SECRET, body, number_of, other_body, write_answers, write_prompts

from cleartitle.errors import InputError
from cleartitle.evals.codeipprompt import (
    SCORES,
    CodeipOptions,
    PromptSet,
    TrainingSet,
    answer_code,
    evaluate,
    expected_maximum,
    prompt_request,
    score_run,
    study_run,
)
from cleartitle.evals.codeipprompt.training_set import unit_text
from cleartitle.evals.life import verify
from cleartitle.models import Sampling, open_model
from cleartitle.report import write_report
from cleartitle.tables import read_parts, read_table

COUNT, SAMPLES = 66, 2
OPTIONS = CodeipOptions(limit=0, samples=SAMPLES, score_workers=1)


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> PromptSet:
    return write_prompts(tmp_path_factory.mktemp("prompts"), COUNT)


def answers(prompts: PromptSet) -> list[dict[str, Any]]:
    """A copy in each fifth prompt, once; then an error, empties, short and refused ones, and code of others."""
    rows: list[dict[str, Any]] = []
    for prompt in prompts.table().to_pylist():
        number, language = number_of(prompt), prompt["language"]
        for sample in range(SAMPLES):
            text, status = other_body(number, language, sample), None
            if number % 11 == 0 and sample == 1:
                text = f"{prompt['text']}\n{body(number, language)}"
            elif number == 1:
                text, status = "", "error"
            elif number == 2:
                text, status = "", "empty"
            elif number == 3:
                text = "return cargo"
            elif number == 4 and sample == 0:
                text, status = "I cannot write out licensed code.", "refusal"
            elif number == 5 and sample == 0:
                text = f"{SECRET}\n{text}"
            row = {"prompt_id": prompt["prompt_id"], "sample_index": sample, "text": text}
            reason = {"error": "the endpoint hung up"} if status == "error" else {}
            rows.append({**row, **({"status": status, **reason} if status else {})})
    return rows


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, prompts: PromptSet) -> Path:
    folder = tmp_path_factory.mktemp("run")
    seen = [unit_text(row) for row in prompts.table().to_pylist() if number_of(row) % 11 == 0]
    (folder / "seen.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in seen))
    spec = write_answers(folder / "answers.jsonl", answers(prompts))
    sets = [TrainingSet.parse(f"seen={folder / 'seen.jsonl'}")]
    evaluate(open_model(spec), prompts, folder / "run", OPTIONS, sets)
    return folder / "run"


def summary_of(run: Path) -> dict[str, Any]:
    return json.loads((run / "summary.json").read_text())


def test_copies_are_found_and_the_null_is_not(run: Path) -> None:
    figures = summary_of(run)["modes"]["corrected"]
    assert figures["overall"]["above"]["count"] == 6
    assert figures["overall"]["null"]["above"]["count"] == 0
    assert figures["overall"]["excess"]["em"]["interval"]["low"] > 0
    copies = [row for row in read_parts(run / "scores", SCORES).to_pylist() if row["value"] and row["value"] > 0.5]
    assert {row["source"] for row in copies} <= {"model", "control:verbatim", "control:renamed", "control:part"}


def test_every_answer_has_a_state_and_denominators_say_so(run: Path) -> None:
    corrected, paper = (summary_of(run)["modes"][mode] for mode in ("corrected", "paper"))
    assert (corrected["answers"], corrected["errors"], corrected["empty"]) == (COUNT * SAMPLES, SAMPLES, SAMPLES)
    assert corrected["too_short"] >= SAMPLES and corrected["refusals"] == 1
    named = ("scored", "too_short", "empty", "refusals", "errors", "deadline")
    assert sum(corrected[name] for name in named) == COUNT * SAMPLES
    assert (corrected["prompts"], corrected["prompts_scored"]) == (COUNT, COUNT - 3)
    assert paper["prompts_scored"] == COUNT - 1, "only a failed call is no answer there"
    assert corrected["overall"]["prompts"] == COUNT - 3
    assert any("2 answers failed" in note for note in summary_of(run)["notes"])


def test_figures_are_those_of_the_best_score_of_each_prompt(run: Path) -> None:
    wanted = (pc.field("source") == "model") & (pc.field("mode") == "corrected") & pc.field("value").is_valid()
    best: dict[str, float] = {}
    for row in read_parts(run / "scores", SCORES).filter(wanted).to_pylist():
        best[row["prompt_id"]] = max(best.get(row["prompt_id"], 0.0), row["value"])
    overall = summary_of(run)["modes"]["corrected"]["overall"]
    assert overall["em"]["value"] == pytest.approx(expected_maximum(np.array(list(best.values())), 50).mean)
    groups = summary_of(run)["modes"]["corrected"]["by_class"]
    assert sum(group["prompts"] for group in groups.values()) == overall["prompts"] == len(best)


def test_controls_show_what_the_score_sees(run: Path) -> None:
    controls = {one["name"]: one["modes"]["corrected"]["overall"] for one in summary_of(run)["controls"]}
    assert controls["verbatim"]["above"]["value"] == controls["renamed"]["above"]["value"] == 1
    assert controls["part"]["above"]["value"] > 0.8
    assert controls["unrelated"]["above"]["value"] < 0.1


def test_prompts_of_the_training_set_are_told_apart(run: Path) -> None:
    (found,) = summary_of(run)["modes"]["corrected"]["training"]
    assert found["matches"] == {"exact": 6, "near": 0, "none": COUNT - 6}
    assert (found["in"]["above"]["count"], found["out"]["above"]["count"]) == (6, 0)
    assert found["in"]["n"] == 5 and found["difference"]["em"]["interval"]["low"] > 0.5


def test_secrets_in_answers_are_counted_and_stand_in_no_score(run: Path) -> None:
    leaks = summary_of(run)["modes"]["corrected"]["leaks"]
    assert (leaks["answers"], leaks["places"]) == (1, 1) and set(leaks["types"]) == {"API_KEY"}
    assert "sk-proj" not in (run / "summary.json").read_text()


def test_public_domain_code_stands_apart(tmp_path: Path, prompts: PromptSet) -> None:
    from cleartitle.evals.codeipprompt.prompts import content_hash
    from cleartitle.files import write_json
    from cleartitle.tables import write_table

    table = prompts.table()
    place = table.schema.get_field_index("license_class")
    free = ["public_domain" if number_of(row) % 11 == 0 else row["license_class"] for row in table.to_pylist()]
    write_table(tmp_path / "free" / "prompts.parquet", table.set_column(place, table.schema.field(place), [free]))
    digest = content_hash(PromptSet(tmp_path / "free", {}).batches(("prompt_id", "text", "license", "content_id")))
    write_json(tmp_path / "free" / "prompt_set.json", {**prompts.record, "content_hash": digest})
    spec = write_answers(tmp_path / "answers.jsonl", answers(prompts))
    options = CodeipOptions(limit=0, samples=SAMPLES, controls=False, score_workers=1)
    found = evaluate(open_model(spec), PromptSet.open(tmp_path / "free"), tmp_path / "run", options)
    for figures in found["modes"].values():
        assert figures["apart"]["public_domain"]["above"]["count"] >= 5
        assert figures["overall"]["above"]["count"] == 0
        assert "public_domain" not in figures["by_class"]
    assert found["modes"]["corrected"]["overall"]["prompts"] == COUNT - 6 - 3


def test_a_rescored_run_is_as_it_was_recorded(run: Path) -> None:
    names = ("summary.json", "scores/part-00000.parquet", "prompts.parquet")
    before = [(run / name).read_bytes() for name in names]
    score_run(run)
    assert [(run / name).read_bytes() for name in names] == before
    assert verify(run).ok


def test_two_workers_give_the_bytes_of_one(tmp_path: Path, run: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    for part in (tmp_path / "run" / "scores").glob("part-*"):
        part.unlink()
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    record["options"]["score_workers"] = 2
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    score_run(tmp_path / "run")
    parts = sorted(path.name for path in (run / "scores").glob("part-*"))
    assert len(parts) > 1
    for name in parts:
        assert (tmp_path / "run" / "scores" / name).read_bytes() == (run / "scores" / name).read_bytes()


def test_changed_answers_are_scored_anew_and_incomplete_ones_refused(tmp_path: Path, run: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    path = tmp_path / "run" / "generations" / "part-00000.parquet"
    table = read_table(path)
    texts = pa.array(["pass"] * table.num_rows, pa.large_string())
    from cleartitle.tables import read_key, write_table

    key = read_key(path) or ""
    write_table(path, table.set_column(table.schema.get_field_index("text"), "text", [texts]), key=key)
    before = summary_of(run)["modes"]["corrected"]["scored"]
    assert score_run(tmp_path / "run")["modes"]["corrected"]["scored"] < before / 2
    write_table(path, table.slice(1), key=key)
    with pytest.raises(InputError, match="answers are there"):
        score_run(tmp_path / "run")


def test_a_run_of_other_options_or_training_sets_is_refused(tmp_path: Path, prompts: PromptSet) -> None:
    spec = write_answers(tmp_path / "answers.jsonl", answers(prompts))
    options = CodeipOptions(limit=5, samples=1, controls=False, score_workers=1)
    evaluate(open_model(spec), prompts, tmp_path / "run", options)
    with pytest.raises(InputError, match="differs in n"):
        evaluate(open_model(spec), prompts, tmp_path / "run", CodeipOptions(limit=5, samples=1, n=7, controls=False))
    (tmp_path / "a.py").write_text("x = 1\n")
    twice = [TrainingSet("a", tmp_path / "a.py")] * 2
    with pytest.raises(InputError, match="equal names"):
        evaluate(open_model(spec), prompts, tmp_path / "other", options, twice)


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"top_p": 0.0}, {"temperature": 3}, {"n": 0}, {"limit": -1}])
def test_options_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="out of range"):
        CodeipOptions(**wrong)


def test_labels_of_the_pairs_of_a_run_give_a_study(tmp_path: Path, run: Path) -> None:
    rows = read_parts(run / "scores", SCORES).filter(pc.field("source") == "model").to_pylist()
    rows = [row for row in rows if row["mode"] == "corrected" and row["value"] is not None]
    lines = [
        f"{row['prompt_id']}#{row['sample_index']},{rater},{'copied' if row['value'] > 0.5 else 'independent'}"
        for row in rows
        for rater in ("ann", "ben")
    ]
    path = tmp_path / "labels.csv"
    path.write_text("item_id,rater,answer\n" + "\n".join(lines) + "\ncontrol:copy:x,ann,independent\n")
    study = study_run(run, [path])
    assert (study["pairs"], study["unknown"]) == (len(rows), 0)
    at = next(row for row in study["thresholds"] if row["threshold"] == 0.5)
    assert at["precision"]["value"] == at["recall"]["value"] == 1
    assert study["pearson"]["r"] > 0.9
    (run / "thresholds.json").unlink()


def test_the_code_of_an_answer_is_what_stands_in_its_fences() -> None:
    answer = "Sure.\n```java\nint a() { return 1; }\n```\nRun it:\n```sh\njavac A.java\n```\n"
    assert answer_code(answer, "java", "corrected") == "int a() { return 1; }\n"
    assert answer_code(answer, "java", "paper") == answer
    assert answer_code("    return 1\n", "python", "corrected") == "    return 1\n"
    assert answer_code("```\nint b;\n```", "c", "corrected") == "int b;\n"
    assert answer_code("```c++\nint b;\n```\n```c\nint c;\n```", "c", "corrected") == "int c;\n"


def test_a_chat_model_reads_an_instruction_and_a_base_model_the_prompt(prompts: PromptSet) -> None:
    row = prompts.table().to_pylist()[1]
    plain = prompt_request(row, "completion", Sampling())
    assert plain.prompt == row["text"] and plain.id == row["prompt_id"]
    chat = prompt_request(row, "chat", Sampling())
    assert chat.messages[0].content.endswith(row["text"]) and "Java function" in chat.messages[0].content


def test_the_page_shows_cases_with_marks_and_masks_secrets(run: Path) -> None:
    page = write_report(run).read_text(encoding="utf-8")
    for heading in ("All figures", "Beside the published models", "Prompts from training sets", "Closest answers"):
        assert heading in page
    assert '<mark class="shared">' in page and "GPT-4" in page
    assert "Zx81kQmB07LwTnYc3hVdRs6UaEj9fGpOi5" not in page
    assert write_report(run).read_text(encoding="utf-8") == page
    shared = write_report(run, redact=True).read_text(encoding="utf-8")
    assert "left out:" in shared and "takes the" not in shared


def test_a_hostile_answer_stays_text(tmp_path: Path, prompts: PromptSet) -> None:
    evil = "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>\u202e"
    rows = [
        {
            "prompt_id": row["prompt_id"],
            "text": f"{evil}\n{row['text']}\n{body(number_of(row), row['language'])}\n{evil}",
        }
        for row in prompts.table().to_pylist()
    ]
    spec = write_answers(tmp_path / "answers.jsonl", rows)
    options = CodeipOptions(limit=4, samples=1, controls=False, score_workers=1)
    evaluate(open_model(spec), prompts, tmp_path / "run", options)
    page = write_report(tmp_path / "run").read_text(encoding="utf-8")
    assert "<script>window" not in page and "<img" not in page and "\u202e" not in page
    assert "&lt;img src=x" in page
