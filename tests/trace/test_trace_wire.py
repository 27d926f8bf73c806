"""What other programs get of a search."""

import dataclasses
import json

import jsonschema
import pytest
from trace_material import function, make_corpus, module

from cleartitle.trace import QUESTION, RESULT, Index, IndexOptions, Question, build_index
from cleartitle.trace.matches import Match, Result, Span
from cleartitle.trace.wire import LONGEST_LINE, MOST_LINES, MOST_LINES_OF_ALL


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("wire")
    files = {
        "a/a.py": module(1),
        "b/long.py": "x = [" + ", ".join(f"{n} * name_{n}" for n in range(800)) + "]\r\nend = 1\r",
    }
    files |= {
        f"many/m{n}.py": f"# {n}\n" + "\n\n".join(function(seed, 30) for seed in range(5000, 5016)) for n in range(8)
    }
    build_index([make_corpus(folder, files)], folder / "index", IndexOptions(workers=1))
    return Index.open(folder / "index")


def test_the_schema_names_each_field_of_an_answer() -> None:
    def names(kind: type) -> set[str]:
        return {field.name for field in dataclasses.fields(kind)}

    match = RESULT["properties"]["matches"]["items"]
    assert set(RESULT["properties"]) == names(Result)
    assert set(match["properties"]) == names(Match) | {"excerpt"} and set(match["required"]) == names(Match)
    assert set(match["properties"]["spans"]["items"]["properties"]) == names(Span)
    assert set(QUESTION) == names(Question)


def test_a_question_of_json_takes_its_defaults() -> None:
    assert Question.of({"text": "a"}) == Question("a")
    given = {"text": "a", "language": None, "limit": 3.0, "excerpts": True}
    assert Question.of(given, "b") == Question("b", None, 3, True)


def test_long_lines_and_long_excerpts_are_cut(index: Index) -> None:
    line = "x = [" + ", ".join(f"{n} * name_{n}" for n in range(800)) + "]"
    answer = Question(line, excerpts=True).ask(index)
    jsonschema.validate(json.loads(json.dumps(answer)), RESULT)
    (block,) = answer["matches"][0]["excerpt"]
    assert block["first"] == 1 and block["lines"][0] == line[:LONGEST_LINE] + " …"
    many = Question("\n\n".join(function(seed, 30) for seed in range(5000, 5016)), excerpts=True).ask(index)
    counts = [sum(len(block["lines"]) for block in match["excerpt"]) for match in many["matches"]]
    assert len(counts) == 8 and max(counts) == MOST_LINES and sum(counts) == MOST_LINES_OF_ALL
    jsonschema.validate(json.loads(json.dumps(many)), RESULT)


def test_excerpts_come_only_where_asked_for_and_allowed(index: Index) -> None:
    assert "excerpt" not in Question(function(101)).ask(index)["matches"][0]
    assert Question(function(101), excerpts=True).ask(index, may_show=False)["matches"][0]["excerpt"] is None
    assert Question(function(101)).ask(index)["searched"]["index"] == "index"
