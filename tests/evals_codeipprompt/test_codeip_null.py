"""The null: every prompt meets the source of another one of its kind."""

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.evals.codeipprompt.null import BLOCK, arrange

LANGUAGES = ("python", "c", "java")
CLASSES = ("permissive", "weak_copyleft", "strong_copyleft")


def prompt(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "prompt_id": f"p{number}",
        "text": f"# does {number}\ndef f{number}():",
        "language": "python",
        "license_class": "permissive",
        "project": f"project {number}",
        "path": f"src/f{number}.py",
        "content_id": f"c{number}",
        "source_tokens": 100 + number,
        **changes,
    }


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows)


ROWS = st.lists(
    st.tuples(
        st.sampled_from(LANGUAGES),
        st.sampled_from(CLASSES),
        st.integers(0, 4),
        st.integers(0, 30),
        st.integers(1, 10_000),
    ),
    min_size=1,
    max_size=150,
)


@given(ROWS, st.integers(0, 3))
def test_each_source_is_the_null_of_at_most_one_other_content_in_the_same_shard(
    cases: list[tuple[str, str, int, int, int]], seed: int
) -> None:
    rows = [
        prompt(
            number,
            language=language,
            license_class=name,
            project=f"project {project}",
            content_id=f"c{content}",
            source_tokens=tokens,
        )
        for number, (language, name, project, content, tokens) in enumerate(cases)
    ]
    found = arrange(table(rows), seed=seed)
    assert sorted(found.order) == list(range(len(rows)))
    used = [partner for partner in found.partners if partner >= 0]
    assert len(set(used)) == len(used)
    ordered = [rows[row] for row in found.order]
    for start, end in found.bounds():
        for place in range(start, end):
            partner = found.partners[place]
            if partner < 0:
                assert found.matches[place] == "none"
                continue
            own, other = ordered[place], ordered[partner]
            assert start <= partner < end
            assert own["language"] == other["language"] and own["content_id"] != other["content_id"]
            assert (found.matches[place] == "class") == (own["license_class"] == other["license_class"])
            assert found.same_project[place] == (own["project"] == other["project"])
    assert arrange(table(rows), seed=seed) == found


def test_a_null_is_of_another_project_and_about_the_same_length() -> None:
    rows = [
        prompt(
            number,
            project=f"project {number % 9}",
            path=f"src/file{number % 50}.py",
            source_tokens=int(math.exp(4 + number / 60)),
        )
        for number in range(300)
    ]
    found = arrange(table(rows), seed=0)
    assert not any(found.same_project) and set(found.matches) == {"class"}
    ordered = [rows[row] for row in found.order]
    ratios = [
        abs(math.log(row["source_tokens"] / ordered[partner]["source_tokens"]))
        for row, partner in zip(ordered, found.partners, strict=True)
    ]
    assert sum(ratios) / len(ratios) < 0.2
    assert all(row["path"] != ordered[partner]["path"] for row, partner in zip(ordered, found.partners, strict=True)), (
        "a file of the same name may be the same file in another version"
    )


def test_a_class_with_one_prompt_exchanges_with_another_class_of_its_language() -> None:
    rows = [prompt(0, license_class="weak_copyleft"), *(prompt(number) for number in range(1, 5))]
    found = arrange(table(rows), seed=0)
    places = {rows[row]["prompt_id"]: place for place, row in enumerate(found.order)}
    assert found.matches[places["p0"]] == "language" and found.partners[places["p0"]] >= 0


@pytest.mark.parametrize("rows", [[prompt(0)], [prompt(0), prompt(1, content_id="c0")]])
def test_a_language_with_one_content_has_no_null(rows: list[dict[str, Any]]) -> None:
    found = arrange(table(rows), seed=0)
    assert found.partners == [-1] * len(rows) and found.matches == ["none"] * len(rows)


def test_other_seeds_give_other_pairs_and_shards_are_bounded() -> None:
    rows = [prompt(number, source_tokens=500) for number in range(1000)]
    first, second = arrange(table(rows), seed=0), arrange(table(rows), seed=1)
    assert first.partners != second.partners
    assert max(end - start for start, end in first.bounds()) <= BLOCK
    assert len(first.starts) >= 1000 / BLOCK
