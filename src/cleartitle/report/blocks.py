"""What a report is made of: sections of blocks, plain data that says nothing about how it looks.

Every string may come from a model or a corpus. Blocks carry text as it is; `render` escapes it and shows signs that
would stay hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = [
    "Block",
    "Cell",
    "Column",
    "Fact",
    "Facts",
    "Figure",
    "Group",
    "KeyFigure",
    "KeyFigures",
    "Mark",
    "MarkedText",
    "Notes",
    "Paragraph",
    "Picture",
    "Pictures",
    "RowGroup",
    "Section",
    "SideBySide",
    "Table",
    "TextBox",
]

Tone: TypeAlias = Literal["plain", "good", "warn", "bad", "muted"]
MarkKind: TypeAlias = Literal["shared", "comment", "evidence"]

DEFAULT_LEGEND = (("shared", "runs of equal words"), ("comment shared", "comments that both share"))


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of plain text; ``lead`` sets it larger."""

    text: str
    lead: bool = False


@dataclass(frozen=True)
class KeyFigure:
    """One headline number: what it is, its value, its interval, the n behind it, and what to bear in mind."""

    label: str
    value: str
    interval: str = ""
    n: str = ""
    note: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True)
class KeyFigures:
    """Headline tiles."""

    figures: Sequence[KeyFigure]


@dataclass(frozen=True)
class Column:
    """A column of a `Table`; ``choose`` offers its values as a filter, for columns of few distinct values."""

    title: str
    kind: Literal["text", "number", "code"] = "text"
    help: str = ""
    choose: bool = False


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and what it sorts by where that is not its text; None sorts last in either direction."""

    text: str
    sort: float | str | None = None
    tone: Tone = "plain"

    @staticmethod
    def number(value: float | None, text: str | None = None, *, absent: str = "–", tone: Tone = "plain") -> "Cell":
        """A number with its own text; ``absent`` and a muted tone where there is no value."""
        if value is None:
            return Cell(absent, None, "muted")
        if text is None:
            text = f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"
        return Cell(text, float(value), tone)


@dataclass(frozen=True)
class RowGroup:
    """Rows under one heading; sorting keeps them together. ``muted`` sets them grey."""

    rows: Sequence[Sequence[Cell]]
    title: str = ""
    muted: bool = False
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table whose first column heads its row.

    It can be sorted, and searched where it has many rows, unless ``fixed``: the order of its rows is then part of what
    it says. In a ``heat`` map the tone of a cell is its ground.
    """

    caption: str
    columns: Sequence[Column]
    groups: Sequence[RowGroup]
    note: str = ""
    fixed: bool = False
    heat: bool = False

    @property
    def row_count(self) -> int:
        """Rows of all groups."""
        return sum(len(group.rows) for group in self.groups)


@dataclass(frozen=True)
class Figure:
    """A drawing: SVG made by `cleartitle.report.plots`, an alternative in words, and its numbers as a table."""

    caption: str
    svg: str
    alternative: str
    data: Table | None = None


@dataclass(frozen=True)
class Mark:
    """A marked half-open range of characters."""

    start: int
    end: int
    kind: MarkKind


@dataclass(frozen=True)
class MarkedText:
    """A text with marked ranges. ``whole`` says where the whole text stands, should the page show only its start."""

    title: str
    text: str
    marks: Sequence[Mark] = ()
    whole: str = ""


@dataclass(frozen=True)
class SideBySide:
    """Two texts beside each other (below each other in a narrow window); ``legend`` says what each mark means."""

    left: MarkedText
    right: MarkedText
    legend: bool | Sequence[tuple[str, str]] = True

    @property
    def legend_items(self) -> Sequence[tuple[str, str]]:
        """Classes of marks with their meaning."""
        if isinstance(self.legend, bool):
            return DEFAULT_LEGEND if self.legend else ()
        return self.legend


@dataclass(frozen=True)
class TextBox:
    """A text as it is, in fixed width; ``collapsed`` hides it behind its title."""

    content: MarkedText
    collapsed: bool = True


@dataclass(frozen=True)
class Fact:
    """A name and its value, or several values below each other."""

    name: str
    values: Sequence[str]
    tone: Tone = "plain"


@dataclass(frozen=True)
class Facts:
    """A list of facts."""

    facts: Sequence[Fact]


@dataclass(frozen=True)
class Notes:
    """A list of remarks in a box; ``tone`` ``warn`` sets it off."""

    title: str
    items: Sequence[str]
    tone: Tone = "plain"


@dataclass(frozen=True)
class Picture:
    """A small JPEG or PNG picture with words for those who do not see it, a line below, and a tone around it."""

    data: bytes
    alternative: str
    caption: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True)
class Pictures:
    """Pictures beside each other; they stand in the page itself."""

    pictures: Sequence[Picture]


@dataclass(frozen=True)
class Group:
    """Blocks behind a line that opens them; ``badges`` are short words with a tone beside the title."""

    title: str
    blocks: Sequence["Block"]
    badges: Sequence[tuple[str, Tone]] = ()
    open: bool = False


Block: TypeAlias = Paragraph | KeyFigures | Table | Figure | SideBySide | TextBox | Facts | Notes | Pictures | Group


@dataclass(frozen=True)
class Section:
    """A part of a report. ``id`` is made of lower-case letters, digits and hyphens, and unique in the report.

    A section without a title is shown without a heading, and not in the list of contents.
    """

    id: str
    title: str
    blocks: Sequence[Block]
