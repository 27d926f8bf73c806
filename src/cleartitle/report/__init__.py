"""Reports: one self-contained HTML page from the tables of a run, and tables for the terminal."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cleartitle.report.blocks import (
        Block,
        Cell,
        Column,
        Fact,
        Facts,
        Figure,
        Group,
        KeyFigure,
        KeyFigures,
        Mark,
        MarkedText,
        Notes,
        Paragraph,
        Picture,
        Pictures,
        RowGroup,
        Section,
        SideBySide,
        Table,
        TextBox,
    )
    from cleartitle.report.codeipprompt import codeipprompt_table, published_codeipprompt_table, thresholds_table
    from cleartitle.report.comparison import comparison_table, write_comparison
    from cleartitle.report.copyright_bench import copyright_bench_table, ranking_table, write_ranking
    from cleartitle.report.corpus import corpus_table
    from cleartitle.report.humaneval import humaneval_table
    from cleartitle.report.page import render
    from cleartitle.report.prompts import prompts_table
    from cleartitle.report.terminal import benchmark_table, licoeval_table, published_table
    from cleartitle.report.trace import index_table, matches_table
    from cleartitle.report.trace_html import trace_page
    from cleartitle.report.write import summary_table, write_report

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
    "benchmark_table",
    "codeipprompt_table",
    "comparison_table",
    "copyright_bench_table",
    "corpus_table",
    "humaneval_table",
    "index_table",
    "licoeval_table",
    "matches_table",
    "prompts_table",
    "published_codeipprompt_table",
    "published_table",
    "ranking_table",
    "render",
    "summary_table",
    "thresholds_table",
    "trace_page",
    "write_comparison",
    "write_ranking",
    "write_report",
]

# A command loads only the pages that it shows: each name comes from its module when it is first asked for.
_HOMES = {
    "blocks": (
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
    ),
    "codeipprompt": (
        "codeipprompt_table",
        "published_codeipprompt_table",
        "thresholds_table",
    ),
    "comparison": (
        "comparison_table",
        "write_comparison",
    ),
    "copyright_bench": (
        "copyright_bench_table",
        "ranking_table",
        "write_ranking",
    ),
    "corpus": ("corpus_table",),
    "humaneval": ("humaneval_table",),
    "page": ("render",),
    "prompts": ("prompts_table",),
    "terminal": (
        "benchmark_table",
        "licoeval_table",
        "published_table",
    ),
    "trace": (
        "index_table",
        "matches_table",
    ),
    "trace_html": ("trace_page",),
    "write": (
        "summary_table",
        "write_report",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
