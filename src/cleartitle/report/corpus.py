"""What a corpus holds, as tables for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType

from cleartitle.report.terminal_parts import add_count, bullets, count_table, dim_line, new_table, safe
from cleartitle.report.titles import CLASS_TITLES

__all__ = ["corpus_table"]

MOST = 12
"""Rows of one table; the rest is summed up in a last one."""


def corpus_table(info: Mapping[str, Any]) -> list[RenderableType]:
    """A corpus: counts by class, license, trust and language; duplicates, conflicts and what was left out.

    Args:
        info: ``CorpusInfo`` as plain JSON values.
    """
    parts: list[RenderableType] = [
        safe(
            f"{info['contents']:,} files in {info['occurrences']:,} places of {info['projects']:,} projects,"
            f" {info['bytes'] / 1e6:,.1f} MB",
            "bold",
        ),
        dim_line(
            f"{info['duplicates']:,} places repeat a file that stands elsewhere; {info['vendored']:,} are vendored."
        ),
    ]
    for title in ("classes", "licenses", "trust", "languages"):
        parts.extend(("", _counts(title, info[title])))
    if info["conflicts"]:
        table = new_table("Header and package disagree")
        table.add_column("files", justify="right")
        table.add_column("conflict", overflow="fold")
        table.add_column("example", overflow="fold")
        for row in info["conflicts"]:
            table.add_row(f"{row['files']:,}", safe(row["conflict"]), safe(row["example"]))
        parts.extend(("", table))
    left_out = [f"left out, {reason}: {entry['count']:,}{_example(entry)}" for reason, entry in info["skipped"].items()]
    return [*parts, "", *bullets(left_out)]


def _counts(title: str, counts: Mapping[str, int]) -> RenderableType:
    table = count_table(title.capitalize())
    total = sum(counts.values())
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for name, number in ordered[:MOST]:
        add_count(table, CLASS_TITLES.get(name, name), number, total)
    if len(ordered) > MOST:
        add_count(table, f"{len(ordered) - MOST} others", sum(number for _, number in ordered[MOST:]), total)
    return table


def _example(entry: Mapping[str, Any]) -> str:
    return f", for example {entry['lines'][0][:200]}" if entry["lines"] else ""
