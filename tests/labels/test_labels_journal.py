from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.errors import InputError
from cleartitle.labels.journal import COLUMNS, Journal, read_labels

FIXED = ("striking", "ann", "copied/1", "0123456789abcdef")
WHEN = "2026-01-01T00:00:00+00:00"


def test_an_answer_is_in_the_file_when_add_returns_and_the_last_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    journal = Journal(path, *FIXED)
    journal.add("a#0", "copied", 1.234, 'same odd\nname, "quoted"', WHEN)
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)
    assert path.read_text().splitlines()[1] == (
        f'a#0,striking,ann,copied,1.23,"same odd name, ""quoted""",{WHEN},copied/1,0123456789abcdef'
    )
    journal.add("a#0", "unsure", 2, "", WHEN)
    assert Journal(path, *FIXED).labels["a#0"].answer == "unsure"
    assert len(read_labels(path)) == 2


@given(st.text(), st.integers(0, 400))
def test_a_file_cut_anywhere_goes_on_with_its_whole_rows(
    tmp_path_factory: pytest.TempPathFactory, comment: str, cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "one.csv"
    journal = Journal(path, *FIXED)
    comment = comment.encode("utf-8", "replace").decode().replace("\0", "")
    for number in range(3):
        journal.add(f"item{number}", "copied", 1, comment, WHEN)
    whole = path.read_bytes()
    header = whole.index(b"\n") + 1
    kept = whole[: max(header, len(whole) - cut)]
    path.write_bytes(kept)
    again = Journal(path, *FIXED)
    assert len(again.labels) == kept.count(b"\n") - 1
    again.add("last", "unsure", 1, comment, WHEN)
    assert [label.item_id for label in read_labels(path)][-1] == "last"
    assert read_labels(path)[-1].comment == " ".join(comment.split())


def test_a_file_without_even_a_header_starts_anew(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    for torn in (b"", b"item_id,ta"):
        path.write_bytes(torn)
        journal = Journal(path, *FIXED)
        journal.add("a", "copied", 1, "", WHEN)
        assert [label.item_id for label in read_labels(path)] == ["a"]


@pytest.mark.parametrize("place", range(4))
def test_answers_of_another_task_rater_question_or_run_are_refused(tmp_path: Path, place: int) -> None:
    path = tmp_path / "one.csv"
    Journal(path, *FIXED).add("a", "copied", 1, "", WHEN)
    other = list(FIXED)
    other[place] = "other"
    with pytest.raises(InputError, match="mend: choose another --output"):
        Journal(path, *other)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfe\x00binary", "not a CSV file in UTF-8"),
        (b"item_id,answer\nx,y\n", "lacks the columns task"),
        (",".join(COLUMNS).encode() + b"\na,b\n", "line 2 is not a whole row"),
        (",".join(COLUMNS).encode() + b"\na,t,r,x,soon,,w,q,run\n", "line 2 is not a whole row"),
        (",".join(COLUMNS).encode() + b'\n"' + b"x" * 200_000 + b'",t,r,x,1,,w,q,run\n', "not a whole row|not a CSV"),
        (b"x" * 300_000, "lacks the columns|not a CSV file"),
    ],
)
def test_what_is_no_csv_of_labels_gets_one_line(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match=words) as caught:
        read_labels(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(InputError, match="could not be read"):
        read_labels(tmp_path / "absent.csv")
