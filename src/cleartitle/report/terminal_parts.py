"""What the tables for the terminal share. Text from models and corpora is never read as markup."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cleartitle.report.numbers import share
from cleartitle.report.text import plain

__all__ = ["add_count", "bullets", "count_table", "dim_line", "new_table", "safe", "sparkline"]


def safe(text: str, style: str = "") -> Text:
    """Text on one line, hidden signs as their code points."""
    return Text(plain(text), style=style)


def dim_line(text: str) -> Text:
    """A line in the background."""
    return safe(text, "dim")


def bullets(notes: Iterable[str]) -> list[RenderableType]:
    """Remarks below a table."""
    return [Padding(dim_line(f"• {note}"), (0, 0, 0, 1)) for note in notes]


def new_table(title: str) -> Table:
    """An empty table in the style of the house."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )


def count_table(title: str, beside: str = "") -> Table:
    """An empty table of names, numbers and shares, with one more column named ``beside``."""
    table = new_table(title)
    table.add_column("", overflow="fold")
    table.add_column("n", justify="right")
    table.add_column("share", justify="right", no_wrap=True)
    if beside:
        table.add_column(beside, justify="right", style="dim", no_wrap=True)
    return table


def add_count(table: Table, name: str, number: int, total: int, beside: str = "") -> None:
    """A row of a `count_table`."""
    cells = [safe(name), f"{number:,}", share(number, total)]
    table.add_row(*cells, *([beside] if len(table.columns) == 4 else []))


def sparkline(counts: Sequence[int]) -> str:
    """Counts as a row of eight heights of blocks; a blank is no case."""
    most = max(counts, default=0) or 1
    return "".join(" ▁▂▃▄▅▆▇█"[-(-8 * count // most)] for count in counts)
