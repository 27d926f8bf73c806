"""What a corpus holds, as tables for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

__all__ = ["corpus_table"]

MOST = 12


def corpus_table(info: Mapping[str, Any]) -> list[RenderableType]:
    """Renderables of the fields of a `CorpusInfo`: counts, then licenses, classes, trust, conflicts, what was left out."""
    head = (
        f"{info['contents']:,} contents in {info['occurrences']:,} places of {info['projects']:,} projects, "
        f"{info['bytes'] / 1e6:,.1f} MB; {info['duplicates']:,} duplicates, {info['vendored']:,} vendored"
    )
    shown: list[RenderableType] = [head]
    for title in ("classes", "licenses", "trust", "languages"):
        shown.append(_counts(title, info[title]))
    if info["conflicts"]:
        table = Table("files", "conflict", "example", title="header and package disagree", title_justify="left")
        for row in info["conflicts"]:
            table.add_row(f"{row['files']:,}", escape(row["conflict"]), escape(row["example"]))
        shown.append(table)
    if info["skipped"]:
        table = Table("count", "left out", "example", title="left out", title_justify="left")
        for reason, entry in info["skipped"].items():
            table.add_row(f"{entry['count']:,}", escape(reason), escape((entry["examples"] or [""])[0]))
        shown.append(table)
    return shown


def _counts(title: str, counts: Mapping[str, int]) -> Table:
    total = sum(counts.values()) or 1
    table = Table(title, "count", "share", title_justify="left")
    table.columns[1].justify = table.columns[2].justify = "right"
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    for name, count in ordered[:MOST]:
        table.add_row(escape(name), f"{count:,}", f"{100 * count / total:.1f} %")
    if len(ordered) > MOST:
        rest = sum(count for _, count in ordered[MOST:])
        table.add_row(f"{len(ordered) - MOST} others", f"{rest:,}", f"{100 * rest / total:.1f} %")
    return table
