"""Labels as CSV: one file a rater and task, each answer on disk before the next question is shown."""

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.files import write_text

__all__ = ["COLUMNS", "Journal", "Label", "latest", "read_labels"]

MOST_BYTES = 256 * 2**20
MOST_CHARACTERS = 10_000


@dataclass(frozen=True)
class Label:
    """One answer of one rater to one item: a row of the CSV.

    ``seconds`` is the time that the item was in sight, ``shown_at`` when it was first shown (UTC), ``run`` the key of
    the run that the item is from. Ids of controls start with ``control:``. An item that was answered again has several
    rows, of which the last counts.
    """

    item_id: str
    task: str
    rater: str
    answer: str
    seconds: float
    comment: str
    shown_at: str
    question_version: str
    run: str

    @property
    def is_control(self) -> bool:
        """Whether it is an answer to an attention check."""
        return self.item_id.startswith("control:")

    @property
    def expected(self) -> str:
        """For a control: what its id says the right answer is."""
        kind = self.item_id.split(":")[1] if self.is_control else ""
        return {"copy": "copied", "unrelated": "independent"}.get(kind, kind)


COLUMNS = tuple(field.name for field in fields(Label))


class Journal:
    """The CSV of one rater, to go on with after any end.

    Raises:
        InputError: the file holds answers to another question, of another run, or by another rater.
    """

    def __init__(self, path: Path, task: str, rater: str, question_version: str, run: str) -> None:
        self.path = path
        self.fixed = {"task": task, "rater": rater, "question_version": question_version, "run": run}
        self.labels: dict[str, Label] = {}
        if path.exists() and _cut_torn_end(path):
            self.labels = latest(read_labels(path))
            self._check()
        else:
            write_text(path, _line(COLUMNS))

    def add(self, item_id: str, answer: str, seconds: float, comment: str, shown_at: str) -> None:
        """Write one answer; when this returns it is on disk."""
        label = Label(
            item_id=item_id,
            answer=answer,
            seconds=round(seconds, 2),
            comment=" ".join(comment.split()),
            shown_at=shown_at,
            **self.fixed,
        )
        with self.path.open("ab") as stream:
            stream.write(_line(asdict(label).values()).encode())
            stream.flush()
            os.fsync(stream.fileno())
        self.labels[item_id] = label

    def _check(self) -> None:
        for label in self.labels.values():
            for name, value in self.fixed.items():
                if getattr(label, name) != value:
                    raise InputError(
                        f"{self.path}: holds answers with {name} {getattr(label, name)!r}, not {value!r}; "
                        "mend: choose another --output"
                    )


def read_labels(path: Path) -> list[Label]:
    """All rows of a CSV of labels, in their order; columns that are not known are passed over.

    Raises:
        InputError: absent, not UTF-8, not CSV, without a column, or with a row that is not whole.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: larger than {MOST_BYTES >> 20} MiB, which no labels are")
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(
                    f"{path}: lacks the columns {', '.join(missing)}; mend: name a CSV of cleartitle label"
                )
            return [_label(path, reader.line_num, row) for row in reader]
    except OSError as error:
        raise InputError(f"{path}: could not be read ({error.strerror})") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8 ({error})") from None


def latest(labels: Iterable[Label]) -> dict[str, Label]:
    """The last answer to each item, in the order of the first ones."""
    return {label.item_id: label for label in labels}


def _label(path: Path, line: int, row: dict[str, str | None]) -> Label:
    values = {name: row[name] for name in COLUMNS}
    try:
        if not values["item_id"] or any(value is None or len(value) > MOST_CHARACTERS for value in values.values()):
            raise ValueError
        return Label(**{**values, "seconds": float(values["seconds"] or 0)})  # pyright: ignore[reportArgumentType]
    except ValueError:
        raise InputError(f"{path}: line {line} is not a whole row; mend: repair or remove it") from None


def _line(values: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()


def _cut_torn_end(path: Path) -> int:
    """Drop what a kill left of a row (each ends in a line feed and holds no other); bytes that stay."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.truncate(path, whole)
    return whole
