"""What people are asked, as data: a question with its choices, and the texts that it is asked about."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.licenses import UnknownLicenseError, normalize
from cleartitle.options import NOT_IN_KEY

__all__ = ["Choice", "Drawn", "Item", "LabelOptions", "Panel", "Question", "Said", "Stratum", "Task"]

CONTROL = "control:"
"""What the id of a control starts with."""


@dataclass(frozen=True)
class Choice:
    """One answer: the value that the CSV holds, and the words on its button.

    With ``detail`` the rater writes something (the words name it), and that is the value.
    """

    value: str
    words: str
    detail: str = ""


@dataclass(frozen=True)
class Question:
    """A question of one kind for all of its items.

    Whoever changes words or choices raises ``version``, so that answers to different questions are never mixed.
    ``swap`` says that the first two panels change places by lot.
    """

    name: str
    version: int
    text: str
    help: str
    choices: tuple[Choice, ...]
    swap: bool = False
    canonical: Callable[[str], str] = field(default=str, repr=False)
    """The one form of what was written for a detail; raises InputError where it has none."""

    @property
    def title(self) -> str:
        """Name and version, as the CSV holds them."""
        return f"{self.name}/{self.version}"

    def value_of(self, choice: str, detail: str) -> str:
        """What the CSV holds for a choice and what was written with it.

        Raises:
            InputError: no such choice, or no detail where one is asked for.
        """
        for one in self.choices:
            if one.value == choice:
                return self.canonical(detail) if one.detail else one.value
        raise InputError(f"{choice!r} is no answer to the question {self.title}")

    def as_json(self) -> dict[str, Any]:
        """What the page shows."""
        return {"text": self.text, "help": self.help, "choices": [asdict(one) for one in self.choices]}


def license_name(text: str) -> str:
    """The canonical form of an SPDX expression or of a license family.

    Raises:
        InputError: it is neither.
    """
    try:
        return normalize(text.strip())
    except UnknownLicenseError as error:
        raise InputError(f"{text.strip()[:80]!r} is no SPDX expression and no family; write MIT, or GPL") from error


@dataclass(frozen=True)
class Panel:
    """A text to look at, or an image file (JPEG)."""

    title: str
    text: str
    image: Path | None = None


@dataclass(frozen=True)
class Item:
    """What one question is asked about.

    ``context`` is shown folded. ``expected`` is the right answer to a control, None for what is to be judged. Ids of
    controls start with ``control:``.
    """

    id: str
    panels: tuple[Panel, ...]
    context: Panel | None = None
    expected: str | None = None


@dataclass(frozen=True)
class Stratum:
    """Part of a population that is drawn from apart: its size, and the ids that were drawn."""

    name: str
    size: int
    drawn: tuple[str, ...]


@dataclass(frozen=True)
class Drawn:
    """Items of a task, controls among them, and where they were drawn from; ``run`` names the run or corpus."""

    items: tuple[Item, ...]
    strata: tuple[Stratum, ...]
    run: str


@dataclass(frozen=True)
class Said:
    """What the program says of judged items, in the values of the question (None: nothing).

    ``strata`` names the stratum of each item, ``sizes`` how many items of the population each stratum holds: what was
    drawn from a small stratum stands for fewer than what was drawn from a large one.
    """

    values: Mapping[str, str | None]
    strata: Mapping[str, str]
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class LabelOptions:
    """What is judged."""

    limit: int = 0
    """Items to judge; 0 for what the task takes by default (striking 40; license and header by --margin)."""
    margin: float = 0.05
    """Half width of the 95 % interval that the size of a license sample is made for."""
    controls: float = 0.1
    """Share of attention checks with known answers among what is shown; 0 for none."""
    highlight: bool = False
    """Mark what both texts of a pair share; raters then see what the measures see."""
    seed: int = 0
    """Of the draw, of the order, and of the sides."""
    port: int = field(default=0, metadata=NOT_IN_KEY)
    """Port of the page on this machine; 0 for a free one."""

    def __post_init__(self) -> None:
        """Refuse what cannot be honored."""
        wrong = [] if self.limit >= 0 else [f"limit={self.limit}"]
        wrong += [] if 0 < self.margin < 0.5 else [f"margin={self.margin}"]
        wrong += [] if 0 <= self.controls <= 0.5 else [f"controls={self.controls}"]
        wrong += [] if 0 <= self.port < 65536 else [f"port={self.port}"]
        if wrong:
            raise InputError(f"label options: {', '.join(wrong)}: out of range")


@dataclass(frozen=True)
class Task:
    """One thing to judge in folders of one kind.

    Attributes:
        name: word on the command line and in the CSV.
        of: capability of the run, or ``corpus``.
        question: what is asked.
        draw: items of a folder.
        tool: what the program says of the items with these ids.
        positive: which values count as a finding, for precision and recall; None where each value is a name of its own.
    """

    name: str
    of: str
    question: Question
    draw: Callable[[Path, LabelOptions], Drawn]
    tool: Callable[[Path, Collection[str]], Said]
    positive: frozenset[str] | None
