from collections import Counter
from pathlib import Path

import pytest

from cleartitle.corpus import Corpus, build
from cleartitle.errors import InputError
from cleartitle.membership.texts import POOL, TEXTS, DrawOptions, draw_texts, role, rows_of
from cleartitle.membership.words import WordTokenizer, python_words


def module(project: int, number: int) -> str:
    names = [f"name_{project}_{number}_{place}" for place in range(12)]
    lines = [f"# note {number}", '"""A module."""', f"import {names[0]}", ""]
    lines += [f"def {name}(value):\n    # comment\n    return value + {place}\n" for place, name in enumerate(names)]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("projects")
    for project in range(6):
        for number in range(8):
            path = root / f"p{project}" / f"m{number}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(module(project, number))
        (root / f"p{project}" / "copy.py").write_text("# another head\n" + module(0, 0).replace("# note 0\n", ""))
    output = root / "corpus"
    build([str(root / f"p{project}") for project in range(6)], output)
    return Corpus.open(output)


OPTIONS = DrawOptions(files=5, shadows=2, pool=6, words=80, min_words=40)


def test_sets_are_disjoint_and_have_the_sizes_asked_for(corpus: Corpus, tmp_path: Path) -> None:
    texts, record = draw_texts(corpus, tmp_path, OPTIONS)
    assert texts.schema.equals(TEXTS, check_metadata=False)
    assert len(set(texts["text"].to_pylist())) == texts.num_rows == 6 + 3 * 10
    assert len(rows_of(texts, POOL)) == 6
    for number in range(3):
        assert Counter(row["member"] for row in rows_of(texts, role(number))) == {True: 5, False: 5}
    assert record["left_out"]["near_duplicates"] > 0


def test_a_text_begins_with_its_first_word_and_ends_with_its_last(corpus: Corpus, tmp_path: Path) -> None:
    texts, _ = draw_texts(corpus, tmp_path, OPTIONS)
    for row in texts.to_pylist():
        words = python_words(row["text"])
        assert words[0][1] == 0
        assert words[-1][2] == len(row["text"])
        assert len(words) == row["words"] <= 80


def test_the_seed_decides_the_draw(corpus: Corpus, tmp_path: Path) -> None:
    one, two, three = (
        draw_texts(corpus, tmp_path, DrawOptions(files=5, shadows=2, pool=6, words=80, min_words=40, seed=seed))[0]
        for seed in (1, 1, 2)
    )
    assert one.equals(two)
    assert not one.equals(three)


def test_a_split_by_project_puts_no_project_on_two_sides(corpus: Corpus, tmp_path: Path) -> None:
    options = DrawOptions(files=5, shadows=1, pool=4, words=80, min_words=40, split="project")
    texts, _ = draw_texts(corpus, tmp_path, options)
    sides: dict[str, set[tuple[str, bool | None]]] = {}
    for row in texts.to_pylist():
        sides.setdefault(row["project"], set()).add((row["set"], row["member"]))
    assert all(len(found) == 1 for found in sides.values())


def test_too_few_files_are_named_with_the_set(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"too few different Python files: \d+ of 90 for the set pool"):
        draw_texts(corpus, tmp_path, DrawOptions(files=5, pool=90, words=80, min_words=40))


def test_words_have_their_place_and_leave_out_comments_and_layout() -> None:
    text = "# head\ndef f(a):  # why\n    return 'é' + a\n"
    words = python_words(text)
    assert [word for word, _, _ in words] == ["def", "f", "(", "a", ")", ":", "return", "'é'", "+", "a"]
    assert all(text[start:end] == word for word, start, end in words)
    assert python_words(text, 3) == words[:3]


@pytest.mark.parametrize("text", ["", "# only a comment", "def f(:\n  '''never closed", "\0", "x = \ud800", "if a:\nb"])
def test_words_of_hostile_texts_end_without_an_error(text: str) -> None:
    assert isinstance(python_words(text), list)


def test_a_vocabulary_keeps_the_most_frequent_words_and_one_number_for_the_rest(tmp_path: Path) -> None:
    tokenizer = WordTokenizer.of(["a + a", "b + a"], 2)
    assert tokenizer.words == ["a", "+"]
    ids, starts, ends = tokenizer.spans("a + zebra")
    assert ids == [3, 4, WordTokenizer.unknown_id]
    assert (starts, ends) == ([0, 2, 4], [1, 3, 9])
    tokenizer.save_pretrained(tmp_path)
    assert WordTokenizer.load(tmp_path).words == tokenizer.words
    with pytest.raises(InputError, match=r"words\.json"):
        WordTokenizer.load(tmp_path / "absent")
