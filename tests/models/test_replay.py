"""Recorded answers in place of a model: layouts that are read, and input that is not."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cleartitle.errors import InputError
from cleartitle.models import Model, ModelOptions, Request, Sampling, ToolCall, open_model

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "reference" / "licoeval" / "gpt4o_47_cases.csv"


def lines(path: Path, *records: Any) -> Model:
    text = "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
    return open_model(f"replay:{path}")


async def texts(model: Model, prompt: str, n: int = 1, turn: int = 0) -> list[str]:
    return [row.text for row in await model.generate(Request(prompt, prompt="", sampling=Sampling(n=n), turn=turn))]


async def test_own_generations_come_back_by_prompt_sample_and_turn(tmp_path: Path) -> None:
    model = lines(
        tmp_path / "g.jsonl",
        {"prompt_id": "a", "sample_index": 1, "text": "second", "turn": 0},
        {"prompt_id": "a", "sample_index": 0, "text": "first", "turn": 0},
        {"prompt_id": "a", "sample_index": 0, "text": "MIT", "turn": 1},
        {"prompt_id": 7, "sample_index": 0, "text": "numbered"},
    )
    assert isinstance(model, Model)
    assert await texts(model, "a", 2) == ["first", "second"]
    assert await texts(model, "a", turn=1) == ["MIT"]
    assert await texts(model, "7") == ["numbered"]
    assert model.describe()["answers"] == 4 and model.capabilities().deterministic


async def test_what_was_not_recorded_is_an_error_row(tmp_path: Path) -> None:
    model = lines(tmp_path / "g.jsonl", {"prompt_id": "a", "text": "x"})
    rows = await model.generate(Request("a", prompt="", sampling=Sampling(n=2)))
    assert [(row.status, row.error) for row in rows] == [("ok", None), ("error", "no recorded answer")]
    (row,) = await model.generate(Request("b", prompt=""))
    assert (row.status, row.error, row.attempts) == ("error", "no recorded answer", 0)


async def test_a_recorded_status_is_kept(tmp_path: Path) -> None:
    model = lines(
        tmp_path / "g.jsonl",
        {"prompt_id": "a", "sample_index": 0, "text": "", "status": "error", "error": "HTTP 500"},
        {"prompt_id": "b", "sample_index": 0, "text": "def f(", "status": "truncated", "finish_reason": "length"},
    )
    ((error,), (cut,)) = [await model.generate(Request(name, prompt="")) for name in "ab"]
    assert (error.status, error.error) == ("error", "HTTP 500")
    assert (cut.status, cut.finish_reason, cut.text) == ("truncated", "length", "def f(")


async def test_recorded_tool_calls_come_back(tmp_path: Path) -> None:
    calls = json.dumps([{"id": "c", "name": "look", "arguments": "{}"}])
    model = lines(tmp_path / "g.jsonl", {"prompt_id": "a", "text": "", "status": "ok", "tool_calls": calls})
    (row,) = await model.generate(Request("a", prompt=""))
    assert (row.status, row.tool_calls) == ("ok", (ToolCall("c", "look", "{}"),))


@pytest.mark.parametrize(
    ("identity", "text"), [("id", "answer"), ("task_id", "completion"), ("custom_id", "response"), ("key", "output")]
)
async def test_released_layouts_are_recognized_by_their_column_names(identity: str, text: str, tmp_path: Path) -> None:
    model = lines(tmp_path / "res.jsonl", {identity: "x1", text: "def f(): pass"}, {identity: "x2", text: ""})
    assert await texts(model, "x1") == ["def f(): pass"]
    assert (await model.generate(Request("x2", prompt="")))[0].status == "empty"


async def test_an_empty_answer_is_replaced_by_the_next_and_a_full_one_is_joined_by_it(tmp_path: Path) -> None:
    model = lines(
        tmp_path / "res.jsonl",
        *({"id": "a", "answer": text} for text in ("", "one", "two")),
        {"id": "b", "answer": [1]},
    )
    assert await texts(model, "a", 2) == ["one", "two"]


async def test_objects_that_map_ids_to_answers_are_read(tmp_path: Path) -> None:
    whole = tmp_path / "res.json"
    whole.write_text(json.dumps({"p1": "one", "p2": {"answer": "two"}}))
    model = open_model(f"replay:{whole}")
    assert [await texts(model, "p1"), await texts(model, "p2")] == [["one"], ["two"]]
    model = lines(tmp_path / "res.jsonl", {"p1": "one"}, {"p2": "two"})
    assert [await texts(model, "p1"), await texts(model, "p2")] == [["one"], ["two"]]


async def test_a_list_of_texts_is_a_list_of_samples(tmp_path: Path) -> None:
    model = lines(tmp_path / "res.json", '[{"id": "a", "generations": ["one", "two"]}]')
    assert await texts(model, "a", 2) == ["one", "two"]


async def test_parquet_files_and_folders_of_parts_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "generations"
    folder.mkdir()
    for number, name in enumerate("ab"):
        rows = [{"prompt_id": name, "sample_index": i, "text": f"{name}{i}", "turn": 0} for i in range(3)]
        pq.write_table(pa.Table.from_pylist(rows), folder / f"part-0000{number}.parquet")
    model = open_model(f"replay:{folder}")
    assert await texts(model, "b", 3) == ["b0", "b1", "b2"]
    assert await texts(open_model(f"replay:{folder / 'part-00000.parquet'}"), "a") == ["a0"]


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference values are not here")
async def test_a_released_table_of_license_answers_gives_the_follow_up() -> None:
    model = open_model(f"replay:{REFERENCE}")
    assert model.describe()["prompts"] == 47
    assert await texts(model, "cbe2f672e4f4ad037540f9def00b9a3e04540b64", turn=1) == ["MIT License"]
    (row,) = await model.generate(Request("cbe2f672e4f4ad037540f9def00b9a3e04540b64", prompt=""))
    assert row.status == "error"


async def test_broken_lines_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = lines(
        tmp_path / "g.jsonl", {"id": "a", "text": "x"}, '{"id": "b", "te', "[]", {"other": 1, "more": "y"}, ""
    )
    assert await texts(model, "a") == ["x"]
    assert model.describe()["records_left_out"] == 3
    assert "3 records" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("absent.jsonl", None, "no such file"),
        ("empty.jsonl", b"", "prompt_id and text"),
        ("unknown.jsonl", b'{"uuid": "x", "reply": "y"}\n', "prompt_id and text"),
        ("binary.jsonl", b"\x00\xff\xfe\x80" * 100, "prompt_id and text"),
        ("cut.parquet", b"PAR1\x00\x00", "not a whole Parquet file"),
        ("latin.csv", "id,text\na,\xe9\n".encode("latin-1"), "UTF-8"),
        ("turns.jsonl", b'{"id": "a", "text": "x", "turn": -1}\n', "not a turn"),
        ("deep.json", b"[" * 100_000, "prompt_id and text"),
    ],
)
def test_input_that_cannot_be_read_gets_one_line(name: str, data: bytes | None, words: str, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=words) as caught:
        open_model(f"replay:{tmp_path / name}")
    assert name in str(caught.value) and "\n" not in str(caught.value)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1, max_size=8, unique_by=lambda pair: pair[0]))
async def test_any_texts_come_back_as_they_were_recorded(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    path = tmp_path / "g.jsonl"
    records = [{"prompt_id": a, "sample_index": 0, "text": b, "status": "ok"} for a, b in pairs]
    model = lines(path, *records)
    for prompt, text in pairs:
        assert await texts(model, prompt) == [text]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_no_bytes_whatever_bring_more_than_an_input_error(tmp_path: Path, data: bytes) -> None:
    for name in ("x.jsonl", "x.json", "x.csv"):
        (tmp_path / name).write_bytes(data)
        try:
            open_model(f"replay:{tmp_path / name}", ModelOptions())
        except InputError:
            pass
